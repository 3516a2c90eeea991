"""What a further crawl costs: of known hosts fetched again, and of new hosts, one host in a
hundred.

    python -m benchmarks.speed.new_data [--quick]

Prints two Markdown tables: whole processes (a detection after each further load, the same from a
fresh database, and ``--reference``, which makes only pairs between new and old hosts), and, where
hosts came, for each feature at how many of the pairs that were there before its value is another
one afterwards: why that detection is a whole one. Fails unless each detection and the fresh one
agree in every row.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import duckdb

from benchmarks import inputs
from benchmarks.measure import cells, markdown, reading, replicadb

HOST = "regexp_extract(url, '://([^/]+)', 1)"
SHARE = 100
"""One host in so many is new, or fetched again."""
CHANGED = 10
"""One page in so many of those has another content."""
DETECTED = ["", "changed hosts", "candidate pairs", "wall s", "CPU s", "peak MB", "pair stage s"]


def main(quick: bool = False) -> str:
    crawl = inputs.million(quick)
    with tempfile.TemporaryDirectory() as scratch:
        folder, rows = Path(scratch), []
        old, new = parts(crawl, folder)
        first = folder / "first.duckdb"
        replicadb("load", first, crawl, "--quiet")
        rows.append(_detected("first detection, of all hosts", first))
        for what, file in (
            ("pages of their own", again(crawl, folder / "own.parquet", alone=True)),
            ("pages", again(crawl, folder / "any.parquet", alone=False)),
        ):
            grown = Path(shutil.copy(first, folder / "grown.duckdb"))
            replicadb("load", grown, file, "--quiet")
            rows.append(_detected(f"hosts again, a tenth of their {what} changed", grown))
            rows.append(_fresh(folder, grown, crawl, file))
        grown = folder / "hosts.duckdb"
        replicadb("load", grown, old, "--label", "old", "--quiet")
        rows.append(_detected("first detection, of the old hosts", grown))
        before = _pairs(grown, folder / "before.parquet")
        replicadb("load", grown, new, "--label", "new", "--quiet")
        beside = Path(shutil.copy(grown, folder / "beside.duckdb"))
        rows.append(_detected("the new hosts", grown))
        rows.append(_fresh(folder, grown, old, new))
        rows.append(_detected("the new hosts, `--reference old`", beside, "--reference", "old"))
        changed = changed_pairs(before, _pairs(grown, folder / "after.parquet"))
    return (
        markdown(DETECTED, rows)
        + "\n\n"
        + markdown(
            ["feature", "changed at, of the pairs there before the new hosts"],
            [[name, f"{share:.1%}"] for name, share in changed],
        )
    )


def parts(crawl: Path, folder: Path) -> tuple[Path, Path]:
    """The crawl's hosts in two files: the old ones, and one in SHARE by the hash of its name."""
    files = folder / "old.parquet", folder / "new.parquet"
    with duckdb.connect() as con:
        for path, test in zip(files, ("<>", "="), strict=True):
            hosts = f"md5_number_lower({HOST}) % {SHARE} {test} 0"
            con.execute(f"COPY (FROM '{crawl}' WHERE {hosts}) TO '{path}'")
    return files


def again(crawl: Path, path: Path, alone: bool) -> Path:
    """One host in SHARE fetched again a month later, one page in CHANGED with a content that nobody
    else has; ``alone``: only pages that nobody else had before either.
    """
    kept = f"md5_number_lower(url) % {CHANGED} <> 0" + (" OR n > 1" if alone else "")
    with duckdb.connect() as con:
        con.execute(f"""COPY (
            SELECT * EXCLUDE (n) REPLACE (
                CASE WHEN {kept} THEN fingerprint ELSE md5(url) END AS fingerprint,
                timestamp + INTERVAL 30 DAY AS timestamp)
            FROM '{crawl}'
            JOIN (SELECT fingerprint, count(*) AS n FROM '{crawl}' GROUP BY fingerprint)
                USING (fingerprint)
            WHERE md5_number_lower({HOST}) % {SHARE} = 0) TO '{path}'""")
    return path


def _detected(what: str, database: Path, *options: str) -> list[str]:
    """Detect, and a row of the table."""
    used = replicadb("detect", database, *options, "--quiet")
    with reading(database) as web:
        counts = json.loads(
            web.execute("SELECT value FROM meta WHERE key = 'counts.20_pair_features'").fetchone()[
                0
            ]
        )
        seconds = web.execute(
            "SELECT seconds FROM stages WHERE stage = '20_pair_features'"
        ).fetchone()[0]
    changed = counts.get("changed_hosts", counts.get("new_hosts"))
    return [
        what,
        "all" if changed is None else f"{changed:,}",
        f"{counts['candidate_pairs']:,}",
        *cells(used),
        f"{seconds:.1f}",
    ]


def _fresh(folder: Path, grown: Path, *loads: Path) -> list[str]:
    """The same loads into a fresh database, detected; every row has to be that of the one that
    grew.
    """
    fresh = folder / "fresh.duckdb"
    for load in loads:
        replicadb("load", fresh, load, "--quiet")
    row = _detected("the same, a fresh database", fresh)
    must_agree(_pairs(grown, folder / "grown.parquet"), _pairs(fresh, folder / "fresh.parquet"))
    fresh.unlink()
    return row


def _pairs(database: Path, path: Path) -> Path:
    """What was found: every candidate pair with its features and its place, by host names."""
    with reading(database) as web:
        web.execute(f"COPY (FROM replicas ORDER BY host_a, host_b) TO '{path}'")
    return path


def must_agree(one: Path, other: Path) -> None:
    with duckdb.connect() as con:
        (differ,) = con.execute(
            f"SELECT count(*) FROM ((FROM '{one}' EXCEPT FROM '{other}') UNION ALL (FROM '{other}'"
            f" EXCEPT FROM '{one}'))"
        ).fetchone()
    if differ:
        raise SystemExit(f"{differ:,} rows of the second detection and of a fresh one differ")


def changed_pairs(before: Path, after: Path) -> list[tuple[str, float]]:
    """(feature, share of the pairs of both at which its value differs), and of all features
    together; those known of no pair are left out.
    """
    with duckdb.connect() as con:
        columns = [name for name, *_ in con.execute(f"DESCRIBE FROM '{before}'").fetchall()]
    features = [
        name
        for name in columns[columns.index("shared") :]
        if name not in ("strength", "probability")
    ]
    tests = {name: f"b.{name} IS DISTINCT FROM a.{name}" for name in features} | {
        "any of them": " OR ".join(f"b.{n} IS DISTINCT FROM a.{n}" for n in features)
    }
    known = [f"count(b.{name})" for name in features] + ["count(*)"]
    with duckdb.connect() as con:
        shares = con.execute(
            f"SELECT {', '.join(f'avg(({test})::INTEGER)' for test in tests.values())},"
            f" {', '.join(known)} FROM '{before}' AS b JOIN '{after}' AS a USING (host_a, host_b)"
        ).fetchone()
    return [
        (name, share)
        for name, share, n in zip(tests, shares, shares[len(tests) :], strict=False)
        if n
    ]


if __name__ == "__main__":
    inputs.help_or_go_on(__doc__)
    print(main("--quick" in sys.argv))
