"""Lines of crawlers and scanners, as httpx and katana write them, as pages of new hosts.

Invariant: what a field means is what it means to ``load``: by its name, also inside of an object. A
line in the form of :mod:`replicadb.model.new_hosts` is none of these, and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from replicadb.errors import DataError
from replicadb.readers.table_columns import Columns, assign_roles

OWN = ("fingerprint", "digest", "pages")
"""Fields by which a line is one in the form for new hosts."""
LEFT = ("timestamp", "interval", "status", "redirect")
"""Roles that say nothing of a page of a new host but whether it is one."""
DEEPEST = 3
NUMBER = re.compile(r"([1-9]\d\d|0)(?!\d)")
"""How a status that is a number begins; 0 is one of what was not fetched."""


def as_page(row: dict[str, Any], fields: Collection[str]) -> dict[str, Any]:
    """A line as that of a page, with the fields that nothing is known of under their own names.

    Args:
        fields: those that a line for new hosts may have; with no others it stays as it is.
    """
    if any(row.get(name) is not None for name in OWN) or {*row} <= {*fields}:
        return row
    flat = dict(_flat(row))
    try:
        columns = assign_roles(list(flat), {})
    except DataError:  # no URL
        return row
    used = {name.partition(".")[0] for name in columns.roles.values()}
    rest = {name: value for name, value in row.items() if name not in used}
    status = str(flat.get(columns.roles.get("status", ""), ""))
    if NUMBER.match(status) and not status.startswith("200"):
        return {"url": flat[columns.roles["url"]], "pages": [], f"a page of status {status}": 1}
    return rest | _page(flat, columns)


def _page(flat: dict[str, Any], columns: Columns) -> dict[str, Any]:
    found = {role: flat[name] for role, name in columns.roles.items() if role not in LEFT}
    page = {role: value for role, value in found.items() if _can_be(role, value)}
    if "fingerprint" in page:
        page["fingerprint"] = f"{columns.digest_prefix}{page['fingerprint']}"
    return page


def _can_be(role: str, value: Any) -> bool:
    """Whether a role can have such a value; ``load`` too leaves out what is none."""
    if role == "links":
        return isinstance(value, list)
    if role == "length":
        return str(value).isdecimal() and len(str(value)) < 19
    return isinstance(value, str) or (role == "fingerprint" and type(value) is int)


def _flat(row: dict[str, Any], before: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """Each field by its whole name, as ``hash.body_sha256``."""
    for name, value in row.items():
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _flat(value, f"{before}{name}.", depth + 1)
        else:
            yield f"{before}{name}", value
