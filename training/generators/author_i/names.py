"""Words, titles and host names. Popular words are in many names, so unrelated hosts look alike."""

from __future__ import annotations

import string

from training.generators.author_i.dice import Dice

_REAL = """about news garden travel energy school music hotel auto city water book photo sport media
design health studio green north river clinic farm market union europe center house life club home
history report summer winter open guide law art food kitchen wine coffee church museum library
science data cloud system service project result family price world future local team event plan
review street bridge mountain forest island harbor castle festival budget council election research
archive letter paper season match player training recipe tools repair rental insurance dental real
estate wedding dance yoga pension camping bike ski sail dog cat horse bird fish flower tree stone
"""
_START = "b br ch d dr f fl g gr h j k kl l m n p pr r s sch sp st t tr v w z".split()
_MIDDLE = "a e i o u ai au ea ei ie io ou".split()
_END = ["", "", "n", "r", "s", "l", "m", "t", "nd", "ck", "rg", "x"]
_TRADE = """hotel auto pizza cafe dr praxis garage immo bau shop studio foto salon taxi camping
restaurant elektro garten reisen""".split()
_AFTER = "consulting group online shop media blog team service info verein net web 24 pro".split()
SECOND_LEVEL = ("co.uk", "ac.uk", "com.br", "com.au", "co.jp", "gov.uk", "org.uk", "com.mx")
COUNTRIES = """de fr nl it es at ch be pl cz se dk fi pt hu ro gr ie co.uk com.br com.au co.jp
com.mx ca us ru tr no sk si hr bg lt lv ee""".split()
TLDS = {
    "mixed": "com com com com org net de fr nl it co.uk ru pl info io eu com.br ca es ch".split(),
    "country": "cz cz cz cz cz cz cz cz cz com com eu org net sk".split(),
    "free": "com xyz top info online site tk ml ga cf gq biz shop club live pw".split(),
    "learned": "edu edu org ac.uk de edu.au net".split(),
    "onion": ["onion"],
}


class Names:
    """The vocabulary of one web, and the host names that it has used."""

    def __init__(self, rng: Dice, tlds: str) -> None:
        self.rng = rng
        self.tlds = TLDS[tlds]
        made = ["".join(self._syllable() for _ in range(rng.randint(1, 3))) for _ in range(900)]
        self.words = _REAL.split() + [word for word in made if len(word) > 2]
        rng.shuffle(self.words)
        self.taken: set[str] = set()

    def _syllable(self) -> str:
        rng = self.rng
        return rng.choice(_START) + rng.choice(_MIDDLE) + rng.choice(_END)

    def word(self) -> str:
        """A word, the first of the vocabulary the most often."""
        return self.words[int(len(self.words) * self.rng.random() ** 1.6)]

    def slug(self, low: int = 2, high: int = 6) -> str:
        """Words with hyphens, as in a path."""
        return "-".join(self.word() for _ in range(self.rng.randint(low, high)))

    def code(self, length: int = 8) -> str:
        """Letters and digits that mean nothing."""
        return "".join(self.rng.choices("0123456789abcdef", k=length))

    def brand(self) -> str:
        """What a site calls itself."""
        rng, word = self.rng, self.word()
        shapes = (
            word,
            word + self.word(),
            f"{rng.choice(_TRADE)}-{self.word()}",
            f"{word}-{rng.choice(_AFTER)}",
            f"{word}{rng.choice(_AFTER)}",
            f"{word}-{self.word()}",
            self._syllable() + self._syllable() + self._syllable(),
        )
        return rng.choice(shapes)

    def host(self, brand: str) -> str:
        """A free name for the brand."""
        if self.tlds == ["onion"]:
            return self.onion()
        lead = "www." if self.rng.chance(0.55) else ""
        return self.free(f"{lead}{brand}.{self.rng.choice(self.tlds)}")

    def onion(self) -> str:
        """A name of a hidden service, of the new length or the old."""
        length = 56 if self.rng.chance(0.8) else 16
        letters = string.ascii_lowercase + "234567"
        return self.free("".join(self.rng.choices(letters, k=length)) + ".onion")

    def free(self, wanted: str) -> str:
        """The wanted name; with a number if another host has it."""
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            first, rest = wanted.removeprefix("www.").split(".", 1)
            name = ("www." if wanted.startswith("www.") else "") + f"{first}{number}.{rest}"
        self.taken.add(name)
        return name

    def other_domain(self, host: str) -> str:
        """Another domain that an owner, or a cheat, would take for the same brand."""
        rng = self.rng
        label, tld = cut(host)
        if tld == "onion":
            return self.onion()
        typo = rng.randrange(len(label))
        label = rng.choice(
            [
                label,
                label,
                label,
                label.replace("-", "") if "-" in label else f"{label}-online",
                f"{rng.choice(['my', 'the', 'get', 'e'])}{label}",
                label[:typo] + label[typo + 1 :] if len(label) > 4 else label + "s",
                f"{label}{rng.choice(_AFTER)}",
            ]
        )
        tlds = [*self.tlds, *COUNTRIES]
        lead = "www." if rng.chance(0.5) else ""
        return self.free(f"{lead}{label}.{rng.choice([t for t in tlds if t != tld])}")


def cut(host: str) -> tuple[str, str]:
    """The registered label of a host, and its top-level domain."""
    parts = host.split(".")
    last = 2 if ".".join(parts[-2:]) in SECOND_LEVEL and len(parts) > 2 else 1
    return parts[-last - 1], ".".join(parts[-last:])


def below(host: str, label: str) -> str:
    """A host below the domain of another: m.example.org."""
    return f"{label}.{'.'.join(cut(host))}"
