"""What becomes of the host papers' headlines on crawls of every generator.

    python -m benchmarks.accuracy.replication [--authors own author_b ...] [--kinds 3] [--seed 21]

Of each author the first kinds of crawl that have few enough candidates, as they come (``own``: the
profiles of ``replicadb synth`` with OWN_HOSTS hosts, or MORE_HOSTS); ``evaluate --as-published`` on
each, AUC by five folds as the paper's. Prints a Markdown table: AUC of the methods that the
headlines compare, and the verdict of each headline: + holds, - the other way, = a tie, . not
measured.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import replicadb
from benchmarks.accuracy.held_out import OWN
from benchmarks.measure import markdown
from replicadb.evaluation.headlines import HEADLINES, METHODS, area
from replicadb.synthetic.crawl.generate import generate
from training.generators import AUTHORS, common

OWN_HOSTS = 800
MORE_HOSTS = {"paper": 4_000, "erring": 4_000}
"""Of 800 hosts these have four replicas."""
OWN_KINDS = (
    "ordinary",
    "template",
    "sparse",
    "few-obvious",
    "affiliates",
    "shared-hosting",
    "parked",
    "paper",
    "erring",
)
"""Profiles of pages; static sites have hardly any obvious pair to learn from."""
MOST = 40_000
"""Candidates with which labels that turn one at a time take some ten seconds."""
SIGNS = {"holds": "+", "the other way": "-", "does not hold": "-", "a tie": "="}


def judged(author: str, kind: str, seed: int) -> dict[str, Any] | None:
    """The result of ``evaluate --as-published`` on a crawl; None where it is too large, or none of
    its replicas is a candidate.
    """
    with tempfile.TemporaryDirectory() as folder:
        if author == OWN:
            made = generate(folder, MORE_HOSTS.get(kind, OWN_HOSTS), profile=kind, seed=seed)
            crawl, gold, all_types = made.crawl, made.gold_csv, False
        else:
            written = common.write(AUTHORS[author], Path(folder), kind, seed)
            crawl, gold, all_types = written.crawl, written.gold, written.all_types
        with replicadb.open(Path(folder) / "crawl.duckdb") as db:
            db.load(crawl, all_types=all_types)
            found = db.detect(method="paper", schedule="batch").counts["candidate_pairs"]
            if found > MOST:
                return None
            try:
                return db.evaluate(gold, as_published=True)
            except replicadb.DataError:
                return None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--authors", nargs="+", default=[OWN, *AUTHORS])
    parser.add_argument("--kinds", type=int, default=3, help="crawls of each author")
    parser.add_argument("--seed", type=int, default=21)
    options = parser.parse_args()
    for number, line in enumerate(HEADLINES, 1):
        print(f"{number}. {line.claim} ({line.figure}: {line.first}, {line.second})")
    columns = ["crawl", "candidates", "replicas", *METHODS, *map(str, range(1, len(HEADLINES) + 1))]
    print("\n" + markdown(columns, []), flush=True)
    counts = [Counter[str]() for _ in HEADLINES]
    for author in options.authors:
        kinds = OWN_KINDS if author == OWN else tuple(AUTHORS[author].SCENARIOS)
        wanted = len(OWN_KINDS) if author == OWN else options.kinds
        for kind in kinds:
            found = judged(author, kind, options.seed) if wanted else None
            if found:
                print(_row(f"{author.removeprefix('author_')[:3]}: {kind}", found), flush=True)
                for count, line in zip(counts, found["headlines"], strict=True):
                    count[SIGNS.get(line["verdict"], ".")] += 1
                wanted -= 1
    for number, count in enumerate(counts, 1):
        print(f"{number}: " + ", ".join(f"{sign} {n}" for sign, n in sorted(count.items())))


def _row(name: str, found: dict[str, Any]) -> str:
    """A crawl's line."""
    of = {m["name"]: area(m) if m["all"] else None for m in found["methods"]}
    areas = ["" if of[m] is None else f"{of[m]:.3f}" for m in METHODS]
    signs = [SIGNS.get(line["verdict"], ".") for line in found["headlines"]]
    data = found["data"]
    cells = [name, f"{data['candidate_pairs']:,}", data["evaluated_replicas"], *areas, *signs]
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    main()
