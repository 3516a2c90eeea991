"""Names of brands and hosts: words, endings, and names that are made after other names."""

from __future__ import annotations

import random

from training.generators.author_h.draw import pick

ENGLISH = """
acorn alpine amber anchor apex arrow atlas aurora auto beacon berry blue bold book bridge bright
brook cable camera canyon cedar central chess city clean clear cloud coast coffee copper craft
crystal daily data deal delta dental digital direct dream east echo energy estate falcon farm
fashion field film first flora forest fox garden gate gift gold granite green grove guide harbor
health hill home honey house image island jazz key lake land laser law leaf light lion logic
lunar maple market media metal metro mint mobile moon motor music nano news nord north oak ocean
olive optic orbit paint paper park peak pet photo pilot pine planet plus polar power prime pro
quick rain rapid red reef ridge river road rock rose royal safe sand school sea shop silver sky
smart snow solar sound south spark sport spring star steel stone studio summit sun surf swift
tech terra tide tower trade trail travel tree urban valley vector village vine vista wave web
west wild wind wine wolf wood world yacht zen zone
""".split()
ONSETS = "b br c ch d dr f g gr h j k kl l m n p pr r s st t tr v z".split()
VOWELS = "a a e e i o u ia ei ou".split()
CODAS = ["", "", "", "n", "r", "s", "l", "k", "m"]
FORE = {
    "stage": "staging dev test beta preprod stage uat old new".split(),
    "sub": "www2 web m secure portal en go my home".split(),
    "mirror": "mirror mirrors ftp mirror2 ftp2 archive download".split(),
    "nation": "de fr es it pl pt nl cz ru jp tr br".split(),
    "service": "blog shop forum mail support docs wiki files news intranet lists cloud".split(),
}
BAIT = "login secure verify account update support online id auth billing wallet".split()
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def syllables(rng: random.Random, count: int) -> str:
    """Make a word that could be of any language."""
    return "".join(
        rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(count)
    )


def brand(rng: random.Random) -> str:
    """Make a name of a firm, person or club, as it stands in a domain."""
    kind = rng.random()
    if kind < 0.35:
        return rng.choice(ENGLISH) + rng.choice(ENGLISH)
    if kind < 0.5:
        return f"{rng.choice(ENGLISH)}-{rng.choice(ENGLISH)}"
    if kind < 0.6:
        return f"{rng.choice(ENGLISH)}{rng.randint(1, 999)}"
    if kind < 0.75:
        return rng.choice(ENGLISH) + syllables(rng, 1)
    return syllables(rng, rng.randint(2, 4))


class Names:
    """Gives host names that no other host of the crawl has."""

    def __init__(self, rng: random.Random, endings: dict[str, float], onion: bool) -> None:
        """Start with no name taken."""
        self.rng, self.endings, self.onion = rng, endings, onion
        self.taken: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """Give the name, or one close to it when another host has it."""
        name = wanted
        first, dot, rest = wanted.partition(".")
        while name in self.taken:
            name = f"{first}{self.rng.randint(2, 99999)}{dot}{rest}"
        self.taken.add(name)
        return name

    def hidden(self) -> str:
        """Give the name of an onion service."""
        length = 56 if self.rng.random() < 0.8 else 16
        return self.fresh("".join(self.rng.choices(ALPHABET, k=length)) + ".onion")

    def domain(self, label: str) -> str:
        """Give a registered domain with that label."""
        if self.onion:
            return self.hidden()
        return self.fresh(f"{label}.{pick(self.rng, self.endings)}")

    def www(self, domain: str, share: float = 0.55) -> str:
        """Put www before the domain, or leave it."""
        if self.onion or self.rng.random() > share:
            return domain
        return self.fresh("www." + domain)

    def like(self, relation: str, domain: str, label: str) -> tuple[str, str]:
        """Give a host name and its domain that stand in that relation to another's."""
        rng = self.rng
        if self.onion:
            name = self.hidden()
            return name, name
        if relation == "www":
            return self.fresh("www." + domain), domain
        if relation in ("stage", "sub", "service", "nation"):
            return self.fresh(f"{rng.choice(FORE[relation])}.{domain}"), domain
        if relation == "mirror":
            owner = f"{brand(rng)}.{pick(rng, self.endings)}"
            shape = rng.random()
            fore = rng.choice(FORE["mirror"])
            name = f"{label}.{fore}.{owner}" if shape < 0.35 else f"{fore}.{owner}"
            if shape > 0.8:
                name = f"{rng.choice(FORE['nation'])}.{domain}"
            return self.fresh(name), name
        if relation == "tld":
            made = self.domain(label)
        elif relation == "hyphen":
            made = self.domain(label.replace("-", "") if "-" in label else label + "-online")
        elif relation == "bait":
            made = self.domain(
                f"{label}-{rng.choice(BAIT)}{rng.choice(['', '', '1', '24', '365'])}"
            )
        else:
            made = self.domain(brand(rng))
        return self.www(made), made
