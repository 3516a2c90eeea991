"""What is stored of a run: batches of one that stopped; pages that were not loaded."""

from __future__ import annotations

import shutil

import pytest

from replicadb.errors import DataError
from replicadb.rendering import render, render_store
from replicadb.rendering.browser_requests import Replay
from replicadb.rendering.frame_grafting import Grafted

from .render_samples import write_warc
from .with_browser import rendered, with_content

pytestmark = pytest.mark.slow


def test_a_run_that_stops_keeps_its_batches_and_the_next_goes_on(tmp_path, monkeypatch):
    """How a run without a limit goes on to the end, ``seen`` shows; and that a browser shows what
    is stored. Here a page is shown as it is.
    """

    pytest.importorskip("playwright")

    async def shown(_, page):
        found = Grafted()
        found.markup, found.title = pages[page.url], f"Page {page.url[-1]}"
        return Replay(found, url=page.url)

    monkeypatch.setattr(render._Worker, "_replay", shown)
    pages = {f"http://many.test/{i}": f"<title>Page {i}</title>{i}" for i in range(6)}
    warc = write_warc(tmp_path / "many.warc.gz", pages)
    monkeypatch.setattr(render_store, "BATCH", 2)

    def stop(done, due):
        if done == 3:
            raise RuntimeError("stopped")

    with with_content(tmp_path / "web.duckdb", warc) as web:
        with pytest.raises(RuntimeError, match="stopped"):
            web.render_pages(warc, browser=shutil.which("true"), workers=1, progress=stop)
        assert len(rendered(web)) == 3
        more = web.render_pages(warc, browser=shutil.which("true"), workers=1, limit=2)
        assert (more.rendered, more.rendered_before) == (2, 3)
        assert {url: row["title"] for url, row in rendered(web).items()} == {
            f"http://many.test/{i}": f"Page {i}" for i in range(5)
        }
        web.unload(warc)
        assert not web.database.value("SELECT count(*) FROM rendered_pages")


def test_pages_that_are_not_in_the_database_with_content_are_counted(tmp_path, monkeypatch):
    warc = write_warc(
        tmp_path / "two.warc.gz", {"http://x.test/1": "one", "http://x.test/2": "two"}
    )
    with with_content(tmp_path / "web.duckdb", warc) as web:
        web.database.execute(
            "DELETE FROM page_contents WHERE url_id = (SELECT max(url_id) FROM urls)"
        )
        web.database.execute(
            "INSERT INTO render_problems SELECT url_id, false, 'known' FROM page_contents"
        )
        monkeypatch.setattr(render, "_run", None)  # nothing is due, so nothing is started
        result = web.render_pages(warc, browser=shutil.which("true"))
    assert (result.archived, result.not_loaded, result.rendered_before, result.rendered) == (
        2,
        1,
        1,
        0,
    )


def test_an_archive_of_which_no_page_is_there_is_refused(tmp_path):
    warc = write_warc(tmp_path / "one.warc.gz", {"http://x.test/1": "one"})
    other = write_warc(tmp_path / "other.warc.gz", {"http://y.test/1": "one"})
    with (
        with_content(tmp_path / "web.duckdb", warc) as web,
        pytest.raises(DataError, match="has none of the archive's 1 page with content"),
    ):
        web.render_pages(other, browser=shutil.which("true"))
