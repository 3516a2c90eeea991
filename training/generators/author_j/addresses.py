"""IP addresses: own machines, crowded shared hosting, and edges of content networks."""

from __future__ import annotations

from training.generators.author_j.draw import Draw


class Addresses:
    """The hosting companies of one web."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.blocks = [self._block() for _ in range(draw.between(12, 40))]
        self.crowded = [self.single() for _ in range(draw.between(15, 70))]
        self.edges = [[self.single() for _ in range(draw.between(3, 12))] for _ in range(3)]
        self.edge_rate = draw.within((0.03, 0.3))
        self.crowd_rate = draw.within((0.25, 0.65))

    def _block(self) -> str:
        first = self.draw.between(11, 222)
        while first in (127, 169, 172, 192, 198, 203):
            first = self.draw.between(11, 222)
        return f"{first}.{self.draw.between(0, 255)}.{self.draw.between(0, 255)}"

    def single(self) -> str:
        """An address that hardly any other host has."""
        block = self.draw.skewed(self.blocks) if self.draw.chance(0.6) else self._block()
        return f"{block}.{self.draw.between(1, 254)}"

    def of_host(self) -> tuple[str, ...]:
        """Addresses for a host of which nothing is known."""
        luck = self.draw.unit()
        if luck < self.edge_rate:
            return tuple(self.draw.some(self.draw.skewed(self.edges), self.draw.between(1, 3)))
        if luck < self.edge_rate + self.crowd_rate:
            return (self.draw.skewed(self.crowded),)
        if self.draw.chance(0.04):
            return (self.single(), self.single())
        return (self.single(),)

    def near(self, addresses: tuple[str, ...]) -> tuple[str, ...]:
        """Addresses in the same block."""
        block = addresses[0].rpartition(".")[0]
        return (f"{block}.{self.draw.between(1, 254)}",)
