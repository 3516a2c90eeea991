"""How strengths are spread, where flags end, and what another threshold would flag.

Invariant: where there is nothing to draw the panel says so; all numbers stand in a table below.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.report import table_html
from replicadb.report.drawing import draw, hover_points, layer, linear_scale, log_scale
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import NOTHING, count, esc, is_number, plural, rate

Row = dict[str, Any]
BLUE, ORANGE, GREY = "var(--s0)", "var(--s2)", "var(--axis)"
LOWEST = 0.8
WIDTH = 380


def strength_section(findings: Row, numbers: Iterator[int]) -> str:
    """Two charts, a slider and a table."""
    spread, totals = findings["strengths"], findings["totals"]
    if not spread["histogram"]:
        return "<p>There is no candidate pair, so there is no strength.</p>\n"
    robust = is_number(totals["wrong"])
    name = "probability" if robust else "mean likelihood"
    panels = panel(
        _histogram(spread["histogram"], totals, next(numbers)),
        "Strength of candidate pairs",
        '<span class="key b">■</span> flagged, <span class="key g">■</span> not flagged, on a'
        " logarithmic axis; dashed: the least strength that is flagged.",
    ) + panel(
        _others(spread["others"], totals, name, next(numbers)),
        "What another threshold would flag",
        '<span class="key b">—</span> pairs flagged'
        + (', <span class="key o">- -</span> of them expected to be wrong' if robust else "")
        + f", from each {name} on"
        + ("; the dotted line is where flags end now." if robust else "."),
    )
    return (
        f'<div class="panels four">{panels}</div>\n{_now(totals, robust)}{_slider(spread, name)}'
        + table_html.details("The numbers of these charts", _table(spread["others"], name))
    )


def _now(totals: Row, robust: bool) -> str:
    if not totals["flagged"]:
        return "<p>No pair is flagged.</p>\n"
    if not robust:
        return (
            f"<p>{plural(totals['flagged'], 'pair')} flagged: those that PU and NU data both hold"
            " for likelier replicas than not, or the first that were asked for. How many are wrong"
            " is not known.</p>\n"
        )
    replicas = round(totals["replicas"])
    expected = f"{plural(replicas, 'replica')} {'is' if replicas == 1 else 'are'}"
    return (
        f"<p>{plural(totals['flagged'], 'pair')} flagged, from probability"
        f" {rate(totals['least_probability'])} on; <b>{totals['wrong']:,.1f}</b> of them are"
        f" expected to be wrong. Among all candidates {expected} expected."
        " <code>replicadb detect --min-probability P</code> flags from another"
        " probability on, <code>--max-wrong SHARE</code> sets how many may be wrong.</p>\n"
    )


def _slider(spread: Row, name: str) -> str:
    """The script shows it; without one the table has the same numbers."""
    last = len(spread["others"]) - 1
    return (
        f'<p class="threshold" hidden><label for="threshold">Flag from {esc(name)}</label>'
        f' <input type="range" id="threshold" min="0" max="{last}" step="1" autocomplete="off">'
        ' <output for="threshold"></output></p>\n'
    )


def _table(others: list[Row], name: str) -> str:
    return table_html.table(
        "What other thresholds would flag",
        [f"{name} from", "pairs", "hosts in them", "expected wrong"],
        [
            [
                f"{row['x']:g}",
                count(row["pairs"]),
                count(row["hosts"]),
                NOTHING if row["wrong"] is None else f"{row['wrong']:,.1f}",
            ]
            for row in others
        ],
        kind="facts",
        numbers=0,
    )


def _histogram(bins: list[Row], totals: Row, number: int) -> str:
    low, high = bins[0]["low"], bins[-1]["high"]
    if low == high:
        low, high = low - 1, high + 1
    x = linear_scale(low, high, "strength", ",~f" if high - low > 2 else "~g")
    y = log_scale(LOWEST, max(10, *(one["n"] for one in bins)) * 1.5, "candidate pairs")
    ends = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    layers = []
    for part, color, words in (("n", GREY, ""), ("flagged", BLUE, ", flagged")):
        values = [
            {
                "x": one["low"],
                "x2": max(one["high"], one["low"] + (high - low) / 200),
                "y": one[part],
                "y2": LOWEST,
                "tip": (
                    f"{plural(one[part], 'pair')}{words} of strength {one['low']:.2f} to"
                    f" {one['high']:.2f}"
                ),
            }
            for one in bins
            if one[part]
        ]
        if values:
            layers.append(
                layer(part, {"type": "rect", "color": color}, values, x, y, tips=True, **ends)
            )
    if totals["least_strength"] is not None:
        layers.append(_upright("cut", totals["least_strength"], x, y, [5, 4]))
    words = (
        f"Candidate pairs by strength, from {low:.1f} to {high:.1f}; {count(totals['flagged'])} of"
        f" {count(totals['candidates'])} are flagged."
    )
    return draw(layers, number, words, width=WIDTH)


def _upright(name: str, at: float, x: Row, y: Row, dash: list[int]) -> Row:
    rule = {"type": "rule", "color": "var(--ink2)", "strokeDash": dash, "strokeWidth": 1.4}
    made = layer(name, rule, [{"x": at}], x, y)
    del made["encoding"]["y"]  # from edge to edge
    return made


def _others(others: list[Row], totals: Row, name: str, number: int) -> str:
    x = linear_scale(0, 1, name)
    top = max(10, *(row["pairs"] for row in others)) * 1.5
    y = log_scale(LOWEST / 8, top, "pairs")
    layers = []
    for part, color, dash, words in (
        ("pairs", BLUE, [], "pairs flagged"),
        ("wrong", ORANGE, [6, 3], "of these expected to be wrong"),
    ):
        values = [
            {
                "x": row["x"],
                "y": row[part],
                "tip": f"from {name} {row['x']:g} on: {row[part]:,.4g} {words}",
            }
            for row in others
            if row[part]
        ]
        if not values:
            continue
        line = {"type": "line", "color": color, "strokeDash": dash, "clip": True}
        layers += [layer(part, line, values, x, y), hover_points(part, values, x, y, color)]
    if is_number(totals["least_probability"]):
        layers.append(_upright("now", totals["least_probability"], x, y, [1, 3]))
    if not layers:
        return ""
    return draw(layers, number, f"Pairs that would be flagged from each {name} on.", width=WIDTH)
