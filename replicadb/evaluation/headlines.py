"""What the papers on hosts conclude, and whether it holds on the crawl at hand.

Invariant: each headline is a comparison of two figures that were published; the same two are taken
from this evaluation, and the verdict is about their order alone. Source: the paper section 4.2,
the thesis section 4.3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

METHODS = (
    "paper",
    "paper-pu",
    "paper-nu",
    "thesis-best",
    "normpaths",
    "biased-svm-em",
    "upper-bound",
)
"""Those that the headlines compare."""
TIE, LEVEL = 0.001, 0.01
"""Figures nearer to each other than the first are neither above nor below; nearer than the second,
level.
"""


class Headline(NamedTuple):
    """One published comparison."""

    claim: str
    first: str
    """The method that the paper puts above."""
    second: str
    figure: str
    published: tuple[float, float]


HEADLINES = (
    Headline("PU and NU together are above PU alone", "paper", "paper-pu", "AUC", (0.995, 0.9908)),
    Headline("PU is above NU", "paper-pu", "paper-nu", "AUC", (0.9908, 0.9688)),
    Headline("the method is above NormPaths", "paper", "normpaths", "AUC", (0.995, 0.9415)),
    Headline("it is above the biased SVM", "paper", "biased-svm-em", "AUC", (0.995, 0.9824)),
    Headline("true labels add next to nothing", "paper", "upper-bound", "AUC", (0.995, 0.9956)),
    Headline(
        "a cut for each pair is above the best thresholds for all",
        "paper",
        "thesis-best",
        "AUC",
        (0.995, 0.9763),
    ),
    Headline(
        "a replica among 1,000 others comes first", "paper", "normpaths", "RDR", (0.9905, 0.4105)
    ),
    Headline(
        "at a false-positive rate of .005 it saves more", "paper", "normpaths", "RR", (0.1916, 0.14)
    ),
)


def headlines(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each headline with both published figures, both of this evaluation (None where not defined)
    and a verdict: ``holds``, ``the other way``, ``a tie``, or ``not measured``.

    Args:
        entries: ``methods`` of an evaluation's result.
    """
    by_name = {entry["name"]: entry for entry in entries if entry["all"]}
    rows = []
    for line in HEADLINES:
        here = [_figure(by_name.get(name), line.figure) for name in (line.first, line.second)]
        rows.append(line._asdict() | {"here": here, "verdict": _verdict(line.published, here)})
    return rows


def _figure(entry: dict[str, Any] | None, name: str) -> float | None:
    """A figure of a method over all replicas."""
    if entry is None:
        return None
    found: float | None
    if name == "AUC":
        found = entry["all"]["auc"]
    elif name == "RDR":
        found = entry["rdr"].get("1000")
    else:
        found = next((row["rr"] for row in entry["rr"] if row["fpr"] == 0.005), None)
    return found


def _verdict(published: tuple[float, float], here: list[float | None]) -> str:
    first, second = here
    if first is None or second is None:
        return "not measured"
    theirs, ours = published[0] - published[1], first - second
    if abs(theirs) < TIE:  # the claim is that they are level
        return "holds" if abs(ours) < LEVEL else "does not hold"
    if abs(ours) < TIE:
        return "a tie"
    return "holds" if ours * theirs > 0 else "the other way"
