"""A review: undecided pairs that are in doubt, one after the other, each decision kept at once
(docs/drops.md#review).

Invariant: a decision is in the database when ``decide`` returns, and is not when it raises; then
the pair is still the current one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.decisions import decision_store
from replicadb.errors import DataError, UsageError
from replicadb.explanation.explain import explain
from replicadb.learning.calibration import Curve, taught
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.store.database import Database
from replicadb.store.run_log import need_detection
from replicadb.store.statements import statements

BATCH, MOST = 5, 20_000
"""Pairs that are queued at a time, and pairs that they are chosen from."""
SOURCE = "review"
Pair = tuple[str, str]
SCHEMA = pa.schema([("host_a", pa.string()), ("host_b", pa.string())])


class Review:
    """The pairs of the last detection, for one person.

    Raises:
        DataError: no detection yet.
    """

    def __init__(self, db: Database) -> None:
        need_detection(db)
        self._db = db
        self._queue: list[Pair] = []
        self._strength: dict[Pair, float | None] = {}
        self._skipped: list[Pair] = []
        self._done: list[tuple[Pair, bool | None]] = []

    @property
    def decided(self) -> int:
        """Pairs decided in this review and not taken back."""
        return sum(replica is not None for _, replica in self._done)

    @property
    def skipped(self) -> int:
        """Pairs left for another time."""
        return len(self._skipped)

    @property
    def path(self) -> str:
        """The database."""
        return self._db.path

    def progress(self) -> dict[str, Any]:
        """How far it is: ``decided`` and ``skipped`` here, ``decisions`` of all reviews and files,
        ``candidates`` pairs, ``middling`` those between .1 and .9 (None under method paper).
        """
        counted = self._db.rows(statements("review/30_progress")["progress"])[0]
        return {
            "decided": self.decided,
            "skipped": self.skipped,
            **dict(zip(("decisions", "candidates", "middling"), counted, strict=True)),
        }

    def contradictions(self) -> list[str]:
        """What is decided twice over, a line each; until somebody takes one of the two back."""
        return decision_store.contradictions(self._db)

    def texts(self, urls: list[str], longest: int = 600) -> dict[str, str]:
        """The first characters of pages of the current pair, where their texts are loaded."""
        rows = pa.table({"url": pa.array(urls, pa.string())})
        a, b = self._need_pair()
        with self._db.temporary(), self._db.registered("shown_urls", rows):
            stage_texts(self._db)
            found = self._db.rows(
                statements("review/20_shown_texts")["shown_texts"],
                {"a": a, "b": b, "longest": longest},
            )
        return dict(found)

    def current(self) -> Pair | None:
        """The pair to look at; None where nothing is left."""
        if not self._queue:
            skipped = pa.Table.from_pylist(
                [dict(zip(SCHEMA.names, pair, strict=True)) for pair in self._skipped],
                schema=SCHEMA,
            )
            curve = self._curve()
            given = {
                "most": MOST,
                "n": BATCH,
                "slope": curve and curve.slope,
                "even": curve and curve.even,
            }
            with self._db.registered("skipped", skipped):
                rows = self._db.rows(statements("review/10_queue")["queue"], given)
            self._queue = [(a, b) for a, b, _, _, _ in rows]
            self._strength |= {(a, b): strength for a, b, _, _, strength in rows}
        return self._queue[0] if self._queue else None

    def evidence(self, pages: int = 5) -> dict[str, Any]:
        """What :func:`replicadb.explanation.explain.explain` says of the current pair.

        Raises:
            DataError: there is none.
        """
        return explain(self._db, *self._need_pair(), pages)

    def decide(self, replica: bool) -> list[str]:
        """Keep the decision on the current pair and go to the next; contradictions, a line each.

        Raises:
            UsageError: replica is neither True nor False. DataError: there is no pair, or somebody
                decided otherwise meanwhile. duckdb.Error: it could not be written. Nothing is kept
                then.
        """
        if not isinstance(replica, bool):
            raise UsageError(f"a decision is True (a replica) or False (none), not {replica!r}")
        pair = self._need_pair()
        label = "replica" if replica else "no replica"
        result = decision_store.take(self._db, label, *pair, source=SOURCE)
        self._done.append((pair, replica))
        self._queue.pop(0)
        return [note for note in result.notes if note.startswith("contradiction")]

    def skip(self) -> None:
        """Leave the current pair for another time.

        Raises:
            DataError: there is none.
        """
        pair = self._need_pair()
        self._skipped.append(pair)
        self._done.append((pair, None))
        self._queue.pop(0)

    def undo(self) -> Pair | None:
        """Take the last step back; its pair is the current one again. None where there was none."""
        if not self._done:
            return None
        pair, replica = self._done[-1]
        if replica is None:
            self._skipped.remove(pair)
        else:
            decision_store.remove(self._db, *pair)
        self._done.pop()
        self._queue.insert(0, pair)
        return pair

    def _curve(self) -> Curve | None:
        """The curve of the last detection as the answers of this review move it; None under method
        paper, which has none.
        """
        stored = dict(self._db.rows(statements("review/10_queue")["curve"]))
        if not stored:
            return None
        curve = Curve(stored["log_odds_slope"], stored["log_odds_even"])
        known = [(self._strength[pair], yes) for pair, yes in self._done if yes is not None]
        strength = np.array([each for each, _ in known], float)
        replica = np.array([yes for _, yes in known], bool)
        return taught(curve, strength, replica, np.ones(len(known)))

    def _need_pair(self) -> Pair:
        pair = self.current()
        if pair is None:
            raise DataError(f"{self._db.path}: no undecided pair is left to look at")
        return pair
