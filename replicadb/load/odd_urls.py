"""What only a browser's parser can take apart: odd URLs, addresses and redirects of one source,
distinct ones only. And statuses that nobody understands.
"""

from __future__ import annotations

from replicadb.settings import URL_MAX_BYTES
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.urls import parse_given_url, parse_ip, resolve

PARSED = ("origin", "host_name", "path", "reason")
"""The columns of what :func:`parse_given_url` says."""
WITHOUT_SCHEME = r"""
    SELECT count(*), min(url) FROM odd_parsed
    WHERE reason IS NULL AND NOT regexp_matches(url, '^\s*[Hh][Tt][Tt][Pp][Ss]?:')"""
ANY_WORD = """
    SELECT count(*) FROM (
        FROM staged
        WHERE problem IS NULL AND status IS NOT NULL AND try_cast(status AS INTEGER) IS NULL
        LIMIT 1)"""
"""Whether a status is no number: to plan the next costs more than to ask."""
ODD_STATUSES = """
    SELECT coalesce(sum(n), 0)::BIGINT, arg_max(status, n)
    FROM (
        FROM staged SELECT status::VARCHAR AS status, count(*) AS n
        WHERE problem IS NULL GROUP BY 1)
    WHERE odd_status(status)"""
IP_PARTS = """
    CREATE OR REPLACE TEMP TABLE ip_parts AS
    WITH cells AS (
        SELECT DISTINCT ip, regexp_split_to_array(ip, '[\\[\\]"\'\',;|\\s]+') AS parts
        FROM {table} WHERE ip IS NOT NULL
    )
    SELECT ip, unnest(list_filter(parts, lambda p: p NOT IN ('', '-'))) AS part FROM cells"""


def parse_odd_urls(db: Database) -> None:
    """Make ``odd_parsed``: the distinct odd URLs of ``staged`` taken apart, in batches, through
    :func:`parse_given_url`. Ordinary URLs sql/load/15_judged takes apart itself.
    """
    query = statements("load/10_odd_urls")["odd_urls"]
    given = {"max_bytes": URL_MAX_BYTES}
    map_distinct(db, query, "odd_parsed", ("url", *PARSED), parse_given_url, given)


def without_scheme(db: Database) -> tuple[int, str]:
    """How many distinct URLs of ``odd_parsed`` were read as ``http://``, and one of them."""
    n, example = db.rows(WITHOUT_SCHEME)[0]
    return int(n), str(example)


def odd_statuses(db: Database) -> tuple[int, str]:
    """How many rows of ``staged`` have a status that is not understood, and the commonest one."""
    n, example = db.rows(ODD_STATUSES)[0] if db.value(ANY_WORD) else (0, None)
    return int(n), str(example)


def parse_ips(db: Database, table: str) -> None:
    """Make ``parsed_ips`` (ip, part, address, net) from a table's column ip, whose cells may hold
    several addresses.
    """
    db.execute(IP_PARTS.format(table=table))
    parts = "SELECT DISTINCT part FROM ip_parts"
    map_distinct(db, parts, "parsed_parts", ("part", "address", "net"), parse_ip)
    db.execute(
        "CREATE OR REPLACE TEMP TABLE parsed_ips AS FROM ip_parts JOIN parsed_parts USING (part)"
    )


def parse_redirects(db: Database) -> None:
    """Make ``redirect_queue`` and ``redirects`` (position, origin, host_name, path): where the
    redirects among ``linking`` lead.
    """
    db.run("load/50_links", only="redirect_queue")
    pairs = "SELECT DISTINCT pair FROM redirect_queue"
    map_distinct(db, pairs, "redirect_parsed", ("pair", *PARSED), resolve)
    db.run("load/50_links", only="redirects")
