"""Gold: host pairs that are known to be replicas (or not), read from a CSV file and found in the
database.

Invariant: the order of the two hosts and the way their names are written do not matter
(gold_file.py); a pair counts once; nothing is dropped without being counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from replicadb.arrays import Array, Bools, Ints, Whole
from replicadb.errors import DataError, UsageError
from replicadb.evaluation.gold_file import HOSTS, ROW, read_table
from replicadb.learning.star_clusters import components
from replicadb.store.database import Database

SYNONYMS = {
    **dict.fromkeys(("replicas", "yes", "y", "true", "1", "1.0", "+"), "replica"),
    **dict.fromkeys(
        (
            *("no replica", "no replicas", "non-replica", "not a replica"),
            *("no", "n", "false", "0", "0.0", "-"),
        ),
        "not",
    ),
}
"""Other spellings of the two labels that have a meaning of their own: those of decisions, and the
numbers that pandas writes.
"""
YES = ("1", "true", "yes", "+")
"""In the column ambiguous."""
CAUSES = ("cause", "kind")
"""Columns that say why the two are replicas, the first one that is there."""


@dataclass(frozen=True)
class Gold:
    """The pairs of a gold file. Arrays are (n,) for n distinct pairs in the order of
    their names.
    """

    low: Ints
    """The smaller host_id of the pair; -1 where one of the hosts is unknown to
    the database.
    """
    high: Ints
    """The larger one; -1 likewise."""
    label: Whole
    """1 replica (by the positive labels chosen), 0 not, -1 left out of the comparison."""
    word: Array
    """What the gold calls the pair: replica, not, ambiguous, or another label's own name."""
    obvious: Bools
    """The names say it (docs/method.md#labels), candidate or not; of hosts that are not
    loaded, only www is seen.
    """
    cause: Array
    """Texts, '' where the file gives none."""
    group: Ints
    """The connected component of replicas that the pair lies in, from 0; -1 for
    other pairs.
    """
    members: Ints
    """(k, 2) the hosts of replicas that the database has, each once: host_id and component. Two of
    one component may be connected through hosts that the database has not.
    """
    labelled: bool
    """True when the file has non-replicas of its own: then only labelled pairs are compared."""
    replicas_alone: bool
    """Whether people's labels (no cause is given, as of planted pairs) call no pair a
    non-replica.
    """
    unknown_hosts: int
    """Distinct hosts in the file that the database does not have."""
    unknown_example: str
    """One of them; '' when there is none."""
    left_out: dict[str, int]
    """Pairs left out of the comparison, by reason."""
    names: pa.Table
    """host_a, host_b of the replicas."""

    @property
    def replicas(self) -> int:
        return int((self.label == 1).sum())

    def connects(self, a: Ints, b: Ints) -> Bools:
        """(n,) both hosts are in one component of replicas, named as a pair or not."""
        host, of = self.members.T
        component = np.full(max(ids.max(initial=0) for ids in (a, b, host)) + 1, -1)
        component[host] = of
        inside: Bools = (component[a] >= 0) & (component[a] == component[b])
        return inside


def read_gold(
    db: Database,
    path: str | Path,
    positive: tuple[str, ...] = ("replica",),
    with_ambiguous: bool = False,
) -> Gold:
    """Read a gold file.

    Columns: host_a, host_b; optional label (without it every row is a replica), ambiguous (1 leaves
    a row out), cause or kind. Others are passed over.

    Args:
        db: the database whose hosts are meant.
        positive: labels that count as replicas; rows whose label is neither one of them nor a *not*
            are left out.
        with_ambiguous: keep ambiguous rows.

    Raises:
        DataError: the file is missing or malformed, contradicts itself, or has no replica.
        UsageError: a positive label that the file does not have.
    """
    names = read_table(db, path)
    given = _labels(names, "label" in names, positive, path)
    labels, left_out = _usable(names, given, with_ambiguous)
    if not (labels == 1).any():
        raise DataError(
            f"{path}: no replica in it (labels that count as one: {', '.join(positive)})"
        )
    words = _words(names, given, with_ambiguous)
    hosts, ids = np.unique(np.concatenate([names["host_a"], names["host_b"]]), return_inverse=True)
    ids = np.sort(ids.reshape(2, -1), axis=0)
    ids, labels, cause, words = _distinct(names, hosts, ids, labels, words, path)
    found = _host_ids(db, hosts)
    pair = np.sort(found[ids], axis=0)
    missing = pair[0] < 0
    low, high = (np.where(missing, -1, side) for side in pair)
    one, other = ids[:, labels == 1]
    component = components(one, other, len(hosts))
    group = np.where(labels == 1, component[ids[0]], -1)
    member = np.unique([one, other])
    member = member[found[member] >= 0]
    group[labels == 1] = np.unique(group[labels == 1], return_inverse=True)[1]
    a, b = hosts[ids]
    unknown = hosts[found < 0]
    return Gold(
        low=low,
        high=high,
        label=labels,
        word=words,
        obvious=_obvious(db, a, b, low, high),
        cause=cause,
        group=group,
        members=np.column_stack([found[member], component[member]]),
        labelled=bool((labels == 0).any()),
        replicas_alone="label" in names and "cause" not in names and not (labels == 0).any(),
        unknown_hosts=len(unknown),
        unknown_example=str(unknown[0]) if len(unknown) else "",
        left_out=left_out,
        names=_names(a[labels == 1], b[labels == 1]),
    )


