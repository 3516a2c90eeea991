"""What a reader must know of the data before the figures: what they cannot say, and why.

Invariant: a note follows from the crawl and the gold alone, not from any method's scores.
"""

from __future__ import annotations

import numpy as np

from replicadb.counted import counted
from replicadb.evaluation.context import Context
from replicadb.evaluation.judge import Judge
from replicadb.store.database import Database


def notes(context: Context, judge: Judge) -> list[str]:
    """Plain sentences; [] where there is nothing to mind."""
    found = [
        _no_obvious(context),
        _no_others(judge),
        _no_intervals(judge),
        _labelled(context),
    ]
    return [note for note in found if note]


def _no_obvious(context: Context) -> str:
    return (
        ""
        if context.obvious.any()
        else (
            "0 obvious replicas to learn from: PU data have no example of a replica, so figures of"
            " what is learned from them (paper-pu, PU in the tables) say nothing; robust weighs"
            " evidence as learned beforehand, and is not cross-validated, for a fold would hold out"
            " nothing that it learns from"
        )
    )


def _no_others(judge: Judge) -> str:
    return (
        ""
        if judge.others.any()
        else (
            "no pair that is compared is a non-replica: precision of flags, FPR, AUC and RR cannot"
            " be measured; average precision and precision at n say nothing"
        )
    )


def _no_intervals(judge: Judge) -> str:
    """Intervals are over replica groups; one group cannot be resampled."""
    for groups, which in (
        (judge.groups, "replicas"),
        (judge.groups[judge.non_obvious], "non-obvious replicas"),
    ):
        if len(np.unique(groups)) == 1:
            return (
                f"all {which} that are compared lie in one connected group: intervals come from"
                f" resampling such groups, so figures of {which} have none"
            )
    return ""


def _labelled(context: Context) -> str:
    if context.gold.replicas_alone:
        return (
            "the gold's column label calls no pair a non-replica, so every candidate that it does"
            " not name counts as one; where it does not name every replica, label one pair not:"
            " then only pairs that it names count"
        )
    return (
        ""
        if not context.gold.labelled
        else (
            "only pairs that the gold labels drop hosts, but RR is a share of all duplicate URLs of"
            " the crawl: it compares methods and is not what dropping all replicas would save"
        )
    )


def left_aside(db: Database) -> str:
    """That decisions are not gone by, though a detection goes by them; '' where there is none."""
    n = db.value("SELECT (SELECT count(*) FROM decisions) + (SELECT count(*) FROM pins)")
    return (
        f"left aside: {counted(n, 'decision')} (label, review): methods go by evidence alone here,"
        " so detect may flag other pairs; the drops go by decisions"
        if n
        else ""
    )


def connected(context: Context) -> str:
    """Which candidates are neither right nor wrong, though the gold has replicas alone; '' where
    there is none.
    """
    n = int(context.connected.sum())
    return (
        f"not compared: {counted(n, 'candidate')} that the gold does not name, of two hosts that it"
        " connects through others; they may be replicas, and count where they are named"
        if n
        else ""
    )
