"""The report as a person sees it: in a real browser, from the disk, with hostile text in it.

Where the browser comes from: conftest.py.
"""

from __future__ import annotations

import pytest

from replicadb import report
from replicadb.evaluation import crawl_figures
from replicadb.report import safe_text
from replicadb.store.database import Database
from report.sample import HOSTILE, ODD, hostile, sample

pytestmark = pytest.mark.slow

NASTY = HOSTILE + " " + " ".join(ODD)
CHARTS = 13


@pytest.fixture(scope="module")
def files(tmp_path_factory, detected):
    """The sample as a page, and the same with hostile text in every place."""
    folder = tmp_path_factory.mktemp("report")
    with Database(detected, read_only=True) as db:
        numbers = crawl_figures.collect(
            db, [("example.com", "www.example.com"), ("example.com", "example.org")]
        )
    report.write(sample() | {"figures": numbers}, folder / "plain.html")
    report.write(hostile(sample(), NASTY) | {"figures": numbers}, folder / "hostile.html")
    return folder


@pytest.fixture
def look(open_page, files):
    """Open a page by the name of its file."""
    return lambda name, width=1280, **options: open_page(files / name, width, **options)


def drawn(page) -> list[int]:
    """Marks with numbers of their own in each chart that has an area."""
    return page.eval_on_selector_all(
        "svg[role=img]",
        """all => all
            .filter(s => s.getBoundingClientRect().width > 100)
            .filter(s => s.getBoundingClientRect().height > 60)
            .map(s => [...s.querySelectorAll('[data-tip]')])
            .map(marks => marks.filter(m => m.getBBox().width > 0).length)""",
    )


@pytest.mark.parametrize("name", ["plain.html", "hostile.html"])
def test_it_is_quiet_and_every_chart_is_drawn(look, name):
    page = look(name)
    page.mouse.move(400, 500)
    assert page.heard == []
    assert len(drawn(page)) == CHARTS and all(marks >= 1 for marks in drawn(page))
    assert page.locator("table").count() >= 12 and page.evaluate(
        "[...document.querySelectorAll('tbody')].every(b => b.rows.length > 0)"
    )


def test_hostile_text_is_text(look):
    page = look("hostile.html", again=False)
    assert page.locator("script").count() == 1
    assert page.locator("h1").inner_text() == safe_text.clean(NASTY)
    causes = page.locator("#causes tbody").first.locator("th").all_inner_texts()
    assert safe_text.clean(NASTY) in causes and len(causes) == 3
    assert page.title() == safe_text.clean(f"Website replicas in {NASTY}: evaluation")


def test_a_phone_scrolls_one_way_only(look):
    page = look("hostile.html", width=360, again=False)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert all(marks >= 1 for marks in drawn(page))


def test_a_mark_tells_its_numbers_and_a_box_hides_a_method(look):
    page = look("plain.html")
    mark = page.locator("#figure-3 [data-tip]").first
    mark.scroll_into_view_if_needed()
    mark.hover(force=True)
    assert page.locator("#tip").inner_text() == mark.get_attribute("data-tip")
    assert page.locator(".near").count() == 1
    lines = page.locator("#figure-5 g.s0")
    assert lines.first.is_visible()
    page.locator("#show-s0").uncheck()
    assert not lines.first.is_visible()
    page.locator("#show-s1").check()
    assert page.locator("#figure-5 g.s1").first.is_visible()


def test_a_heading_sorts_within_the_families(look):
    page = look("plain.html")

    def order() -> list[str]:
        return page.locator("table.methods").first.locator(".id").all_inner_texts()

    before = order()
    heading = page.locator("table.methods").first.get_by_role("button", name="Time")
    heading.click()
    falling = order()
    heading.click()
    rising = order()
    assert sorted(before) == sorted(falling) == sorted(rising) and falling != rising
    assert falling[:2] == rising[1::-1] == ["robust-paths", "robust"]
    assert page.locator("th[aria-sort=ascending]").count() == 1


def test_it_is_dark_where_the_reader_wants_it_dark_and_white_on_paper(look):
    page = look("plain.html", scheme="dark", again=False)
    ground = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('svg[role=img] text')).fill"
    assert page.evaluate(ground) == "rgb(20, 23, 27)" and page.evaluate(ink) == "rgb(165, 174, 185)"
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)" and page.evaluate(ink) == "rgb(68, 68, 68)"


def test_without_scripts_nothing_is_missing(look):
    page = look("plain.html", scripts=False)
    assert page.heard == [] and page.locator("svg[role=img]").count() == CHARTS
    assert (
        page.locator("#figure-5 g.s0").first.is_visible()
        and not page.locator("#figure-5 g.s1").first.is_visible()
    )


def test_on_a_phone_the_menu_stays_charts_fill_and_what_scrolls_says_so(look):
    page = look("plain.html", width=400)
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    assert page.evaluate("document.querySelector('nav').getBoundingClientRect().top") == 0
    said = page.evaluate(
        """[...document.querySelectorAll('.scroll')].filter(box => box.clientWidth).map(box => [
            box.scrollWidth > box.clientWidth + 1,
            getComputedStyle(box, '::before').content.includes('scroll sideways')])"""
    )
    assert any(wider for wider, _ in said) and all(wider == shown for wider, shown in said)
    widths = page.evaluate(
        """[...document.querySelectorAll('figure:not(.wide) svg[role=img]')]
            .filter(chart => chart.clientWidth > 100)
            .map(chart => chart.getBoundingClientRect().width / chart.parentElement.clientWidth)"""
    )
    assert widths and min(widths) > 0.95
    fonts = page.evaluate(
        """[...document.querySelectorAll('figure svg text')]
            .map(text => getComputedStyle(text).fontFamily)"""
    )
    assert set(fonts) == {page.evaluate("getComputedStyle(document.body).fontFamily")}


def test_figures_come_in_order(look):
    titles = look("plain.html", again=False).locator("h2").all_inner_texts()
    figures = [title for title in titles if title.startswith("Figure")]
    assert figures == sorted(figures) and len(figures) == 3
