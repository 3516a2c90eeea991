"""The sites of a database that a text may mean, alone or in a query, and the one that it names."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import duckdb

from replicadb.errors import DataError
from replicadb.store.database import Database
from replicadb.store.run_log import nothing_loaded
from replicadb.web.domains import sites_meant
from replicadb.web.urls import given_host, refanged, spellings

OF_TWO_HOSTS = re.compile(
    r"\b((?:shared_pages|evidence_of|pages_to_fetch|projected_training_set)\s*\()"
    r"(\s*'(?:[^']|'')*'\s*,\s*'(?:[^']|'')*')",
    re.I,
)
NAME = re.compile(r"(?<=')(?:[^',]|'')+(?=')")
LED_TO = """
    SELECT from_host, to_host, count(DISTINCT from_url) AS n FROM internal.links
    WHERE kind = 'redirect' AND list_contains($spelled::VARCHAR[], from_host)
    GROUP BY ALL ORDER BY n DESC, to_host"""
"""Where the redirects of names lead, of which there are no pages."""


def spellings_in(db: Database) -> Callable[[str], tuple[str, ...]]:
    """Says of a text which sites it may mean here, the likeliest first: where sites are domains, a
    host's domain, too.
    """
    return partial(sites_meant, site=db.value("SELECT value FROM meta WHERE key = 'site'"))


def known_host(db: Database, given: str) -> str:
    """The host as it is named here.

    Raises:
        DataError: there is none of that name; with the nearest ones. UsageError: no name.
    """
    given = refanged(given_host(given))
    spelled = given if given.isascii() else spellings(given)[:2][-1]
    try:
        return str(db.value("SELECT internal.host_named(?)", [spelled]))
    except duckdb.InvalidInputException as error:
        site = spellings_in(db)(given)[-1]
        if db.value("SELECT count(*) FROM hosts WHERE host = ?", [site]):
            return site
        unknown = f"{db.path}: {nothing_loaded(db) or str(error).partition(': ')[2]}"
        raise DataError(_led_elsewhere(db, given) or unknown) from error


def _led_elsewhere(db: Database, given: str) -> str | None:
    """What to say of a name that only redirects; None where none of its redirects is known."""
    found = db.rows(LED_TO, {"spelled": list(spellings(given))})
    if not found:
        return None
    host, to, n = found[0]
    urls = f"{n:,} of its URLs redirect" if n > 1 else "a URL of it redirects"
    return f"{db.path}: no page of {host} is here; {urls} to {to}: ask for that name"


def with_sites_meant(db: Database, query: str) -> str:
    """A query whose macros of two hosts are asked with names as sites have them here; a stock
    DuckDB knows neither punycode nor public suffixes.
    """

    def named(call: re.Match[str]) -> str:
        meant = spellings_in(db)
        return call[1] + NAME.sub(lambda name: _named(name[0], meant(name[0])), call[2])

    return OF_TWO_HOSTS.sub(named, query)


def _named(name: str, meant: tuple[str, ...]) -> str:
    forms = spellings(name)
    if meant[-1] not in forms:  # a domain
        return meant[-1]
    return name if name.isascii() else forms[:2][-1]
