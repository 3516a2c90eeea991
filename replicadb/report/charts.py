"""The charts: Figure 5 and the methods at a glance, from the evaluation's result.

Invariant: a chart is drawn from what is there and says so where nothing is (None); each
curve carries hover
points with its numbers. Source: paper Figure 5, section 4.2.1. Figures 3 and 4 are in
``crawl_charts``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.evaluation import published_figures
from replicadb.report.drawing import HEIGHT, draw, hover_points, layer, linear_scale, log_scale
from replicadb.report.safe_text import clean, is_number, percent, rate
from replicadb.report.series import Series, at, hits, points, thinned

LOWEST_FPR = 1e-4
FPR_STEPS = 141
"""Points along the logarithmic axis of the ROC curve."""
FPR_TIPS = (1e-4, 3e-4, 1e-3, 3e-3, 5e-3, 1e-2, 3e-2, 0.1, 0.3)
RR_HIGHEST = 0.005
"""The paper's Figure 5 (right) ends at this false-positive rate."""


def roc(series: list[Series], key: str, number: int, what: str) -> str | None:
    """Figure 5, left: true-positive rate over false-positive rate, the latter on a logarithmic
    axis.
    """
    x, y = log_scale(LOWEST_FPR, 1, "false-positive rate"), linear_scale(0, 1, "true-positive rate")
    grid = np.geomspace(LOWEST_FPR, 1, FPR_STEPS)
    lines, tips = [], []
    for s in series:
        curve = points(s.method.get(key))
        if len(curve) < 2:
            continue
        values = [
            {"x": float(f), "y": round(float(t), 5)}
            for f, t in zip(grid, at(curve, grid), strict=True)
        ]
        lines.append(layer(s.name, s.line, _corners(values), x, y))
        tips.append(
            hover_points(
                s.name,
                [
                    {
                        "x": f,
                        "y": float(t),
                        "tip": (
                            f"{s.title}: true-positive rate {rate(float(t))} at false-positive rate"
                            f" {f:g}"
                        ),
                    }
                    for f, t in zip(FPR_TIPS, at(curve, FPR_TIPS), strict=True)
                ],
                x,
                y,
                s.color,
            )
        )
    if not lines:
        return None
    return draw(
        lines[::-1] + tips,
        number,
        f"ROC curves, {what}: {_listed(series)}. The numbers are in the table of methods.",
    )


def precision_recall(series: list[Series], key: str, number: int, what: str) -> str | None:
    """Figure 5, middle: precision over recall."""
    x, y = linear_scale(0, 1, "recall"), linear_scale(0, 1, "precision")
    lines, tips = [], []
    for s in series:
        curve = points(s.method.get(key))
        if len(curve) < 2:
            continue
        kept = thinned(curve, 160)
        lines.append(
            layer(
                s.name,
                s.line,
                [{"x": float(r), "y": float(p), "i": i} for i, (r, p) in enumerate(kept)],
                x,
                y,
                order={"field": "i", "type": "quantitative"},
            )
        )
        near = [int(np.argmin(np.abs(curve[:, 0] - r))) for r in np.arange(1, 11) / 10]
        tips.append(
            hover_points(
                s.name,
                [
                    {
                        "x": float(curve[i, 0]),
                        "y": float(curve[i, 1]),
                        "tip": (
                            f"{s.title}: precision {rate(float(curve[i, 1]))} at recall"
                            f" {rate(float(curve[i, 0]))}"
                        ),
                    }
                    for i in sorted(set(near))
                ],
                x,
                y,
                s.color,
            )
        )
    if not lines:
        return None
    return draw(lines[::-1] + tips, number, f"Precision over recall, {what}: {_listed(series)}.")


REMOVED = {
    "_both": "with both hosts of each pair, as the paper counts,",
    "_non_obvious": "by non-obvious replicas alone, one host of each pair kept,",
}


def reduction(series: list[Series], number: int, part: str) -> str | None:
    """Figure 5, right: reduction ratio over false-positive rate up to 0.005, and the paper's own
    points, which are of all replicas with both hosts of a pair removed.

    Args:
        part: "_both" for all replicas as the paper counts, "_non_obvious" for those alone with one
            host of a pair kept.
    """
    curves = {s.place: points(s.method.get(f"rr_curve{part}") or []) for s in series}
    drawn = [s for s in series if len(curves[s.place])]
    if not drawn:
        return None
    marks = [
        (s, f, r)
        for s in drawn
        for f, r in published_figures.RR.get(s.method["name"], {}).items()
        if part == "_both"
    ]
    grid = np.linspace(0, RR_HIGHEST, 101)
    heights = {s.place: at(curves[s.place], grid) for s in drawn}
    top = max([0.01, *(float(h.max()) for h in heights.values()), *(r for _, _, r in marks)]) * 1.08
    x = linear_scale(0, RR_HIGHEST, "false-positive rate", "~g")
    y = linear_scale(0, min(top, 1) if top <= 1.08 else top, "reduction ratio")
    lines, tips = [], []
    for s in drawn:
        values = [
            {"x": float(f), "y": round(float(r), 5)}
            for f, r in zip(grid, heights[s.place], strict=True)
        ]
        lines.append(layer(s.name, s.line, _corners(values), x, y))
        tips.append(hover_points(s.name, _removed_at(s, curves[s.place]), x, y, s.color))
    tips += [
        layer(s.name, DIAMOND | {"color": s.color}, [_published_point(s, f, r)], x, y, tips=True)
        for s, f, r in marks
    ]
    return draw(
        lines[::-1] + tips,
        number,
        f"Share of duplicate URLs removed {REMOVED[part]} over"
        f" false-positive rate: {_listed(drawn)}."
        + (" Diamonds are the paper's published values." if marks else ""),
    )


