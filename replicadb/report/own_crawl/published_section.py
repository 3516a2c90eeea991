"""Method paper: what the passes of expectation maximisation moved, and the Pareto plane.

Invariant: drawn from the stored history and scores alone. Source: the paper, sections 3.3 and 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.report import table_html
from replicadb.report.drawing import draw, layer, linear_scale, log_scale
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import count, esc, plural

Row = dict[str, Any]
BLUE, ORANGE, GREEN = "var(--s0)", "var(--s2)", "var(--s7)"
WIDTH, HEIGHT = 340, 250
LEARNERS = {"PU": (BLUE, "circle"), "NU": (ORANGE, "square")}


def published_section(spread: Row, numbers: Iterator[int]) -> str:
    """The passes of both learners, and every candidate by both likelihoods."""
    panels = panel(
        _passes(spread["passes"], next(numbers)),
        "Passes of expectation maximisation",
        '<span class="key b">○</span> PU data, <span class="key o">□</span> NU data: examples that'
        " count as replicas after each pass.",
        "No pass is recorded.",
    ) + panel(
        _plane(spread["plane"], next(numbers)),
        "Pareto plane",
        "Candidates by the likelihood of a replica from PU and from NU data; the area is how many."
        ' <span class="key b">●</span> flagged, <span class="key">●</span> not; ringed: on the'
        " frontier, dominated by none.",
    )
    rows = [
        [
            esc(row["learner"]),
            count(row["pass"]),
            count(row["moved"]),
            count(row["positive"]),
            count(row["negative"]),
            esc(row["detail"]),
        ]
        for row in spread["passes"]
    ]
    head = ["data", "pass", "moved", "replicas", "others", "what moved"]
    table = table_html.table("Passes", head, rows, kind="facts")
    return f'<div class="panels four">{panels}</div>\n{table}'


def _passes(rows: list[Row], number: int) -> str | None:
    if not rows:
        return None
    most = max(row["pass"] for row in rows)
    x = linear_scale(0, max(most, 1) + 0.5, "pass")
    x["axis"]["values"] = list(range(0, most + 1, 1 + most // 8))
    y = log_scale(0.8, max(10, *(row["positive"] for row in rows)) * 1.5, "counted as replicas")
    layers = []
    for learner, (color, shape) in LEARNERS.items():
        values = [
            {
                "x": row["pass"],
                "y": max(row["positive"], 0.8),
                "tip": (
                    f"{learner}, pass {row['pass']}: {count(row['moved'])} moved,"
                    f" {count(row['positive'])} count as replicas"
                ),
            }
            for row in rows
            if row["learner"] == learner
        ]
        if values:
            point = {"type": "point", "shape": shape, "color": color, "size": 50, "opacity": 1}
            layers += [
                layer(learner, {"type": "line", "color": color, "clip": True}, values, x, y),
                layer(learner, point, values, x, y, tips=True),
            ]
    words = "Examples that count as replicas after each pass, PU and NU data."
    return draw(layers, number, words, WIDTH, HEIGHT)


def _plane(cells: list[Row], number: int) -> str:
    x, y = linear_scale(0, 1, "likelihood from PU data"), linear_scale(0, 1, "from NU data")
    most = max(cell["n"] for cell in cells)
    size = {
        "field": "size",
        "type": "quantitative",
        "legend": None,
        "scale": {"type": "sqrt", "domain": [1, max(most, 2)], "range": [14, 400]},
    }
    layers = []
    for name, color in (("other", "var(--s5)"), ("flagged", BLUE)):
        values = [
            {
                "x": cell["pu"],
                "y": cell["nu"],
                "size": cell["n"],
                "tip": (
                    f"{plural(cell['n'], 'pair')} at PU {cell['pu']:g}, NU {cell['nu']:g};"
                    f" {count(cell['flagged'])} flagged"
                ),
            }
            for cell in cells
            if (cell["flagged"] > 0) == (name == "flagged")
        ]
        if values:
            dot = {"type": "point", "filled": True, "color": color, "opacity": 0.7}
            layers.append(layer(name, dot, values, x, y, tips=True, size=size))
    free = [{"x": cell["pu"], "y": cell["nu"]} for cell in cells if cell["frontier"]]
    ring = {"type": "point", "color": GREEN, "size": 120, "strokeWidth": 2, "opacity": 1}
    layers.append(layer("frontier", ring, free, x, y))
    words = "Candidate pairs by the likelihoods from PU and NU data."
    return draw(layers, number, words, WIDTH, HEIGHT)
