"""An evaluation's result as tables to read in a terminal.

Always true here: a figure that is not defined is blank; published figures stand beside ours, never mixed with them.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any


def text_of(result: dict[str, Any]) -> str:
    """Readable tables: what was compared, methods side by side, and the paper's tables with published figures
    beside.
    """
    parts = [
        _data(result["data"]),
        _side_by_side(result["methods"], "non_obvious"),
        _side_by_side(result["methods"], "all"),
        _by_cause(result["methods"]),
        _tests(result),
        *(_paper_table(table) for table in result["tables"].values()),
        _notes(result["methods"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _data(data: dict[str, Any]) -> str:
    lines = [
        f"{data['database']}: {data['hosts']:,} hosts, {data['urls']:,} URLs, {data['candidate_pairs']:,} candidate pairs, "
        f"{data['obvious_replicas']:,} obvious replicas",
        f"gold: {data['gold_replicas']:,} replicas (connected groups: {data['gold_groups']:,})"
        + (" and non-replicas of its own" if data["gold_labelled"] else "")
        + f"; {data['gold_candidates']:,} are candidates (candidate recall {data['candidate_recall']:.4f}); {data['non_obvious_replicas']:,} of these not obvious",
        f"compared on {data['evaluated_pairs']:,} pairs"
        + (" that gold labels" if data["gold_labelled"] else ": all candidates"),
    ]
    if data["gold_unknown_hosts"]:
        lines.append(f"hosts of gold that are not in the database: {data['gold_unknown_hosts']:,}")
    if data["gold_left_out"]:
        lines.append("left out: " + ", ".join(f"{n:,} by {reason}" for reason, n in data["gold_left_out"].items()))
    if data["missed_replicas"] or data["missed_others"]:
        lines.append(
            f"{data['missed_replicas']:,} replicas and {data['missed_others']:,} others of gold are no candidates; average precision (AP) counts "
            "them below all others, the other figures leave them out"
        )
    return "\n".join(lines)


def _side_by_side(methods: list[dict[str, Any]], part: str) -> str:
    head = ["method", "AUC", "AP", "TPR .0001", "TPR .001", "95 %", "TPR .005"]
    if part == "all":
        head += ["P@100", "RDR 1000", "RR 0", "RR .001", "RR .005", "flagged", "precision", "recall"]
    rows = []
    for method in (m for m in methods if m["all"]):
        figures = method[part]
        between = (figures["intervals"] or {}).get("tpr", {}).get("0.001")
        row = [
            method["name"],
            _n(figures["auc"]),
            _n(figures["average_precision"]),
            *(_n(figures["tpr"][r], 3) for r in ("0.0001", "0.001")),
            f"{between[0]:.2f}-{between[1]:.2f}" if between else "",
            _n(figures["tpr"]["0.005"], 3),
        ]
        if part == "all":
            flagged = method["flagged"] or {}
            row += [
                _n(figures["precision_at"]["100"], 2),
                _n(method["rdr"].get("1000"), 3),
                *(_n(r["rr"], 3) for r in method["rr"] or [{"rr": None}] * 3),
                f"{flagged['pairs']:,}" if flagged else "",
                _n(flagged.get("precision"), 3),
                _n(flagged.get("recall"), 3),
            ]
        rows.append(row)
    title = {
        "all": "All compared pairs; recall of flagged pairs is over all of gold",
        "non_obvious": "Non-obvious replicas",
    }[part]
    return f"{title}\n{_grid(head, rows)}"


def _by_cause(methods: list[dict[str, Any]]) -> str:
    shown = [
        m
        for m in methods
        if m["by_cause"] and (m["family"] in ("ours", "ceiling") or m["name"] in ("paper", "normpaths", "fullpath"))
    ]
    if not shown:
        return ""
    causes = list(shown[0]["by_cause"])
    rows = [
        [
            cause,
            f"{shown[0]['by_cause'][cause]['replicas']:,}",
            *(_n(m["by_cause"][cause]["tpr"]["0.001"], 3) for m in shown),
        ]
        for cause in causes
    ]
    return (
        f"True-positive rate at FPR .001 by cause\n{_grid(['cause', 'replicas', *(m['name'] for m in shown)], rows)}"
    )


def _tests(result: dict[str, Any]) -> str:
    rows = [
        [
            c["a"],
            c["b"],
            f"{c['mean_difference']:+.4f}",
            "" if c["wilcoxon_p"] is None else f"{c['wilcoxon_p']:.2g}",
            str(c["n"]),
        ]
        for c in result["comparisons"]
        if c["metric"] == "average_precision" and c["a"] == result["comparisons"][0]["a"]
    ]
    return (
        f"Wilcoxon signed-rank test on average precision of non-obvious replicas, part by part\n{_grid(['a', 'b', 'a - b', 'p', 'parts'], rows)}"
        if rows
        else ""
    )


def _paper_table(table: dict[str, Any]) -> str:
    published = table["published"] or [[None] * len(row) for row in table["rows"]]
    head = [table["columns"][0], *(cell for column in table["columns"][1:] for cell in (column, "paper"))]
    rows = [
        [
            str(row[0]),
            *(cell for here, there in zip_longest(row[1:], printed[1:]) for cell in (_cell(here), _cell(there))),
        ]
        for row, printed in zip(table["rows"], published, strict=True)
    ]
    return f"{table['title']}\n{_grid(head, rows)}\n{table['note']}"


def _notes(methods: list[dict[str, Any]]) -> str:
    missing = [f"{m['name']}: {m['note']}" for m in methods if not m["all"]]
    return "Left out\n" + "\n".join(missing) if missing else ""


def _grid(head: list[str], rows: list[list[str]]) -> str:
    """Columns under each other, the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _n(value: float | None, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if value >= 0.01 or value == 0 else f"{value:.2g}"
    )
