"""replicadb: which websites in a crawl are copies of each other.

``replicadb.open("web.duckdb")`` gives a :class:`replicadb.api.ReplicaDB` with ``load``, ``detect``,
``replicas``, ``export`` and ``sql``; the ``replicadb`` command is a thin layer over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replicadb.version import __version__

__all__ = ["ReplicaDB", "__version__", "open", "open_model"]

if TYPE_CHECKING:
    from replicadb.api import ReplicaDB, open
    from replicadb.model import open_model


def __getattr__(name: str) -> Any:
    """Import the heavy half only when it is asked for, so that ``replicadb --help`` is quick."""
    if name in ("ReplicaDB", "open"):
        from replicadb import api

        return getattr(api, name)
    if name == "open_model":
        from replicadb.model import open_model

        return open_model
    raise AttributeError(f"module 'replicadb' has no attribute {name!r}")
