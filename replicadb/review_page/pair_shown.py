"""What the page shows of the current pair, as values that JSON can hold.

Invariant: every text has passed :func:`replicadb.report.safe_text.clean`; an address to follow is
given only where it is http or https and nothing in it had to be made visible.
"""

from __future__ import annotations

from typing import Any

from replicadb.explanation.words import fate_in_words, languages
from replicadb.report.safe_text import clean
from replicadb.review import Review

GROUNDS = 6
"""Pieces of evidence for, as many against, and as many that are not known."""
LONGEST_TEXT = 600
"""Characters of a page's text."""


def state(walk: Review, turn: int, pages: int) -> dict[str, Any]:
    """Everything that the page draws.

    Args:
        turn: the number of the step that comes next.
        pages: so many pairs of pages that are equal, and so many that are not.
    """
    shown: dict[str, Any] = {
        "turn": turn,
        "pair": None,
        "database": clean(walk.path),
        "progress": walk.progress(),
        "contradictions": [clean(line, 2000) for line in walk.contradictions()],
    }
    if pair := walk.current():
        shown |= {"pair": [clean(host) for host in pair], **_explained(walk, pages)}
    return shown


def _explained(walk: Review, pages: int) -> dict[str, Any]:
    found = walk.evidence(pages)
    shared, differing = found["pages"]["shared"], found["pages"]["differing"]
    urls = [
        row[key] for row in [*shared["first"], *differing["first"]] for key in ("url_a", "url_b")
    ]
    texts = walk.texts(urls, LONGEST_TEXT)
    weighed = [row for row in found["evidence"] if row["contribution"]]
    known = [row for row in weighed if row["value"] is not None]
    unknown = [row for row in weighed if row["value"] is None]
    return {
        "verdict": clean(found["verdict"], 2000) + ".",
        "hosts": [
            {"host": clean(found[key]["host"]), "urls": found[key]["urls"]} for key in ("a", "b")
        ],
        "for": [_ground(row) for row in known if row["contribution"] > 0][:GROUNDS],
        "against": [_ground(row) for row in known if row["contribution"] < 0][:GROUNDS],
        "unknown": [_ground(row) for row in unknown][:GROUNDS],
        "known": [] if weighed else [_ground(row) for row in found["evidence"]][:GROUNDS],
        "fates": [
            *([clean(languages(found["languages"]), 2000)] if found["languages"] else []),
            *(clean(fate_in_words(fate), 2000) for fate in found["groups"]),
        ],
        "shared": {
            "n": shared["n"],
            "files": shared.get("files", 0),
            "rows": [_sides(row, texts) for row in shared["first"]],
        },
        "differing": {
            "n": differing["n"],
            "rows": [_sides(row, texts) for row in differing["first"]],
        },
    }


def _ground(row: dict[str, Any]) -> dict[str, Any]:
    return {"words": clean(row["words"]), "adds": row["contribution"], "below": row["below"]}


def _sides(row: dict[str, Any], texts: dict[str, str]) -> list[dict[str, Any]]:
    """Two pages beside each other."""
    return [
        {
            "url": clean(row[f"url_{side}"], 500),
            "follow": _followed(row[f"url_{side}"]),
            "title": clean(row.get(f"title_{side}") or ""),
            "text": clean(texts.get(row[f"url_{side}"]) or "", LONGEST_TEXT),
        }
        for side in "ab"
    ]


def _followed(url: str) -> str | None:
    plain = clean(url, len(url)) == url
    return url if plain and url.startswith(("http://", "https://")) else None
