"""Self-contained HTML pages, to open anywhere, print, or send: of an evaluation, of a crawl.

Invariant: the page needs nothing from outside itself; a file appears under its name only
when its last byte is written; the same result gives the same bytes. The charts are
drawn by vl-convert (extra ``report``).
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from replicadb.errors import DataError, UsageError
from replicadb.report import drawing
from replicadb.report import evaluation_page as page
from replicadb.report.own_crawl import crawl_page
from replicadb.store.atomic_file import atomic_write
from replicadb.version import __version__

__all__ = ["ready", "render", "save", "stamped", "write", "write_crawl"]


def ready(path: str | Path | None = None) -> None:
    """Refuse, before work that takes long, what could not be drawn or written afterwards.

    Args:
        path: where a page is to be.

    Raises:
        UsageError: the extra ``report`` is not installed, or the name is no page's. DataError: no
            such folder.
    """
    drawing.library()
    if path is None:
        return
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{path}: the page is HTML; let its name end in .html")
    if not Path(path).parent.is_dir():
        raise DataError(f"{Path(path).parent}: no such folder for the page; make it first")


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


def write_crawl(findings: dict[str, Any], inventory: dict[str, Any], path: str | Path) -> int:
    """Write the page about somebody's own crawl; returns its bytes.

    Args:
        findings: of ``replicadb.findings.collect``. inventory: of
            ``replicadb.inventory.inventory``.

    Raises:
        UsageError: the extra ``report`` is not installed. DataError: the file cannot be written.
    """
    page = crawl_page.render(
        stamped(findings) | {"database": inventory["database"]},
        inventory,
    )
    save(page, path)
    return len(page.encode("utf-8", "backslashreplace"))


def stamped(result: dict[str, Any]) -> dict[str, Any]:
    """A result with the version and the time of making."""
    made_at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return result | {"replicadb": __version__, "made_at": made_at}


def save(page: str, path: str | Path) -> None:
    """Write a page, whole or not at all.

    Raises:
        DataError: the file cannot be written.
    """
    with atomic_write(path) as part:
        Path(part).write_bytes(page.encode("utf-8", "backslashreplace"))
