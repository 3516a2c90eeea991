"""Rewrite rules on generated crawls: URLs a second of the applier, cost of learning by size, and
the comparison with what crawlers use today.

Marks: 200,000 URLs/s applied on one core; 30 million URLs learned from within minutes; at epsilon 0
at least 90 % of the planted duplicates removed with error at most 0.1 % on contents that the rules
were not learned from.

    python -m benchmarks.speed.rewrite apply [DB]
    python -m benchmarks.speed.rewrite learn [--millions 1 3] [--profile paper]
    python -m benchmarks.speed.rewrite compare [--seed 900] [--urls 100000]

CPU seconds are of all threads (``learn``, a process of its own) or of the one that applies.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import replicadb
from benchmarks.measure import markdown, process
from benchmarks.measure import replicadb as command
from replicadb.cli import canonical_forms_text
from replicadb.evaluation import canonical_forms
from replicadb.rewrite import Rewriter, rule_learning
from replicadb.synthetic.crawl.generate import generate

PROFILES = ("ordinary", "template", "sparse", "paper", "shared-hosting")
HOSTS = {"paper": 1 / 52}  # for a URL; other profiles have about 100 URLs a host
STATEMENTS = 5  # slowest ones shown


def crawl(folder: Path, profile: str, urls: int, seed: int) -> tuple[Path, Path]:
    """A generated crawl, loaded: the database and the gold of its URLs."""
    made = generate(
        folder / f"{profile}-{urls}",
        max(20, round(urls * HOSTS.get(profile, 1 / 100))),
        urls,
        profile,
        seed,
    )
    database = made.crawl.with_name("web.duckdb")
    command("load", database, made.crawl, "--quiet")
    return database, made.url_gold


def applied(database: Path) -> str:
    """Rules learned from a database, applied to its own URLs."""
    with replicadb.open(database, read_only=True) as web:
        with web.database.transaction():
            rules = rule_learning.learn(web.database)
        urls = web.database.column(
            "SELECT o.origin || u.path FROM urls AS u JOIN origins AS o USING (origin_id) ORDER BY"
            " url_id"
        )
    rows = []
    rewriter = Rewriter(rules)
    forms = [rewriter.canonical(url) for url in urls]
    for name, several in (
        ("all URLs", urls),
        ("URLs that change", [url for url, form in zip(urls, forms, strict=True) if url != form]),
        ("canonical forms, again", forms),
    ):
        started = time.thread_time()
        for url in several:
            rewriter.canonical(url)
        seconds = time.thread_time() - started
        rows.append(
            [
                name,
                f"{len(several):,}",
                f"{len(rules.rules):,}",
                f"{seconds:.2f}",
                f"{len(several) / max(seconds, 1e-9):,.0f}",
                "200,000" if not rows else "",
            ]
        )
    return markdown(["applied to", "URLs", "rules", "CPU s", "URLs/CPU s", "mark"], rows)


def learned(folder: Path, millions: list[float], profile: str, seed: int) -> str:
    """``rewrite learn`` as a whole process, by size; and its slowest statements."""
    rows = []
    for size in millions:
        database, _ = crawl(folder, profile, round(size * 1e6), seed)
        report = folder / "report.json"
        used = process([sys.executable, "-m", "benchmarks.speed.rewrite", "one", database, report])
        found = json.loads(report.read_text())
        slowest = ", ".join(
            f"{name.split(': ')[-1]} {seconds:.1f}" for name, seconds in found["slowest"]
        )
        rows.append(
            [
                f"{found['urls']:,}",
                f"{found['rules']:,}",
                f"{found['rewritten']:,}",
                f"{used.wall:.1f}",
                f"{used.cpu:.1f}",
                f"{used.cpu / found['urls'] * 1e6:.1f}",
                f"{used.peak_mb:,.0f}",
                slowest,
            ]
        )
    return markdown(
        [
            "URLs",
            "rules",
            "rewritten",
            "wall s",
            "CPU s",
            "CPU s a million",
            "peak MB",
            "slowest statements, wall s",
        ],
        rows,
    )


def one(database: Path, report: Path) -> None:
    """Learn and store, in this process; what was found and what was slow goes to a file."""
    timings: dict[str, float] = {}
    with replicadb.open(database) as web, web.database.timed(timings):
        found = web.learn_rewrites()
    slowest = sorted(timings.items(), key=lambda item: -item[1])[:STATEMENTS]
    report.write_text(
        json.dumps(
            {
                "slowest": slowest,
                **{name: found[name] for name in ("urls", "rules", "rewritten", "wrong")},
            }
        )
    )


def compared(folder: Path, profiles: list[str], urls: int, seed: int) -> str:
    """The comparison over profiles, each with a seed of its own."""
    tables = []
    for number, profile in enumerate(profiles):
        database, gold = crawl(folder, profile, urls, seed + number)
        with replicadb.open(database, read_only=True) as web:
            found = canonical_forms.compare(web.database, gold)
        shown = canonical_forms_text.text_of(found)
        tables.append(f"**{profile}**, seed {seed + number}:\n\n```text\n{shown}\n```")
        print(tables[-1], file=sys.stderr, flush=True)
    return "\n\n".join(tables)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["apply", "learn", "compare", "one"])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--millions", nargs="+", type=float, default=[1, 3])
    parser.add_argument("--profile", default="paper")
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES))
    parser.add_argument("--urls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=900)
    parser.add_argument("--folder", type=Path, help="Where crawls go; default: a temporary folder.")
    given = parser.parse_args()
    if given.part == "one":
        one(*given.paths)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if given.part == "apply":
            print(
                applied(
                    given.paths[0]
                    if given.paths
                    else crawl(folder, given.profile, given.urls, given.seed)[0]
                )
            )
        elif given.part == "learn":
            print(learned(folder, given.millions, given.profile, given.seed))
        else:
            print(compared(folder, given.profiles, given.urls, given.seed))


if __name__ == "__main__":
    main()
