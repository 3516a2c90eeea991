"""The scenarios by name, each with the kind of crawl it lives in."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from training.generators.author_f.model import World

BARE = ("ip", "length", "title", "links")
TLDS = (
    ("at", "com"),
    ("de", "com", "net"),
    ("pt", "com.pt", "com"),
    ("ch", "li"),
    ("co.uk", "org.uk", "uk"),
    ("com", "org", "net", "info"),
    ("fr", "com", "eu"),
    ("cz", "sk"),
    ("com", "com", "org", "io", "shop"),
)


@dataclass(frozen=True)
class Recipe:
    """A scenario's builder and its crawl."""

    build: Callable[[World], None]
    hosts: tuple[int, int]
    drop: tuple[str, ...]
    all_types: bool
    coverage: tuple[float, float]
    evidence: bool
    scale: float
    errors: float

    def world(self, dice: random.Random) -> World:
        """An empty world for this scenario, its ranges narrowed by seed."""
        low, high = self.coverage
        middle = dice.uniform(low, high)
        return World(
            dice,
            self.all_types,
            (dice.uniform(low, middle), dice.uniform(middle, high)),
            self.evidence,
            self.scale * dice.uniform(0.6, 1.6),
            dice.choice(TLDS),
        )


RECIPES: dict[str, Recipe] = {}


def scenario(
    hosts: tuple[int, int],
    drop: tuple[str, ...] = (),
    all_types: bool = False,
    coverage: tuple[float, float] = (0.25, 1.0),
    evidence: bool = True,
    scale: float = 12.0,
    errors: float = 0.15,
) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """Register a builder under its own name."""

    def register(build: Callable[[World], None]) -> Callable[[World], None]:
        RECIPES[build.__name__] = Recipe(
            build, hosts, drop, all_types, coverage, evidence, scale, errors
        )
        return build

    return register
