"""Words, titles, host names and addresses drawn from a random generator."""

import random

_ONSETS = "b br c ch d dr f fl g gr h j k kl l m n p pl r s sch sp st t tr v w z".split()
_VOWELS = "a e i o u ai ei ou ie".split()
_CODAS = ["", "", "", "n", "r", "s", "t", "l", "m", "nd", "rt", "ck", "x"]

SECTIONS = (
    "news products services blog archive docs media press events research team shop "
    "support projects library courses people reports gallery help"
).split()
GENERIC = (
    "Home",
    "Index",
    "Untitled Document",
    "Contact",
    "About us",
    "News",
    "Welcome",
    "Imprint",
    "Privacy policy",
    "Sitemap",
    "Search",
    "Login",
    "Products",
    "Services",
)
CITIES = (
    "linz graz wien bern basel genf koeln bonn ulm trier mainz jena halle kiel essen lyon nantes"
    " lille brest porto faro braga leiria evora coimbra turin pisa bari parma leeds york bath derby"
    " hull dover brno plzen zlin gdansk torun lublin oslo bergen malmo lund turku tampere oulu"
    " aarhus odense"
).split()


def _vocabulary(size: int) -> list[str]:
    """A constant list of pronounceable words, the same in every crawl."""
    rng, words = random.Random(6), {}
    while len(words) < size:
        syllables = [
            rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)
            for _ in range(rng.choice((1, 2, 2, 2, 3)))
        ]
        if len("".join(syllables)) > 2:
            words["".join(syllables)] = None
    return list(words)


VOCABULARY = _vocabulary(6000)


def word(rng: random.Random) -> str:
    """One word; low-numbered words are drawn more often, as in real text."""
    return VOCABULARY[int(len(VOCABULARY) * rng.random() ** 2)]


def phrase(rng: random.Random, low: int = 2, high: int = 6) -> str:
    """A title-like phrase of low..high words."""
    return " ".join(word(rng) for _ in range(rng.randint(low, high))).capitalize()


def slug(title: str) -> str:
    """The path form of a title."""
    return title.lower().replace(" ", "-")


def domain(rng: random.Random, tlds: tuple[str, ...]) -> str:
    """A registered domain in one of several naming habits."""
    first, second = word(rng), word(rng)
    name = rng.choice(
        (
            first + second,
            f"{first}-{second}",
            first + second,
            second + first[:4],
            first + str(rng.randint(1, 99)),
            f"{first}{second}{rng.choice(('online', 'web', 'info', ''))}",
        )
    )
    return f"{name}.{rng.choice(tlds)}"


def bare(host: str) -> str:
    """The host without a leading www label."""
    return host.removeprefix("www.")


def other_tld(rng: random.Random, host: str) -> str:
    """The same name in another top-level domain, sometimes hyphenated or extended."""
    stem, _, tld = host.rpartition(".")
    tlds = [
        t for t in ("com", "net", "org", "info", "biz", "eu", "co", "online", "site") if t != tld
    ]
    name = bare(stem)
    name = rng.choice(
        (
            name,
            name,
            name.replace("-", ""),
            name + rng.choice(("-online", "group", "24", "-gmbh", "web")),
        )
    )
    return ("www." if stem.startswith("www.") else "") + f"{name}.{rng.choice(tlds)}"


def typo(rng: random.Random, host: str) -> str:
    """A misspelling of the registered name: dropped, doubled, swapped or replaced letter."""
    stem, _, tld = bare(host).rpartition(".")
    at = rng.randrange(max(1, len(stem) - 1))
    forms = (
        stem[:at] + stem[at + 1 :],
        stem[:at] + stem[at] + stem[at:],
        stem[:at] + stem[at + 1 : at + 2] + stem[at] + stem[at + 2 :],
        stem[:at] + rng.choice("aeionrst") + stem[at + 1 :],
        "www" + stem,
    )
    name = rng.choice(forms).strip("-.") or stem + "s"
    return rng.choice(("", "www.")) + f"{name}.{rng.choice((tld, tld, 'com', 'cm', 'net'))}"


def address(rng: random.Random) -> str:
    """A public-looking IPv4 address."""
    return (
        f"{rng.randint(11, 223)}.{rng.randint(0, 255)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}"
    )
