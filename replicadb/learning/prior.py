"""What method robust knows beforehand: tables of evidence, learned from generated crawls of random
kinds.

``prior.json`` is made by ``python -m training.make_prior``. No real crawl and no label made by a
person is in it. It holds four models:

- ``pages``, on the evidence of sql/detect/40_pair_features without assets;
- ``files``, with assets and without what is set by hand for pages alone, for crawls of every file
  type;
- ``paths``, on the paper's five features alone, for crawls without content;
- ``shared_neighbours``, what relational evidence adds to the log odds of any of them
  (sql/detect/62_collective).
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from replicadb.arrays import Floats
from replicadb.learning.additive_model import Tables

FILE = Path(__file__).with_name("prior.json")


@dataclass(frozen=True)
class Prior:
    """A model and the cuts of its features."""

    cuts: dict[str, Floats]
    """Per feature, rising cuts; value v lies in bin 1 + number of cuts below it, NULL in bin 0."""
    tables: Tables
    """Log odds of replica against non-replica at equal mass: a likelihood ratio."""
    tail: float = 0.0
    """ln of the part of the non-replicas, over the part of the replicas, of a strength of
    ``class_prior.LIKELY`` at least.
    """
    variation: dict[str, Floats] = field(default_factory=dict)
    """Per feature, (ways, bins): what a crawl that goes one unit a way adds to its weights
    (``variation.py``). Features that are not there vary in no way.
    """

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(self.cuts)


@functools.cache
def load(name: str) -> Prior:
    """The prior ``pages``, ``files``, ``paths`` or ``shared_neighbours``."""
    stored = json.loads(FILE.read_text("utf-8"))[name]
    cuts = {feature: np.array(values, float) for feature, values in stored["cuts"].items()}
    place = {feature: i for i, feature in enumerate(cuts)}
    tables = Tables(
        tuple(len(values) + 2 for values in cuts.values()),
        stored["intercept"],
        [np.array(stored["single"][feature]) for feature in cuts],
    )
    for pair, weights in stored["pairs"].items():
        first, second = pair.split(" ")
        tables.pairs[place[first], place[second]] = np.array(weights)
    ways = {name: np.array(rows) for name, rows in stored.get("variation", {}).items()}
    return Prior(cuts, tables, stored["tail"], ways)
