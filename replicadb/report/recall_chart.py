"""A chart of a few curves of precision over recall.

Invariant: drawn from the rows alone; at most as many curves as there are colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.report.drawing import draw, hover_points, layer, linear_scale
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import esc, percent
from replicadb.report.series import thinned

COLORS = tuple(f"var(--s{i})" for i in range(8))


def recall_panel(rows: list[dict[str, Any]], number: int, words: str, low: float = 0.0) -> str:
    """The chart with its legend; ``words`` say what moves along a curve, axes begin at ``low``."""
    names = "; ".join(
        f'<span style="color:{color}">{esc(row["name"])}</span>'
        for row, color in zip(rows, COLORS, strict=False)
    )
    heading = ", ".join(row["name"] for row in rows)
    return panel(recall_chart(rows, number, low), heading, f"{esc(words)}: {names}.")


def recall_chart(rows: list[dict[str, Any]], number: int, low: float = 0.0) -> str:
    """Rows with a name and a curve of [recall, precision]; on the dotted line both are equal."""
    x, y = linear_scale(low, 1, "recall"), linear_scale(low, 1, "precision")
    layers = [
        layer(
            "even",
            {"type": "line", "color": "var(--ink2)", "strokeDash": [2, 4]},
            [{"x": low, "y": low}, {"x": 1, "y": 1}],
            x,
            y,
        )
    ]
    for row, color in zip(rows, COLORS, strict=False):
        kept = thinned(np.array([p for p in row["curve"] if min(p) >= low] or [[1, low]]), 120)
        values = [{"x": float(r), "y": float(p), "i": i} for i, (r, p) in enumerate(kept)]
        layers.append(
            layer(
                row["name"],
                {"type": "line", "color": color},
                values,
                x,
                y,
                order={"field": "i", "type": "quantitative"},
            )
        )
        tips = [
            {
                "x": v["x"],
                "y": v["y"],
                "tip": f"{row['name']}: precision {percent(v['y'])} at recall {percent(v['x'])}",
            }
            for v in values[:: max(len(values) // 10, 1)]
        ]
        layers.append(hover_points(row["name"], tips, x, y, color))
    return draw(
        layers,
        number,
        "Precision over recall: "
        + ", ".join(row["name"] for row in rows)
        + "; on the dotted line they are equal.",
    )
