"""Machine files: what is one by its place, its name and its type, and what only looks like one."""

from __future__ import annotations

import re

import duckdb
import pytest

from replicadb.load.capture_store import machine_kinds
from replicadb.web.machine_files import LIKELY, MACHINE_FILES

CASES = [
    ("/robots.txt", None, "robots.txt"),
    ("/robots.txt", "text/html", "robots.txt"),
    ("/robots.txt?v=2", "text/plain", "robots.txt"),
    ("/wiki/robots.txt", "text/plain", None),
    ("/robots.txt.html", "text/html", None),
    ("/ROBOTS.TXT", None, None),
    ("/sitemap.xml", None, "site map"),
    ("/sitemap_index.xml", "text/plain", "site map"),
    ("/en/post-sitemap12.xml.gz", None, "site map"),
    ("/wp-sitemap-posts-post-1.xml", "text/xml", "site map"),
    ("/sitemap.txt", "text/plain", "site map"),
    ("/sitemap.xml", "text/html", None),
    ("/sitemap", None, None),
    ("/sitemap/", "text/html", None),
    ("/sitemap.html", None, None),
    ("/ads.txt", None, "ads.txt"),
    ("/app-ads.txt", "text/plain", "ads.txt"),
    ("/downloads.txt", "text/plain", None),
    ("/favicon.ico", "text/html", "icon"),
    ("/favicon.ico", "image/x-icon", None),
    ("/static/favicon-32x32.png", None, "icon"),
    ("/apple-touch-icon-precomposed.png", None, "icon"),
    ("/favicon.html", "text/html", None),
    ("/site.webmanifest", None, "manifest"),
    ("/browserconfig.xml", "text/plain", "manifest"),
    ("/manifesto.html", None, None),
    ("/crossdomain.xml", None, "cross-domain policy"),
    ("/humans.txt", "text/plain", "notice"),
    ("/security.txt", None, "notice"),
    ("/.well-known/security.txt", "text/plain", "well-known"),
    ("/.well-known/", "text/html", "well-known"),
    ("/google0123456789abcdef.html", "text/html", "site verification"),
    ("/google-maps.html", "text/html", None),
    ("/BingSiteAuth.xml", None, "site verification"),
    ("/", "text/html", None),
    ("/notes.txt", "text/plain", None),
]


@pytest.fixture(scope="module")
def kinds() -> dict[tuple[str, str | None], str | None]:
    """By path and type, as sql/load/20_captures asks it, which cuts the query off."""
    given = {"path": [path for path, *_ in CASES], "mime": [mime for _, mime, _ in CASES]}
    with duckdb.connect() as con:
        rows = con.execute(
            f"""SELECT given, mime, CASE {machine_kinds()} END FROM (
                SELECT given, split_part(given, '?', 1) AS path, mime
                FROM (SELECT unnest($path::VARCHAR[]) AS given, unnest($mime::VARCHAR[]) AS mime)
            )""",
            given,
        ).fetchall()
    return {(path, mime): kind for path, mime, kind in rows}


@pytest.mark.parametrize(("path", "mime", "kind"), CASES)
def test_place_and_name_tell_a_machine_file_and_a_site_map_in_html_is_a_page(
    kinds, path, mime, kind
):
    assert kinds[path, mime] == kind


def test_every_kind_is_tried_and_found_by_the_quick_look():
    assert {kind for _, _, kind in CASES if kind} == {file.kind for file in MACHINE_FILES}
    assert all(re.search(LIKELY, path) for path, _, kind in CASES if kind)
