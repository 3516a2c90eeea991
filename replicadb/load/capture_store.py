"""One staged source into the tables: what every format has in common once its rows can be read as
``staged``.

Always true here: runs inside the transaction of its source, and leaves no temporary table behind;
of a source with more than COPIED_ROWS rows nothing is copied on the way to ``urls``; the number of
statements does not depend on the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicadb.load.content_store import Contents
from replicadb.load.host_splitting import split_names, stage_rules
from replicadb.load.link_store import store_links
from replicadb.load.odd_urls import parse_ips, parse_odd_urls
from replicadb.readers.capture_rows import ARCHIVE_SCHEMA
from replicadb.settings import PAGE_TYPES, REJECT_TEXT_MAX
from replicadb.store.database import Database
from replicadb.store.statements import statements

STAGED_SHARE, PARSED_SHARE, CAPTURED_SHARE = (
    0.03,
    0.12,
    0.32,
)  # of a table's load time, 1,000,000 rows of Parquet
COPIED_ROWS = 200_000  # a source of up to so many rows is copied while it is loaded
PREPARED = (
    "sites",
    "new_hosts",
    "new_origins",
    "here",
    "aside",
    "repeated",
    "met",
)  # statements of 04_store
STORED = (
    "beaten",
    "meet",
    "retire",
    "replace",
    "give_way",
    "insert_urls",
    "insert_ips",
    "insert_rejects",
    "insert_skips",
)
VIEWS = ("captures", "staged", "name_queue")  # captures and staged may be tables
TEMPORARY = (
    "staged",
    "captures",
    "odd_parsed",
    "originals",
    "summary",
    "here",
    "sites",
    "names",
    "aside",
    "repeated",
    "met",
    "parsed_ips",
    "parsed_parts",
    "ip_parts",
)


def prepare(db: Database) -> None:
    """What every source of a load needs, made once: the public suffixes, and macros, so that only
    their use is planned.

    A table macro is made where the tables that it reads are there: empty ones will do.
    """
    db.con.register("no_rows", ARCHIVE_SCHEMA.empty_table())
    db.execute(
        "CREATE OR REPLACE TEMP TABLE staged AS SELECT *, NULL::VARCHAR AS user_id FROM no_rows"
    )
    db.con.unregister("no_rows")
    db.execute(
        "CREATE OR REPLACE TEMP TABLE odd_parsed AS SELECT '' AS url, '' AS origin, '' AS path, ''"
        " AS reason"
    )
    db.execute("CREATE OR REPLACE TEMP TABLE here AS FROM origins LIMIT 0")
    db.execute(
        "CREATE OR REPLACE TEMP TABLE captures AS SELECT *, '' AS full_url, '' AS origin, '' AS"
        " fingerprint_kind, '' AS fingerprint, '' AS outcome FROM staged"
    )
    db.run("load/20_captures", only="originals")
    for stem in (
        "load/10_odd_urls",
        "load/20_captures",
        "functions/10_hashes",
        "load/40_store",
        "load/50_links",
    ):
        for name, statement in statements(stem).items():
            if "TEMP MACRO" in statement:
                db.run(stem, only=name)
    stage_rules(db)
    _drop_temporary(db)


def store(
    db: Database,
    source_id: int,
    site: str,
    all_types: bool,
    step: Callable[[float], None],
    contents: Contents | None = None,
) -> dict[str, Any]:
    """From ``staged`` to the tables; the SQL is in 02_parse_urls, 03_captures, 05_names, 04_store
    and 08_links.

    ``step`` is told which share of the work is done; ``contents`` are those of the source's pages,
    if they are kept.

    Returns:
        read, kept, replaced, skipped, rejected, bad_ips, bad_ip (one of them), links (by kind) and
        contents (captures that have some).
    """
    parameters = {
        "site": site,
        "source_id": source_id,
        "reject_text": REJECT_TEXT_MAX,
        **{f"last_{what}": last_id(db, what) for what in ("host", "origin", "url")},
    }
    for name, value in {
        **parameters,
        "all_types": all_types,
        "page_types": list(PAGE_TYPES),
    }.items():
        db.execute(f"SET VARIABLE {name} = $value", {"value": value})
    parse_odd_urls(db)
    db.run("load/20_captures", only="originals")
    if db.value(
        "SELECT count(*) FROM staged WHERE mime = 'warc/revisit' OR revisit_of IS NOT NULL"
    ):
        db.run("load/20_captures", only="resolve_revisits")
    db.run(
        "load/20_captures",
        only=(
            "captures"
            if db.value("SELECT count(*) FROM staged") > COPIED_ROWS
            else "captures_copied"
        ),
    )
    step(PARSED_SHARE)
    db.run("load/40_store", parameters, only="summary")
    parse_ips(db, "summary")
    split_names(db, "SELECT DISTINCT host_name FROM summary WHERE outcome IS NULL")
    for name in PREPARED:
        db.run("load/40_store", parameters, only=name)
    step(CAPTURED_SHARE)
    needless = set() if db.value("SELECT count(*) FROM urls") else {"meet"}
    if not db.value("SELECT count(*) FROM summary WHERE starts_with(outcome, 'reject')"):
        needless.add("insert_rejects")
    if not db.value("SELECT count(*) FROM repeated"):
        needless.add("beaten")
    for name in STORED:
        if name == "retire" and not db.value("SELECT count(*) FROM met"):
            needless |= {"retire", "replace", "give_way"}
        if name not in needless:
            db.run("load/40_store", parameters, only=name)
    cursor = db.execute(statements("load/40_store")["counts"])
    counts = dict(zip([c[0] for c in cursor.description], cursor.fetchall()[0], strict=True))
    remember(
        db,
        {
            "host": max(parameters["last_host"], db.value("SELECT max(host_id) FROM hosts") or 0),
            "origin": max(
                parameters["last_origin"], db.value("SELECT max(origin_id) FROM origins") or 0
            ),
            "url": parameters["last_url"] + counts.pop("last"),
        },
    )
    counts["links"] = store_links(db, source_id, site)
    counts["contents"] = contents.finish() if contents else 0
    give_named_ips(db)
    _drop_temporary(db)
    return counts


def _drop_temporary(db: Database) -> None:
    there = db.column("SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal")
    for view in (view for view in VIEWS if view in there):
        db.execute(f"DROP VIEW temp.{view}")
    for table in (table for table in TEMPORARY if table not in there):
        db.execute(f"DROP TABLE IF EXISTS temp.{table}")


def give_named_ips(db: Database) -> None:
    if db.value("SELECT count(*) FROM named_ips"):
        db.run("load/70_addresses")


def last_id(db: Database, what: str) -> int:
    """The highest id given out so far to a source, host, origin or url; ids of what is gone never
    come back.
    """
    return int(db.value("SELECT value FROM meta WHERE key = ?", [f"last_{what}"]) or 0)


def remember(db: Database, last: dict[str, int]) -> None:
    """Keep the highest ids given out."""
    rows = [text for what, value in last.items() for text in (f"last_{what}", str(value))]
    db.execute(f"INSERT OR REPLACE INTO meta VALUES {', '.join(['(?, ?)'] * len(last))}", rows)
