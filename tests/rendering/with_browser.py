"""A Chromium to render with, and a database of an archive's pages."""

from __future__ import annotations

import os
import shutil

import pytest

import replicadb
from replicadb.rendering import browser


def chromium() -> str:
    found = os.environ.get("REPLICADB_CHROMIUM") or next(
        filter(None, map(shutil.which, reversed(browser.NAMES[:3]))), None
    )
    found = found or next(filter(None, map(shutil.which, browser.NAMES)), None)
    if not found:
        pytest.skip(
            "no Chromium here to render pages with; install one, or name it in REPLICADB_CHROMIUM"
        )
    return found


def with_content(path, warc):
    """A database of an archive's pages, as though loaded with --content."""
    web = replicadb.open(path)
    web.load(warc)
    web.database.execute(
        "INSERT INTO page_contents BY NAME SELECT url_id, source_id, title, 'fetched' AS text FROM"
        " urls"
    )
    return web


def rendered(web) -> dict[str, dict]:
    found = web.database.arrow(
        """SELECT o.origin || u.path AS url, r.* FROM rendered_pages AS r
            JOIN urls AS u USING (url_id)
                                  JOIN origins AS o USING (origin_id) ORDER BY r.url_id"""
    ).to_pylist()
    return {row["url"]: row for row in found}
