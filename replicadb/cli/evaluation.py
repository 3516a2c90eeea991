"""``replicadb evaluate``: methods of detection against known replicas, as tables, JSON or a page.

Always true here: standard output carries the tables or the JSON and nothing else; the database is not changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import replicadb
from replicadb.cli import speech
from replicadb.cli.options import DB, Memory, Quiet, Threads


def evaluate(
    db: DB,
    gold: Annotated[
        Path,
        typer.Argument(
            metavar="GOLD",
            help="Known pairs: CSV with host_a, host_b and, where known, label (replica, not, ...), cause, ambiguous. Without label every row is a replica and every other candidate is not.",
            show_default=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="Write a self-contained HTML page with tables and figures, too."
        ),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            metavar="NAME",
            help="Only these methods, by commas or several times; ours, published, baselines, singles, left-out and ceilings stand for several. Default: all.",
        ),
    ] = None,
    folds: Annotated[int, typer.Option("--folds", min=1, max=100, help="Of cross-validation; 1 for none.")] = 5,
    positive: Annotated[
        str,
        typer.Option(
            "--positive",
            metavar="LABELS",
            help="Labels that count as replicas, by commas. Rows labelled neither so nor not are left out.",
        ),
    ] = "replica",
    with_ambiguous: Annotated[
        bool, typer.Option("--with-ambiguous", help="Keep rows whose column ambiguous is 1.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of folds and bootstrap resamples.")] = 0,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Compare methods of detection with known replicas: AUC, precision, recall, reduction, and the paper's tables.

    Every method is measured on the same candidate pairs, with intervals. The database is not changed.
    """
    names = [name.strip() for text in methods or [] for name in text.split(",") if name.strip()] or None
    wanted = tuple(label.strip() for label in positive.split(",") if label.strip())
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        result = web.evaluate(
            gold,
            methods=names,
            folds=folds,
            seed=seed,
            positive=wanted,
            with_ambiguous=with_ambiguous,
            report=lambda line: speech.say(line, quiet),
            page=report,
        )
    typer.echo(json.dumps(result, indent=1, allow_nan=False) if as_json else text_of(result))
    if report:
        speech.say(f"the page is {report}", quiet)


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
        f"gold: {data['gold_replicas']:,} replicas in {data['gold_groups']:,} groups"
        + (" and non-replicas of its own" if data["gold_labelled"] else "")
        + f"; {data['gold_candidates']:,} are candidates (candidate recall {data['candidate_recall']:.4f}); {data['non_obvious_replicas']:,} of these not obvious",
        f"compared on {data['evaluated_pairs']:,} pairs"
        + (" that gold labels" if data["gold_labelled"] else ": all candidates"),
    ]
    if data["gold_unknown_hosts"]:
        lines.append(f"{data['gold_unknown_hosts']:,} hosts of gold are not in the database")
    if data["gold_left_out"]:
        lines.append("left out: " + ", ".join(f"{n:,} by {reason}" for reason, n in data["gold_left_out"].items()))
    if data["missed_replicas"] or data["missed_others"]:
        lines.append(
            f"{data['missed_replicas']:,} labelled replicas and {data['missed_others']:,} others are no candidates; average precision (AP) counts "
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
            *(cell for here, there in zip(row[1:], printed[1:], strict=True) for cell in (_cell(here), _cell(there))),
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
