"""The page of one's own crawl as a person uses it: in a real browser, from the disk."""

from __future__ import annotations

import html
import re
import struct

import pytest

import replicadb
from replicadb.findings import collect
from replicadb.report import safe_text
from replicadb.report.own_crawl import crawl_page
from report.sample import HOSTILE
from report.test_crawl_page import MADE, facts_of, nasty
from tests.findings.test_findings import crawl

pytestmark = pytest.mark.slow
MANY = 10_000
STATIC = re.compile(r'</bdi></td><td class="n">([^<]*)</td>')
"""The probabilities as they stand in the page without a script."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory, detected):
    """Pages: of two families of copies that one host ties together, of method paper, with hostile
    text, and of MANY pairs.
    """
    made = tmp_path_factory.mktemp("crawl-page")
    (made / "crawl.csv").write_text(crawl())
    with replicadb.open(made / "web.duckdb") as web:
        web.load(made / "crawl.csv")
        web.detect(min_probability=0.3)
        facts = collect(web.database, explained=12) | MADE, web.info()
    (made / "robust.html").write_text(crawl_page.render(*facts))
    (made / "many.html").write_text(crawl_page.render(many(facts[0]), facts[1]))
    facts = facts_of(detected)
    (made / "paper.html").write_text(crawl_page.render(*facts))
    (made / "hostile.html").write_text(crawl_page.render(*(nasty(of, HOSTILE) for of in facts)))
    return made


def many(findings: dict) -> dict:
    """The same with a ranking of MANY rows."""
    ranking = findings["ranking"]
    row = ranking["rows"][0]
    rows = [
        row | {"rank": n + 1, "host_a": f"a{n * 7919 % MANY}.example", "shared": n * 31 % 997}
        for n in range(MANY)
    ]
    hosts = {row["host_a"]: {"urls": 1, "fates": []} for row in rows} | ranking["hosts"]
    return findings | {"ranking": ranking | {"rows": rows, "hosts": hosts}}


@pytest.fixture
def look(open_page, folder):
    """Open a page by the name of its file."""
    return lambda name, width=1280, **options: open_page(folder / name, width, **options)


def first(page, column: int = 1) -> list[str]:
    return page.locator(f"#pairs tbody tr > :nth-child({column})").all_inner_texts()


CLICKED = """() => {
    const all = [...document.querySelectorAll(
        "#pairs thead button, #pager button:enabled, summary")].filter(
        button => button.getClientRects().length);
    all.forEach(button => button.click());
    const why = document.getElementById("why");
    const seen = () => why.getClientRects().length > 0;
    const line = n => document.querySelectorAll("#pairs tbody tr")[n];
    const titles = [...Array(document.querySelectorAll("#pairs tbody tr").length).keys()].map(n => {
        line(n).click();
        const title = seen() && document.getElementById("why-title").innerText;
        why.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
        return !seen() && title;
    });
    return [all.length, titles];
}"""
"""Whatever can be clicked; then each line is opened and closed again."""


@pytest.mark.parametrize("name", ["robust.html", "paper.html", "hostile.html"])
def test_it_is_quiet_whatever_is_clicked(look, name):
    page = look(name)
    clicked, titles = page.evaluate(CLICKED)
    page.locator("#pairs tbody tr").first.press("Enter")
    page.keyboard.press("Escape")
    page.mouse.move(500, 400)
    assert clicked >= 10 and all(titles)
    assert len(set(titles)) == len(titles) == page.locator("#pairs tbody tr").count()
    assert page.heard == []


def test_hostile_text_is_text_in_the_table_and_the_panel(look):
    page = look("hostile.html", again=False)
    shown = safe_text.clean(HOSTILE)
    assert all(name.startswith(shown) for name in first(page, 2))
    page.locator("#pairs tbody tr").first.click()
    assert page.locator("#why-title").inner_text().count(shown) == 2
    assert page.locator("#why-text li", has_text=shown).count() >= 2
    assert page.locator("#why script").count() == 0
    assert page.locator("script").count() == 2 and page.heard == []


def test_the_ranking_is_filtered_and_sorted(look, folder):
    page = look("robust.html")
    assert first(page, 4) == STATIC.findall(html.unescape((folder / "robust.html").read_text()))
    page.locator("#filter").fill("LEFT0")
    assert page.locator("#found").inner_text() == "4 of 20 pairs"
    assert all("left0.com" in a + b for a, b in zip(first(page, 2), first(page, 3), strict=True))
    page.locator("#filter").fill("no such host")
    assert page.locator("#found").inner_text() == "0 of 20 pairs" and first(page) == []
    page.locator("#filter").fill("")
    page.locator("#decision").select_option("explained")
    assert page.locator("#found").inner_text() == "12 of 20 pairs"
    page.locator("#decision").select_option("0")
    assert page.locator("#found").inner_text() == "0 of 20 pairs"
    page.locator("#decision").select_option("")
    strength = page.locator("#pairs").get_by_role("button", name="Strength")
    strength.click()
    falling = [float(text) for text in first(page, 9)]
    strength.click()
    assert falling == sorted(falling, reverse=True)
    assert [float(text) for text in first(page, 9)] == sorted(falling)
    assert page.locator("#pairs th[aria-sort=ascending]").count() == 1
    assert page.heard == []


def test_paper_says_which_pairs_of_the_ranking_are_on_it(look):
    page = look("many.html")
    page.locator("#filter").fill("a12")
    page.locator("#found", has_text=" of ").wait_for()
    page.emulate_media(media="print")
    assert page.locator("#filter").is_visible() and page.locator("#found").is_visible()
    assert page.locator("#leaf").inner_text() == "1 to 50 of 111"
    assert not page.locator("#pager button, #pager .note").filter(visible=True).count()


def test_the_panel_explains_a_pair_and_says_where_it_cannot(look):
    page = look("robust.html")
    page.locator("#decision").select_option("explained")
    page.locator("#pairs tbody tr").first.click()
    text = page.locator("#why").inner_text()
    for words in ("are flagged as replicas", "Speaks for it", "Contents that both have: 40"):
        assert words in text, words
    assert "replicadb explain" in text and "hub.org" in text
    page.locator("#why-close").click()
    assert not page.locator("#why").is_visible()
    page.locator("#decision").select_option("")
    ranks = set(first(page))
    page.locator("#decision").select_option("explained")
    (other, *_) = ranks - set(first(page))
    page.locator("#decision").select_option("")
    page.locator("#pairs tbody tr").nth(int(other) - 1).click()
    assert "carries no full explanation" in page.locator("#why").inner_text()


@pytest.mark.parametrize(("share", "shown"), [(0.9882, "98"), (0.9949, "99.4"), (0.29, "29")])
def test_a_share_of_candidates_is_never_rounded_up(folder, look, share, shown):
    text = (folder / "robust.html").read_text()
    known = re.compile(r"(\[\d+,-?[\d.]+,)([\d.]+)(?=\])")
    assert known.search(text)
    (folder / "shares.html").write_text(known.sub(rf"\g<1>{share}", text))
    page = look("shares.html")
    page.locator("#decision").select_option("explained")
    page.locator("#pairs tbody tr").first.click()
    assert f"above {shown} %" in page.locator("#why").inner_text()


def test_method_paper_explains_by_its_rules(look):
    page = look("paper.html")
    page.locator("#pairs tbody tr").first.click()
    text = page.locator("#why").inner_text()
    assert "PU data: likelihood of a replica" in text and "confidence" in text
    assert page.locator("#published svg[role=img]").count() == 2


def test_everything_goes_by_keyboard(look):
    page = look("robust.html")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "filter"
    page.keyboard.type("hub")
    assert page.locator("#found").inner_text() == "8 of 20 pairs"
    row = "document.activeElement.dataset.at"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(row) == "0"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(row) == "1"
    page.keyboard.press("End")
    assert page.evaluate(row) == "7"
    page.keyboard.press("Enter")
    title = page.locator("#why-title").inner_text()
    assert page.evaluate("document.activeElement.id") == "why"
    page.keyboard.press("ArrowLeft")
    assert page.locator("#why-title").inner_text() != title
    page.keyboard.press("Escape")
    assert not page.locator("#why").is_visible() and page.evaluate(row) == "6"
    page.locator("#threshold").focus()
    said = page.locator("output").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.locator("output").inner_text() != said and page.heard == []


BROKEN = """() => [...document.querySelectorAll("#pairs bdi, .drops bdi")].flatMap(
    bdi => [...bdi.childNodes]).filter(piece => {
        const range = document.createRange();
        range.selectNode(piece);
        return piece.nodeType === Node.TEXT_NODE && range.getClientRects().length > 1;
    }).map(piece => piece.data)"""


def test_a_host_name_is_broken_behind_its_dots_alone(look):
    page = look("robust.html")
    assert page.locator("#pairs bdi wbr").count() and page.locator(".drops bdi wbr").count()
    assert page.evaluate(BROKEN) == []
    assert look("robust.html", width=400, again=False).evaluate(BROKEN) == []
    names = page.locator("#pairs bdi").all_text_contents()
    assert "hub.org" in names and not any(name != name.strip() for name in names)


def test_ten_thousand_rows_do_not_lag(look):
    """Filter and sort, drawing included, each within a fifth of a second on a slow machine."""
    page = look("many.html")
    assert page.locator("#found").inner_text() == "10,000 pairs"
    assert page.locator("#pairs tbody tr").count() == 50
    took = page.evaluate(
        """() => {
            const clock = what => {
                const begun = performance.now();
                what();
                document.body.offsetHeight;
                return performance.now() - begun;
            };
            const box = document.getElementById("filter");
            const type = text => { box.value = text; box.dispatchEvent(new Event("input")); };
            const head = key => document.querySelector(`#pairs [data-key=${key}] button`).click();
            return [() => type("a12"), () => type(""), () => head("host_a"), () => head("shared")]
                .map(clock);
        }"""
    )
    assert max(took) < 200, took
    shared = [int(text) for text in first(page, 7)]
    assert shared == [996] * 10 + [995] * 10 + [994] * 10 + [993] * 10 + [992] * 10
    page.locator("#pager [data-go=last]").click()
    assert page.locator("#leaf").inner_text() == "9,951 to 10,000 of 10,000"
    page.locator("#pairs tbody tr").first.press("PageUp")
    assert page.locator("#leaf").inner_text() == "9,901 to 9,950 of 10,000"


def test_a_host_between_two_halves_is_marked(look):
    page = look("robust.html", again=False)
    assert (
        page.locator(".bridge").inner_text()
        == "Without 1 hub.org it falls into parts of 4 and 4 hosts."
    )
    mark = page.locator("#groups circle").first
    mark.scroll_into_view_if_needed()
    mark.hover(force=True)
    assert page.locator("#tip").inner_text() == "1 hub.org: kept"
    assert page.locator("#groups line").count() == 20


@pytest.mark.parametrize("section", ["groups", "strengths"])
def test_charts_are_saved_as_svg_and_png(look, section):
    page = look("robust.html", scheme="dark", again=False)
    figure = page.locator(f"#{section} figure").first
    with page.expect_download() as svg:
        figure.get_by_role("button", name="SVG").click()
    text = svg.value.path().read_text("utf-8")
    assert svg.value.suggested_filename.endswith(".svg")
    assert 'xmlns="http://www.w3.org/2000/svg"' in text and "var(" not in text
    assert 'fill="#14171b"' in text and "data-tip" not in text
    with page.expect_download() as png:
        figure.get_by_role("button", name="PNG").click()
    data = png.value.path().read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">I", data[16:20])[0] > 600
    assert len(data) > 3_000 and page.heard == []


def test_a_phone_scrolls_one_way_only_and_the_panel_fills_it(look):
    page = look("hostile.html", width=400)
    for button in page.locator("summary").all():
        if button.is_visible():
            button.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.locator("#pairs tbody tr").first.click()
    box = page.locator("#why").bounding_box()
    assert (box["x"], box["width"]) == (0, 400)
    assert page.evaluate("document.getElementById('why').scrollWidth") <= 400
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("getComputedStyle(document.getElementById('why')).backgroundColor")
        assert found == ground
        assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_without_scripts_the_first_pairs_and_all_charts_are_there(look):
    page = look("robust.html", scripts=False)
    assert page.heard == [] and page.locator("#pairs tbody tr").count() == 20
    assert page.locator("svg[role=img]").count() == 8
    assert not page.locator("#filters").is_visible() and not page.locator("#pager").is_visible()
    assert page.locator("#strengths table").count() == 1
