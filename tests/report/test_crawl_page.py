"""The page of one's own crawl as text: what stands in it, what never does.

Tries groups_section, loaded_section, overview, published_section, ranking_section, runs_section and
strength_section, too.
"""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

import replicadb
from replicadb import report
from replicadb.findings import collect
from replicadb.report import safe_text
from replicadb.report.own_crawl import crawl_page
from replicadb.report.own_crawl.groups_section import groups_section
from replicadb.report.own_crawl.ranking_section import ranking_section
from replicadb.report.page_frame import STATIC
from report.sample import HOSTILE, ODD

CROWD = {"host", "host_a", "host_b", "canonical_host", "url_a", "url_b", "title_a", "title_b"}
SAID = {"why", "kept_because", "held_back", "name", "reason", "detail", "database"}
"""Keys under which a crawl, a file or a person may have written anything."""
MADE = {"replicadb": "0.1.0", "made_at": "2026-01-02 03:04 UTC", "database": "web.duckdb"}


def facts_of(path) -> tuple[dict, dict]:
    """Findings and inventory of a database."""
    with replicadb.open(path, read_only=True) as web:
        return collect(web.database) | MADE, web.info() | {"database": "web.duckdb"}


def nasty(value, text: str):
    """The same with hostile text in every place that a crawl can reach."""
    if isinstance(value, dict):
        return {
            f"{text}{key}" if key in HOSTS else key: (
                f"{text}{found}"
                if key in CROWD | SAID and isinstance(found, str)
                else nasty(found, text)
            )
            for key, found in value.items()
        }
    return [nasty(one, text) for one in value] if isinstance(value, list) else value


HOSTS = {"example.com", "www.example.com", "example.org", "other.net", "alone.net"}


