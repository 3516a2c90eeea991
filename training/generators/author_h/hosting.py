"""Hosting companies, their servers and addresses."""

from __future__ import annotations

import random

from training.generators.author_h.draw import heavy


class Hosting:
    """Hands out addresses: shared servers, own servers, content delivery networks."""

    def __init__(self, rng: random.Random) -> None:
        """Draw the companies and how they split the market."""
        self.rng = rng
        self.companies = [f"{rng.randint(5, 223)}.{rng.randint(0, 255)}" for _ in range(90)]
        self.shared: list[list[str]] = []
        for company in self.companies:
            nets = [rng.randint(0, 255) for _ in range(rng.randint(1, 4))]
            count = max(1, int(rng.paretovariate(1.1)))
            self.shared.append([self._in(f"{company}.{rng.choice(nets)}") for _ in range(count)])
        self.edges = [
            [self._in(f"104.{n}.{rng.randint(0, 30)}") for _ in range(40)] for n in (16, 21)
        ]
        self.share = rng.uniform(0.3, 0.75)
        self.delivery = rng.uniform(0.03, 0.25)

    def _in(self, net: str) -> str:
        return f"{net}.{self.rng.randint(1, 254)}"

    def any(self) -> list[str]:
        """Draw the addresses of a host that knows no other host."""
        rng, dice = self.rng, self.rng.random()
        if dice < self.delivery:
            return rng.sample(rng.choice(self.edges), rng.choice((1, 2, 2, 4)))
        number = heavy(rng, len(self.companies))
        if dice < self.delivery + self.share:
            return [rng.choice(self.shared[number])]
        return [self._in(f"{self.companies[number]}.{rng.randint(0, 255)}")]

    def related(self, relation: str, ips: list[str]) -> list[str]:
        """Draw the addresses of a host that is run on the same machine, beside it, or elsewhere."""
        if relation == "same":
            return list(ips)
        if relation == "near":
            net = ips[0].rsplit(".", 1)[0]
            dice = self.rng.random()
            if dice < 0.4:
                return list(ips)
            if dice < 0.75:
                return [self._in(net)]
            if dice < 0.85:
                return [self._in(f"{net.rsplit('.', 1)[0]}.{self.rng.randint(0, 255)}")]
        return self.any()
