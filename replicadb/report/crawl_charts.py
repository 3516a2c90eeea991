"""The charts of Figures 3 and 4, from the numbers that ``crawl_figures.collect`` counted.

Invariant: a bin of several whole numbers is drawn at its middle (geometric) and, on axes of
"how many have the value x", divided by its width, so that a power law stays a straight line.
Source: paper section 4.1.1.
"""

from __future__ import annotations

import math
from typing import Any

from replicadb.evaluation import published_figures
from replicadb.report.drawing import draw, hover_points, layer, linear_scale, log_scale
from replicadb.report.safe_text import count, percent, plural, rate, span

BLUE, ORANGE, GREY = "var(--s0)", "var(--s2)", "var(--ink2)"
LOWEST = 0.8
"""Where logarithmic axes of whole numbers begin, so that 1 stands free of the edge."""


def middle(low: int, high: int) -> float:
    """The geometric middle of a bin of whole numbers."""
    return low if low == high else math.sqrt(low * high)


# -- Figure 3
# ---------------------------------------------------------------------------------------------


def cluster_sizes(bins: list[dict[str, int]], number: int) -> str | None:
    """Figure 3, left: dup-clusters by size, both axes logarithmic."""
    if not bins:
        return None
    values = _density(bins, "dup-clusters of {} URLs")
    x, y = _axes(values, "URLs in the dup-cluster", "dup-clusters per size")
    sizes = f"from {span(bins[0]['low'], bins[0]['high'])} to {count(bins[-1]['high'])} URLs"
    return draw(
        [_dots("sizes", values, x, y, BLUE)],
        number,
        f"Dup-clusters by size: {sizes}; both axes logarithmic.",
    )


def hosts_and_clusters(
    per_cluster: list[dict[str, int]], per_host: list[dict[str, int]], number: int
) -> str | None:
    """Figure 3, middle: dup-clusters by their hosts (the caption) and hosts by their dup-clusters
    (the text).
    """
    parts = [
        ("perhost", per_host, "hosts in {} dup-clusters", ORANGE, {"shape": "square"}),
        ("percluster", per_cluster, "dup-clusters on {} hosts", BLUE, {}),
    ]
    drawn = [
        (name, _density(bins, words), color, mark)
        for name, bins, words, color, mark in parts
        if bins
    ]
    if not drawn:
        return None
    x, y = _axes(
        [v for _, values, *_ in drawn for v in values],
        "hosts, or dup-clusters",
        "how many have so many",
    )
    return draw(
        [_dots(name, values, x, y, color, **mark) for name, values, color, mark in drawn],
        number,
        "Dup-clusters by the hosts that stand in them (circles), and hosts by the dup-clusters they"
        " stand in (squares); both axes logarithmic.",
    )


def intra_inter(numbers: dict[str, Any], number: int) -> str | None:
    """Figure 3, right: intra-site over inter-site duplicate URLs of a host, with the growth that
    the paper reports.
    """
    cells = numbers.get("cells") or []
    if not cells:
        return None
    values = [
        {
            "x": middle(*c["inter"]),
            "y": middle(*c["intra"]),
            "size": c["n"],
            "tip": (
                f"{plural(c['n'], 'host')}: inter-site {span(*c['inter'])}, intra-site"
                f" {span(*c['intra'])}"
            ),
        }
        for c in cells
    ]
    top = max(max(v["x"], v["y"]) for v in values) * 1.5
    x, y = (
        log_scale(LOWEST, top, "inter-site duplicate URLs of a host"),
        log_scale(LOWEST, top, "intra-site duplicate URLs"),
    )
    domain = [1, max([2, *(c["n"] for c in cells)])]
    size = {
        "field": "size",
        "type": "quantitative",
        "legend": None,
        "scale": {"type": "sqrt", "domain": domain, "range": [12, 220]},
    }
    total = sum(c["n"] for c in cells)
    centre = [
        sum(c["n"] * math.log(v[axis]) for c, v in zip(cells, values, strict=True)) / total
        for axis in ("x", "y")
    ]
    guide = {"type": "line", "color": GREY, "strokeDash": [5, 4], "strokeWidth": 1.5, "clip": True}
    growth = math.log(published_figures.INTRA_PER_THREEFOLD_INTER) / math.log(3)
    layers = [
        layer("guide", guide, _line(centre, growth, top), x, y),
        layer(
            "cells",
            {"type": "point", "filled": True, "color": BLUE, "opacity": 0.65},
            values,
            x,
            y,
            tips=True,
            size=size,
        ),
    ]
    if numbers.get("slope") is not None:
        fit = {"type": "line", "color": ORANGE, "strokeWidth": 2, "clip": True}
        layers.append(layer("fit", fit, _line(centre, numbers["slope"], top), x, y))
    return draw(
        layers,
        number,
        "Hosts by inter-site and intra-site duplicate URLs, both axes logarithmic; solid: least "
        "squares, dashed: the growth that the paper reports.",
    )


