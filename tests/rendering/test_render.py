"""pages render: an archive replayed in a real browser, and nothing from the network.

Invariant: one run renders nearly all pages of these tests; skipped only where no Chromium is
found (REPLICADB_CHROMIUM may name it).

Tries frame_grafting, too.
"""

from __future__ import annotations

import os

import pytest

from replicadb.rendering import browser, browser_requests

from .render_samples import PAGES, write_warc
from .with_browser import chromium, rendered, with_content

pytestmark = pytest.mark.slow


TIMEOUT = 1.5


HOSTILE = {"http://loop.test/", "http://alerts.test/", "http://fetches.test/", "http://eats.test/"}


def reasons(web) -> dict[str, str]:
    return dict(
        web.database.rows(
            """SELECT o.origin || u.path, p.reason FROM render_problems AS p
                JOIN urls AS u USING (url_id)
                                     JOIN origins AS o USING (origin_id)"""
        )
    )


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Every page rendered once, those that never come to rest by two browsers at a time: the
    database, its rows by URL, and the results.
    """
    path, folder = chromium(), tmp_path_factory.mktemp("render")
    web = with_content(folder / "web.duckdb", write_warc(folder / "pages.warc.gz", PAGES))
    (folder / "hostile.csv").write_text("\n".join(["url", *HOSTILE]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser, "READING", 1.0)
        patch.setattr(browser_requests, "READING", 1.0)
        hostile = web.render_pages(
            folder / "pages.warc.gz",
            browser=path,
            timeout=TIMEOUT,
            workers=2,
            only=str(folder / "hostile.csv"),
        )
    result = web.render_pages(folder / "pages.warc.gz", browser=path, timeout=60, workers=1)
    yield web, rendered(web), result, hostile
    web.close()


def words(row) -> list[str]:
    return row["text"].split()


def test_redirects_by_script_refresh_and_http_are_followed_in_one_chain(seen):
    for url, redirects in (
        ("http://a.test/", 2),
        ("http://a.test/b", 1),
        ("http://header.test/", 1),
        ("http://other.test/d", 0),
    ):
        row = seen[1][url]
        assert (row["final_url"], row["title"], row["redirects"]) == (
            "http://other.test/d",
            "D",
            redirects,
        ), url
        assert words(row)[0] == "landing"


def test_a_refresh_that_comes_too_late_is_not_followed(seen):
    for url, redirects in (("http://late.test/", 0), ("http://almost.test/", 1)):
        assert (seen[1][url]["final_url"], seen[1][url]["title"], seen[1][url]["redirects"]) == (
            "http://late.test/",
            "Late",
            redirects,
        )


def test_redirects_in_circles_end(seen):
    assert seen[1]["http://self.test/"]["final_url"] == "http://self.test/"
    assert seen[1]["http://self.test/"]["redirects"] == 1
    assert seen[1]["http://ping.test/"]["redirects"] <= browser_requests.MOST_REDIRECTS
    assert words(seen[1]["http://ping.test/"])[0] in ("ping", "pong")


def test_a_page_that_goes_out_of_the_archive_stays_where_it_is(seen):
    assert (seen[1]["http://out.test/"]["title"], seen[1]["http://out.test/"]["missing"]) == (
        "Out",
        1,
    )


def test_a_page_whose_script_leads_out_while_it_is_read_is_read_to_its_end(seen):
    row = seen[1]["http://cut.test/"]
    assert (row["title"], row["text"], row["redirects"], row["missing"]) == (
        "Cut",
        "text of its own\nand more",
        0,
        1,
    )
    row = seen[1][
        "http://cut.test/through"
    ]  # what the archive has is followed, and from there no further
    assert (row["title"], words(row), row["final_url"], row["redirects"]) == (
        "Landed",
        ["there", "and", "whole"],
        "http://cut.test/landed",
        1,
    )
    assert (
        words(seen[1]["http://cut.test/by-http"]),
        seen[1]["http://cut.test/by-http"]["missing"],
    ) == (["by", "http"], 1)


def test_a_page_that_loads_itself_again_while_it_is_read_is_read_to_its_end(seen):
    assert words(seen[1]["http://cut.test/again"]) == ["before", "after"]


def test_a_page_that_cannot_be_read_to_its_end_is_rejected_with_the_reason(seen):
    assert words(seen[1]["http://cut.test/form"]) == ["form", "read", "on"]
    assert seen[1].get("http://cut.test/keeps") is None
    assert (
        reasons(seen[0])["http://cut.test/keeps"]
        == "its script leads out of the archive before the page is read, and cannot be held back"
    )


def test_what_style_sheets_hide_is_left_out_unless_it_is_the_whole_page(seen):
    assert words(seen[1]["http://hidden.test/"]) == ["seen", "shown", "first", "frame", "end"]
    assert words(seen[1]["http://hidden.test/all"]) == ["until", "its", "script", "comes"]


def test_framesets_and_frames_in_frames_are_grafted_where_they_stand(seen):
    row = seen[1]["http://set.test/"]
    assert words(row) == [
        "first",
        "frame",
        "second",
        "frame",
        "deep",
        "deeper",
        "written",
        "after",
        "it",
    ]
    assert (row["title"], row["frames"], row["missing"]) == ("Set", 4, 1)


def test_objects_script_frames_and_frames_filled_by_script_are_grafted(seen):
    row = seen[1]["http://odd.test/"]
    assert words(row) == ["before", "first", "frame", "of", "a", "script", "after", "put", "in"]
    assert row["frames"] == 3


def test_what_scripts_build_is_seen_and_what_is_for_those_without_is_not(seen):
    assert "built at" in seen[1]["http://other.test/d"]["text"]
    assert "no script" not in seen[1]["http://other.test/d"]["text"]
    assert words(seen[1]["http://shadow.test/"]) == ["in", "the", "shadow"]
    assert (seen[1]["http://anew.test/"]["title"], words(seen[1]["http://anew.test/"])) == (
        "New",
        ["anew"],
    )


def test_what_a_page_fetches_comes_from_the_archive_and_pictures_are_not_missed(seen):
    row = seen[1]["http://fetch.test/"]
    assert (words(row), row["missing"]) == (["from", "the", "archive"], 1)


def test_scripts_that_change_the_built_ins_change_nothing_of_what_is_read(seen):
    assert (seen[1]["http://cheat.test/"]["title"], words(seen[1]["http://cheat.test/"])) == (
        "Cheat",
        ["true"],
    )


def test_dialogs_and_windows_stop_no_page(seen):
    assert words(seen[1]["http://boxes.test/"]) == ["boxes", "passed"]


def test_a_plain_page_is_as_it_was(seen):
    row = seen[1]["http://plain.test/"]
    assert (
        row["body"]
        == "<!DOCTYPE html><html><head><title>Plain</title></head><body><h1>Plain</h1><p>a page"
        " like others</p></body></html>"
    )
    assert (row["length"], row["frames"], row["redirects"], row["missing"], row["final_url"]) == (
        len(row["body"]),
        0,
        0,
        0,
        "http://plain.test/",
    )


def test_pages_that_never_come_to_rest_are_taken_as_they_stand(seen):
    web, rows, *_ = seen
    for url, text in (
        ("http://loop.test/", "before the loop"),
        ("http://alerts.test/", "before the alerts"),
        ("http://fetches.test/", "endless"),
    ):
        assert rows[url]["text"] == text
        assert reasons(web)[url] == "not settled after 1.5 s, taken as it stood"


def test_every_page_is_rendered_or_has_a_reason_and_the_counts_say_so(seen):
    web, rows, result, hostile = seen
    html = {url for url, page in PAGES.items() if isinstance(page, str)} | {"http://header.test/"}
    assert set(rows) | set(reasons(web)) == html
    assert set(reasons(web)) == HOSTILE | {"http://cut.test/keeps"}
    assert (result.rendered + hostile.rendered, result.rejected + hostile.rejected) == (
        len(rows),
        len(html) - len(rows),
    )
    assert (result.unsettled, hostile.unsettled) == (0, len(HOSTILE & set(rows)))
    assert (result.archived, result.rendered_before) == (len(html), len(HOSTILE))
    assert sum(hostile.reasons.values()) == len(HOSTILE)
    assert result.missing + hostile.missing == sum(row["missing"] for row in rows.values())


def test_a_run_again_renders_nothing_and_by_force_the_same(seen, tmp_path):
    web, rows, *_ = seen
    folder = os.path.dirname(web.database.path)
    again = web.render_pages(f"{folder}/pages.warc.gz", browser=chromium())
    assert (again.rendered, again.rejected, again.rendered_before) == (
        0,
        0,
        len(rows) + len(reasons(web)) - len(set(rows) & set(reasons(web))),
    )
    chosen = ["http://a.test/", "http://set.test/", "http://storage.test/", "http://plain.test/"]
    (tmp_path / "only.csv").write_text(
        "note,URL\n"
        + "".join(f"x,{url}#part\n" for url in chosen)
        + "x,HTTP://Other.TEST:80/d\nx,nonsense\n"
    )
    forced = web.render_pages(
        f"{folder}/pages.warc.gz",
        browser=chromium(),
        only=str(tmp_path / "only.csv"),
        force=True,
        workers=1,
    )
    assert forced.rendered == 5
    assert rendered(web) == rows  # dates, random numbers and storage too
