"""What a further crawl costs: one host in a hundred is new, loaded and detected after the others.

    python benchmarks/new_data.py [--quick]

Prints two Markdown tables: whole processes (the first detection, the second, the same from a fresh database, and ``--reference``, which makes only
pairs between new and old hosts), and for each feature at how many of the pairs that were there before its value is another one afterwards.
The second says why a second detection is a whole one. Fails unless the second detection and the fresh one agree in every row.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import data
import duckdb
from measure import Usage, cells, markdown, replicadb

HOST = "regexp_extract(url, '://([^/]+)', 1)"
NEW = 100
"""One host in so many is new."""


def main(quick: bool = False) -> str:
    crawl = data.million(quick)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        old, new = _split(crawl, folder)
        rows = []

        def line(what: str, used: Usage, detected: Path | None = None) -> None:
            rows.append([what, f"{_count(detected):,}" if detected else "", *cells(used)])

        grown, fresh = folder / "grown.duckdb", folder / "fresh.duckdb"
        line("load of the old hosts", replicadb("load", grown, old, "--label", "old", "--quiet"))
        line("first detection", replicadb("detect", grown, "--quiet"), grown)
        before = _pairs(grown, folder / "before.parquet")
        line("load of the new hosts", replicadb("load", grown, new, "--label", "new", "--quiet"))
        line("second detection", replicadb("detect", grown, "--quiet"), grown)
        after = _pairs(grown, folder / "after.parquet")
        replicadb("load", fresh, old, new, "--quiet")
        line("detection of a fresh database with both", replicadb("detect", fresh, "--quiet"), fresh)
        _must_agree(after, _pairs(fresh, folder / "fresh.parquet"))
        line("detect --reference old", replicadb("detect", grown, "--reference", "old", "--quiet"), grown)
        changed = _changed(before, after)
    return (markdown(["", "candidate pairs", "wall s", "CPU s", "peak MB"], rows) + "\n\n"
            + markdown(["feature", "changed at, of the pairs there before"], [[name, f"{share:.1%}"] for name, share in changed]))


def _split(crawl: Path, folder: Path) -> tuple[Path, Path]:
    """The crawl's hosts in two files: the old ones, and one in NEW by the hash of its name."""
    files = folder / "old.parquet", folder / "new.parquet"
    for path, test in zip(files, ("<>", "="), strict=True):
        duckdb.execute(f"COPY (FROM '{crawl}' WHERE md5_number_lower({HOST}) % {NEW} {test} 0) TO '{path}'")
    return files


def _count(database: Path) -> int:
    with duckdb.connect(str(database), read_only=True) as web:
        return web.execute("SELECT count(*) FROM candidate_pairs").fetchone()[0]


def _pairs(database: Path, path: Path) -> Path:
    """What was found: every candidate pair with its features and its place, by host names."""
    with duckdb.connect(str(database), read_only=True) as web:
        web.execute(f"COPY (FROM replicas ORDER BY host_a, host_b) TO '{path}'")
    return path


def _must_agree(one: Path, other: Path) -> None:
    differ = duckdb.execute(f"SELECT count(*) FROM ((FROM '{one}' EXCEPT FROM '{other}') UNION ALL (FROM '{other}' EXCEPT FROM '{one}'))").fetchone()[0]
    if differ:
        raise SystemExit(f"{differ:,} rows of the second detection and of a fresh one differ")


def _changed(before: Path, after: Path) -> list[tuple[str, float]]:
    """(feature, share of the pairs of both at which its value differs), and of all features together; those known of no pair are left out."""
    columns = duckdb.execute(f"DESCRIBE FROM '{before}'").fetchall()
    features = [name for name, *_ in columns[columns.index(next(c for c in columns if c[0] == "shared")):] if name not in ("strength", "probability")]
    tests = {name: f"b.{name} IS DISTINCT FROM a.{name}" for name in features} | {"any of them": " OR ".join(f"b.{n} IS DISTINCT FROM a.{n}" for n in features)}
    known = [f"count(b.{name})" for name in features] + ["count(*)"]
    shares = duckdb.execute(f"SELECT {', '.join(f'avg(({test})::INTEGER)' for test in tests.values())}, {', '.join(known)} "
                            f"FROM '{before}' AS b JOIN '{after}' AS a USING (host_a, host_b)").fetchone()
    return [(name, share) for name, share, n in zip(tests, shares, shares[len(tests):], strict=False) if n]


if __name__ == "__main__":
    print(main("--quick" in sys.argv))
