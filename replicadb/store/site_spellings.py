"""The sites of a database that a text may mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from replicadb.store.database import Database
from replicadb.web.domains import sites_meant


def spellings_in(db: Database) -> Callable[[str], tuple[str, ...]]:
    """Says of a text which sites it may mean here, the likeliest first: where sites are domains, a
    host's domain, too.
    """
    return partial(sites_meant, site=db.value("SELECT value FROM meta WHERE key = 'site'"))
