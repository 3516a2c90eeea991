"""Which flagged pairs a host may be dropped by, and which hold it back.

Invariant: a host is dropped only for one that it is a flagged copy of by a margin, at which enough
of its pages stand, too, and of which it is neither a version, by pages at the same paths, nor a
translation: these do not stand in for each other. Source: docs/drops.md#drops.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from replicadb.arrays import Array, Bools, Floats, Ints
from replicadb.detection.kinds import LOOKS_LIKE, TOO_FEW
from replicadb.errors import LimitError
from replicadb.settings import CONSTANTS, PAIR_KINDS, Settings
from replicadb.stage_constants import DROPS
from replicadb.store.database import Database
from replicadb.store.statements import statements

STEM = "detect/74_drops"
LANGUAGES = "FROM identifiers WHERE kind = 'language'"

UNLIKELY, FEW_ELSEWHERE, UNLIKE, TRANSLATED, PINNED, APART, BOUND = 1, 2, 3, 4, 5, 6, 7
UNKNOWN, OTHER_LANGUAGE, BRANCH, COMMON = 8, 9, 10, 11
LEFT_OUT = 12
"""The first of the kinds that are not flagged, in their order, comes last."""
HELD = {
    UNLIKELY: "not likely enough to drop a host",
    FEW_ELSEWHERE: "many of its pages do not stand at the other",
    UNLIKE: "pages at the same paths differ",
    TRANSLATED: f"it looks {LOOKS_LIKE['translation']}",
    PINNED: "decided: it is to be kept",
    APART: "decided: it is no replica of another host of that group",
    BOUND: "decided: it is in a group with another host",
    UNKNOWN: "too few of its pages are known to stand there",
    OTHER_LANGUAGE: "its pages are in another language",
    BRANCH: "names say branches of one brand, and it has contents of its own",
    COMMON: "it has nothing but a few pages that many hosts have",
    **{
        code: f"{TOO_FEW} (pages_to_fetch, --kinds)"
        if kind == "thin"
        else f"it looks {LOOKS_LIKE[kind]}, and such pairs are not flagged (--kinds)"
        for code, kind in enumerate(PAIR_KINDS, LEFT_OUT)
    },
}
"""What holds a drop back, in words."""
MEASURED = ("pages", "elsewhere", "not_compared", "same_paths", "unlike")
"""Columns of sql/detect/74_drops that are kept."""
JUDGED = ("differ", "part", "other_language", "equal", "common")
"""Its others, by which a drop is judged."""


def least_probability(settings: Settings) -> float:
    """Of a pair that a host may be dropped by; who sets --min-probability has decided."""
    least, asked = DROPS.least_probability, settings.min_probability
    return least if asked is None else min(asked, least)


@dataclass(frozen=True)
class Doubts:
    """What makes a flagged pair no sure ground for a drop."""

    unsure: Bools
    """(m,) whether it is less likely than a sure one."""
    other_names: Bools
    """(m,) whether the two names are not alike."""
    branches: Bools
    """(m,) whether names say that one of the two is a branch of a brand."""


@dataclass
class Drops:
    """Ways to drop a host for another: each flagged pair both ways round. m ways."""

    host: Ints
    """(m,) the place of the host that would go."""
    keep: Ints
    """(m,) of the host that would stay."""
    pair: Ints
    """(m,) the flagged pair, from 0, the likeliest first."""
    held: Ints
    """(m,) what holds it back, a key of HELD; 0 for nothing so far."""
    decided: Bools
    """(m,) whether a person decided that the two are replicas: then no doubt holds it back."""
    twin: Ints
    """(m,) the way of the same pair the other way round."""
    doubts: Doubts
    """Of the flagged pairs."""
    measured: Ints
    """(m, 5) pages of the host, those that stand at the other, those of which nobody knows, paths
    that both have, pages there that are unlike (MEASURED); -1 until measured.
    """

    @classmethod
    def of(
        cls,
        a: Ints,
        b: Ints,
        probability: Floats,
        translated: Bools,
        settings: Settings,
        decided: Bools | None = None,
        left_out: Array | None = None,
        doubts: Doubts | None = None,
    ) -> Drops:
        """Those of flagged pairs of hosts a and b, their places.

        Args:
            probability: (m,) NaN = method paper has none. translated: (m,) whether the two look
                like translations of each other. decided: (m,) whether a person decided that they
                are replicas. left_out: (m,) the kind for which they are not flagged; None = they
                are. doubts: None = no doubts.
        """
        m = len(a)
        decided = np.zeros(m, bool) if decided is None else decided
        unlikely = probability < least_probability(settings)
        doubt = np.where(unlikely, UNLIKELY, np.where(translated, TRANSLATED, 0))
        if left_out is not None:
            for code, kind in enumerate(PAIR_KINDS, LEFT_OUT):
                doubt[left_out == kind] = code
        held = np.tile(np.where(decided, 0, doubt), 2)
        ways, host = np.arange(2 * m), np.concatenate([a, b])
        return cls(
            host,
            np.concatenate([b, a]),
            np.tile(np.arange(m), 2),
            held.astype(np.int64),
            np.tile(decided, 2),
            (ways + m) % max(2 * m, 1),
            doubts or Doubts(*np.zeros((3, m), bool)),
            np.full((2 * m, len(MEASURED)), -1, np.int64),
        )

    @property
    def open(self) -> Bools:
        """(m,) the ways that nothing holds back."""
        free: Bools = self.held == 0
        return free

    def chosen(self, centre: Ints) -> Ints:
        """(k,) the open ways by which hosts go: one for each host that is not its own centre.

        Args:
            centre: (n,) each host's centre.
        """
        return np.flatnonzero(self.open & (centre[self.host] == self.keep))

    def add(self, host: Ints, keep: Ints, pair: Ints) -> None:
        """Open further ways that decisions give, (k,) each; one that is there is opened."""
        there = np.flatnonzero(self.held > 0)
        size = int(max(self.host.max(initial=0), self.keep.max(initial=0))) + 1
        wanted = host * size + keep
        closed = there[np.isin(self.host[there] * size + self.keep[there], wanted)]
        self.held[closed] = 0
        self.decided[closed] = True
        new = ~np.isin(wanted, self.host * size + self.keep)
        m, k = len(self.host), int(new.sum())
        self.host = np.concatenate([self.host, host[new]])
        self.keep = np.concatenate([self.keep, keep[new]])
        self.pair = np.concatenate([self.pair, pair[new]])
        self.held = np.concatenate([self.held, np.zeros(k, np.int64)])
        self.decided = np.concatenate([self.decided, np.ones(k, bool)])
        self.twin = np.concatenate([self.twin, np.arange(m, m + k)])  # none: itself
        self.measured = np.concatenate([self.measured, np.full((k, len(MEASURED)), -1, np.int64)])

    def hold_back(self, db: Database, ways: Ints, host_id: Ints, max_pairs: int = 0) -> int:
        """Measure those of these ways that were not measured yet, and hold back those that lose too
        much.

        Args:
            ways: (k,) rows, each of another host. host_id: (n,) by place.
            max_pairs: pages at equal paths that may be compared; 0 for any number.

        Returns:
            How many were held back just now.

        Raises:
            LimitError: more pages would be compared.
        """
        new = ways[self.measured[ways, 0] < 0]
        if not len(new):
            return 0
        chosen, every = (
            {"host_id": host_id[self.host[at]], "keep_id": host_id[self.keep[at]]}
            for at in (new, ways)
        )
        with (
            db.registered("chosen_drops", pa.table(chosen)),
            db.registered("all_drops", pa.table(every)),
        ):
            found = _standing(db, max_pairs)
        self.measured[new] = 0  # a host without pages has no row
        at = new[np.argsort(chosen["host_id"])]
        rows = at[np.searchsorted(np.sort(chosen["host_id"]), found["host_id"])]
        self.measured[rows] = np.column_stack([found[name] for name in MEASURED])
        self.judge(new, *(self._by_way(rows, found[name]) for name in JUDGED))
        return int((self.held[new] > 0).sum())

    def _by_way(self, rows: Ints, values: Ints) -> Ints:
        """(m,) the values of these ways, 0 of all others."""
        found = np.zeros(len(self.host), np.int64)
        found[rows] = values
        return found

    def judge(
        self, new: Ints, both_ways: Ints, part: Ints, foreign: Ints, equal: Ints, common: Ints
    ) -> None:
        """Hold back those of the ways ``new`` that lose too much, by what was measured of them
        and, (m,) each, by JUDGED. The reason that comes last counts.
        """
        pages, elsewhere, not_compared, same_paths, unlike = self.measured[new].T
        may_stand = elsewhere + not_compared
        unsure, other_names, branches = (
            of_pair[self.pair[new]]
            for of_pair in (self.doubts.unsure, self.doubts.other_names, self.doubts.branches)
        )
        most = DROPS.most_unlike * same_paths + 1
        few = elsewhere < DROPS.least_elsewhere * pages
        many = unsure & (pages >= DROPS.many_pages)
        reasons = (
            (COMMON, unsure & other_names & (common[new] > 0)),
            (BRANCH, branches & (pages - equal[new] > DROPS.own_of_branch * pages + 1)),
            (UNKNOWN, many & (elsewhere < DROPS.known_of_many * may_stand)),
            (UNKNOWN, elsewhere < DROPS.least_known * may_stand),
            (FEW_ELSEWHERE, (may_stand < DROPS.least_elsewhere * pages) | (part[new] > 0)),
            (OTHER_LANGUAGE, few & (foreign[new] > 0)),
            (UNLIKE, unlike > most),
        )
        for reason, holds in reasons:
            self.held[new[holds & ~self.decided[new]]] = reason
        for reason, holds in ((COMMON, reasons[0][1]), (UNLIKE, both_ways[new] > most)):
            self.held[self.twin[new[holds & ~self.decided[new]]]] = reason  # either way round

    def holding(self, centre: Ints, old: Bools | None = None) -> Ints:
        """(k,) the ways that are held back between two hosts that both stay: for each host that
        would have gone its likeliest. Of the two, a host that others are dropped for would stay;
        with a reference load, its host would. Where the other way is open, the host of this one
        would have gone: the other stays since hosts are dropped for it.

        Args:
            centre: (n,) each host's centre. old: (n,) whether it is of the reference load; None =
                there is none.
        """
        stays = centre == np.arange(len(centre))
        alone = (np.bincount(centre, minlength=len(centre)) < 2).astype(np.int64)
        goes = alone * len(centre) + np.arange(len(centre)) if old is None else 1 - old
        would_go = goes[self.host] > goes[self.keep]
        if old is None:
            would_go |= self.open[self.twin]
        rows = np.flatnonzero((self.held > 0) & stays[self.host] & stays[self.keep] & would_go)
        rows = rows[np.argsort(self.pair[rows], kind="stable")]
        _, first = np.unique(self.host[rows], return_index=True)
        return rows[first]

    def why_held(self, rows: Ints) -> Array:
        """(k,) texts."""
        return np.array(["", *HELD.values()], object)[self.held[rows]]


def _standing(db: Database, max_pairs: int) -> dict[str, Array]:
    """What sql/detect/74_drops measures, by column. Raises LimitError: see hold_back."""
    words = {"same_words": DROPS.same_words, "least_words": DROPS.least_words}
    measures = {
        "close_percent": CONSTANTS.close_percent,
        "own_of_larger": DROPS.own_of_larger,
        "few_contents": DROPS.few_contents,
        "many_hosts": DROPS.many_hosts,
    }
    with db.temporary():
        for name in ("chosen_pages", "asked_pages", "kept_pages"):
            db.run(STEM, only=name)
        _refuse_many(db, max_pairs)
        texts = db.value("SELECT count(*) FROM (FROM page_contents LIMIT 1)")
        db.run(STEM, words, only="lost_texts" if texts else "no_lost_texts")
        db.run(STEM, only="named_hosts")
        editions = db.value(statements(STEM)["may_be_editions"])
        if editions:
            db.run_once("functions/50_edition_names")
        db.run(STEM, only="edition_drops" if editions else "no_edition_drops")
        languages = db.value(f"SELECT count(*) FROM ({LANGUAGES} LIMIT 1)")
        if languages:
            db.run_once("functions/75_newest_said")
        db.run(STEM, only="foreign_hosts" if languages else "no_foreign_hosts")
        return db.arrays(statements(STEM)["standing"], measures)


def _refuse_many(db: Database, max_pairs: int) -> None:
    """Raises LimitError where more pages at equal paths would be compared."""
    if not max_pairs or db.value(statements(STEM)["most_comparisons"]) <= max_pairs:
        return
    expected = db.value(statements(STEM)["expected_comparisons"])
    if expected > max_pairs:
        raise LimitError(
            f"{expected:,} pairs of pages at equal paths would be compared to see what drops lose,"
            f" more than --max-pairs {max_pairs:,}; raise it"
        )
