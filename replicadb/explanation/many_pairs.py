"""Many pairs of hosts at once: what ``explain`` says of one, set at a time.

Invariant: contributions and words are those of ``explain``. Two things are said otherwise, for many
pairs cost less so: what two hosts share is listed by content and not by pair of URLs, and the share
of candidates that have less is of a sample where they are more than SAMPLE.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.arrays import Array, Floats
from replicadb.detection.evidence import EVIDENCE
from replicadb.explanation.rule_votes import rule_votes
from replicadb.explanation.words import phrase
from replicadb.store.database import Database
from replicadb.store.statements import statements

SAMPLE = 200_000
"""Candidates that a pair's evidence is compared with, about."""
SQL = "explain/30_many_pairs"
Rows = list[dict[str, Any]]


def explain_many(
    db: Database, a_id: Sequence[int], b_id: Sequence[int], pages: int = 5
) -> dict[str, Any]:
    """Evidence, neighbours, pages and rules of many candidate pairs.

    Args:
        a_id, b_id: n host ids of candidate pairs, as pair_features has them.
        pages: so many contents at most that two hosts share, and paths that differ.

    Returns:
        A dict of plain values. ``features``: f names. ``words``: distinct texts. ``evidence``: of
            each pair f rows (place in ``words``, contribution in log odds or None, share of
            candidates that have less or None). ``neighbours``, ``shared``, ``differing``: by place
            of the pair, where there are any. ``rules``: by pattern (method paper), else None.

    Complexity: one pass over the candidates, one over the URLs; memory grows with n.
    """
    sql = statements(SQL)
    chosen = pa.table(
        {
            "place": pa.array(range(len(a_id)), pa.int32()),
            "a_id": pa.array(a_id, pa.int32()),
            "b_id": pa.array(b_id, pa.int32()),
        }
    )
    with db.temporary(), db.registered("chosen_pairs", chosen):
        values = db.arrays(sql["features"])
        words, place = _worded(values)
        numbers = zip(place, _contributions(db, len(a_id)), _below(db, values), strict=True)
        for name in ("sides", "shared_contents", "differing_paths", "shown_pages", "shown_urls"):
            db.run(SQL, {"pages": pages}, only=name)
        return {
            "features": [piece.name for piece in EVIDENCE],
            "words": words,
            "evidence": [list(zip(*of_pair, strict=True)) for of_pair in numbers],
            "neighbours": _by_place(db.arrow(sql["neighbours"]).to_pylist()),
            "shared": _by_place(db.arrow(sql["shared"]).to_pylist()),
            "differing": _by_place(db.arrow(sql["differing"]).to_pylist()),
        }


def rules_of(db: Database, patterns: list[int], most: int) -> dict[int, dict[str, Any]]:
    """Method paper: as :func:`rule_votes`, with so many rules of each learner at most."""
    found = rule_votes(db, sorted(set(patterns)))
    for votes in found.values():
        for data in ("PU", "NU"):
            votes[data]["rules"] = votes[data]["rules"][:most]
    return found


def _worded(values: dict[str, Array]) -> tuple[list[str], list[list[int]]]:
    """Distinct texts, and for each pair the places of its pieces of evidence among them."""
    words: list[str] = []
    places = []
    for piece in EVIDENCE:
        distinct, number = np.unique(values[piece.name].astype(float), return_inverse=True)
        places.append(number + len(words))
        known = [None if np.isnan(value) else float(value) for value in distinct]
        words += [phrase(piece.name, value) for value in known]
    return words, np.column_stack(places).tolist()


def _contributions(db: Database, n: int) -> list[list[float | None]]:
    """(n, f): what each piece of evidence adds to the strength; None where it is not weighed."""
    db.run(SQL, only="binned")
    rows = db.arrays(statements(SQL)["contributions"])
    column = {piece.name: i for i, piece in enumerate(EVIDENCE)}
    table = np.full((n, len(EVIDENCE)), np.nan)
    if len(rows["place"]):
        at = [column[feature] for feature in rows["feature"].tolist()]
        table[rows["place"], at] = rows["contribution"]
    return _plain(table.round(3))


def _below(db: Database, values: dict[str, Array]) -> list[list[float | None]]:
    """(n, f): the share of candidates that have less of each piece of evidence."""
    candidates = db.value("SELECT count(*) FROM pair_features")
    sample = db.arrays(statements(SQL)["sample"], {"one_in": max(1, candidates // SAMPLE)})
    shares = []
    for piece in EVIDENCE:
        mine, others = (of[piece.name].astype(float) for of in (values, sample))
        known = np.sort(others[~np.isnan(others)])
        less = np.searchsorted(known, mine, side="left") / max(len(known), 1)
        shares.append(np.where(np.isnan(mine), np.nan, less))
    return _plain(np.column_stack(shares).round(4))


def _plain(table: Floats) -> list[list[float | None]]:
    """NaN as None."""
    found = table.astype(object)
    found[np.isnan(table)] = None
    rows: list[list[float | None]] = found.tolist()
    return rows


def _by_place(rows: Rows) -> dict[int, Rows]:
    found: dict[int, Rows] = defaultdict(list)
    for row in rows:
        found[row.pop("place")].append(row)
    return dict(found)
