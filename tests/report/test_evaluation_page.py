"""The report page: what stands in it, that nothing in it is alive but its own script, and the
numbers of its figures.

Tries charts, crawl_order_section, curve_section, headlines_section, method_tables, page_frame,
reliability_section, safe_text, table_html and table_sections, too.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from replicadb import report
from replicadb.errors import DataError, UsageError
from replicadb.evaluation import crawl_figures
from replicadb.evaluation.headlines import headlines
from replicadb.report import safe_text
from replicadb.report.crawl_order_section import crawl_order_section
from replicadb.report.headlines_section import headlines_section
from replicadb.store.database import Database
from report.sample import HOSTILE, ODD, hostile, sample

pytestmark = pytest.mark.slow

STATIC = Path(report.__file__).parent / "static"


class Page(HTMLParser):
    """A page taken apart: its tags with their attributes, the text in it, and what stands in
    scripts and styles.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.raw, self.open = [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        (self.raw if self.open and self.open[-1] in ("script", "style") else self.text).append(data)

    def words(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.text))

    def values(self, attribute: str) -> list[str]:
        return [attrs[attribute] for _, attrs in self.tags if attribute in attrs]


@pytest.fixture(scope="module")
def html(numbers) -> str:
    return report.render(sample() | {"figures": numbers})


# -- the page
# ---------------------------------------------------------------------------------------------


def test_the_page_shows_every_part_of_the_result(html):
    page = Page(html)
    words = page.words()
    for heading in (
        "What was evaluated",
        "Methods side by side",
        "By cause of replication",
        "Figure 3",
        "Figure 4",
        "Figure 5",
        "Table 2",
        "Table 3",
        "Table 4",
        "Table 5",
    ):
        assert heading in words
    for shown in (
        "57,495",
        "96,243 (24.0%)",
        "1 host of the gold is not in this crawl",
        "0.8128",
        "0.773–0.853",
        "PU + NU, Pareto",
        "scikit-learn is not installed",
        "0.0791",
        "6,948,501",
        "583,411",
        "0.9950",
        "Rewrite rules are not part of replicadb",
        "+0.1100",
        "0.031",
        "Precision and recall, non-obvious replicas",
        "Reduction ratio, non-obvious replicas",
        "By cause: average precision",
        "0 obvious replicas to learn from",
    ):
        assert shown in words, shown
    assert page.values("class").count("wide") == 1
    assert sum(tag == "figure" for tag, _ in page.tags) == 1 + 6 + 3 + 3
    assert sum(tag == "svg" and attrs.get("role") == "img" for tag, attrs in page.tags) == 13


@pytest.fixture(scope="module")
def changed(numbers) -> tuple[dict, str]:
    """The same with few non-replicas, corrected p-values and intervals of a table; and its page."""
    result = sample() | {"figures": numbers}
    for method in result["methods"]:
        for part in ("all", "non_obvious"):
            method[part]["above_all"] = method[part]["tpr"]["0.0001"]
            method[part]["tpr"] |= {"0.0001": None, "0.001": None}
        for figures_of in (method["by_cause"] or {}).values():
            figures_of |= {"above_all": 0.5, "tpr": {"0.001": None, "0.005": None}}
    result["comparisons"][0] |= {"wilcoxon_p": 0.031234, "holm_p": 0.0937}
    table = result["tables"]["2"]
    table["intervals"] = [[None, [0.4871, 0.5329], *[None] * 3], [None] * 5]
    return result, report.render(result)


def test_a_rate_that_few_non_replicas_cannot_tell_is_replaced_by_what_stands_above_all(changed):
    result, html = changed
    words = Page(html).words()
    assert (
        "TPR at 0.001" not in words
        and "TPR at 0: share of replicas above every non-replica" in words
    )
    found = next(m for m in result["methods"] if m["name"] == "robust")["non_obvious"]["above_all"]
    assert (
        f"its ranking finds {safe_text.rate(found, 3)} above every non-replica;"
        " the published method" in words
    )
    assert "By cause: true-positive rate at false-positive rate 0 " in words and "0.500" in words


def test_p_values_on_the_page_are_the_corrected_ones(changed):
    html = changed[1]
    assert (
        '<span class="pub">0.094</span>' in html
        and ">0.031<" not in html
        and "Holm" in Page(html).words()
    )


def test_intervals_of_a_paper_table_stand_below_their_figures(changed):
    html = changed[1]
    assert '<small class="ci">0.487–0.533</small>' in html and "95% intervals" in Page(html).words()


def test_published_rows_without_a_counterpart_are_kept(html):
    assert "B-SVM – 0.9805 – 0.9622" in Page(html).words()


def test_every_picture_says_what_it_shows_and_every_table_has_a_caption(html):
    page = Page(html)
    assert all(
        len(attrs["aria-label"]) > 40
        for tag, attrs in page.tags
        if tag == "svg" and attrs.get("role") == "img"
    )
    assert (
        sum(tag == "caption" for tag, _ in page.tags)
        == sum(tag == "table" for tag, _ in page.tags)
        >= 10
    )
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert (
        levels[0] == 1
        and levels.count(1) == 1
        and all(b - a <= 1 for a, b in itertools.pairwise(levels))
    )


def test_the_page_asks_for_nothing_from_outside(html):
    page = Page(html)
    assert not page.values("src") and not page.values("srcset") and not page.values("action")
    assert all(href.startswith("#") for href in page.values("href"))
    assert not re.search(r"https?://|@import|url\((?!#)", html)
    assert "default-src 'none'" in html


def test_ids_are_distinct_and_links_lead_somewhere(html):
    page = Page(html)
    ids = page.values("id")
    assert len(ids) == len(set(ids)) and {href[1:] for href in page.values("href")} <= set(ids)
    assert set(re.findall(r"url\(#([^)]*)\)", html)) <= set(ids)


