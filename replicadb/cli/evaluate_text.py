"""An evaluation's result as tables to read in a terminal: the answer first, then each table under
its legend.

Invariant: a figure that is not defined is blank, and a column that nothing fills is left
out; published figures stand beside ours, never mixed with them.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from replicadb.cli.evaluate_summary import (
    at_rate,
    data_lines,
    left_aside,
    main_rate,
    share,
    summary,
    unnamed,
    worst_errors,
)
from replicadb.cli.grid import grid

CAUSE_METHODS = ("paper", "normpaths", "fullpath")
"""Shown by cause, besides ours and the ceilings."""


def text_of(result: dict[str, Any]) -> str:
    """The answer, what was compared, methods side by side, and the paper's tables with published
    figures beside.
    """
    methods = [method for method in result["methods"] if method["all"]]
    parts = [
        summary(result),
        data_lines(result["data"]),
        _side_by_side(methods, "non_obvious"),
        _side_by_side(methods, "all"),
        _flags(methods),
        _by_cause(methods),
        _cross_validation(methods),
        _tests(result),
        _headlines(result["headlines"]),
        _crawl_order(result["crawl_order"]),
        *(_paper_table(table) for table in result["tables"].values()),
        _notes(result["methods"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _headlines(lines: list[dict[str, Any]]) -> str:
    """What became of the paper's conclusions; nothing where that was not asked for."""
    if not lines:
        return ""
    rows = [
        [
            line["claim"],
            f"{line['figure']}: {line['first']}, {line['second']}",
            *map(_n, line["published"]),
            *map(_n, line["here"]),
            line["verdict"],
        ]
        for line in lines
    ]
    head = ["headline", "figures of", "published", "second", "here", "second", "verdict"]
    note = (
        "Two figures of all replicas each; nearer than 0.001 is a tie. Why they may differ:"
        " docs/replication.md."
    )
    return f"The paper's headlines\n{note}\n{grid(head, rows)}"


def brief_of(result: dict[str, Any]) -> str:
    """The answer, what was asked for beside it, and the worst errors."""
    data = result["data"]
    aside = "\n".join(f"- {line}" for line in (unnamed(data), *left_aside(data)))
    parts = [
        f"{summary(result)}\n{aside}",
        _crawl_order(result["crawl_order"]),
        worst_errors(result),
    ]
    return "\n\n".join(part for part in parts if part)


def _crawl_order(found: dict[str, Any] | None) -> str:
    """What a crawler would have saved; nothing where that was not asked for."""
    if not found:
        return ""
    rows = [
        [f"{step[name]:,}" for name in ("seen", "dropped", "saved")]
        + [_n(step["saved"] / found["urls"], 3)]
        + [f"{step[name]:,}" for name in ("replicas", "other", "wrong", "lost", "best")]
        for step in found["steps"]
    ]
    head = ["URLs seen", "hosts dropped", "URLs saved", "of all", "of replicas", "of others"]
    head += ["of non-replicas", "contents lost", "best"]
    order = "the shortest paths" if found["order"] == "path" else "the earliest captures"
    note = (
        f"Each host judged by its first URLs, {order} first, and dropped then; hosts that have no"
        " more URLs save nothing. Of others: the gold says neither. Contents lost: saved URLs whose"
        " content nothing fetched has. Best: had the gold decided."
    )
    return (
        f"Fetches saved while crawling: {found['urls']:,} URLs of {found['hosts']:,} hosts\n"
        f"{note}\n{grid(head, rows, left=())}"
    )


def _side_by_side(methods: list[dict[str, Any]], part: str) -> str:
    rate, main = main_rate(methods, part)
    head = [
        "method",
        "AUC",
        "AP",
        *(["TPR .0001"] if rate else []),
        main,
        "95 %",
        "TPR .005",
        "TPR .01",
    ]
    head += ["P@100", *(["RDR 1000", "RR 0", "RR .001", "RR .005"] if part == "all" else [""])]
    rows = []
    for method in methods:
        figures = method[part]
        value, spread = at_rate(figures, rate)
        row = [method["name"], _n(figures["auc"]), _n(figures["average_precision"])]
        row += [_n(figures["tpr"]["0.0001"], 3)] if rate else []
        row += [
            _n(value, 3),
            _interval(spread),
            _n(figures["tpr"]["0.005"], 3),
            _n(figures["tpr"]["0.01"], 3),
            _n(figures["precision_at"]["100"], 2),
        ]
        if part == "all":
            row += [_n(method["rdr"].get("1000"), 3)]
            row += [_n(r["rr"], 3) for r in method["rr"]] or [""] * 3
        else:
            row.append(method["title"] + (" *" if method["needs_gold"] else ""))
        rows.append(row)
    of = methods[0][part]
    title = {"all": "All replicas", "non_obvious": "Non-obvious replicas"}[
        part
    ] + f": {of['replicas']:,} among {of['others']:,} others"
    note = {
        "non_obvious": (
            "AUC: area under the ROC curve. AP: average precision. TPR x: share of the replicas"
            " found when a share x of the others is let in; 95 %: bootstrap interval of the column"
            " before (of every figure: --json, --report). P@100: precision of the first 100 pairs."
            " *: learns from the gold, a ceiling."
        ),
        "all": (
            "As above. RDR 1000: mean of 1 / place of a replica among 1,000 "
            "others. RR x: share of duplicate URLs saved by dropping hosts at FPR x or just below."
        ),
    }[part]
    left = (0,) if part == "all" else (0, len(head) - 1)
    return f"{title}\n{note}{_too_few(of)}\n{grid(head, rows, left=left)}"


