"""Addresses: shared hosting, servers of one's own, and networks that stand before many sites."""

from __future__ import annotations

from training.generators.author_i.dice import Dice


class Network:
    """The addresses of one web."""

    def __init__(self, rng: Dice, hosts: int) -> None:
        self.rng = rng
        self.shared_share = rng.uniform(0.2, 0.85)
        self.cdn_share = rng.uniform(0.0, 0.3)
        self.shared = [self.own() for _ in range(max(5, int(hosts * rng.spread(0.02, 0.3))))]
        self.cdn = [self.own() for _ in range(rng.count(3, 40))]

    def own(self) -> str:
        """An address that only one has."""
        rng = self.rng
        if rng.chance(0.02):
            return "2a01:" + ":".join(f"{rng.randrange(1, 65536):x}" for _ in range(3)) + "::1"
        first = rng.choice((5, 31, 46, 62, 77, 80, 85, 91, 104, 141, 176, 185, 193, 195, 212, 217))
        return f"{first}.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"

    def any(self) -> str:
        """The address of some site."""
        dice = self.rng.random()
        if dice < self.cdn_share:
            return self.rng.choice(self.cdn)
        if dice < self.cdn_share + self.shared_share * (1 - self.cdn_share):
            return self.rng.favourite(self.shared)
        return self.own()

    def beside(self, ip: str) -> str:
        """An address in the same small network."""
        if ":" in ip:
            return self.own()
        return f"{ip.rsplit('.', 1)[0]}.{self.rng.randrange(1, 255)}"

    def numeric(self) -> str:
        """An address of the old kind, free to be a host's name."""
        ip = self.own()
        while ":" in ip:
            ip = self.own()
        return ip