def _names(a: Array, b: Array) -> pa.Table:
    """Hosts as host_a, host_b."""
    return pa.table(
        {
            name: pa.array(hosts.tolist(), pa.string())
            for name, hosts in zip(HOSTS, (a, b), strict=True)
        }
    )


def _usable(
    columns: dict[str, Array], labels: Whole, with_ambiguous: bool
) -> tuple[Whole, dict[str, int]]:
    """The labels, -1 for ambiguous rows unless they are wanted, and how many rows each reason
    leaves out.
    """
    left_out = {}
    other = labels == -1
    if other.any():
        left_out["label"] = int(other.sum())
    if "ambiguous" in columns and not with_ambiguous:
        ambiguous = np.isin(np.char.lower(columns["ambiguous"]), YES) & ~other
        left_out |= {"ambiguous": int(ambiguous.sum())} if ambiguous.any() else {}
        labels = np.where(ambiguous, -1, labels)
    return labels, left_out


def _labels(
    columns: dict[str, Array], given: bool, positive: tuple[str, ...], path: str | Path
) -> Whole:
    """(rows,) 1 replica, 0 not, -1 neither."""
    if not given:
        return np.ones(len(columns["host_a"]), np.int8)
    words, at = np.unique(np.char.lower(columns["label"]), return_inverse=True)
    words = np.array([SYNONYMS.get(word, word) for word in words], str)
    wanted = {SYNONYMS.get(word.strip().lower(), word.strip().lower()) for word in positive}
    unknown = wanted - set(words) - {"replica"}
    if unknown:
        raise UsageError(
            f"no row of {path} is labelled {', '.join(sorted(unknown))}; labels in it:"
            f" {', '.join(sorted(set(words)))}"
        )
    if "" in words:
        raise DataError(f"{path}: row {columns[ROW][words[at] == ''][0]}: label is empty")
    return np.where(np.isin(words, list(wanted)), 1, np.where(words == "not", 0, -1)).astype(
        np.int8
    )[at]


def _words(columns: dict[str, Array], labels: Whole, with_ambiguous: bool) -> Array:
    """(rows,) what each row is called, by its label before ambiguous ones were left out."""
    other = np.char.lower(columns["label"]) if "label" in columns else "replica"
    words = np.where(labels == 1, "replica", np.where(labels == 0, "not", other))
    if with_ambiguous or "ambiguous" not in columns:
        return words
    return np.where(np.isin(np.char.lower(columns["ambiguous"]), YES), "ambiguous", words)


def _distinct(
    columns: dict[str, Array],
    hosts: Array,
    ids: Ints,
    labels: Whole,
    words: Array,
    path: str | Path,
) -> tuple[Array, ...]:
    """Each pair once, in the order of the names: its hosts, label, cause and word.

    Args:
        hosts: distinct names, ascending. ids: (2, rows) the places in them of a row's hosts, the
            smaller one first.
    """
    cause = next(
        (columns[name] for name in CAUSES if name in columns),
        np.full(len(labels), "", dtype="<U1"),
    )
    pairs, first, at = np.unique(
        ids[0] * len(hosts) + ids[1], return_index=True, return_inverse=True
    )

    def clash(row: int, what: str) -> DataError:
        a, b = hosts[ids[:, row]]
        return DataError(f"{path}: row {columns[ROW][row]}: {a} and {b} have another {what} row")

    conflict = np.flatnonzero(labels != labels[first][at])
    if len(conflict):
        raise clash(conflict[0], "label in an earlier")
    given = cause != ""
    agreed = np.full(len(pairs), "", cause.dtype)
    agreed[at[given]] = cause[given]
    conflict = np.flatnonzero(given & (cause != agreed[at]))
    if len(conflict):
        raise clash(conflict[0], "cause in a later")
    return ids[:, first], labels[first], agreed, words[first]


def _host_ids(db: Database, hosts: Array) -> Ints:
    """(n,) host_id of each name, -1 for unknown ones."""
    given = pa.table({"host": pa.array(hosts.tolist(), pa.string()), "i": np.arange(len(hosts))})
    with db.registered("gold_hosts", given):
        found = db.arrays("SELECT i, host_id FROM gold_hosts JOIN hosts USING (host)")
    ids = np.full(len(hosts), -1, np.int64)
    ids[found["i"]] = found["host_id"]
    return ids


def _obvious(db: Database, a: Array, b: Array, low: Ints, high: Ints) -> Bools:
    """(n,) www against non-www, or the same name under two public suffixes, with www or without, as
    sql/detect/40_pair_features has it.
    """
    obvious: Bools = ("www." + b == a) | ("www." + a == b)
    given = pa.table({"i": np.arange(len(low)), "low": low, "high": high})
    with db.registered("gold_ids", given):
        same = db.column(
            """
            SELECT i
            FROM gold_ids
            JOIN hosts AS a ON a.host_id = low
            JOIN hosts AS b ON b.host_id = high
            WHERE a.suffix <> b.suffix
                AND regexp_replace(a.name, '^www\\.', '') = regexp_replace(b.name, '^www\\.', '')
            ORDER BY i"""
        )
    obvious[np.asarray(same, np.int64)] = True
    return obvious
