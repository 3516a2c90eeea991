"""One self-contained HTML page about an evaluation, to open anywhere, print, or send.

Invariant: the page needs nothing from outside itself; a file appears under its name only
when its last byte is written; the same result gives the same bytes. The charts are
drawn by vl-convert (extra ``report``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from replicadb.report import drawing
from replicadb.report import evaluation_page as page
from replicadb.store.atomic_file import atomic_write

__all__ = ["ready", "render", "save", "write"]


def ready() -> None:
    """Make sure that a report can be drawn: to be called before work that takes long.

    Raises:
        UsageError: the extra ``report`` is not installed.
    """
    drawing.library()


def render(result: dict[str, Any]) -> str:
    """The report of an evaluation as HTML.

    Args:
        result: of ``replicadb.evaluation.evaluate.evaluate``, or read again from its JSON. Parts
            that are missing are said to be missing.

    Raises:
        UsageError: the extra ``report`` is not installed.
    """
    ready()
    return page.render(result, result.get("figures") or {})


def write(result: dict[str, Any], path: str | Path) -> None:
    """Write the report of an evaluation as one self-contained HTML page; arguments as
    :func:`render`.

    Raises:
        UsageError: the extra ``report`` is not installed. DataError: the file cannot be written.
    """
    save(render(result), path)


def save(page: str, path: str | Path) -> None:
    """Write a page, whole or not at all.

    Raises:
        DataError: the file cannot be written.
    """
    with atomic_write(path) as part:
        Path(part).write_bytes(page.encode("utf-8", "backslashreplace"))
