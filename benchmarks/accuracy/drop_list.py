"""The hosts to drop against known replicas: of those dropped, how many are replicas of the host
that is kept in their place.

    python -m benchmarks.accuracy.drop_list [--real FOLDER] [--author author_g ... --seeds 4 ...]

``FOLDER`` has ``urls.parquet`` and ``gold.csv``, as for ``benchmarks.accuracy.real``. Prints a
Markdown table with a row for each crawl: dropped hosts by verdict of the gold on the host and its
kept one, shares, and what was held back.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import replicadb
import replicadb.errors
from benchmarks.measure import markdown
from replicadb.evaluation.drop_list import UNJUDGED, drop_list
from replicadb.evaluation.gold import read_gold
from training.generators import AUTHORS, common

COLUMNS = ["", "replica", "near-replica", "not", "unclear", "share", "near ones apart"]


def judged(crawl: Path, gold: Path, **options: Any) -> dict[str, Any]:
    """Load, detect, and hold the hosts to drop against the gold."""
    with tempfile.TemporaryDirectory() as scratch, replicadb.open(Path(scratch) / "c.duckdb") as db:
        db.load(crawl, **options)
        db.detect()
        return drop_list(db.database, read_gold(db.database, gold))


def row(name: str, dropped: dict[str, int], held: dict[str, int]) -> list[str]:
    """A line of the table; verdicts of hosts held back in brackets."""
    named = ("replica", "near-replica", "not")
    rest = {word: n for word, n in dropped.items() if word not in named}
    rest_held = sum(n for word, n in held.items() if word not in named)
    right, wrong = dropped.get("replica", 0), dropped.get("not", 0)
    sure = sum(n for word, n in dropped.items() if word not in UNJUDGED)
    return [
        name,
        *(f"{dropped.get(word, 0)} ({held.get(word, 0)})" for word in named),
        f"{sum(rest.values())} ({rest_held})",
        f"{right / sure:.3f}" if sure else "",
        f"{right / (right + wrong):.3f}" if right + wrong else "",
    ]


def main() -> str:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--real", type=Path)
    parser.add_argument("--author", choices=tuple(AUTHORS), action="append", default=[])
    parser.add_argument("--scenarios", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[4])
    options = parser.parse_args()
    rows, dropped, held = [], Counter[str](), Counter[str]()
    if options.real:
        for name, pages_only in (("real", False), ("real, pages only", True)):
            found = judged(
                options.real / "urls.parquet", options.real / "gold.csv", pages_only=pages_only
            )
            rows.append(row(name, found["by_verdict"], found["held"]["by_verdict"]))
    chosen = (
        (author, scenario, seed)
        for author in options.author
        for scenario in options.scenarios or AUTHORS[author].SCENARIOS
        for seed in options.seeds
    )
    for author, scenario, seed in chosen:
        with tempfile.TemporaryDirectory() as folder:
            web = common.write(AUTHORS[author], Path(folder), scenario, seed)
            try:
                found = judged(web.crawl, web.gold, all_types=web.all_types)
            except replicadb.errors.DataError:  # a web without any replica has no gold
                continue
        dropped.update(found["by_verdict"])
        held.update(found["held"]["by_verdict"])
        name = f"{author} {scenario} {seed}"
        rows.append(row(name, found["by_verdict"], found["held"]["by_verdict"]))
    if options.author:
        rows.append(row("in all", dropped, held))
    return markdown(COLUMNS, rows)


if __name__ == "__main__":
    print(main())
