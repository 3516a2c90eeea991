"""The queries that docs/queries.md and README print: each runs in plain DuckDB, answers, and
answers what is printed.

``python tests/store/test_queries.py`` writes the answers in docs/queries.md anew. Queries under
"More" need what the demo lacks; they run on the demo with a few redirects and rejects loaded on
top and print no answer.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl
import pytest

import replicadb
from replicadb.cli import run as run_command
from replicadb.cli.query_examples import examples
from replicadb.export.writers import as_fits

pytestmark = pytest.mark.slow  # on the generated crawl of the demo

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "queries.md"
BLOCK = re.compile(r"^```sql\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


def titled_blocks(file: Path) -> list[tuple[str, str, str]]:
    """Every SQL block of a Markdown file as (title above it, query, printed answer or nothing)."""
    text, found = file.read_text("utf-8"), []
    for match in BLOCK.finditer(text):
        titles = re.findall(r"^#+ (.*)$", text[: match.start()], re.M)
        found.append((titles[-1], match[1].strip(), match[2] or ""))
    return found


BLOCKS = titled_blocks(DOCS)
README = titled_blocks(ROOT / "README.md")
MORE = (
    "What was left out, and why?",
    "Which flagged pairs also redirect to each other?",
    "Which sites are never the same from one capture to the next?",
    "Which copies name other wallets, accounts or mail addresses than the host that is kept?",
)


def plain(path: Path) -> duckdb.DuckDBPyConnection:
    """The stock shell: read-only, nothing of replicadb, no extension."""
    return duckdb.connect(
        str(path),
        read_only=True,
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"},
    )


def answer(con: duckdb.DuckDBPyConnection, query: str) -> pl.DataFrame:
    return pl.from_arrow(con.sql(query).to_arrow_table())


@pytest.fixture(scope="module")
def demo(demo_made):
    with plain(demo_made[0] / "demo.duckdb") as con:
        yield con


@pytest.fixture(scope="module")
def richer(demo, tmp_path_factory):
    """The demo, with redirects between flagged hosts, later captures, unusable rows and wallets
    loaded after detection.
    """
    folder = tmp_path_factory.mktemp("richer")
    ((database,),) = demo.execute(
        "SELECT path FROM duckdb_databases() WHERE NOT internal"
    ).fetchall()
    shutil.copy(database, folder / "demo.duckdb")
    pairs = demo.execute(
        "SELECT host, canonical_host FROM flagged_hosts ORDER BY score DESC, host LIMIT 3"
    ).fetchall()
    rows = [
        {"url": f"http://{a}/old", "status": 301, "redirect": f"http://{b}/new"} for a, b in pairs
    ]
    again = demo.execute("SELECT url FROM pages ORDER BY url LIMIT 3").fetchall()
    rows += [
        {"url": url, "status": 200, "digest": f"sha1:{n:040x}", "timestamp": "20300101000000"}
        for n, (url,) in enumerate(again)
    ]
    (folder / "more.jsonl").write_text(
        "\n".join(
            json.dumps(row) for row in [*rows, {"url": "mailto:a@example.com", "status": 200}]
        )
    )
    wallets = [
        {"url": f"http://{host}/pay", "html": f"<p>0x{letter}{'Aa' * 19}</p>"}
        for host, letter in zip(pairs[0], ("1B", "2C"), strict=True)
    ]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, wallets)))
    with replicadb.open(folder / "demo.duckdb") as web:
        web.load(folder / "more.jsonl")
        web.load(folder / "pages.jsonl", content=True)
    with plain(folder / "demo.duckdb") as con:
        yield con


def query_id(block: tuple[str, str, str]) -> str:
    return block[0]


@pytest.mark.parametrize("block", BLOCKS + README, ids=query_id)
def test_a_printed_query_has_an_answer(richer, block):
    rows = answer(richer, block[1])
    assert rows.height and all(series.null_count() < rows.height for series in rows)


@pytest.mark.parametrize("block", [block for block in BLOCKS if block[0] not in MORE], ids=query_id)
def test_the_printed_answer_is_the_answer(demo, block):
    assert block[2] == as_fits(answer(demo, block[1]), sys.maxsize), (
        "run: python tests/store/test_queries.py"
    )


def test_what_is_printed_is_what_sql_example_runs():
    printed = [re.sub(r"^SET VARIABLE .*\n", "", query, flags=re.M) for _, query, _ in BLOCKS]
    known = [row for row in examples().values() if row.name != "older-shells"]
    assert printed == [row.query for row in known]
    text = DOCS.read_text("utf-8")
    for row in known:
        assert f"`--example {row.name}`" in text
        assert row.question in text or row.name == "pages-in-common"


def test_every_view_opens_in_duckdb_polars_and_pandas(demo):
    pytest.importorskip("pandas")
    views = [
        name
        for (name,) in demo.execute(
            "SELECT schema_name || '.' || view_name FROM duckdb_views()"
            " WHERE NOT internal AND schema_name <> 'internal'"
        ).fetchall()
    ]
    assert {"main.start_here", "details.candidate_pairs", "history.run_pairs"} <= set(views)
    for view in views:
        rows = demo.sql(f"FROM {view} LIMIT 5")
        frames = answer(demo, f"FROM {view} LIMIT 5"), rows.pl(), rows.df()
        assert {tuple(frame.columns) for frame in frames} == {tuple(rows.columns)}
        assert len({len(frame) for frame in frames}) == 1


def test_every_view_opens_over_adbc(demo, tmp_path):
    """The driver is DuckDB's own, in its wheel; JDBC's and ODBC's are in no registry that serves
    Python, and are not tried.
    """
    dbapi = pytest.importorskip("adbc_driver_duckdb.dbapi")
    ((path,),) = demo.execute("SELECT path FROM duckdb_databases() WHERE path <> ''").fetchall()
    copy = shutil.copy(path, tmp_path / "copy.duckdb")
    views = "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal"
    with dbapi.connect(str(copy)) as connection, connection.cursor() as cursor:
        cursor.execute(f"{views} AND schema_name <> 'internal'")
        names = [name for (name,) in cursor.fetchall()]
        assert {"main.start_here", "main.copies", "history.run_pairs"} <= set(names)
        for name in names:
            cursor.execute(f"FROM {name} LIMIT 5")
            expected = demo.execute(f"FROM {name} LIMIT 5").to_arrow_table()
            found = cursor.fetch_arrow_table()
            assert (found.column_names, len(found)) == (expected.column_names, len(expected))


def test_what_start_here_suggests_has_an_answer(demo):
    ((host, other),) = demo.execute("SELECT host_a, host_b FROM replicas WHERE rank = 1").fetchall()
    rows = demo.execute("FROM start_here").fetchall()
    assert [place for place, *_ in rows] == list(range(1, len(rows) + 1))
    for _, _, query in rows:
        if query.startswith("SET"):  # tests/store/test_views.py tries it
            continue
        found = answer(demo, query.replace("HOST", host).replace("OTHER", other))
        assert found.height or "held_hosts" in query


def test_copies_has_each_pair_both_ways_round(demo):
    counted = demo.execute("SELECT count(*), count(DISTINCT rank) FROM copies").fetchall()
    assert counted == [(2 * 26814, 26814)]
    assert demo.execute(
        """SELECT count(*) FROM copies AS c JOIN replicas AS r USING (rank)
        WHERE (c.host, c.copy) NOT IN ((r.host_a, r.host_b), (r.host_b, r.host_a))"""
    ).fetchall() == [(0,)]


def test_there_are_ten_queries_that_fit_a_screen():
    assert len({title for title, *_ in BLOCKS if title[0].isdigit()}) == 10
    assert all(len(query.splitlines()) <= 8 for _, query, _ in BLOCKS)


CHECKS: dict[str, Callable[[pl.DataFrame], bool]] = {
    "1. Which hosts are copies of my site?": lambda f: (
        f["rank"].is_sorted() and f["flagged"][0] and "www.hazelkayak.org" not in f["copy"]
    ),
    "2. What does dropping the copies save?": lambda f: (
        0 < f["known_copies"][0] <= f["urls_saved"][0] and 0 < f["share_of_pages"][0] < 1
    ),
    "3. Which sites are copied most?": lambda f: (
        f["hosts"].min() >= 2 and (f["canonical_host"] != f["a_copy"]).all()
    ),
    "4. Who cloned a site under another name?": lambda f: (
        f["ndist"].min() > 12 and f["nmatch"].max() < 0.1
    ),
    "6. Which hosts share an address, and hardly more?": lambda f: (
        f["ip4"].min() > 0 and f["shared"].min() >= 1 and f["containment"].max() < 0.1
    ),
    "7. What content is on the most hosts?": lambda f: (
        f["hosts"].is_sorted(descending=True) and (f["urls"] >= f["hosts"]).all()
    ),
    "8. Which names look obvious and may show different sites?": lambda f: (
        f.height >= 1 and f["rank"].is_sorted(descending=True)
    ),
    "9. Which hosts repeat themselves?": lambda f: (
        f["spare_urls"].min() >= 1 and f["most_urls_of_one"].min() >= 2
    ),
    "10. How do I tell a crawler or an archive?": lambda f: (
        f["line"].str.contains(r"^\S+ \S+;$").all()
    ),
    "What was left out, and why?": lambda f: (
        set(f["what"]) == {"skipped", "rejected"} and f["n"].min() > 0
    ),
    "Which flagged pairs also redirect to each other?": lambda f: (
        f.height == 3 and set(f["redirects"]) == {1}
    ),
}


@pytest.mark.parametrize("title", CHECKS)
def test_a_query_answers_its_question(richer, title):
    (query,) = [query for found, query, _ in BLOCKS if found == title]
    assert CHECKS[title](answer(richer, query))


def test_contributions_and_a_constant_add_up_to_the_strength_of_each_pair(demo):
    contributions, pages = (
        query for title, query, _ in BLOCKS if title == "5. Why is this pair flagged?"
    )
    shared = answer(demo, pages)
    ((flagged, clusters),) = demo.execute("""SELECT flagged, shared FROM replicas
        WHERE host_a = 'dustytower.com.br' AND host_b = 'www.gentleclock.info'""").fetchall()
    assert flagged and shared.height == 4 <= clusters and shared["hosts_with_it"].min() >= 2
    assert "SET VARIABLE host = 'dustytower.com.br'" in contributions
    constants = []
    for host_a, host_b, strength in demo.execute(
        "SELECT host_a, host_b, strength FROM replicas WHERE rank IN (1, 40, 4000)"
    ).fetchall():
        ((features, whole),) = demo.execute(
            "SELECT count(*), sum(contribution) FROM evidence_of($1, $2)", [host_b, host_a]
        ).fetchall()
        assert features > 10
        constants.append(strength - whole)
    ((constant,),) = demo.execute(
        "SELECT value::DOUBLE FROM internal.settings WHERE name = 'log_odds_constant'"
    ).fetchall()
    assert constants == pytest.approx([constant] * 3, abs=1e-5)


def rewrite() -> None:
    """Write the answers in docs/queries.md anew."""
    with tempfile.TemporaryDirectory() as folder:
        run_command(["demo", folder])
        con = plain(Path(folder) / "demo.duckdb")
        text = DOCS.read_text("utf-8")
        for title, query, _ in titled_blocks(DOCS):
            printed = (
                ""
                if title in MORE
                else f"\n```text\n{as_fits(answer(con, query), sys.maxsize)}```\n"
            )
            old = next(m for m in BLOCK.finditer(text) if m[1].strip() == query)
            text = text[: old.start()] + f"```sql\n{query}\n```\n{printed}" + text[old.end() :]
    DOCS.write_text(text, "utf-8")


if __name__ == "__main__":
    rewrite()
