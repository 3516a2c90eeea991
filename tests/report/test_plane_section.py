"""The paper's Figure 1 on the page of ``evaluate``: the example of its Figure 1, and odd input."""

from __future__ import annotations

import itertools
import re

from replicadb.report.plane_section import plane_section

A, B, C = (0.9, 0.8), (0.6, 0.5), (0.3, 0.95)  # a dominates b; neither b nor c the other
POINTS = [
    {"pu": pu, "nu": nu, "pairs": n, "replicas": replicas, "others": others, "frontier": free}
    for (pu, nu), n, replicas, others, free in [
        (A, 1200, 900, 200, True), (B, 7, 0, 7, False), (C, 5, 0, 0, True),
    ]
]  # fmt: skip


def test_the_frontier_is_ringed_and_stands_in_the_table():
    html = plane_section(POINTS, itertools.count(1))
    rows = re.findall(r"<t[dh][^>]*>([\d.,]+)</t[dh]>", html)
    assert rows == ["0.9000", "0.8000", "1,200", "900", "200", "0.3000", "0.9500", "5", "0", "0"]
    tip = "1,200 pairs at PU 0.9000, NU 0.8000: 900 replicas, 200 others"
    assert html.count(tip) >= 2  # of its replicas and of its others
    assert "7 pairs at PU 0.6000" in html and "5 pairs" not in html  # those say nothing


def test_nothing_is_drawn_where_there_is_no_plane():
    for nothing in (None, [], {}, [{"pu": "<script>"}], [{"pu": 0.5, "nu": None}]):
        assert plane_section(nothing, itertools.count(1)) == ""
