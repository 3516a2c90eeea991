"""Files of real crawlers and archives, which do not come with the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("REPLICADB_SHARED", Path(__file__).parents[3] / "shared")) / "formats"
FILES = (
    sorted(str(p.relative_to(SHARED)) for p in SHARED.rglob("*") if p.is_file())
    if SHARED.is_dir()
    else []
)
needs_files = pytest.mark.skipif(
    not FILES, reason="no real crawl files: set REPLICADB_SHARED to their folder"
)
