"""A fourth hand's idea of the web: crawls with known replicas, written by an independent tester who
had read none of the other generators.

    from fourth_webs import SCENARIOS, write
    web = write(folder, "shops", seed=1)

Always true here: nothing is imported from replicadb, and the same scenario and seed give the same
rows and pairs. These webs judge method robust (``other_accuracy.py``) and teach nothing: no figure
that robust knows beforehand was learned or chosen on them.
"""

from __future__ import annotations

import csv
from pathlib import Path

from other_webs import OtherWeb

from fourth_webs.crawl import crawl
from fourth_webs.gold import pairs
from fourth_webs.scenarios import SCENARIOS, make_world

__all__ = ["SCENARIOS", "OtherWeb", "write"]


def write(folder: Path, scenario: str, seed: int) -> OtherWeb:
    """Make the crawl of that scenario and seed: crawl.parquet, and gold.csv with the label and
    cause of every pair that is not of strangers.

    Args:
        folder: where crawl.parquet and gold.csv go; made if missing.
        scenario: a name in SCENARIOS.
        seed: everything is drawn from it and the scenario's name.
    """
    world = make_world(scenario, seed)
    rows, seen = crawl(world)
    folder.mkdir(parents=True, exist_ok=True)
    web = OtherWeb(folder / "crawl.parquet", folder / "gold.csv", world.all_types)
    rows.write_parquet(web.crawl)
    with web.gold.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(("host_a", "host_b", "label", "cause"))
        table.writerows(pairs(world, seen))
    return web
