"""The sites of a database that a text may mean, alone or in a query."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from replicadb.store.database import Database
from replicadb.web.domains import sites_meant
from replicadb.web.urls import spellings

OF_TWO_HOSTS = re.compile(
    r"\b((?:shared_pages|evidence_of|pages_to_fetch|projected_training_set)\s*\()"
    r"(\s*'(?:[^']|'')*'\s*,\s*'(?:[^']|'')*')",
    re.I,
)
NAME = re.compile(r"(?<=')(?:[^',]|'')+(?=')")


def spellings_in(db: Database) -> Callable[[str], tuple[str, ...]]:
    """Says of a text which sites it may mean here, the likeliest first: where sites are domains, a
    host's domain, too.
    """
    return partial(sites_meant, site=db.value("SELECT value FROM meta WHERE key = 'site'"))


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