class Page(HTMLParser):
    """Tags with their attributes, and the text that a person reads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text: list[str] = []
        self.raw = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.raw = tag in ("script", "style")

    def handle_endtag(self, tag):
        self.raw = False

    def handle_data(self, data):
        if not self.raw:
            self.text.append(data)

    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def facts(detected):
    return facts_of(detected)


@pytest.fixture(scope="module")
def facts_robust(detected_robust):
    return facts_of(detected_robust)


@pytest.fixture(scope="module")
def html(facts):
    return crawl_page.render(*facts)


def data_of(html: str) -> dict:
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', html)[1]
    )


def test_every_section_is_in_the_menu_and_has_something(html):
    page = Page(html)
    wanted = "loaded drops ranking groups strengths published figure-3 figure-4 runs terms".split()
    links = [attrs["href"][1:] for tag, attrs in page.tags if tag == "a"]
    assert links == wanted == [a["id"] for tag, a in page.tags if tag == "section"]
    for words in ("12 pages", "All 5 candidate pairs", "flagged as replicas", "Pareto plane"):
        assert words in page.words(), words


def test_it_counts_in_words_that_fit_one_and_none(facts_robust):
    findings, inventory = facts_robust
    none = findings["totals"] | {"dropped": 0, "held": 2, "replicas": 1.2, "mass_copies": 9}
    counts = {"estimated_at_least": 1, "estimated_at_most": 1, "estimated_replicas": 1}
    inventory = inventory | {"detection": inventory["detection"] | {"counts": counts}}
    words = Page(crawl_page.render(findings | {"totals": none}, inventory)).words()
    for said in (
        "No host is to be dropped: 2 likely copies stay, since a drop would not be safe.",
        "An estimated 1 of the candidate pairs is a replica, flagged or not.",
        "Among all candidates 1 replica is expected.",
        "half the pages are such: likely copies 9",
    ):
        assert said in words, said


@pytest.mark.parametrize(
    ("ranked", "shown", "explained", "said"),
    [
        (1, 1, 1, "The only candidate pair. It carries a full explanation: select a pair"),
        (9, 1, 0, "The first of 9 candidate pairs, the likeliest replicas. None of them carries a"),
        (9, 2, 1, "The first 2 candidate pairs of 9, the likeliest replicas first. 1 of them, "),
        (2, 2, 2, "All 2 candidate pairs, the likeliest replicas first. All of them carry a full"),
    ],
)
def test_the_ranking_says_how_much_of_it_is_there(facts_robust, ranked, shown, explained, said):
    findings = facts_robust[0]
    ranking = findings["ranking"] | {
        "rows": findings["ranking"]["rows"][:shown],
        "explained": {"rank": list(range(explained))},
    }
    totals = findings["totals"] | {"ranked": ranked, "candidates": ranked}
    assert said in ranking_section(findings | {"ranking": ranking, "totals": totals}, "w.duckdb")


def test_it_says_between_which_numbers_the_replicas_lie(html, facts_robust):
    findings, inventory = facts_robust
    counts = inventory["detection"]["counts"]
    fewest, most = counts["estimated_at_least"], counts["estimated_at_most"]
    said = f"are replicas, flagged or not: {fewest} to {most}, eight times in ten."
    assert said in Page(crawl_page.render(findings, inventory)).words()
    words = Page(html).words()  # method paper
    assert "eight times in ten" not in words
    assert "Method paper: the mean of both likelihoods; pairs are ranked by their score" in words


def test_it_asks_for_nothing_and_carries_one_script_and_its_data(html):
    page = Page(html)
    assert [a.get("type") for tag, a in page.tags if tag == "script"] == ["application/json", None]
    assert not {tag for tag, _ in page.tags} & {"img", "iframe", "link", "form", "base", "object"}
    policy = next(a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert "default-src 'none'" in policy and "unsafe" not in policy.replace(
        "style-src 'unsafe-inline'", ""
    )
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_the_same_findings_give_the_same_bytes(facts, html, charts):
    charts.clear()
    assert crawl_page.render(*facts) == html


@pytest.mark.slow
def test_hostile_text_everywhere_stays_text(facts, html):
    plain = Page(html)
    text = f"=cmd|' /C calc'!A0 {HOSTILE} {' '.join(ODD)}"
    findings, inventory = (nasty(of, text) for of in facts)
    html = crawl_page.render(findings, inventory)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", html)
    page = Page(html)
    tags, plain_tags = ([tag for tag, _ in of.tags if tag != "wbr"] for of in (page, plain))
    assert tags == plain_tags  # but for the ends of lines that host names may have
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    shown = safe_text.clean(f"{text}example.com")
    assert shown in "".join(page.text)
    assert shown in data_of(html)["texts"]
    assert "<" not in re.search(r'id="data">(.*?)</script>', html, re.S)[1]


@pytest.mark.slow
def test_the_data_are_bounded_and_say_who_is_explained(detected):
    with replicadb.open(detected, read_only=True) as web:
        findings = collect(web.database, pairs=3, explained=2) | MADE
        html = crawl_page.render(findings, web.info())
    data = data_of(html)
    assert len(data["pairs"]["rank"]) == 3 and len(data["explained"]["rank"]) == 2
    words = Page(html).words()
    assert "The first 3 candidate pairs of 5" in words and "2 of them, those that decide" in words


@pytest.mark.slow
def test_decided_pairs_that_share_nothing_are_no_candidates(detected_robust, tmp_path):
    path = shutil.copy(detected_robust, tmp_path)
    with replicadb.open(path) as web:
        web.decide("example.com", "alone.net", True)
        n = web.detect().counts["candidate_pairs"]
    words = Page(crawl_page.render(*facts_of(path))).words()
    assert f"All {n + 1} ranked pairs" in words
    assert f"of {n} candidate pairs" in words and f"{n + 1} candidate" not in words


def test_without_detection_the_page_says_so(crawled):
    page = Page(crawl_page.render(*facts_of(crawled)))
    assert "No replicas were looked for yet" in page.words()
    assert [a["id"] for tag, a in page.tags if tag == "section"] == ["loaded", "runs"]
    assert "crawl" in page.words() and [tag for tag, _ in page.tags].count("script") == 1


@pytest.mark.slow
def test_little_gives_a_sane_page_that_says_what_there_is(web, write):
    def words() -> str:
        web.report("page.html")
        return Page(Path("page.html").read_text()).words()

    older = "This detection is older than what is there"
    web.load(write("a.csv", "url,digest\nhttp://a.com/,sha1:a\nhttp://b.com/,sha1:b\n"))
    web.detect(method="thesis")
    said = words()
    assert "PU and NU data" in said and older not in said
    web.detect()
    web.load(write("b.csv", "url,digest\nhttp://a.net/,sha1:a\n"))
    said = words()
    assert "there is no candidate pair" in said and older in said
    web.detect()
    said = words()
    assert "Of 1 candidate pair none is flagged" in said and older not in said


def test_one_of_a_kind_is_named_as_one(facts):
    findings, inventory = facts
    one = {"flagged": 1, "dropped": 1, "groups": 1, "saved_urls": 1}
    findings = findings | {"totals": findings["totals"] | one, "drops": findings["drops"][:1]}
    html = crawl_page.render(findings, inventory | {"hosts": 1})
    for name in ("host", "pair flagged as replicas", "host to drop", "URL saved"):
        assert f"<strong>1</strong><span>{name}</span>" in html
    assert "that save most" not in Page(html).words()
    findings["totals"]["dropped"] = 2
    assert "The 1 that save most, of 2" in Page(crawl_page.render(findings, inventory)).words()


def test_evaluation_and_crawl_share_style_and_script(html):
    other = report.render({"methods": []})
    for name in ("page.css", "page.js"):
        shared = (STATIC / name).read_text()
        assert shared in html and shared in other


@pytest.mark.slow
def test_numbers_are_named_as_the_other_commands_name_them(facts):
    findings, inventory = facts
    drops = [row | {"probability": p} for p in (1.0, 0.99999) for row in findings["drops"][:1]]
    reasons = [{"kind": kind, "reason": "page not kept", "n": 2} for kind in ("link", "canonical")]
    html = crawl_page.render(
        findings | {"drops": drops},
        inventory
        | {"link_skip_reasons": reasons, "urls": 1, "assets": 2, "database": "<w>.duckdb"},
    )
    words = Page(html).words()
    without = Page(crawl_page.render(findings | {"drops": []}, inventory)).words()
    assert words.count("> 0.9999") == without.count("> 0.9999") + 2
    assert "link: page not kept" in words and "canonical: page not kept" in words
    assert "1 page and 2 other files" in words
    assert "replicadb export <w>.duckdb hosts.csv" in words


def test_of_a_large_group_it_is_said_how_many_hosts_are_drawn(detected):
    """Of 500 hosts with 499 flagged pairs it said 29 flagged pairs, those of the 30 hosts drawn."""
    groups = facts_of(detected)[0]["groups"]
    group = groups["drawn"][0]
    inside = sum(node["part"] != "outside" for node in group["nodes"])
    pairs = len(group["edges"])
    whole = groups_section({"drawn": [group | {"hosts": inside, "bridges": []}], "listed": []})
    assert f"{inside} hosts, " in whole and " are drawn, with" not in whole
    bridge = {"nodes": [0], "parts": [4, 4]}
    part = groups_section({"drawn": [group | {"hosts": 500, "bridges": [bridge]}], "listed": []})
    assert f"500 hosts, {group['urls']} URLs; {inside} of the hosts are drawn, with {pairs}" in part
    assert "it falls into parts of 4 and 4 hosts drawn." in part
    assert f"<p>{500 - inside} more hosts of the group.</p>" in part
