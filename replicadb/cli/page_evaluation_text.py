"""What ``replicadb pages evaluate`` prints: methods and signals side by side, and their work."""

from __future__ import annotations

from typing import Any

from replicadb.cli.grid import aligned, figure
from replicadb.cli.page_papers_text import papers_text

HEADER = (
    "",
    "judged by",
    "precision",
    "recall",
    "F",
    "95 % of F",
    "best F",
    "break-even",
    "avg. prec.",
)


def text_of(found: dict[str, Any]) -> str:
    """The result as tables."""
    rows = [HEADER, *(_cells(row) for row in found["rows"])]
    lines = [
        f"{found['pairs']:,} pairs, {found['duplicates']:,} duplicates"
        + (
            f", {found['content_duplicates']:,} of one content"
            if found["content_duplicates"] is not None
            else ""
        )
        + (
            f"; {found['unknown_urls']:,} URLs are not in the database"
            if found["unknown_urls"]
            else ""
        ),
        "",
    ]
    lines.append(aligned(rows))
    if found["unknown_signals"]:
        lines += ["", "known of no pair: " + ", ".join(found["unknown_signals"])]
    if work := found.get("work"):
        rows = [("all pages", "seconds", "pages", "candidates", "matches")]
        rows += [
            (
                w["name"],
                f"{w['seconds']:.1f}",
                f"{w.get('pages', 0):,}",
                f"{_candidates(w):,}",
                f"{w['pairs']:,}",
            )
            for w in work
        ]
        lines += ["", aligned(rows)]
    if published := found.get("as_published"):
        lines += ["", papers_text(published)]
    return "\n".join(lines)


def _candidates(work: dict[str, Any]) -> int:
    """Pairs that a method's filters, bands or index left to be compared."""
    return next(
        (
            work[name]
            for name in ("positional_pairs", "prefix_pairs", "candidates", "pairs")
            if name in work
        ),
        0,
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    decided = row.get("at_threshold") or row.get("best") or {}
    if row["kind"] == "combined":
        both = [row[name] for name in ("ripper", "tree") if name in row]
        mean = {key: sum(one[key] for one in both) / len(both) for key in ("precision", "recall")}
        return (
            f"signals {row['name']}",
            row["gold"],
            figure(mean["precision"]),
            figure(mean["recall"]),
            figure(row["f"]),
            "",
            "",
            "",
            "",
        )
    interval = decided.get("f_interval")
    return (
        row["name"],
        row["gold"],
        *(figure(decided.get(key)) for key in ("precision", "recall", "f")),
        f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "",
        figure((row.get("best") or {}).get("f")),
        figure(row.get("break_even")),
        figure(row.get("average_precision")),
    )
