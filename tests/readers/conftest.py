"""What the tests of readers share: a database to read files into, without loading them."""

from __future__ import annotations

from functools import partial

import pytest

from replicadb.load import capture_store
from replicadb.store.database import Database

from . import tables


@pytest.fixture(scope="session")
def staged():
    """What ``tables.py`` has of that name, on a database that all share: nothing stays in it."""
    with Database(":memory:") as db:
        capture_store.prepare(db)
        yield partial(tables.staged, db)
