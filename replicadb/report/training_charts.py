"""The charts of the training page: Figures 1 to 3 of the multiple-signal paper, from one's own
numbers.

Invariant: None where there is nothing to draw; every mark shows its numbers. Source: Huffman
et al. (SIGIR 2007), section 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.report.charts import name_scale
from replicadb.report.drawing import HEIGHT, draw, hover_points, layer, linear_scale
from replicadb.report.safe_text import is_number, percent
from replicadb.report.series import thinned

WIDE = 220
COLOR = "var(--s0)"


def figure_1(rows: list[dict[str, Any]], names: dict[str, str], number: int) -> str | None:
    """F of each technique as a bar, the published one as a diamond."""
    bars = [
        {
            "x": row["f"],
            "y": names.get(row["name"], row["name"]),
            "tip": f"{names.get(row['name'], row['name'])}: mean F {percent(row['f'])}",
        }
        for row in rows
        if is_number(row.get("f"))
    ]
    if not bars:
        return None
    theirs = [
        {
            "x": row["published"][-1] / 100,
            "y": names.get(row["name"], row["name"]),
            "tip": (
                f"published, {names.get(row['name'], row['name'])}: F {row['published'][-1]:.1f}%"
            ),
        }
        for row in rows
        if row.get("published")
    ]
    x, y = (
        linear_scale(0, 1, "F"),
        _rows([names.get(row["name"], row["name"]) for row in rows], 110),
    )
    start = x | {"scale": x["scale"] | {"zero": True}}
    diamond = {
        "type": "point",
        "shape": "diamond",
        "size": 70,
        "color": "var(--s2)",
        "strokeWidth": 1.6,
        "opacity": 1,
    }
    layers = [
        layer(
            "bars",
            {"type": "bar", "color": COLOR, "opacity": 0.75, "size": 14},
            bars,
            start,
            y,
            tips=True,
        )
    ]
    if theirs:
        layers.append(layer("published", diamond, theirs, start, y, tips=True))
    return draw(
        layers,
        number,
        "F of each detection technique, here and published; the numbers are in Table 3.",
        WIDE,
        max(HEIGHT // 2, 26 * len(rows)),
    )


def figure_2(curve: dict[str, Any], number: int) -> str | None:
    """Precision over recall, and the contour of the classifiers' F."""
    points = [(recall, precision) for recall, precision, _ in curve.get("points") or ()]
    f = curve.get("f")
    if len(points) < 2 or not is_number(f) or not f:
        return None
    x, y = linear_scale(0, 1, "recall"), linear_scale(0, 1, "precision")
    kept = thinned(np.array(points), 160)
    line = [{"x": float(r), "y": float(p), "i": i} for i, (r, p) in enumerate(kept)]
    contour = [
        {"x": float(r), "y": float(f * r / (2 * r - f)), "i": i}
        for i, r in enumerate(np.linspace(f / (2 - f), 1, 60))
    ]
    in_order = {"field": "i", "type": "quantitative"}
    tips = [
        {
            "x": float(r),
            "y": float(p),
            "tip": f"precision {percent(float(p))} at recall {percent(float(r))}",
        }
        for r, p in kept[:: max(len(kept) // 12, 1)]
    ]
    return draw(
        [
            layer(
                "contour",
                {"type": "line", "color": "var(--ink2)", "strokeDash": [2, 4]},
                contour,
                x,
                y,
                order=in_order,
            ),
            layer("curve", {"type": "line", "color": COLOR}, line, x, y, order=in_order),
            hover_points("curve", tips, x, y, COLOR),
        ],
        number,
        f"Precision over recall of all signals together; the dotted contour is F {percent(f)}.",
    )


def figure_3(rows: list[dict[str, Any]], number: int) -> str | None:
    """F as signals are added by rising cost, with quartiles."""
    shown = [row for row in rows if is_number(row.get("f"))]
    if not shown:
        return None
    titles = ["+ " + ", ".join(_short(name) for name in row["added"]) for row in shown]
    low = min([row["f"] for row in shown] + [row["low"] for row in shown if is_number(row["low"])])
    x, y = linear_scale(max(int(10 * low) / 10, 0), 1, "mean F"), _rows(titles, 170)
    ranges = [
        {"x": row["low"], "x2": row["high"], "y": title}
        for title, row in zip(titles, shown, strict=True)
        if is_number(row["low"])
    ]
    values = [
        {
            "x": row["f"],
            "y": title,
            "tip": (
                f"{title}: mean F {percent(row['f'])}, quartiles {percent(row['low'])} to"
                f" {percent(row['high'])}"
            ),
        }
        for title, row in zip(titles, shown, strict=True)
    ]
    layers = (
        [
            layer(
                "quartiles",
                {"type": "rule", "strokeWidth": 3, "color": COLOR, "opacity": 0.35},
                ranges,
                x,
                y,
                x2={"field": "x2"},
            )
        ]
        if ranges
        else []
    )
    layers.append(
        layer(
            "gain",
            {"type": "point", "filled": True, "size": 50, "color": COLOR, "opacity": 1},
            values,
            x,
            y,
            tips=True,
        )
    )
    return draw(
        layers,
        number,
        "Mean F while signals of rising cost are added, with quartiles over the seeds.",
        WIDE,
        max(HEIGHT, 20 * len(shown)),
    )


def _short(name: str) -> str:
    return f"{name.removeprefix('rendered_')} (r)" if name.startswith("rendered_") else name


def _rows(titles: list[str], wide: int) -> dict[str, Any]:
    scale = name_scale(titles)
    return scale | {"axis": scale["axis"] | {"minExtent": wide, "labelLimit": wide + 10}}
