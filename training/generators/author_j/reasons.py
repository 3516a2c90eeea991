"""Why sites are there twice, and how the copies of each reason differ."""

from __future__ import annotations

from training.generators.author_j import naming
from training.generators.author_j.copying import Copying

_NEW_ENGINE = {"title": 3.0, "number": 2.0, "flat": 2.0, "ending": 2.0, "hash": 1.0, "lower": 1.0}
_SOME_NEW = {"none": 6.0, "prefix": 1.0, "ending": 1.0, "shorter": 0.7, "lower": 0.5}

COPIES: dict[str, Copying] = {
    "www": Copying(naming.www, same=(0.8, 1.0), reach=(0.1, 1.0), same_address=0.9, redirect=0.15),
    "suffix": Copying(
        *(naming.suffix, (1, 6, 0.35), (0.5, 1.0)),
        retitle=0.1,
        same_address=0.75,
        reach=(0.1, 1.0),
        redirect=0.12,
    ),
    "country": Copying(
        *(naming.country, (1, 8, 0.5), (0.2, 0.95), (0.6, 1.0)),
        retitle=0.25,
        own=(0.0, 0.2),
        same_address=0.6,
        reach=(0.2, 1.0),
        names={"none": 6.0, "prefix": 1.0, "query": 0.5},
    ),
    "alias": Copying(
        *(naming.alias, (1, 5, 0.3), (0.6, 1.0)),
        retitle=0.15,
        same_address=0.8,
        reach=(0.1, 1.0),
        redirect=0.1,
    ),
    "moved": Copying(
        *(naming.moved, (1, 2, 0.1), (0.2, 0.95), (0.6, 1.0), {"random": 1.0, "older": 2.0}),
        names=_SOME_NEW,
        retitle=0.4,
        own=(0.0, 0.4),
        same_address=0.3,
        redirect=0.1,
        after=0.6,
    ),
    "relaunch": Copying(
        *(naming.moved, (1, 1, 0.0), (0.05, 0.5), (0.5, 1.0)),
        names=_NEW_ENGINE,
        retitle=0.3,
        own=(0.0, 0.5),
        same_address=0.25,
        after=0.5,
        other_engine=0.25,
    ),
    "mirror": Copying(
        *(naming.mirror, (1, 12, 0.6), (0.75, 1.0), (0.5, 1.0), {"random": 1.0, "older": 2.0}),
        names={"none": 6.0, "prefix": 3.0, "shorter": 0.5},
        lag=(0.0, 0.6),
        same_address=0.03,
        reach=(0.1, 1.0),
        least=6,
    ),
    "numbered": Copying(
        naming.numbered, (1, 5, 0.4), (0.8, 1.0), same_address=0.5, reach=(0.05, 1.0)
    ),
    "staging": Copying(
        *(naming.staging, (1, 3, 0.2), (0.3, 0.95), (0.5, 1.0)),
        own=(0.0, 0.1),
        lag=(0.0, 0.5),
        same_address=0.3,
        reach=(0.05, 0.8),
    ),
    "mobile": Copying(
        *(naming.mobile, (1, 1, 0.0), (0.05, 0.9), (0.6, 1.0)),
        names={"none": 8.0, "query": 1.0, "shorter": 0.5},
        same_address=0.8,
    ),
    "platform": Copying(
        *(naming.platform, (1, 2, 0.1), (0.3, 1.0), (0.6, 1.0), {"older": 1.0, "random": 1.0}),
        same_address=0.5,
        redirect=0.1,
        reach=(0.1, 1.0),
    ),
    "wildcard": Copying(
        *(naming.wildcard, (2, 14, 0.8), (0.9, 1.0)), same_address=0.97, reach=(0.02, 0.7)
    ),
    "clone": Copying(
        *(naming.clone, (1, 6, 0.4), (0.3, 0.98), (0.2, 1.0), {"front": 2.0, "random": 1.0}),
        names={"none": 6.0, "saved": 2.0, "flat": 1.0, "hash": 0.7},
        retitle=0.1,
        own=(0.0, 0.15),
        same_address=0.0,
        outward=0.4,
    ),
    "dump": Copying(
        *(naming.dump, (1, 2, 0.1), (0.3, 1.0), (0.4, 1.0), {"front": 2.0, "random": 1.0}),
        names={"saved": 4.0, "flat": 1.0, "prefix": 1.0},
        lag=(0.0, 0.5),
        same_address=0.05,
        outward=0.2,
        least=5,
    ),
    "revived": Copying(
        *(naming.suffix, (1, 1, 0.0), (0.05, 0.7), (0.2, 0.9), {"front": 1.0, "older": 1.0}),
        own=(0.05, 0.6),
        lag=(0.2, 0.9),
        same_address=0.0,
        least=5,
    ),
    "backup": Copying(
        *(naming.backup, (1, 2, 0.1), (0.4, 1.0), (0.4, 1.0), {"older": 1.0}),
        lag=(0.1, 0.9),
        same_address=0.5,
        reach=(0.1, 1.0),
        names=_SOME_NEW,
    ),
    "bare-address": Copying(
        naming.bare_address, same=(0.8, 1.0), reach=(0.05, 0.7), same_address=1.0
    ),
    "edge": Copying(naming.edge, same=(0.85, 1.0), same_address=0.05, reach=(0.05, 0.8)),
    "kit": Copying(
        *(naming.clone, (3, 40, 0.9), (0.6, 1.0), (0.5, 1.0)),
        names={"none": 6.0, "prefix": 3.0, "ending": 0.3},
        retitle=0.05,
        same_address=0.1,
        reach=(0.3, 1.0),
    ),
    "farm": Copying(
        *(naming.throwaway, (4, 60, 0.94), (0.3, 0.98), (0.5, 1.0)),
        names={"none": 9.0, "hash": 0.5},
        retitle=0.3,
        own=(0.0, 0.3),
        same_address=0.4,
        reach=(0.3, 1.0),
    ),
}
"""Of each cause of a replica, how it is made."""
