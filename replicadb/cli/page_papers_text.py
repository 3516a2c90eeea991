"""What ``replicadb pages evaluate --as-published`` adds: the papers' own tables, and verdicts."""

from __future__ import annotations

from typing import Any

from replicadb.cli.grid import figure, grid


def papers_text(found: dict[str, Any]) -> str:
    """Conclusions first, then what they stand on."""
    parts = [
        _headlines(found["headlines"]),
        _signals(found["signals"]),
        _rendering(found["rendering"]),
        _queries(found["mwo"]),
        _documents(found["documents"]),
        _chosen(found["chosen"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _headlines(lines: list[dict[str, Any]]) -> str:
    rows = [
        [
            line["paper"],
            line["claim"],
            line["figure"],
            *map(figure, line["published"]),
            *map(figure, line["here"]),
            line["verdict"],
        ]
        for line in lines
    ]
    head = ["paper", "headline", "figure", "published", "second", "here", "second", "verdict"]
    return (
        "The papers' headlines\nOther pages than theirs; nearer than 0.001 is a tie. Why they may"
        f" differ: docs/replication.md.\n{grid(head, rows, left=(0, 1, 2))}"
    )


def _signals(lines: list[dict[str, Any]]) -> str:
    rows = [[line["name"], figure(line["here"]), figure(line["published"])] for line in lines]
    return (
        "Signals and sets of them (Huffman et al., Tables 2 to 4)\nMean F of RIPPER and the tree,"
        " out of fold, as published; a single signal over the pairs that have"
        f" it.\n{grid(['signals', 'F', 'paper'], rows)}"
    )


def _rendering(found: dict[str, Any] | None) -> str:
    if not found:
        return ""
    share = found["needed"] / max(found["pages"], 1)
    fetched, rendered, chosen = (
        figure(found[key]) for key in ("fetched", "all_rendered", "needed_rendered")
    )
    return (
        f"Is rendering worth it?\nF {fetched} as fetched, {rendered} with all"
        f" {found['pages']:,} pages rendered, {chosen} with the {found['needed']:,} ({share:.0%})"
        " rendered that look as if they needed it: frames, a redirect by the page itself, under"
        " 400 characters of text."
    )


def _queries(found: dict[str, Any]) -> str:
    rows = [
        [
            row["query"] or "all pairs",
            str(row["near_duplicates"]),
            figure(row["precision"]),
            figure(row["recall"]),
        ]
        for row in found["queries"]
    ]
    rows.append(["mean of all queries", "", *map(figure, found["mean"])])
    rows.append(["published mean of ten", "", "0.943", "0.947"])
    filters = ", ".join(f"{row['left']} {row['pairs']:,}" for row in found["filters"])
    return (
        "MWO by query (Das et al., Table 4)\nt = 0.5, stop words and stems English; the queries"
        f" with the most near duplicates. Pairs left by each step: {filters}.\n"
        + grid(["query", "near duplicates", "precision", "recall"], rows)
    )


def _chosen(lines: list[dict[str, Any]]) -> str:
    rows = [
        [line["name"], *(figure(line[key]) for key in ("precision", "recall", "f"))]
        for line in lines
    ]
    return (
        "Methods at thresholds that were chosen alike\nOn other generated pages (docs/pages.md);"
        f" elsewhere they mean little.\n{grid(['method', 'precision', 'recall', 'F'], rows)}"
    )


def _documents(lines: list[dict[str, Any]]) -> str:
    rows = [
        [
            line["name"],
            figure(line["break_even"]),
            figure(line["best_f"]),
            *("" if line[name] is None else f"{line[name]:.4f}" for name in ("eps_rp", "eps_hm")),
            *map(figure, line["loosest"] or (None, None)),
        ]
        for line in lines
    ]
    linked = lines[0]["pairs_with_maps"]
    head = ["thresholds", "break-even", "best F", "at eps_RP", "and eps_HM", "recall", "precision"]
    return (
        "RP and HM by document (Figure 1)\nPrecision over all pages that are returned, recall over"
        " 100 sampled ones that have a near duplicate, as one tolerance moves; at last, with the"
        f" moving one so wide that it decides nothing. Of the pairs {linked:.0%} have maps that"
        f" differ.\n{grid(head, rows)}"
    )
