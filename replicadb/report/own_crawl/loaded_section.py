"""What was loaded and what was left out, by load, with the reasons.

Invariant: read = kept + replaced + skipped + rejected stands as it was counted.
"""

from __future__ import annotations

from typing import Any

from replicadb.load.load_options import by_folder, named
from replicadb.report import table_html
from replicadb.report.safe_text import count, esc

Row = dict[str, Any]
UNFOLDED = 20
"""Of more loads those of one folder share a row."""
LOADS = 200
"""Rows of the table of loads."""


def loaded_section(inventory: Row, findings: Row) -> str:
    """Loads, reasons, and what else is known of the crawl."""
    loads = by_folder(inventory["loads"], UNFOLDED)
    names = ("files", "read", "kept", "replaced", "skipped", "rejected")
    out = table_html.table(
        "Loads" if len(loads) <= LOADS else f"The first {LOADS} of {len(loads):,} loads",
        ["load", *names],
        [
            [f"<bdi>{esc(named(load, alone=''))}</bdi>", *(count(load[name]) for name in names)]
            for load in loads[:LOADS]
        ],
        note=(
            "read = kept (URLs that were new) + replaced (further captures of a URL; the newest"
            " counts) + skipped on purpose + rejected"
        ),
    )
    reasons = [
        _reasons("Skipped on purpose", inventory["skip_reasons"]),
        _reasons("Rejected", inventory["reject_reasons"]),
        _reasons("Links left out", inventory["link_skip_reasons"]),
    ]
    return f'{out}<div class="side">{"".join(reasons)}</div>\n{_facts(inventory, findings)}'


def _reasons(caption: str, rows: list[Row]) -> str:
    if not rows:
        return ""
    cells = [[f"<bdi>{esc(_named(row))}</bdi>", count(row["n"])] for row in rows]
    return table_html.table(caption, ["reason", "rows"], cells, kind="facts")


def _named(row: Row) -> str:
    """The reason; of a link its kind, too, for kinds have reasons alike."""
    return f"{row['kind']}: {row['reason']}" if "kind" in row else str(row["reason"])


def _facts(inventory: Row, findings: Row) -> str:
    kinds = ", ".join(f"{one['kind']} {one['urls']:,}" for one in inventory["fingerprints"])
    rows = [
        ("A site is", str(inventory["site"])),
        ("URLs by fingerprint", kinds or "none"),
        ("Addresses", count(inventory["addresses"])),
        ("Redirects", count(inventory["redirects"])),
        ("Canonical links", count(inventory["canonicals"])),
        ("Out-links", count(inventory["outlinks"])),
        ("Pages with content", count(inventory["page_contents"])),
    ]
    if findings["detected"]:
        totals = findings["totals"]
        rows += [
            ("Contents on too many hosts, left out", count(totals["skipped_clusters"])),
            ("Hosts of which half the pages are such: likely copies", count(totals["mass_copies"])),
        ]
    return table_html.pairs(rows)
