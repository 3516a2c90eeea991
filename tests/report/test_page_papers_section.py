"""Sections of ``pages evaluate --as-published``: figures beside the published ones, two charts.

Tries recall_chart, too.
"""

from __future__ import annotations

import re

from replicadb.report.page_papers_section import papers_sections
from replicadb.report.recall_chart import COLORS, recall_panel

BOTH = "rp + hm, eps_hm <.05, eps_rp moves"


def curve(name: str, moves: str, eps_hm: float | None, points: list[list[float]]) -> dict:
    return {
        "name": name,
        "moves": moves,
        "eps_rp": 0.02,
        "eps_hm": eps_hm,
        "curve": points,
        "break_even": 0.91,
        "best_f": None,
        "loosest": None,
        "pairs_with_maps": 0.18,
    }


FOUND = {
    "headlines": [
        {
            "claim": "rendering adds <much>",
            "paper": "Huffman",
            "figure": "F",
            "published": [0.9, 0.85],
            "here": [0.7, None],
            "verdict": "the other way",
        }
    ],
    "signals": [{"name": "tfidf", "here": 0.654, "published": 0.7}],
    "mwo": {
        "queries": [{"query": "", "near_duplicates": 1200, "precision": 0.5, "recall": None}],
        "mean": [0.95, 0.25],
        "filters": [{"left": "prefix", "pairs": 4321}],
    },
    "documents": [
        curve("rp", "eps_rp", None, [[0.2, 1.0], [0.7, 0.95], [0.9, 0.8]]),
        curve(BOTH, "eps_rp", 0.05, [[0.65, 0.9], [0.8, 0.7]]),
    ],
}


def test_nothing_is_drawn_where_nothing_was_asked_for():
    assert papers_sections(None, 1) == papers_sections({}, 1) == []


def test_each_section_has_the_figures_beside_the_published_ones():
    found = {anchor: html for anchor, _, html in papers_sections(FOUND, 201)}
    assert list(found) == ["papers", "published-signals", "queries", "figure-1"]
    papers = found["papers"]
    assert "rendering adds &lt;much&gt;" in papers and "the other way" in papers
    assert "0.900, 0.850" in papers and "0.700" in papers
    assert '<span class="pub">70.0%</span>' in found["published-signals"].replace(" %", "%")
    assert "1,200" in found["queries"] and "prefix 4,321" in found["queries"]
    assert "all pairs" in found["queries"]


def test_the_figure_has_a_chart_for_each_way_and_begins_at_its_corner():
    (html,) = (html for anchor, _, html in papers_sections(FOUND, 201) if anchor == "figure-1")
    assert html.count("<svg") == 2  # RP alone stands in both
    assert BOTH.split(",")[0] in html and "rp + hm, eps_hm &lt;.05" in html
    tips = re.findall(r"precision ([\d.]+) ?% at recall ([\d.]+)", html)
    assert tips and all(float(value) >= 60 for tip in tips for value in tip)


def test_a_panel_draws_as_many_curves_as_there_are_colours():
    rows = [{"name": f"<{i}>", "curve": [[0.1, 0.9], [0.9, 0.3]]} for i in range(9)]
    html = recall_panel(rows, 7, "as t moves")
    keys = re.findall(r'<span style="color:([^"]+)">&lt;(\d)&gt;</span>', html)
    assert keys == [(color, str(i)) for i, color in enumerate(COLORS)]
    assert "as t moves" in html and "&lt;0&gt;: precision 90" in html.replace("<0>", "&lt;0&gt;")
