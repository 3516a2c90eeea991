"""replicadb: which websites in a crawl are copies of each other.

``replicadb.open("web.duckdb")`` gives a :class:`ReplicaDB` with ``load``, ``detect``, ``replicas``,
``export`` and ``sql``; the ``replicadb`` command is a thin layer over it. The names listed in
``__all__`` here, in ``replicadb.model`` and in ``replicadb.rewrite`` are public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replicadb.errors import DataError, LimitError, LockedError, ReplicaDBError, UsageError
from replicadb.version import __version__

__all__ = [
    "DataError",
    "LimitError",
    "LockedError",
    "ReplicaDB",
    "ReplicaDBError",
    "UsageError",
    "__version__",
    "open",
    "open_model",
]

if TYPE_CHECKING:
    from replicadb.api import ReplicaDB, open
    from replicadb.model import open_model


def __getattr__(name: str) -> object:
    """Import the heavy half only when it is needed, so that ``replicadb --help`` is quick."""
    if name in ("ReplicaDB", "open"):
        from replicadb import api

        return getattr(api, name)
    if name == "open_model":
        from replicadb.model import open_model

        return open_model
    raise AttributeError(f"module 'replicadb' has no attribute {name!r}")