def _too_few(figures: dict[str, Any]) -> str:
    """Why columns are missing: one of the others is more than the rate."""
    missing = [
        f"{rate:g}".lstrip("0")
        for name, value in figures["tpr"].items()
        if value is None
        for rate in [float(name)]
    ]
    if not missing or not figures["others"]:
        return ""
    return (
        f"\nToo few others to measure FPR {', '.join(missing)}: one of {figures['others']:,} is"
        " more than that."
        + (" TPR 0: share of the replicas above every other pair." if ".001" in missing else "")
    )


def _flags(methods: list[dict[str, Any]]) -> str:
    head = [
        "method",
        "pairs",
        "wrong",
        "FPR",
        "precision",
        "95 %",
        "recall",
        "95 %",
        "non-obvious: precision",
        "95 %",
        "non-obvious: recall",
        "95 %",
    ]
    rows = []
    for method in (method for method in methods if method["flagged"]):
        flags = method["flagged"]
        row = [method["name"], f"{flags['pairs']:,}", f"{flags['wrong']:,}", _n(flags["fpr"], 5)]
        for part in (flags, flags["non_obvious"]):
            for name in ("precision", "recall"):
                row += [_n(part[name], 3), _interval(part["intervals"][name])]
        rows.append(row)
    return (
        "Flagged pairs: each method's own decision\nPrecision is over compared pairs, recall over"
        " all replicas of the gold, candidates or not. Where nothing is wrong, resamples show no"
        f" spread: then up to about 3 in as many pairs may be.\n{grid(head, rows)}"
        if rows
        else ""
    )


def _by_cause(methods: list[dict[str, Any]]) -> str:
    shown = [
        m
        for m in methods
        if m["by_cause"] and (m["family"] in ("ours", "ceiling") or m["name"] in CAUSE_METHODS)
    ]
    if not shown:
        return ""
    rate, main = main_rate(methods, "all")
    rows = []
    for cause, first in shown[0]["by_cause"].items():
        flagged = shown[0]["by_cause"][cause]["flagged_recall"]
        rows.append(
            [
                cause,
                f"{first['replicas']:,}",
                *(_n(at_rate(m["by_cause"][cause], rate)[0], 3) for m in shown),
                _n(flagged, 3),
            ]
        )
    head = ["cause", "replicas", *(m["name"] for m in shown), f"flagged by {shown[0]['name']}"]
    note = (
        f"Replicas: those of the cause among candidates. {main} against all others, as above;"
        " flagged: recall over the gold's replicas of the cause."
    )
    return f"By cause of replication\n{note}\n{grid(head, rows)}"


def _cross_validation(methods: list[dict[str, Any]]) -> str:
    """Methods whose folds were scored by what the other folds taught."""
    shown = [m for m in methods if m["folds"] and m["folds"][0]["cross_validated"]]
    head = [
        "method",
        *(h for part in ("all", "non-obvious") for h in (f"AUC, {part}", "from", "to")),
    ]
    rows = []
    for method in shown:
        row = [method["name"]]
        for part in ("all", "non_obvious"):
            areas = [fold[part]["auc"] for fold in method["folds"] if fold[part]["auc"] is not None]
            row += (
                [_n(v) for v in (sum(areas) / len(areas), min(areas), max(areas))]
                if areas
                else [""] * 3
            )
        rows += [row] if any(row[1:]) else []
    return (
        f"Cross-validation in {len(shown[0]['folds'])} folds\nMean and range over folds, each"
        " scored by what the others taught. Bins and the constants of the SVM are chosen on all"
        " candidates. Methods that are not listed do not learn, or cannot without one of the"
        f" folds.\n{grid(head, rows)}"
        if rows
        else ""
    )


def _tests(result: dict[str, Any]) -> str:
    tests = [
        c
        for c in result["comparisons"]
        if c["metric"] == "average_precision" and c["a"] == result["comparisons"][0]["a"]
    ]
    rows = [
        [c["b"], f"{c['mean_difference']:+.4f}", _p(c["wilcoxon_p"]), _p(c["holm_p"]), str(c["n"])]
        for c in tests
    ]
    if not rows:
        return ""
    note = (
        "Wilcoxon signed-rank test on average precision of non-obvious replicas over parts of the"
        f" pairs. p (Holm): corrected for {len(rows)} comparisons (Holm 1979); a difference is"
        " significant at 5 % where that is below 0.05."
    )
    return (
        f"Is {tests[0]['a']}"
        f" different?\n{note}\n{grid(['against', 'difference', 'p', 'p (Holm)', 'parts'], rows)}"
    )


def _p(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}"


def _paper_table(table: dict[str, Any]) -> str:
    published = table["published"] or [[None] * len(row) for row in table["rows"]]
    head = [
        table["columns"][0],
        *(cell for column in table["columns"][1:] for cell in (column, "paper")),
    ]
    rows = [
        [
            str(row[0]),
            *(
                cell
                for here, there in zip_longest(row[1:], printed[1:])
                for cell in (_cell(here), _cell(there))
            ),
        ]
        for row, printed in zip(table["rows"], published, strict=True)
    ]
    named = {i - 1 for i in range(2, len(head), 2) if any(row[i] for row in rows)}
    return f"{table['title']}\n{table['note']}\n{grid(head, rows, kept=named)}"


def _notes(methods: list[dict[str, Any]]) -> str:
    missing = [f"{m['name']}: {m['note']}" for m in methods if not m["all"]]
    return "Left out\n" + "\n".join(missing) if missing else ""


def _n(value: float | None, digits: int = 4) -> str:
    return "" if value is None else share(value, digits)


def _interval(spread: list[float] | None) -> str:
    return f"{share(spread[0], 2)}-{share(spread[1], 2)}" if spread else ""


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return (
        f"{value:,}"
        if isinstance(value, int)
        else share(value)
        if value >= 0.01 or value == 0
        else f"{value:.2g}"
    )
