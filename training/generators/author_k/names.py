"""Names of hosts, and the other names under which a site is found."""

from __future__ import annotations

from training.generators.author_k.dice import Dice
from training.generators.author_k.words import SYLLABLES, TAILS, TONGUES

ENDINGS = ("com", "net", "org", "eu", "info", "biz", "co.uk", "de", "fr", "it", "es", "at", "ch")
HEX = "0123456789abcdef"
BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
CLOUDS = """{n}.netlify.app {n}.herokuapp.com {h}.cloudfront.net {n}.azureedge.net {n}.pages.dev
{n}.b-cdn.net {n}-prod.azurewebsites.net {n}.github.io""".split()
STAGES = ("dev.", "test.", "staging.", "beta.", "new.", "preview.", "web2.", "old.")
SECURE = ("secure.", "ssl.", "www2.", "web.", "en.", "portal.")

SERVERS = """hermes apollo zeus athena kronos orion sirius vega www-old server1 srv02 web01 web3
portal home intra info mars pluto titan atlas phoenix merlin gandalf""".split()


class Names:
    """Names of hosts of one crawl; none is given twice."""

    def __init__(self, dice: Dice, tongues: tuple[str, ...]) -> None:
        self.dice = dice
        self.tongues = tongues
        self._used: set[str] = set()

    def word(self) -> str:
        """A word of one of the languages of the crawl."""
        return self.dice.pick(TONGUES[self.tongue()][0])

    def tongue(self) -> str:
        """A language of the crawl; the first one is the usual one."""
        return self.dice.early(self.tongues, 2.5)

    def topic(self, low: int = 2, high: int = 5, tongue: str = "") -> list[str]:
        """Some words, as in a heading."""
        words = TONGUES[tongue or self.tongue()][0]
        return [self.dice.pick(words) for _ in range(self.dice.whole(low, high))]

    def brand(self) -> str:
        """A name of a company, person or club, as in a host name."""
        dice = self.dice
        form = dice.unit()
        made = "".join(dice.pick(SYLLABLES) for _ in range(dice.whole(2, 4)))
        if form < 0.3:
            return made
        if form < 0.5:
            return made + dice.pick(TAILS)
        if form < 0.7:
            return f"{self.word()}-{made}"
        if form < 0.85:
            return f"{self.word()}{self.word()}"
        return f"{made}-{self.word()}-{self.word()}"

    def ending(self) -> str:
        """The last part of a host name, as usual in the country of the crawl."""
        return self.dice.early(TONGUES[self.tongue()][1], 3)

    def free(self, host: str) -> str:
        """The host, or one like it if it is taken already."""
        made, number = host, 2
        while made in self._used:
            label, dot, rest = host.partition(".")
            made = f"{label}{number}{dot}{rest}"
            number += 1
        self._used.add(made)
        return made

    def taken(self, host: str) -> bool:
        """Whether a host has that name."""
        return host in self._used

    def domain(self, brand: str | None = None, www: float = 0.6) -> str:
        """A new host with a domain of its own."""
        bare = f"{brand or self.brand()}.{self.ending()}"
        while self.taken(bare) or self.taken(f"www.{bare}"):
            bare = f"{self.brand()}.{self.ending()}"
        return self.free(f"www.{bare}" if self.dice.chance(www) else bare)

    def address(self) -> str:
        """An internet address."""
        dice = self.dice
        first = dice.pick((5, 31, 37, 46, 62, 77, 81, 85, 91, 104, 144, 178, 185, 193, 212, 217))
        return f"{first}.{dice.whole(0, 255)}.{dice.whole(0, 255)}.{dice.whole(1, 254)}"

    def onion(self) -> str:
        """A name of a hidden service."""
        return self.free(self.dice.letters(BASE32, 55) + "d.onion")

    def alias(self, host: str, cause: str) -> str:
        """Another name for the site of that host."""
        dice = self.dice
        bare = host.removeprefix("www.")
        label, _, ending = bare.partition(".")
        if cause == "www_bare":
            other = bare if host != bare else f"www.{bare}"
            return self.free(dice.pick(SECURE) + bare if self.taken(other) else other)
        if cause == "secure_name":
            return self.free(dice.pick(SECURE) + bare)
        if cause == "country":
            other = [e for e in ENDINGS if e != ending]
            return self.free(f"{label}.{dice.pick(other)}")
        if cause == "typo":
            return self.free(f"{self._misspelt(label)}.{ending}")
        if cause == "ip":
            return self.free(self.address())
        if cause == "staging":
            return self.free(self._stage(bare, label))
        if cause == "cdn":
            form = dice.pick(CLOUDS)
            return self.free(form.format(n=label, h="d" + dice.letters(HEX, 13)))
        if cause == "proxy":
            joined = bare.replace(".", "-")
            return self.free(f"{joined}.{dice.pick(('translate.goog', 'ezproxy.lib.edu'))}")
        if cause == "renamed_blog":
            return self.free(f"{self.brand()}.{ending}")
        if cause == "server_name":
            return self.free(f"{dice.pick(SERVERS)}.{ending}")
        if cause == "mirror":
            return self.free(f"{dice.pick(('mirror', 'mirrors', 'ftp'))}.{self.domain(www=0)}")
        return self.domain()

    def _misspelt(self, label: str) -> str:
        at = self.dice.whole(0, len(label) - 1)
        form = self.dice.unit()
        if "-" in label and form < 0.5:
            return label.replace("-", "")
        if form < 0.3 and len(label) > 4:
            return label[:at] + label[at + 1 :]
        if form < 0.6:
            return label[:at] + label[at] + label[at:]
        if form < 0.8 and at:
            return label[: at - 1] + label[at] + label[at - 1] + label[at + 1 :]
        return label[: at + 1] + self.dice.pick("aeioust") + label[at + 1 :]

    def _stage(self, bare: str, label: str) -> str:
        if self.dice.chance(0.6):
            return self.dice.pick(STAGES) + bare
        return f"{label}.{self.dice.pick(('demo', 'dev', 'clients'))}.{self.domain(www=0)}"
