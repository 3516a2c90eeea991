"""The page methods by name: what each is, and the function that finds its pairs.

Invariant: a method is ``find(db, options, query=None) -> counts``: it reads the loaded
contents and writes the temporary table ``found`` (a_id, b_id, score), a_id < b_id; with ``query``
only pairs of the page from outside (a_id = -1).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

MODULES = {
    "exact": "exact",
    "simhash": "simhash",
    "minhash": "minhash",
    "rp": "random_projection",
    "rp+hm": "hyperlink_map",
    "mwo": "mwo",
}
"""Where each method lives in this room."""

Find = Callable[..., dict[str, Any]]
"""What finds a method's pairs, and counts its work."""


def finder(method: str) -> Find:
    """The function of a method; its module, and the library that it needs, are imported
    only here.
    """
    module = importlib.import_module(f"replicadb.near_duplicates.{MODULES[method]}")
    find: Find = module.find
    return find
