"""The reference, docs/reference: ``python -m replicadb.cli.reference`` writes all of its pages.

Every page comes from the code itself: commands from their signatures, Python from signatures and
docstrings, what is loaded from the tables of its readers, tables from a fresh database, settings
from the dataclasses, the glossary from its words and the catalogue of evidence. A test fails when a
page is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from replicadb.cli.reference_commands import commands_page
from replicadb.cli.reference_glossary import glossary_page
from replicadb.cli.reference_loading import loading_page
from replicadb.cli.reference_python import python_page
from replicadb.cli.reference_settings import settings_page
from replicadb.cli.reference_tables import tables_page

PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "python.md": python_page,
    "loading.md": loading_page,
    "tables.md": tables_page,
    "settings.md": settings_page,
    "glossary.md": glossary_page,
}


def write(folder: Path) -> None:
    """Write every page into a folder."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