DIAMOND = {
    "type": "point",
    "shape": "diamond",
    "size": 70,
    "color": "",
    "strokeWidth": 1.6,
    "opacity": 1,
}
"""The mark of a published point."""
TIP_RATES = (0.0, 0.0005, 0.001, 0.002, 0.003, 0.004, 0.005)


def _removed_at(series: Series, curve: np.ndarray) -> list[dict[str, Any]]:
    """What a reader sees over a method's curve, at a few rates."""
    words = "of duplicate URLs at false-positive rate"
    return [
        {
            "x": float(f),
            "y": float(r),
            "tip": f"{series.title}: removes {percent(float(r))} {words} {f:g}",
        }
        for f, r in zip(TIP_RATES, at(curve, TIP_RATES), strict=True)
    ]


def _published_point(series: Series, fpr: float, rr: float) -> dict[str, Any]:
    tip = f"published, {series.title}: {rate(rr)} at false-positive rate {fpr:g}"
    return {"x": fpr, "y": rr, "tip": tip}


WIDE = 420
"""Width of the picture of all methods in pixels."""
TITLE_MOST = 54
"""Characters of a method's title in it."""


def glance(methods: list[dict[str, Any]], number: int, fpr: str = "0.001") -> str | None:
    """The methods in one picture: true-positive rate at one false-positive rate, non-obvious and
    all replicas.
    """
    rows = [row for row in (_glance_row(method, fpr) for method in methods) if row]
    if not rows:
        return None
    for title, row in zip(_distinct([row["title"] for row in rows]), rows, strict=True):
        row["y"] = title
    x, y = (
        linear_scale(0, 1, f"true-positive rate at false-positive rate {fpr}"),
        name_scale([row["y"] for row in rows]),
    )
    ranges = [{"x": r["low"], "x2": r["high"], "y": r["y"]} for r in rows if is_number(r["low"])]
    rule = {"type": "rule", "strokeWidth": 3, "color": "var(--s0)", "opacity": 0.35}
    layers = [layer("interval", rule, ranges, x, y, x2={"field": "x2"})] if ranges else []
    hollow, filled = (
        {"filled": False, "color": "var(--ink2)", "strokeWidth": 1.5},
        {"filled": True, "color": "var(--s0)"},
    )
    for part, mark, words in (
        ("all", hollow, "all replicas"),
        ("non_obvious", filled, "non-obvious replicas"),
    ):
        values = [
            {
                "x": r[part],
                "y": r["y"],
                "tip": (
                    f"{r['title']}, {words}: {rate(r[part])}{r['range'] if mark is filled else ''}"
                ),
            }
            for r in rows
            if is_number(r[part])
        ]
        if values:
            layers.append(
                layer(
                    part,
                    {"type": "point", "size": 55, "opacity": 1} | mark,
                    values,
                    x,
                    y,
                    tips=True,
                )
            )
    return draw(
        layers,
        number,
        f"True-positive rate at false-positive rate {fpr} of {len(rows)} methods, on non-obvious"
        " and on all replicas; the numbers are in the table of methods.",
        width=WIDE,
        height=max(HEIGHT // 3, 21 * len(rows)),
    )


def _glance_row(method: dict[str, Any], fpr: str) -> dict[str, Any] | None:
    found = {part: hits(method.get(part), fpr) for part in ("all", "non_obvious")}
    if not any(is_number(v) for v in found.values()):
        return None
    low, high = interval(
        method.get("non_obvious") or {}, *(("above_all",) if fpr == "0" else ("tpr", fpr))
    ) or (None, None)
    words = f" (95% interval {rate(low)} to {rate(high)})" if is_number(low) else ""
    return {
        "title": clean(method.get("title") or method["name"], TITLE_MOST),
        "low": low,
        "high": high,
        "range": words,
    } | found


def name_scale(titles: list[str]) -> dict[str, Any]:
    """A channel of names, one a row, in the given order."""
    axis = {
        "title": None,
        "aria": False,
        "grid": True,
        "ticks": False,
        "domain": False,
        "labelPadding": 6,
        "labelLimit": 360,
        "minExtent": 346,
        "labelColor": "var(--ink)",
        "labelFontSize": 12,
    }
    return {
        "type": "nominal",
        "sort": None,
        "scale": {"domain": titles, "padding": 0.5},
        "axis": axis,
    }


def interval(
    metrics: dict[str, Any], name: str, fpr: str | None = None
) -> tuple[float, float] | None:
    """A metric's 95 % interval, where the result has one."""
    found = (metrics.get("intervals") or {}).get(name)
    if fpr is not None:
        found = found.get(fpr) if isinstance(found, dict) else None
    if isinstance(found, list | tuple) and len(found) == 2 and all(is_number(v) for v in found):
        return found[0], found[1]
    return None


def _corners(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the inner points of level stretches, which draw nothing."""
    return [
        v
        for i, v in enumerate(values)
        if i in (0, len(values) - 1) or not values[i - 1]["y"] == v["y"] == values[i + 1]["y"]
    ]


def _distinct(titles: list[str]) -> list[str]:
    """The titles, repeats made distinct by invisible width-less spaces so that each keeps a row of
    its own.
    """
    seen: dict[str, int] = {}
    out = []
    for title in titles:
        seen[title] = seen.get(title, 0) + 1
        out.append(title + "\u200b" * (seen[title] - 1))
    return out


def _listed(series: list[Series]) -> str:
    return ", ".join(s.title for s in series)