def test_hostile_text_everywhere_stays_text(numbers):
    nasty = f"{HOSTILE} {' '.join(ODD)} {'x' * 5000}"
    html = report.render(hostile(sample(), nasty) | {"figures": numbers})
    html.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", html)
    page = Page(html)
    assert [tag for tag, _ in page.tags].count("script") == 1 and (
        STATIC / "page.js"
    ).read_text() in page.raw
    assert not {tag for tag, _ in page.tags} & {
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "link",
    }
    assert sum(tag == "b" for tag, _ in page.tags) <= 6
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert safe_text.clean(nasty) in " ".join(page.text), nasty[:20]


def test_the_same_result_gives_the_same_bytes(tmp_path, charts):
    few = sample() | {"methods": sample()["methods"][:2]}
    for name in ("a.html", "b.html"):
        charts.clear()
        report.write(json.loads(json.dumps(few)), tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_a_database_without_detection_is_reported(crawled):
    with Database(crawled, read_only=True) as db:
        numbers = crawl_figures.collect(db, [])
    result = sample() | {"methods": sample()["methods"][:1], "figures": numbers}
    words = Page(report.render(result)).words()
    assert (
        "This database has no detection in it" in words
        and words.count("The database has no detection in it.") == 5
    )


def test_without_a_known_replica_the_page_says_so(detected):
    result = sample()
    result["data"] |= {"gold_replicas": 0, "gold_candidates": 0, "candidate_recall": None}
    for method in result["methods"]:
        method |= {
            "all": None,
            "non_obvious": None,
            "by_cause": {},
            "roc": [],
            "roc_non_obvious": None,
            "rr": [],
            "rr_curve": [],
            "precision_recall": [],
        }
    with Database(detected, read_only=True) as db:
        result["figures"] = crawl_figures.collect(db, [])
    words = Page(report.render(result)).words()
    assert (
        "The gold names no replica" in words
        and "There are no known replicas in this database" in words
        and "No method has a curve to draw" in words
    )


@pytest.mark.parametrize(
    "result",
    [{}, {"methods": [], "data": None, "tables": None}, {"methods": [{"name": "robust"}]}],
    ids=["empty", "nothing", "bare"],
)
def test_a_result_with_parts_missing_still_gives_a_page(result):
    assert "Methods side by side" in Page(report.render(result)).words()


PARTS = (
    *("all", "non_obvious", "by_cause", "flagged", "roc", "roc_non_obvious", "precision_recall"),
    *("precision_recall_non_obvious", "rr", "rr_curve", "seconds", "title", "family"),
)


@pytest.mark.slow
def test_a_method_may_lack_any_part():
    """Each of the methods lacks another."""
    result = sample()
    first = result["methods"][0]
    result["methods"] = [first | {part: None} for part in PARTS]
    assert "robust" in report.render(result)


def test_a_large_result_gives_a_small_page(numbers):
    result = sample()
    many = [
        {"low": 10**k + j, "high": 10**k + j, "n": 10 ** (7 - k) + j}
        for k in range(7)
        for j in range(8)
    ]
    result["methods"] = [
        m
        | {
            "name": f"{m['name']}{i}" if i else m["name"],
            "roc": m["roc"] * 3,
            "by_cause": {f"cause {c}": {"replicas": c, "tpr": {"0.001": 0.5}} for c in range(3000)},
        }
        for i in range(3)
        for m in result["methods"]
    ]
    cells = [
        {"inter": [4**i, 4**i], "intra": [4**j, 4**j], "n": 1 + i * j}
        for i in range(12)
        for j in range(12)
    ]
    huge = numbers | {
        "cluster_sizes": many,
        "hosts_per_cluster": many,
        "clusters_per_host": many,
        "intra_inter": numbers["intra_inter"] | {"cells": cells},
    }
    html = report.render(result | {"figures": huge})
    assert len(html.encode()) < 2_000_000
    assert "2,943 rarer causes left out" in Page(html).words()


def test_without_the_library_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UsageError, match=r"^[^\n]*pip install 'replicadb\[report\]'$"):
        report.write(sample(), tmp_path / "r.html")
    with pytest.raises(UsageError):
        report.ready()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["missing/r.html", "nul\0.html", "."])
def test_a_page_that_cannot_be_written_is_reported_and_leaves_nothing(tmp_path, name):
    with pytest.raises(DataError, match="cannot be written"):
        report.write({}, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_fetches_saved_while_crawling_have_a_section_where_they_were_asked_for():
    step = dict.fromkeys(("dropped", "saved", "replicas", "other", "wrong", "lost", "best"), 3)
    found = {"order": "path", "urls": 1234, "hosts": 9}
    steps = [step | {"seen": 1}, step | {"seen": 20, "saved": 777}, {"seen": "odd"}]
    page = crawl_order_section(found | {"steps": steps}, itertools.count(1))
    words = Page(page).words()
    assert "shortest paths first" in words and "1,234 URLs" in words and "777" in words
    assert page.count("<svg") == 1
    for nothing in (None, found, found | {"steps": [{"seen": "odd"}]}):
        assert crawl_order_section(nothing, itertools.count(1)) == ""


def test_headlines_have_a_section_where_they_were_asked_for():
    lines = headlines([{"name": "paper", "all": {"auc": 0.9}, "rdr": {}, "rr": [], "folds": None}])
    words = Page(headlines_section(lines)).words()
    assert "0.9950, 0.9908" in words and "0.9000, –" in words and "not measured" in words
    assert headlines_section([]) == headlines_section(None) == headlines_section(["odd"]) == ""
