"""The paper's Figure 1 on this crawl: candidates by the likelihoods from PU and from NU data.

Invariant: it stands on the page only where method ``paper`` ran; the frontier's numbers stand in a
table below. Source: ``replicadb.evaluation.likelihood_plane``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.report import table_html
from replicadb.report.drawing import draw, layer, linear_scale
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import count, esc, is_number, plural

WIDTH, HEIGHT = 440, 340
COLUMNS = ("pu", "nu", "pairs", "replicas", "others")
COLORS = {"others": "#888888", "replicas": "#0b6e99"}
FRONTIER = "#b3541e"


def plane_section(found: Any, numbers: Iterator[int]) -> str:
    """The plane and its frontier; '' where there is none."""
    points = [
        point
        for point in (found if isinstance(found, list) else [])
        if isinstance(point, dict) and all(is_number(point.get(name)) for name in COLUMNS)
    ]
    if not points:
        return ""
    words = (
        "A point is all candidates of one pattern; its area is how many. Blue: replicas in the"
        " gold; grey: others. Ringed: the Pareto frontier, dominated by none."
    )
    rows = [
        [esc(f"{point['pu']:.4f}"), esc(f"{point['nu']:.4f}")]
        + [esc(count(point[name])) for name in COLUMNS[2:]]
        for point in points
        if point.get("frontier")
    ]
    head = ["likelihood, PU", "likelihood, NU", "pairs", "replicas", "others"]
    table = table_html.table("The Pareto frontier", head, rows)
    chart = panel(_plot(points, next(numbers)), "Candidates by both likelihoods", words)
    return f'<div class="panels">{chart}</div>\n{table}'


def _plot(points: list[dict[str, Any]], number: int) -> str:
    x = linear_scale(0, 1, "likelihood of a replica from PU data")
    y = linear_scale(0, 1, "from NU data")
    most = max(max(point["replicas"], point["others"]) for point in points)
    size = {
        "field": "size",
        "type": "quantitative",
        "legend": None,
        "scale": {"type": "sqrt", "domain": [1, max(most, 2)], "range": [14, 500]},
    }
    layers = []
    for name, color in COLORS.items():
        values = [
            {
                "x": point["pu"],
                "y": point["nu"],
                "size": point[name],
                "tip": (
                    f"{plural(point['pairs'], 'pair')} at PU {point['pu']:.4f},"
                    f" NU {point['nu']:.4f}: {count(point['replicas'])} replicas,"
                    f" {count(point['others'])} others"
                ),
            }
            for point in points
            if point[name]
        ]
        if values:
            dot = {"type": "point", "filled": True, "color": color, "opacity": 0.7}
            layers.append(layer(name, dot, values, x, y, tips=True, size=size))
    free = [{"x": point["pu"], "y": point["nu"]} for point in points if point.get("frontier")]
    ring = {"type": "point", "color": FRONTIER, "size": 120, "strokeWidth": 2, "opacity": 1}
    layers.append(layer("frontier", ring, free, x, y))
    words = "Candidate pairs by the likelihoods from PU and NU data. The frontier is below."
    return draw(layers, number, words, WIDTH, HEIGHT)
