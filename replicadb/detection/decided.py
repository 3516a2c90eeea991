"""What people decided, put over the ranking: decided replicas are flagged, decided others are not
(docs/drops.md#decided, sql/detect/68_decided).

Invariant: where nothing was decided nothing is read, written or computed otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Array, Floats, Whole
from replicadb.decisions import decision_store
from replicadb.detection.collective import MILLION
from replicadb.learning import class_prior
from replicadb.settings import WEIGHT_SCALE, Settings
from replicadb.store.database import Database
from replicadb.store.statements import statements

STEM = "detect/68_decided"
TOP, BOTTOM = 2_147_483_646, -2_147_483_647
"""Score ids that no match weight and no pattern has."""


def gather(db: Database) -> bool:
    """Make the temporary table loaded_decisions (sql/detect/68_decided): what was decided on hosts
    that are loaded. Returns whether there is anything that binds.
    """
    if not decision_store.anything(db):
        return False
    db.run_once("functions/60_hosts")
    db.run(STEM, only="loaded_decisions")
    return True


@dataclass(frozen=True)
class DecidedCandidates:
    """Decided candidates by their match weight; k distinct pairs of weight and decision."""

    score_id: Array
    """(k,) millionths."""
    replica: Array
    """(k,) bool."""
    n: Whole
    """(k,) pairs; 0 where they are not counted."""
    mass: Floats
    """(k,) what they count for."""

    @property
    def members(self) -> tuple[float, float]:
        """What replicas and others count for in all."""
        return float(self.mass[self.replica].sum()), float(self.mass[~self.replica].sum())

    def beside(self, score_id: Array, counts: Whole | Floats, by_mass: bool = False) -> Floats:
        """(m,) what is left of the counts of match weights without the decided pairs.

        Args:
            score_id: (m,) rising; all of those here are among them.
            by_mass: take away what they count for, not how many they are.
        """
        left = np.array(counts, float)
        if len(self.score_id):
            gone = self.mass if by_mass else self.n
            np.subtract.at(left, np.searchsorted(score_id, self.score_id), gone)
        rest: Floats = np.maximum(left, 0.0)
        return rest


def near_candidates(db: Database) -> DecidedCandidates:
    """The decided ones among the near candidates, by what sql/detect/60_near_candidates counts."""
    given = {"likely": int(class_prior.LIKELY * MILLION), "scale": WEIGHT_SCALE}
    db.run_once("functions/60_hosts")
    column = db.arrays(statements(STEM)["near_candidates"], given)
    return _by_weight(column, np.zeros(len(column["mass"]), np.int64))


def all_candidates(db: Database) -> DecidedCandidates:
    """All decided candidates; those that were drawn by their evidence count, each host for about as
    much as any other.
    """
    column = db.arrays(statements(STEM)["all_candidates"], {"scale": WEIGHT_SCALE})
    return _by_weight(column, column["n"])


def _by_weight(column: dict[str, Array], n: Whole) -> DecidedCandidates:
    replica = column["replica"].astype(bool)
    return DecidedCandidates(column["score_id"], replica, n, column["mass"] / WEIGHT_SCALE)


def without_candidates(db: Database) -> None:
    """An empty temporary table ``scored``: decided replicas are there where nothing else is."""
    db.execute(
        "CREATE OR REPLACE TEMP TABLE scored (a_id INTEGER, b_id INTEGER, score_id INTEGER,"
        " tie FLOAT, shared INTEGER, ndist UTINYINT)"
    )


def put_in_place(db: Database, settings: Settings) -> None:
    """Before the ranking is made: fill ``decided``, and see to it that its pairs come first and
    last under method robust, and that those that were no candidates come at all.
    """
    given = {"robust": settings.method == "robust", "top": TOP, "bottom": BOTTOM}
    for name in ("decided", "sent_to_an_end", "added", "first_and_last"):
        db.run(STEM, given, only=name)


def kept_hosts(db: Database) -> Array:
    """(k,) the hosts of flagged_pairs that are pinned by ``keep``, rising."""
    if not db.value("SELECT count(*) FROM pins"):
        return np.zeros(0, np.int64)
    found: Array = db.arrays(statements(STEM)["kept_hosts"])["host_id"]
    return found


def between_flagged(db: Database) -> dict[str, Array]:
    """Decided pairs of hosts of flagged_pairs: a_id, b_id, replica, (k,) each."""
    if not db.value("SELECT count(*) FROM decided"):
        return {"a_id": np.zeros(0, int), "b_id": np.zeros(0, int), "replica": np.zeros(0, bool)}
    return db.arrays(statements(STEM)["between_flagged"])


def bind(db: Database) -> int:
    """Afterwards: flags by the decisions, match weights by the evidence again. How many pairs were
    bound.
    """
    given = {"top": TOP, "bottom": BOTTOM}
    for name in ("restored", "none_first_or_last", "never"):
        db.run(STEM, given, only=name)
    return int(db.value("SELECT count(*) FROM decided"))
