"""What the papers on hosts conclude, and whether it holds on the crawl at hand.

Invariant: each headline is a comparison of two figures that were published; the same two are taken
from this evaluation as the paper took them (AUC: mean of folds, where these are even; RR: both
hosts of a pair removed), and the verdict is about their order alone. Source: the paper section 4.2
(rewrite rules: its Table 3, which ran those of Dasgupta, Kumar and Sasturkar 2008), the thesis
section 4.3.
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
UNEVEN = ("upper-bound",)
"""Their folds hold whole groups of replicas, six in one and eighty in the next. In a mean of folds
the six would count as much, so their AUC is that over all candidates, each scored out of fold.
"""


OF_METHODS = ("AUC", "RDR", "RR")
"""Figures of a method; any other is a column of Table 3."""


class Headline(NamedTuple):
    """One published comparison."""

    claim: str
    first: str
    """The method that the paper puts above, or the row of its Table 3."""
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
    Headline(
        "rewrite rules that may err one time in ten remove more",
        "RR intra, epsilon 0.1",
        "RR intra, epsilon 0.0",
        "all",
        (0.2344, 0.0422),
    ),
    Headline(
        "rules within hosts add to replicas between hosts",
        "RR inter + intra, epsilon 0.0",
        "RR inter",
        "FPR 0.005",
        (0.2179, 0.1916),
    ),
)


def headlines(
    entries: list[dict[str, Any]], table_3: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Each headline with both published figures, both of this evaluation (None where not defined)
    and a verdict: ``holds``, ``the other way``, ``a tie``, or ``not measured``.

    Args:
        entries: ``methods`` of an evaluation's result. table_3: its ``tables["3"]``.
    """
    by_name = {entry["name"]: entry for entry in entries if entry["all"]}
    table = table_3 or {"columns": [], "rows": []}
    cells = {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}
    rows = []
    for line in HEADLINES:
        here = [
            _figure(by_name.get(name), line.figure)
            if line.figure in OF_METHODS
            else cells.get(name, {}).get(line.figure)
            for name in (line.first, line.second)
        ]
        rows.append(line._asdict() | {"here": here, "verdict": verdict(line.published, here)})
    return rows


def _figure(entry: dict[str, Any] | None, name: str) -> float | None:
    """A figure of a method over all replicas, as the paper takes it."""
    if entry is None:
        return None
    if name == "AUC":
        return area(entry)
    if name == "RDR":
        found: float | None = entry["rdr"].get("1000")
        return found
    both = next((row["both"] for row in entry["rr"] if row["fpr"] == 0.005), None)
    return both["rr"] if both else None


def area(entry: dict[str, Any]) -> float | None:
    """A method's AUC as the paper has it: the mean over its folds, each scored by what the others
    taught (where the method learns); over all candidates where there are no folds, or uneven ones.
    """
    folds = () if entry["name"] in UNEVEN else entry["folds"] or ()
    areas = [fold["all"]["auc"] for fold in folds]
    known = [value for value in areas if value is not None]
    found: float | None = sum(known) / len(known) if known else entry["all"]["auc"]
    return found


def verdict(published: tuple[float, float], here: list[float | None]) -> str:
    """Whether two figures stand in the published order; level ones have to be level."""
    first, second = here
    if first is None or second is None:
        return "not measured"
    theirs, ours = published[0] - published[1], first - second
    if abs(theirs) < TIE:  # the claim is that they are level
        return "holds" if abs(ours) < LEVEL else "does not hold"
    if abs(ours) < TIE:
        return "a tie"
    return "holds" if ours * theirs > 0 else "the other way"
