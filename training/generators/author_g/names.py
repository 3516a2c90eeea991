"""Names of hosts: of sites of all kinds, of their copies and of hosts that only look alike."""

from __future__ import annotations

import numpy as np

from training.generators.author_g.seeding import picks

ONSETS = "b br c ch d dr f g gr h j k kl l m n p pr r s sk st t tr v z".split()
VOWELS = "a e i o u ai ea ou ie".split()
CODAS = ["", "", "", "n", "r", "s", "t", "l", "nd", "rk", "m", "x"]
COUNTRIES = "cz pl fr de pt gr hu fi ro se it nl dk at ch es br ar jp au".split()
COMMON = (
    "hotel web online shop auto foto music info city travel media club data design home tech"
    " sport news garden art food school garage center service law clinic dental blog guide market"
).split()
ALIASES = "m mail ftp web www2 dev test beta new home en server intranet secure".split()
MIRRORS = "mirror mirrors ftp ftp2 archive mirror2 linux docs sunsite pub".split()
OLD = "old archive archiv web1 backup 2004 classic legacy".split()


class Names:
    """Gives host names, each of them once."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw the country and its words."""
        self.rng = rng
        self.country = str(rng.choice(COUNTRIES))
        self.words = self._words(700)
        self.tlds = [self.country, "com", "net", "org", "info", "biz", "eu"]
        home = rng.uniform(0.15, 0.75)
        self.tld_weights = np.array(
            [home, *((1 - home) * np.array([0.5, 0.17, 0.17, 0.08, 0.03, 0.05]))]
        )
        self.www = rng.uniform(0.3, 0.9)
        self.used: set[str] = set()

    def _words(self, count: int) -> list[str]:
        """Make words of two or three syllables."""
        rng = self.rng
        shape = (count, 3)
        parts = zip(
            rng.integers(0, len(ONSETS), shape).tolist(),
            rng.integers(0, len(VOWELS), shape).tolist(),
            rng.integers(0, len(CODAS), shape).tolist(),
            rng.integers(1, 4, count).tolist(),
            strict=True,
        )
        made = []
        for onsets, vowels, codas, length in parts:
            pieces = [ONSETS[o] + VOWELS[v] for o, v in zip(onsets, vowels, strict=True)]
            made.append("".join(pieces[: max(2, length)]) + CODAS[codas[0]])
        return made

    def word(self) -> str:
        """Draw a word, some far oftener than others."""
        return self.words[int(len(self.words) * self.rng.random() ** 1.6)]

    def one(self, choices: list[str]) -> str:
        """Draw one of the choices."""
        return choices[int(self.rng.random() * len(choices))]

    def tld(self) -> str:
        """Draw a top level domain."""
        return self.tlds[int(picks(self.rng, self.tld_weights, 1)[0])]

    def claim(self, name: str) -> str:
        """Take the name, or the next free one like it."""
        start = "www." if name.startswith("www.") else ""
        label, _, rest = name.removeprefix("www.").partition(".")
        tried, number = name, 1
        while tried in self.used:
            number += 1
            tried = f"{start}{label}{number}.{rest}"
        self.used.add(tried)
        return tried

    def domain(self) -> str:
        """Make a registered domain."""
        kind = self.rng.random()
        if kind < 0.35:
            label = self.word()
        elif kind < 0.6:
            label = f"{self.word()}-{self.one(COMMON)}"
        elif kind < 0.8:
            label = self.word() + self.one(COMMON)
        else:
            label = self.word() + self.word()
        return f"{label}.{self.tld()}"

    def site(self) -> str:
        """Make the host of an ordinary site."""
        kind = self.rng.random()
        if kind < 0.05:
            name = f"{self.word()}.gov.{self.country}"
        elif kind < 0.11:
            name = f"{self.one(['zs', 'gym', 'school', 'lib'])}-{self.word()}.edu.{self.country}"
        elif kind < 0.17:
            name = f"{self.word()}.{self.word()}-univ.{self.country}"
        else:
            name = self.domain()
        return self.claim(f"www.{name}" if self.rng.random() < self.www else name)

    def tenant(self, platform: str) -> str:
        """Make the host of a tenant of a platform."""
        label = self.word()
        if self.rng.random() < 0.5:
            label += self.one([*COMMON, str(int(self.rng.integers(1, 2000)))])
        return self.claim(f"{label}.{platform}")

    def spam(self) -> str:
        """Make a name as bulk registrations have them."""
        label = f"{self.one(COMMON)}-{self.word()}"
        if self.rng.random() < 0.5:
            label += f"-{self.one(COMMON)}"
        if self.rng.random() < 0.3:
            label += str(int(self.rng.integers(1, 99)))
        tld = self.one(["info", "biz", "com", "net", "xyz", "top", self.country])
        return self.claim(f"{label}.{tld}")

    def like(self, host: str) -> str:
        """Make a name that looks like another host's, of the same owner or not."""
        bare = host.removeprefix("www.")
        label, _, tld = bare.partition(".")
        kind = self.rng.random()
        if kind < 0.55 and "." not in tld:
            other = self.one([t for t in self.tlds if t != tld])
            name = f"{label}.{other}"
        elif kind < 0.7:
            name = f"{label.replace('-', '')}.{tld}" if "-" in label else f"{label}-online.{tld}"
        elif kind < 0.85:
            name = f"{label}{int(self.rng.integers(2, 30))}.{tld}"
        else:
            name = f"{label}s.{tld}"
        return self.claim(f"www.{name}" if host.startswith("www.") else name)

    def copy(self, host: str, cause: str) -> str:
        """Make the name of a copy of a host."""
        bare = host.removeprefix("www.")
        chance = self.rng.random()
        if cause == "www":
            other = bare if host.startswith("www.") else f"www.{bare}"
            return self.claim(other if other not in self.used else f"web.{bare}")
        if cause == "tld":
            return self.like(host)
        if cause == "alias":
            return self.claim(f"{self.one(ALIASES)}.{bare}")
        if cause == "frozen" and chance < 0.6:
            return self.claim(f"{self.one(OLD)}.{bare}")
        if cause in ("mirror", "shallow") and chance < 0.75:
            return self._mirror(bare, chance)
        if cause in ("scraper", "kit", "farm"):
            return self.spam()
        if cause in ("moved", "version", "translation") and chance < 0.4:
            return self.like(host)
        return self.site()

    def _mirror(self, bare: str, chance: float) -> str:
        """Make the name of a mirror host."""
        first = bare.split(".")[0]
        if chance < 0.35:
            return self.claim(f"{self.one(MIRRORS)}.{self.domain()}")
        if chance < 0.6:
            return self.claim(f"{first}.{self.domain()}")
        return self.claim(f"{self.country}.{bare}")