def _line(centre: list[float], slope: float, top: float) -> list[dict[str, float]]:
    """A straight line of the logarithms through their centre, cut to the square from
    LOWEST to top.
    """
    low, high = math.log(LOWEST), math.log(top)
    if abs(slope) > 1e-9:
        ends = sorted(centre[0] + (edge - centre[1]) / slope for edge in (low, high))
        low, high = max(low, ends[0]), min(high, ends[1])
    return [
        {"x": math.exp(u), "y": math.exp(centre[1] + slope * (u - centre[0]))} for u in (low, high)
    ]


# -- Figure 4
# ---------------------------------------------------------------------------------------------


def site_sizes(numbers: dict[str, Any], number: int) -> str | None:
    """Figure 4, left: URLs of replicated and other candidate hosts, as shares of each; dashed:
    published means.
    """
    parts = [
        ("candidate", "other candidate hosts", ORANGE, {"shape": "square"}),
        ("replicated", "replicated hosts", BLUE, {}),
    ]
    drawn = [
        (kind, _shares(numbers[kind], words), color, mark)
        for kind, words, color, mark in parts
        if (numbers.get(kind) or {}).get("hosts")
    ]
    if not drawn:
        return None
    every = [v for _, values, *_ in drawn for v in values]
    x = log_scale(LOWEST, max([300, *(v["x"] for v in every)]) * 1.4, "URLs of the host")
    y = log_scale(
        min(v["y"] for v in every) * 0.6,
        max(v["y"] for v in every) * 1.6,
        "share of hosts per size",
    )
    layers = []
    for kind, _, color, _ in drawn:
        mean = published_figures.MEAN_URLS[kind]
        rule = {"type": "rule", "color": color, "strokeDash": [4, 3], "strokeWidth": 1.4}
        layers.append(
            layer(
                "mean", rule, [{"x": mean, "tip": f"published mean: {mean} URLs"}], x, y, tips=True
            )
        )
        del layers[-1]["encoding"]["y"]  # from edge to edge
    layers += [_dots(kind, values, x, y, color, **mark) for kind, values, color, mark in drawn]
    return draw(
        layers,
        number,
        "Site sizes of replicated hosts (circles) and other candidate hosts (squares), both axes "
        "logarithmic; dashed: the paper's means.",
    )


def _shares(group: dict[str, Any], words: str) -> list[dict[str, Any]]:
    return [
        v
        | {
            "y": v["y"] / group["hosts"],
            "tip": f"{v['tip']} ({percent(v['n'] / group['hosts'])})",
        }
        for v in _density(group["bins"], words + " with {} URLs")
    ]


