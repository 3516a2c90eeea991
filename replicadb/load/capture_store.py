"""One staged source into the tables: what every format has in common once its rows can be read as
``staged``.

Runs inside the transaction of its source, and inside ``db.temporary()``. Of a source with more than
COPIED_ROWS rows nothing is copied on the way to ``urls``. The number of statements does not depend
on the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from replicadb.load import revisits
from replicadb.load.constant_digests import constant_digest
from replicadb.load.content_store import Contents
from replicadb.load.host_lists import give_named_ips
from replicadb.load.host_splitting import split_names, stage_rules
from replicadb.load.identifiers import last_id, remember
from replicadb.load.link_store import store_links
from replicadb.load.load_options import LoadOptions
from replicadb.load.odd_urls import odd_statuses, parse_ips, parse_odd_urls, without_scheme
from replicadb.settings import NO_FILES, PAGE_TYPES, REJECT_TEXT_MAX
from replicadb.store.database import Database
from replicadb.store.quoting import literal
from replicadb.store.statements import statements
from replicadb.web.file_types import FILE_NAME, TYPE_OF
from replicadb.web.machine_files import LIKELY, MACHINE_FILES

PARSED_SHARE, CAPTURED_SHARE = 0.12, 0.32
"""Of a table's load time, 1,000,000 rows of Parquet: URLs are taken apart; older captures found."""
MACHINE_FILES_SKIPPED = """
    SELECT substr(reason, 15), sum(n)::BIGINT AS n FROM skips
    WHERE source_id >= ? AND starts_with(reason, 'machine file: ') GROUP BY 1 ORDER BY n DESC, 1"""
ANY_LIKELY = "SELECT 1 FROM staged WHERE regexp_matches(url, $likely) LIMIT 1"
"""Whether a URL may be a machine file: to plan the closer look costs more than to ask."""
EXCLUDED = "SELECT host FROM excluded_hosts SEMI JOIN summary ON host_name = host"
"""The excluded hosts that the source has."""
COPIED_ROWS = 200_000  # a source of up to so many rows is copied while it is loaded
HAS_ENDING = "regexp_matches(split_part(full_url, '?', 1), {})".format(
    literal(rf"(?i)\.(?:{'|'.join(TYPE_OF)})$")
)
"""Quick, since RE2 reads from the end."""
ENDING = f"nullif(lower(regexp_extract(full_url, {literal(FILE_NAME)}, 1)), '')"
TYPE_OF_ENDING = "MAP {{{}}}[file_ending]".format(
    ", ".join(f"{literal(ending)}: {literal(kind)}" for ending, kind in TYPE_OF.items())
)
SPARED = {
    "times": {"capture_time(recorded)": "try_strptime(recorded, '%Y%m%d%H%M%S')"},
    "digests": {
        "plain_digest(digest)": "digest <> ''",
        "known_digest(written)": "NULL::VARCHAR",
        "digest_kind(d)": "NULL",
        "digest_value(d)": "NULL",
    },
    "titles": {"page_title(title)": "NULL::VARCHAR"},
    "statuses": {
        "status_code(status)": "nullif(try_cast(status AS SMALLINT), 0)",
        "not_fetched(status)": "NULL::VARCHAR",
    },
    "types": {"media_type(mime)": "mime"},
    "endings": {
        HAS_ENDING: "false",
        ENDING: "NULL::VARCHAR",
        TYPE_OF_ENDING: "NULL::VARCHAR",
    },
}
"""By column of ``forms`` in sql/load/20_captures the parts of the query that nobody needs where no
row has a value of another form than most, and what is the same for all others.
"""
FUNCTIONS = ("functions/20_urls", "functions/30_digests")
ONLY_WITH_BUNDLE = ("between_sources", "older_in_bundle")
"""Statements of 40_store for many sources in one alone, and only where something is repeated."""
ONLY_WITH_ROWS = {
    "older_in_source": "FROM repeated",
    "insert_earlier_captures": "FROM older_captures",
    "find_stored": "FROM urls",
    "supersede": "FROM already_stored",
    "delete_superseded": "FROM already_stored",
    "older_than_stored": "FROM already_stored",
    "insert_rejects": "FROM summary WHERE starts_with(outcome, 'reject')",
    "insert_later_failures": "FROM summary WHERE no_longer(outcome)",
}
"""Statements of 40_store that are left out where there is no such row."""


