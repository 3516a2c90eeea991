"""The review as a person uses it: in a real browser, by keyboard."""

from __future__ import annotations

import threading

import pytest
from report.conftest import browser  # noqa: F401
from report.sample import HOSTILE

from replicadb.report.safe_text import clean
from replicadb.review_page import serve

pytestmark = pytest.mark.slow


@pytest.fixture
def look(browser, web):  # noqa: F811
    """Open the page; what it says on the console, and whom it asks, is in ``page.heard``."""
    known, ready = [], threading.Event()
    serving = threading.Thread(
        target=serve,
        args=(web.review(), 2, 0, lambda address: (known.append(address), ready.set())),
    )
    serving.start()
    assert ready.wait(20)
    contexts = []

    def opened(width: int = 1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.heard = []
        page.on("console", lambda message: page.heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (page.heard.append("a dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(known[0]) else page.heard.append(request.url)
            ),
        )
        page.goto(known[0])
        page.locator("#pair span").wait_for()
        return page

    yield opened
    page = contexts[0].pages[0]
    if not page.locator("[data-key=q]").is_disabled():
        page.keyboard.press("q")
    serving.join(20)
    assert not serving.is_alive()
    for context in contexts:
        context.close()


def press(page, key: str, then: str) -> None:
    page.keyboard.press(key)
    page.locator("#done", has_text=then).wait_for()
    page.locator("body:not(.busy)").wait_for()


def test_the_whole_walk_by_keyboard_with_undo_and_a_contradiction(look, web):
    page = look()
    first = page.locator("#pair").inner_text()
    titles = page.locator("#evidence h2").all_inner_texts()
    assert titles == ["Speaks for it", "Speaks against it", "Not known"]
    assert all("unknown (" in text for text in page.locator("#unknown li").all_inner_texts())
    assert (
        "unknown (" not in page.locator("#for").inner_text() + page.locator("#against").inner_text()
    )
    press(page, "s", "skipped")
    press(page, "u", "taken back")
    assert page.locator("#pair").inner_text() == first
    page.keyboard.press("Control+y")
    assert page.locator("#done").inner_text().startswith("taken back") and web is not None
    press(page, "y", "saved")
    press(page, "y", "saved")
    assert not page.locator("#contradictions").is_visible()
    press(page, "n", "saved")
    assert "held apart" in page.locator("#contradictions li").inner_text()
    assert page.locator("#pair").inner_text() == "No undecided pair is left to look at"
    assert page.locator("[data-key=y]").is_disabled()
    assert "3 pairs decided in this review" in page.locator("#progress").inner_text()
    press(page, "u", "taken back")
    assert not page.locator("#contradictions").is_visible()
    page.keyboard.press("q")
    page.locator("#pair", has_text="The review is closed").wait_for()
    assert page.heard == []


def test_hostile_text_is_text_and_a_phone_scrolls_one_way_only(look):
    page = look(width=400)
    assert clean(HOSTILE) in page.locator("#differing strong").first.inner_text()
    assert "\\u202egnp" in page.locator("#differing strong").first.inner_text()
    assert page.locator("script").count() == 1 and page.locator("#differing b").count() == 0
    assert all(
        link.get_attribute("rel") == "noopener noreferrer nofollow"
        for link in page.locator("main a").all()
    )
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
    assert page.heard == []


def test_a_second_window_is_told_that_the_first_went_on(look):
    page, other = look(), look()
    page.locator("[data-key=n]").click()
    page.locator("#done", has_text="saved").wait_for()
    other.keyboard.press("y")
    other.locator("#problem", has_text="another window went on").wait_for()
    assert other.locator("#pair").inner_text() == page.locator("#pair").inner_text()
