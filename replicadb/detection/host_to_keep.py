"""Which host of a group stays: what hosts say themselves, then the criteria of ``--keep``.

Invariant: the order is total, so the same crawl keeps the same hosts; and of two hosts it can be
said which criterion decided between them. Source: docs/drops.md#host-to-keep.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Array, Bools, Ints, Whole
from replicadb.detection import decided
from replicadb.settings import KEEP, Settings
from replicadb.store.database import Database
from replicadb.store.site_spellings import spellings_in
from replicadb.store.statements import statements

WHY = {
    "pinned": "decided: it is to be kept",
    "named": "canonical links or redirects lead to it",
    "listed": "--keep names it",
    "answers": "the other answers no more",
    "https": "it has https",
    "links": "more hosts link to it",
    "contents": "more different pages of it are known",
    "urls": "more of its URLs are known",
    "domain": "it is a registered domain",
    "www": "its name begins with www",
    "bare": "its name has no www",
    "oldest": "it was captured first",
    "short": "its name is shorter",
    "name": "its name comes first",
}
"""What is said of a host that a criterion keeps."""
CENTRE = "more hosts are copies of it"
UNSAFE = "the other way round is not safe: "
"""Before what holds its drop back, where a criterion would rather keep the other host."""
REFERENCE = "it is of the reference load"


@dataclass(frozen=True)
class KeepOrder:
    """The flagged hosts, the one rather kept first. n hosts; a host is its place here."""

    host_id: Ints
    """(n,)"""
    names: Ints
    """(n,) the place of the host that most of its canonical links and redirects name, -1 for
    none.
    """
    criteria: dict[str, Ints]
    """(n,) by name, the weightiest first; higher is rather kept."""

    @property
    def tiers(self) -> Ints:
        """(n,) which hosts become centres first: pinned ones, then those that others name."""
        pinned = self.criteria.get("pinned", np.zeros(len(self.host_id), np.int64))
        return 3 * pinned + self.criteria["named"]

    def place(self, host_id: Whole) -> Ints:
        """(m,) the places of hosts."""
        places = np.zeros(int(self.host_id.max(initial=-1)) + 1, np.int64)
        places[self.host_id] = np.arange(len(self.host_id))
        found: Ints = places[host_id]
        return found

    def why(self, kept: Ints, dropped: Ints, held: Array) -> Array:
        """(m,) texts: what tells each kept host from the one that is dropped for it.

        Args:
            held: (m,) what holds back the drop the other way round, empty for nothing.
        """
        texts = np.where(held == "", CENTRE, UNSAFE + held)
        told_apart = np.zeros(len(kept), bool)
        for name, values in self.criteria.items():
            differ = ~told_apart & (values[kept] != values[dropped])
            texts[differ & (values[kept] > values[dropped])] = WHY[name]
            told_apart |= differ
        return texts


def keep_order(db: Database, settings: Settings) -> KeepOrder:
    """The hosts of the temporary table ``flagged_pairs`` (a_id, b_id) in their order."""
    wanted = settings.keep.split(",")
    sql = statements("detect/72_host_to_keep")
    failures = db.value("SELECT count(*) > 0 FROM later_failures")
    db.run_once("functions/60_hosts")
    found = db.arrays(sql["criteria"], {"oldest": "oldest" in wanted, "failures": failures})
    said = dict.fromkeys(("host_id", "to_id"), np.zeros(0, np.int64))
    if db.value("SELECT count(*) FROM (FROM links LIMIT 1)"):
        db.run_once("functions/75_newest_said")
        said = db.arrays(sql["named"])
    flagged = db.arrays("SELECT a_id, b_id FROM flagged_pairs")
    names = _names(found["host_id"], said, flagged)
    meant = spellings_in(db)
    asked = {name for item in wanted if item not in KEEP for name in meant(item)}
    kept = decided.kept_hosts(db)
    criteria = {
        **({"pinned": np.isin(found["host_id"], kept).astype(np.int64)} if len(kept) else {}),
        "named": _tiers(names),
        "listed": np.isin(found["host"].astype(str), sorted(asked)).astype(np.int64),
        **{
            name: found[name].astype(np.int64)
            for name in ("answers", *wanted, "name")
            if name in found
        },
    }
    order = np.lexsort([-values for values in reversed(criteria.values())])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return KeepOrder(
        found["host_id"][order].astype(np.int64),
        np.where(names >= 0, place[names], -1)[order],
        {name: values[order] for name, values in criteria.items()},
    )


def _names(host_id: Array, said: dict[str, Array], flagged: dict[str, Array]) -> Ints:
    """(n,) the row of the flagged copy that each host names, and that does not name it back; -1
    for none.
    """
    size = int(host_id.max(initial=-1)) + 1
    row, to = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    row[host_id] = np.arange(len(host_id))
    known = said["to_id"] < size
    to[said["host_id"][known]] = said["to_id"][known]
    names = np.full(len(host_id), -1, np.int64)
    for x, y in (("a_id", "b_id"), ("b_id", "a_id")):
        one, other = flagged[x], flagged[y]
        one_sided: Bools = (to[one] == other) & (to[other] != one)
        names[row[one[one_sided]]] = row[other[one_sided]]
    return names


def _tiers(names: Ints) -> Ints:
    """(n,) 2 for a host that others name, 0 for one that names another, 1 for the rest."""
    tiers = np.ones(len(names), np.int64)
    tiers[names[names >= 0]] = 2
    tiers[names >= 0] = 0
    return tiers
