"""Which methods are drawn as curves, in which colour, and the curves' points where a chart needs
them.

Invariant: the same method has the same colour and dash in every chart; a curve between two
of its corners is the straight line in its own (linear) coordinates, whatever the axis; where a
curve rises upright the top counts, as in ``evaluation.ranking_curve``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from replicadb.arrays import Floats
from replicadb.report.safe_text import clean, is_number

PREFERRED = (
    "robust",
    "robust-paths",
    "paper",
    "paper-pu",
    "paper-nu",
    "normpaths",
    "biased-svm",
    "upper-bound",
    "booster",
    "reciprocal-ranks",
    "jaccard",
    "booster-five",
)
"""The curves to draw first, as the paper's Figure 5 and what this project adds; others take the
places left.
"""

HIDDEN = {"robust-paths", "paper-nu", "reciprocal-ranks", "jaccard", "booster-five"}
"""Drawn, but shown only when the reader ticks them."""

MOST = len(PREFERRED)
SHOWN_AT_MOST = 8

DASHES = (
    (),
    (7, 3),
    (),
    (5, 2),
    (2, 2),
    (8, 2, 2, 2),
    (4, 2, 1, 2),
    (1, 2),
    (10, 3),
    (3, 3),
    (6, 2, 2, 2),
    (2, 4),
)
"""By place in PREFERRED, so that lines differ on paper without colour too."""


@dataclass(frozen=True)
class Series:
    """One method as it is drawn."""

    method: dict[str, Any]
    """Its part of the evaluation's result."""
    place: int
    """0 ... 11: its colour (CSS ``--s0`` ...), its dash and its class (``s0`` ...)."""
    shown: bool
    """Ticked when the page opens."""

    @property
    def title(self) -> str:
        return clean(self.method.get("title") or self.method["name"], 60)

    @property
    def color(self) -> str:
        return f"var(--s{self.place})"

    @property
    def name(self) -> str:
        return f"s{self.place}"

    @property
    def line(self) -> dict[str, Any]:
        """The Vega-Lite mark of its curve."""
        width = 2.6 if self.place == 0 else 1.8
        return {
            "type": "line",
            "color": self.color,
            "strokeWidth": width,
            "strokeDash": list(DASHES[self.place]),
            "clip": True,
        }


def main_rate(methods: Iterable[dict[str, Any]]) -> str:
    """The false-positive rate that methods are compared at: "0.001", or "0" where the non-replicas
    were too few to measure that (the share of replicas above every other pair then).
    """
    figures = [method.get(part) or {} for method in methods for part in ("all", "non_obvious")]
    measured = any(is_number((f.get("tpr") or {}).get("0.001")) for f in figures)
    return "0.001" if measured or not any(is_number(f.get("above_all")) for f in figures) else "0"


def hits(figures: Any, fpr: str) -> Any:
    """The true-positive rate at such a rate in METRICS, or in those of a cause; None where it is
    not defined.
    """
    figures = figures or {}
    return figures.get("above_all") if fpr == "0" else (figures.get("tpr") or {}).get(fpr)


def choose(methods: list[dict[str, Any]]) -> list[Series]:
    """The methods to draw, at most MOST of those that have a curve: the preferred ones, then others
    in their order.
    """
    with_curve = [
        m for m in methods if m.get("roc") or m.get("precision_recall") or m.get("rr_curve")
    ]
    by_name = {m["name"]: m for m in with_curve}
    places = {name: place for place, name in enumerate(PREFERRED) if name in by_name}
    free = [place for place in range(MOST) if place not in places.values()]
    for method, place in zip(
        (m for m in with_curve if m["name"] not in places), free, strict=False
    ):
        places[method["name"]] = place
    main, chosen, shown = (
        {name for name in places if name in PREFERRED and name not in HIDDEN},
        [],
        0,
    )
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        show = shown < SHOWN_AT_MOST and (name in main or not main or len(places) <= 4)
        shown += show
        chosen.append(Series(by_name[name], place, show))
    return chosen


def points(curve: Any) -> np.ndarray:
    """A curve of the result as (n, 2) float64, rows with something undefined left out, in the order
    of x, then y.
    """
    rows = [
        (float(p[0]), float(p[1]))
        for p in curve or ()
        if len(p) == 2 and is_number(p[0]) and is_number(p[1])
    ]
    return np.array(sorted(rows), np.float64).reshape(-1, 2)


def at(curve: Floats, given: Iterable[float]) -> Floats:
    """A rising curve's height at each x: linear between corners, the top where it rises upright.

    Args:
        curve: (n, 2), n at least 1, as :func:`points` gives it.
        given: (k,) each x; outside of the curve its nearest end counts.
    """
    x: Floats = np.asarray(list(given), np.float64)
    last = np.clip(np.searchsorted(curve[:, 0], x, side="right") - 1, 0, None)
    after = np.minimum(last + 1, len(curve) - 1)
    gap = curve[after, 0] - curve[last, 0]
    share = np.divide(x - curve[last, 0], gap, out=np.zeros_like(x), where=gap > 0)
    heights: Floats = curve[last, 1] + np.clip(share, 0, 1) * (curve[after, 1] - curve[last, 1])
    return heights


def thinned(curve: Floats, most: int) -> Floats:
    """At most ``most`` of the corners, even in their number, both ends kept."""
    if len(curve) <= most:
        return curve
    places = np.unique(np.round(np.linspace(0, len(curve) - 1, most)).astype(int))
    fewer: Floats = curve[places]
    return fewer
