"""What a scenario says of a web."""

from __future__ import annotations

from typing import NamedTuple

from training.generators.author_d_heldout.world import Settings

ALL_COLUMNS = "ip length mime title links"


class Scenario(NamedTuple):
    """What is in a web."""

    settings: Settings
    strangers: tuple[
        int, int
    ]  # the least and the greatest number of sites in no group and no crowd
    replicas: dict[str, tuple[int, int]]  # the least and the greatest number of groups of a kind
    crowds: dict[
        str, tuple[int, int, int]
    ]  # the least and the greatest size, and the number of crowds