def replica_cases(numbers: dict[str, Any], number: int) -> str | None:
    """Figure 4, middle: the share of replicated hosts in at most x replicas."""
    steps = numbers.get("at_most") or []
    if not steps:
        return None
    values = [
        {
            "x": s["cases"],
            "y": s["share"],
            "tip": (
                f"{percent(s['share'])} of replicated hosts are in at most"
                f" {plural(s['cases'], 'replica')}"
            ),
        }
        for s in steps
    ]
    x = log_scale(0.9, max(values[-1]["x"], 10) * 1.15, "replicas of a host, at most")
    y = linear_scale(0, 1, "share of replicated hosts")
    line = {"type": "line", "interpolate": "step-after", "color": BLUE}
    dots = values if len(values) <= 40 else values[:20] + values[20 :: max(1, len(values) // 20)]
    ends = (
        f"from {percent(values[0]['y'])} at {count(values[0]['x'])} to all at"
        f" {count(values[-1]['x'])}"
    )
    return draw(
        [layer("cases", line, values, x, y), hover_points("cases", dots, x, y, BLUE)],
        number,
        f"Share of replicated hosts in at most x replicas, {ends}.",
    )


def similarity(numbers: dict[str, Any], number: int, name: str) -> str | None:
    """Figure 4, right: pairs above a similarity, and the replicas among them, called ``name``."""
    steps, total = numbers.get("above") or [], numbers.get("pairs")
    if not steps or not total:
        return None
    pairs, replicas = [], []
    for s in steps:
        share = s["pairs"] / total
        pairs.append(
            {
                "x": s["x"],
                "y": share,
                "tip": f"{percent(share)} of pairs are more similar than {s['x']:g}",
            }
        )
        if s["pairs"]:
            share = s["replicas"] / s["pairs"]
            replicas.append(
                {
                    "x": s["x"],
                    "y": share,
                    "tip": (
                        f"of the {plural(s['pairs'], 'pair')} more similar than "
                        f"{s['x']:g}, {percent(share)} are {name}"
                    ),
                }
            )
    x, y = linear_scale(0, 1, "similarity above"), linear_scale(0, 1, "share of pairs")
    layers = [
        layer("pairs", {"type": "line", "color": ORANGE, "strokeDash": [6, 3]}, pairs, x, y),
        hover_points("pairs", pairs[::5], x, y, ORANGE),
    ]
    if numbers.get("replicas"):
        layers += [
            layer("concentration", {"type": "line", "color": BLUE}, replicas, x, y),
            hover_points("concentration", replicas[::5], x, y, BLUE),
        ]
    at_zero = f", {rate(replicas[0]['y'])} above 0" if replicas else ""
    return draw(
        layers,
        number,
        "Share of candidate pairs above a similarity (dashed) and share of replicas among them "
        f"(solid{at_zero}).",
    )


# -- both
# -------------------------------------------------------------------------------------------------


def _density(bins: list[dict[str, int]], words: str) -> list[dict[str, Any]]:
    return [
        {
            "x": middle(b["low"], b["high"]),
            "y": b["n"] / (b["high"] - b["low"] + 1),
            "n": b["n"],
            "tip": f"{count(b['n'])} {words.format(span(b['low'], b['high']))}",
        }
        for b in bins
    ]


def _axes(values: list[dict[str, Any]], x: str, y: str) -> tuple[dict[str, Any], dict[str, Any]]:
    widest, lowest, highest = (
        max(v["x"] for v in values),
        min(v["y"] for v in values),
        max(v["y"] for v in values),
    )
    return log_scale(LOWEST, max(widest, 10) * 1.4, x), log_scale(
        min(lowest * 0.6, LOWEST), max(highest, 10) * 1.6, y
    )


def _dots(
    name: str,
    values: list[dict[str, Any]],
    x: dict[str, Any],
    y: dict[str, Any],
    color: str,
    **mark: Any,
) -> dict[str, Any]:
    point = {
        "type": "point",
        "filled": False,
        "size": 26,
        "strokeWidth": 1.6,
        "color": color,
        "opacity": 1,
    } | mark
    return layer(name, point, values, x, y, tips=True)