@dataclass(frozen=True)
class Bundle:
    """Many sources in one: whose each position of ``staged`` is, from 1 on."""

    sources: list[int]
    """Source ids."""
    starts: list[int]
    """What is to be taken off a position to have that in its source."""


def prepare(db: Database) -> None:
    """What every source of a load needs, made once: the public suffixes, and macros, so that only
    their use is planned.
    """
    for stem in FUNCTIONS:
        db.run_once(stem)
    db.run_once("load/05_rows")
    stage_rules(db)


def judged() -> str:
    """The query of sql/load/15_judged, as sql/load/20_captures has it three times."""
    return statements("load/15_judged")["judged"]


def pages() -> str:
    """The query of sql/load/35_pages, as sql/load/40_store has it several times."""
    return statements("load/35_pages")["pages"]


def hashed_pages() -> str:
    """The query of sql/load/36_hashed_pages, as sql/load/40_store has it twice."""
    return statements("load/36_hashed_pages")["hashed_pages"]


def machine_kinds() -> str:
    """The cases of sql/load/20_captures that tell the kind of a machine file."""
    return "\n".join(
        f"WHEN regexp_full_match(path, {literal(file.pattern)})"
        + (
            f" AND NOT regexp_full_match(coalesce(mime, ''), {literal(file.unless)})"
            if file.unless
            else ""
        )
        + f" THEN {literal(file.kind)}"
        for file in MACHINE_FILES
    )


def file_ending() -> str:
    """The case of sql/load/15_judged that finds the ending of a file of no known type."""
    return f"""WHEN mime IS NULL AND machine_kind IS NULL AND NOT is_revisit
    AND NOT getvariable('all_types')::BOOLEAN
    AND {HAS_ENDING}
THEN {ENDING}"""


def file_types() -> str:
    """The map of sql/load/15_judged from a file's ending to its media type. As a CASE it would have
    the ending once for each of them, and all that the ending comes from: a filter on the outcome
    was then planned for half a second.
    """
    return TYPE_OF_ENDING


def store(
    db: Database,
    source_id: int,
    site: str,
    options: LoadOptions,
    report: Callable[[float], None],
    contents: Contents | None = None,
    bundle: Bundle | None = None,
) -> dict[str, Any]:
    """From ``staged`` to the tables, in the order of sql/load/ from 10_odd_urls to 70_addresses.

    Args:
        db: prepared, with the temporary tables staged and excluded_hosts.
        source_id: the source's.
        site: what counts as one site: host, domain or host+1.
        options: of them all_types, pages_only and machine_files.
        report: called with which share of the work is done.
        contents: those of the source's pages, if they are kept.
        bundle: where ``staged`` is many sources in one; source_id is then the first's.

    Returns:
        read, kept, replaced, skipped, rejected, bad_ips, bad_ip (one of them), odd_times (pages
        kept without theirs), without_scheme (URLs without one, and one of them), odd_statuses (rows
        whose status is not understood, and the commonest), constant_digest
        (that of most captures which is no content, and on how many it stands; else None), links (by
        kind), machine_files (by kind), reasons (why little was kept or
        some rejected: reason, captures, a URL), excluded (hosts that were left out) and
        contents (captures that have some).
    """
    last = {what: last_id(db, what) for what in ("host", "origin", "url")}
    constant = None if bundle or "fingerprint" in options.columns else constant_digest(db)
    _set_variables(db, source_id, site, options, last["url"], constant, bundle)
    parse_odd_urls(db)
    without = without_scheme(db)
    _make_captures(db, options)
    report(PARSED_SHARE)
    counts = _store_captures(db, site, last, report, bundle is not None)
    revisits.settle_source(db, source_id, last["url"], options.all_types)
    highest = {
        "host": max(last["host"], db.value("SELECT max(host_id) FROM hosts") or 0),
        "origin": max(last["origin"], db.value("SELECT max(origin_id) FROM origins") or 0),
        "url": last["url"] + counts.pop("last"),
    }
    remember(db, highest)
    counts |= {"constant_digest": constant, "without_scheme": without}
    counts["odd_statuses"] = odd_statuses(db)
    kept = counts["kept"] + counts["replaced"]
    worth_telling = kept * 10 < counts["read"] or counts["rejected"]
    counts["reasons"] = _reasons(db) if worth_telling else []
    counts["excluded"] = set(db.column(EXCLUDED) if options.exclude_hosts else ())
    counts["machine_files"] = dict(db.rows(MACHINE_FILES_SKIPPED, [source_id]))
    counts["links"] = store_links(db, source_id, site)
    counts["contents"] = contents.finish() if contents else 0
    give_named_ips(db)
    return counts


