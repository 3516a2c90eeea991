"""Names of hosts: how owners, hosters, cheats and administrators call them."""

from __future__ import annotations

from training.generators.author_j.draw import Draw
from training.generators.author_j.words import PEOPLE, Tongue, invented

TWO_PART = ("co.uk", "org.uk", "com.au", "com.mx", "com.ar", "asso.fr", "gov.uk", "ac.uk", "co.at")
TWO_PART += ("bund.de", "gouv.fr", "gob.es", "gov.cz")
GENERIC = ("com", "net", "org", "info", "biz", "eu", "co", "online")
COUNTRIES = ("de", "at", "ch", "fr", "be", "nl", "es", "it", "pl", "cz", "sk", "co.uk", "ie", "se")
CHEAP = ("xyz", "top", "info", "online", "site", "club", "shop", "icu", "live", "ru", "cn", "tk")
BAIT = ("login", "secure", "verify", "account", "update", "support", "service", "auth", "wallet")
PARTS = ("shop", "blog", "forum", "wiki", "news", "en", "info", "portal", "data", "support", "old")


def parts(host: str) -> tuple[str, str, str]:
    """The host's subdomains, its registered label and its suffix; www is left out."""
    pieces = host.removeprefix("www.").split(".")
    size = 2 if ".".join(pieces[-2:]) in TWO_PART and len(pieces) > 2 else 1
    return ".".join(pieces[: -size - 1]), pieces[-size - 1], ".".join(pieces[-size:])


def label(draw: Draw, tongue: Tongue) -> str:
    """A registered name."""
    style = draw.below(9)
    one, other = draw.pick(tongue.words), draw.pick(tongue.words)
    if style < 2:
        return one + other
    if style == 2:
        return f"{one}-{other}"
    if style < 5:
        return invented(draw)
    if style == 5:
        return f"{draw.pick(PEOPLE)}{'-' if draw.chance(0.5) else ''}{one}"
    if style == 6:
        return invented(draw) + one
    if style == 7:
        return draw.letters(draw.between(3, 5))
    return f"{one}{draw.between(1, 99)}" if draw.chance(0.4) else f"{one}-{invented(draw)}"


def own(draw: Draw, tongue: Tongue) -> str:
    """A host on a domain of its own."""
    name = f"{label(draw, tongue)}.{draw.skewed(tongue.suffixes, 2.4)}"
    luck = draw.unit()
    if luck < 0.55:
        return f"www.{name}"
    return f"{draw.pick(PARTS)}.{name}" if luck < 0.67 else name


def tenant(draw: Draw, tongue: Tongue, platforms: list[str]) -> str:
    """A host that a platform gives to a customer."""
    return f"{label(draw, tongue)}.{draw.skewed(platforms)}"


def throwaway(draw: Draw, tongue: Tongue) -> str:
    """A name that is bought by the dozen."""
    style = draw.below(4)
    if style == 0:
        name = draw.letters(draw.between(6, 14))
    elif style == 1:
        name = f"{draw.pick(BAIT)}-{label(draw, tongue)}{draw.below(900)}"
    elif style == 2:
        name = "-".join(draw.pick(tongue.words) for _ in range(draw.between(2, 4)))
    else:
        name = f"{draw.pick(tongue.words)}{draw.pick(tongue.words)}{draw.between(1, 999)}"
    return f"{name}.{draw.pick(CHEAP)}"


def bait(draw: Draw, brand: str, platforms: list[str]) -> str:
    """A host of a cheat who plays the brand."""
    word = draw.pick(BAIT)
    options = (
        f"{brand}-{word}.{draw.pick(CHEAP)}",
        f"{word}-{brand}{draw.below(99)}.{draw.pick(CHEAP)}",
        f"{brand}.com.{draw.letters(8)}.{draw.pick(CHEAP)}",
        f"{draw.letters(10)}.{draw.pick(CHEAP)}",
        f"{brand}{draw.hexes(4)}.{draw.pick(platforms)}",
        f"{draw.letters(9)}.{draw.pick(platforms)}",
        f"{typo(draw, brand)}.{draw.pick(('com', 'net', 'org'))}",
    )
    return draw.pick(options)


def typo(draw: Draw, name: str) -> str:
    """The name with a slip in it."""
    place = draw.below(max(len(name) - 1, 1))
    style = draw.below(5)
    if style == 0:
        return name[:place] + name[place + 1 :] or name
    if style == 1:
        return name[:place] + name[place] + name[place:]
    if style == 2 and len(name) > 1:
        return name[:place] + name[place + 1] + name[place] + name[place + 2 :]
    if style == 3:
        return name.replace("l", "1").replace("o", "0")
    return name[:place] + draw.letters(1) + name[place + 1 :]


def dashed(draw: Draw, name: str) -> str:
    """The name written another way: with or without a dash, or with a word more."""
    if "-" in name:
        return name.replace("-", "")
    if len(name) > 6 and draw.chance(0.5):
        place = draw.between(3, len(name) - 3)
        return f"{name[:place]}-{name[place:]}"
    return draw.pick((f"the{name}", f"{name}online", f"my{name}", f"{name}-group", f"{name}web"))
