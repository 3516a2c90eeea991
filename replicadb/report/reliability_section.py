"""The section on probabilities: of the pairs said to be replicas with a probability, how many are.

Invariant: a result without these figures has a sentence in their place; the numbers stand in tables
below the chart. Source: ``replicadb.evaluation.reliability``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.report import table_html
from replicadb.report.drawing import draw, hover_points, layer, linear_scale
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import count, esc, is_number, rate
from replicadb.report.series import Series

DIAGONAL = {"type": "line", "color": "#888888", "strokeDash": [4, 3], "strokeWidth": 1}


def reliability_section(series: list[Series], numbers: Iterator[int]) -> str:
    """The reliability plot of the methods that give probabilities, and its numbers."""
    drawn = [s for s in series if _bins(s)]
    if not drawn:
        return '<p class="warn">No method here gives probabilities.</p>\n'
    words = (
        "Pairs by the probability that they were given, against the share of them that the gold"
        " calls replicas; bars are 95 % intervals. On the diagonal a promise is kept; above it"
        " there are more replicas than said."
    )
    plot = panel(_plot(drawn, next(numbers)), "Reliability", words)
    tables = "".join(_summary(s) + _tables(s) for s in drawn)
    return f'<div class="panels four">{plot}</div>\n{tables}'


def _found(series: Series) -> dict[str, Any]:
    found = series.method.get("reliability")
    return found if isinstance(found, dict) else {}


def _bins(series: Series) -> list[dict[str, Any]]:
    bins = _found(series).get("bins")
    return [
        one
        for one in (bins if isinstance(bins, list) else [])
        if isinstance(one, dict) and is_number(one.get("mean")) and is_number(one.get("share"))
    ]


def _plot(drawn: list[Series], number: int) -> str:
    x, y = linear_scale(0, 1, "probability"), linear_scale(0, 1, "share that are replicas")
    ends = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    layers, tips = [layer("diagonal", DIAGONAL, ends, x, y)], []
    for s in drawn:
        values = [{"x": one["mean"], "y": one["share"]} for one in _bins(s)]
        layers.append(layer(s.name, s.line, values, x, y))
        layers += [
            layer(
                s.name,
                {"type": "line", "color": s.color, "strokeWidth": 1, "opacity": 0.5},
                [{"x": one["mean"], "y": end} for end in one["interval"]],
                x,
                y,
            )
            for one in _bins(s)
            if isinstance(one.get("interval"), list) and all(map(is_number, one["interval"]))
        ]
        points = [
            value
            | {
                "tip": f"{s.title}: of {count(one.get('pairs'))} pairs at"
                f" {rate(one['mean'])} in the mean {rate(one['share'])} are replicas"
            }
            for value, one in zip(values, _bins(s), strict=True)
        ]
        tips.append(hover_points(s.name, points, x, y, s.color))
    return draw(layers + tips, number, "Reliability of probabilities. The numbers are below.")


def _summary(series: Series) -> str:
    found = _found(series)
    text = (
        f"{series.title} expects {count(found.get('estimated'))} replicas among the pairs compared;"
        f" {count(found.get('true'))} are. Expected calibration error over probabilities from .05"
        f" to .95: {rate(found.get('calibration_error'))}"
        f" ({rate(found.get('chance_error'))} if all were true); mean squared error:"
        f" {rate(found.get('brier'))}."
    )
    return f"<p><bdi>{esc(text)}</bdi></p>\n"


def _tables(series: Series) -> str:
    bins = table_html.table(
        f"Probabilities of {series.title}",
        ["from", "to", "pairs", "mean probability", "share of replicas"],
        [
            [
                rate(one.get("low")),
                rate(one.get("high")),
                esc(count(one.get("pairs"))),
                rate(one["mean"]),
                rate(one["share"]),
            ]
            for one in _bins(series)
        ],
    )
    found = _found(series).get("thresholds")
    sweep = table_html.table(
        f"Flags of {series.title} by another threshold",
        ["probability from", "flagged", "precision", "recall"],
        [
            [
                rate(one.get("probability")),
                esc(count(one.get("flagged"))),
                rate(one.get("precision")),
                rate(one.get("recall")),
            ]
            for one in (found if isinstance(found, list) else [])
            if isinstance(one, dict)
        ],
    )
    return f'<div class="side">{bins}{sweep}</div>\n'