def _set_variables(
    db: Database,
    source_id: int,
    site: str,
    options: LoadOptions,
    last_url: int,
    constant: tuple[str, int] | None,
    bundle: Bundle | None,
) -> None:
    """What the macros of sql/load ask for."""
    variables = {
        "site": site,
        "source_id": source_id,
        "last_url": last_url,
        "all_types": options.all_types,
        "pages_only": options.pages_only,
        "page_types": list(PAGE_TYPES),
        "no_files": list(NO_FILES),
        "bundle": bundle.sources if bundle else None,
        "bundle_starts": bundle.starts if bundle else None,
        "constant_digest": constant[0] if constant else None,
    }
    for name, value in variables.items():
        db.execute(f"SET VARIABLE {name} = $value", {"value": value})


def _reasons(db: Database) -> list[tuple[str, int, str]]:
    rows: list[tuple[str, int, str]] = db.rows(statements("load/42_counts")["reasons"])
    return rows


def _make_captures(db: Database, options: LoadOptions) -> None:
    skipped = not (options.machine_files or options.all_types)
    found = skipped and db.rows(ANY_LIKELY, {"likely": LIKELY})
    name = "machine_files" if found else "no_machine_files"
    db.run("load/20_captures", {"likely": LIKELY}, only=name)
    db.run("load/20_captures", only="originals")
    if revisits.in_source(db):
        for name in ("judged", "resolve_revisits"):
            db.run("load/20_captures", only=name)
    large = db.value("SELECT count(*) FROM staged") > COPIED_ROWS
    name = "captures" if large else "captures_copied"
    db.execute(_spared(db, name), label=f"load/20_captures: {name}")


def _spared(db: Database, name: str) -> str:
    """A statement of 20_captures without what no row of this source needs."""
    named = statements("load/20_captures")
    query = named[name]
    for form, found in db.arrays(named["forms"]).items():
        if not found[0]:
            for part, instead in SPARED[form].items():
                query = query.replace(part, instead)
    return query


def _store_captures(
    db: Database,
    site: str,
    last: dict[str, int],
    report: Callable[[float], None],
    many: bool,
) -> dict[str, Any]:
    """Run 40_store; what 42_counts counts, by name."""
    given: dict[str, Any] = {
        "site": site,
        "last_host": last["host"],
        "last_origin": last["origin"],
        "reject_text": REJECT_TEXT_MAX,
    }
    for name in statements("load/40_store"):
        if name in ONLY_WITH_BUNDLE and not many:
            continue
        rows = ONLY_WITH_ROWS.get(name)
        if rows is None or db.value(f"SELECT count(*) {rows}"):
            db.run("load/40_store", given, only=name)
        if name == "summary":
            parse_ips(db, "summary")
            split_names(db, "SELECT DISTINCT host_name FROM summary WHERE outcome IS NULL")
        elif name == "already_stored":
            report(CAPTURED_SHARE)
    cursor = db.execute(statements("load/42_counts")["counts"])
    names = [column[0] for column in cursor.description]
    return dict(zip(names, cursor.fetchall()[0], strict=True))
