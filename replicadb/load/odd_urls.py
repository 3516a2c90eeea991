"""Odd URLs, addresses and redirects of one source, distinct ones only, through a browser's parser."""

from __future__ import annotations

from replicadb.settings import URL_MAX_BYTES
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.urls import parse_ip, parse_url, resolve


def parse_odd_urls(db: Database) -> None:
    """Make ``odd_parsed``: the distinct odd URLs of ``staged`` taken apart, in batches, through
    :func:`parse_url`.

    ``judged()`` has all of them then: ordinary URLs it takes apart itself. Needs the macros of
    02_parse_urls.
    """
    map_distinct(
        db,
        statements("load/10_odd_urls")["odd_urls"],
        "odd_parsed",
        ("url", "origin", "host_name", "path", "reason"),
        parse_url,
        {"max_bytes": URL_MAX_BYTES},
    )


def parse_ips(db: Database, table: str) -> None:
    """Make ``parsed_ips`` (ip, part, address, net) from a table's column ip, whose cells may hold
    several addresses.
    """
    db.execute(f"""CREATE OR REPLACE TEMP TABLE ip_parts AS
        SELECT ip, unnest(list_filter(regexp_split_to_array(ip, '[\\[\\]"\'\',;|\\s]+'), lambda p: p NOT IN ('', '-'))) AS part
        FROM (SELECT DISTINCT ip FROM {table} WHERE ip IS NOT NULL)""")
    map_distinct(
        db,
        "SELECT DISTINCT part FROM ip_parts",
        "parsed_parts",
        ("part", "address", "net"),
        parse_ip,
    )
    db.execute(
        "CREATE OR REPLACE TEMP TABLE parsed_ips AS FROM ip_parts JOIN parsed_parts USING (part)"
    )


def parse_redirects(db: Database) -> None:
    """Make ``redirects`` (position, origin, host_name, path): where the redirects among ``linking``
    lead.
    """
    db.execute("""CREATE OR REPLACE TEMP TABLE redirect_queue AS
        SELECT position, origin || path || chr(10) || redirect AS pair FROM linking
        WHERE outcome = 'skip: redirect' AND redirect IS NOT NULL AND origin IS NOT NULL""")
    map_distinct(
        db,
        "SELECT DISTINCT pair FROM redirect_queue",
        "redirect_parsed",
        ("pair", "origin", "host_name", "path", "reason"),
        resolve,
    )
    db.execute("""CREATE OR REPLACE TEMP TABLE redirects AS
        SELECT position, origin, host_name, path FROM redirect_queue JOIN redirect_parsed USING (pair)
        WHERE origin IS NOT NULL""")
