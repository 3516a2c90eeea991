"""A browser that is not there or does not start, and options that cannot be meant.

Tries page_render_command, too.
"""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.rendering import browser, render

from .render_samples import write_warc
from .with_browser import chromium, with_content

pytestmark = pytest.mark.slow


def test_without_playwright_or_browser_one_line_says_how_to_get_them(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"no browser there that can be run; .*--browser"):
        browser.find_browser(tmp_path / "none")
    monkeypatch.setitem(__import__("sys").modules, "playwright.async_api", None)
    with pytest.raises(UsageError, match=r"pip install 'replicadb\[render\]'"):
        browser.find_browser()


def test_a_browser_that_does_not_start_is_reported_in_one_line(tmp_path):
    chromium()
    warc = write_warc(tmp_path / "one.warc.gz", {"http://x.test/1": "one"})
    with (
        with_content(tmp_path / "web.duckdb", warc) as web,
        pytest.raises(UsageError, match="does not start") as error,
    ):
        web.render_pages(warc, browser=shutil.which("false"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"delay": -1}, {"workers": 0}, {"limit": 0}], ids=str
)
def test_options_that_cannot_be_meant_are_refused(options):
    with pytest.raises(UsageError, match="cannot be meant"):
        render.RenderOptions(**options)


def test_what_is_no_archive_or_has_no_content_is_refused(tmp_path):
    pytest.importorskip("playwright")
    warc = write_warc(tmp_path / "one.warc.gz", {"http://x.test/1": "one"})
    (tmp_path / "pages.csv").write_text("url,html\nhttp://x.test/1,one\n")
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(warc)
        with pytest.raises(DataError, match="--content"):
            web.render_pages(warc, browser=shutil.which("true"))
    with with_content(tmp_path / "other.duckdb", warc) as web:
        with pytest.raises(DataError, match="and this is csv"):
            web.render_pages(tmp_path / "pages.csv", browser=shutil.which("true"))
        (tmp_path / "only.csv").write_text("page\nhttp://x.test/1\n")
        with pytest.raises(DataError, match="no column url"):
            web.render_pages(warc, browser=shutil.which("true"), only=str(tmp_path / "only.csv"))


def test_that_no_page_is_one_of_those_asked_for_is_said(cli, tmp_path):
    pytest.importorskip("playwright")
    warc = write_warc(tmp_path / "one.warc.gz", {"http://x.test/1": "one"})
    with_content(tmp_path / "web.duckdb", warc).close()
    (tmp_path / "only.csv").write_text("url\nhttp://x.test/2\n")
    answer = cli(
        *("pages", "render", tmp_path / "web.duckdb", warc),
        *("--only", tmp_path / "only.csv", "--browser", shutil.which("true")),
    )
    assert answer.code == 0 and "note: no URL of " in answer.err
    assert "only.csv is a page of the archive that the database has" in answer.err
