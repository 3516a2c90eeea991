"""The numbers behind the paper's Figures 3 and 4, from the database: counts, binned so that they
stay few.

Invariant: everything is counted in SQL (``sql/evaluate/30_figures.sql``) and binned in NumPy
over distinct values, so no loop sees a host or a pair; all counts are integers, so the same
database gives the same numbers at any number of threads; the answer is plain JSON. Source: paper
section 4.1.1, Figures 3 and 4. (Figure 5 is drawn from the methods' curves, which the evaluation's
result holds already.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.arrays import Floats, Ints
from replicadb.errors import UsageError
from replicadb.store.database import Database
from replicadb.store.statements import statements

STAGE = "10_dup_clusters", "20_pair_features"
"""The stages whose tables Figures 3 and 4 read."""

CASES_SHOWN = 200
"""Points of the replica-cases curve at most."""


def collect(db: Database, gold_pairs: pa.Table | list[tuple[str, str]]) -> dict[str, Any]:
    """Count what Figures 3 and 4 show.

    Args:
        db: a database; without detection all counts are 0 and ``detected`` is false.
        gold_pairs: the known replicas (positives only), as ``(host_a, host_b)`` tuples or an Arrow
            table with these two columns, names as in the table hosts; either way round, repeats
            count once. Pairs with a host that is not loaded are counted in ``gold.given`` and left
            out of the figures.

    Returns:
        A dict of JSON values. Bins are ``{"low", "high", "n"}``, both ends included, empty ones
        left out. ``intra_inter.slope`` is the least-squares slope of log intra over log inter over
        hosts that have both (None with fewer than 3 such hosts or no spread), ``correlation``
        Pearson's of the same logarithms. ``similarity.above`` has, for x = 0, 0.01 ... 0.99, the
        pairs with similarity above x and the replicas among them.

    Raises:
        UsageError: gold_pairs is neither.

    Complexity: one pass over cluster_hosts (rows: hosts x clusters), one over candidates.
    """
    given = _given_table(gold_pairs)
    done = set(db.column("SELECT stage FROM stages"))
    hosts = db.value("SELECT count(*) FROM hosts")
    compared = db.value("SELECT sum(n_urls)::BIGINT FROM host_stats")
    urls = compared or db.value("SELECT count(*) FROM page_urls")
    with db.temporary(), db.registered("given_pairs", given):
        db.run("evaluate/30_figures", only="given_replicas")
        n_given = db.value(
            """
            SELECT count(*)
            FROM (
                SELECT DISTINCT least(host_a, host_b), greatest(host_a, host_b)
                FROM given_pairs
                WHERE host_a <> host_b
            )"""
        )
        return {
            "detected": set(STAGE) <= done,
            "hosts": hosts,
            "urls": urls,
            "gold": {"given": n_given, "known": db.value("SELECT count(*) FROM known_replicas")},
            **_figure_3(db),
            **_figure_4(db),
        }


def _given_table(gold_pairs: pa.Table | list[tuple[str, str]]) -> pa.Table:
    if isinstance(gold_pairs, pa.Table):
        if not {"host_a", "host_b"} <= set(gold_pairs.column_names):
            raise UsageError("known replicas need the columns host_a and host_b")
        return gold_pairs.select(["host_a", "host_b"]).cast(
            pa.schema([("host_a", pa.string()), ("host_b", pa.string())])
        )
    a, b = zip(*gold_pairs, strict=True) if len(gold_pairs) else ((), ())
    return pa.table({"host_a": pa.array(a, pa.string()), "host_b": pa.array(b, pa.string())})


def _figure_3(db: Database) -> dict[str, Any]:
    def counted(name: str) -> list[dict[str, int]]:
        values = _counts(db, name)
        return binned(values["value"], values["n"])

    urls, intra, inter, both, sharing = db.rows(statements("evaluate/30_figures")["duplicates"])[0]
    return {
        "duplicates": {
            "urls": urls,
            "intra": intra,
            "inter": inter,
            "both": both,
            "sharing_hosts": sharing,
        },
        "cluster_sizes": counted("cluster_sizes"),
        "hosts_per_cluster": counted("hosts_per_cluster"),
        "clusters_per_host": counted("clusters_per_host"),
        "intra_inter": _intra_inter(_counts(db, "intra_inter")),
    }


def _figure_4(db: Database) -> dict[str, Any]:
    sizes = db.arrays(statements("evaluate/30_figures")["site_sizes"])
    site_sizes = {}
    for kind in ("replicated", "candidate", "other"):
        of = sizes["kind"] == kind
        values, n = sizes["value"][of].astype(np.int64), sizes["n"][of].astype(np.int64)
        site_sizes[kind] = {
            "hosts": int(n.sum()),
            "urls": int((values * n).sum()),
            "bins": binned(values, n),
        }
    cases = _counts(db, "replica_cases")
    return {
        "site_sizes": site_sizes,
        "replica_cases": _at_most(cases["value"], cases["n"]),
        "similarity": _above(_counts(db, "similarities")),
    }


def _counts(db: Database, name: str) -> dict[str, Ints]:
    """The columns of a count as integers; rows whose value is not known are passed over."""
    columns = db.arrays(statements("evaluate/30_figures")[name])
    known = ~np.any([np.isnan(values.astype(float)) for values in columns.values()], axis=0)
    return {column: values[known].astype(np.int64) for column, values in columns.items()}


def edges(largest: int, per_decade: int, exact: int) -> Floats:
    """Lower bounds of bins over whole numbers: 1, 2 ... ``exact`` alone, then ``per_decade`` to
    each factor of ten.

    Returns:
        (k,) int64, rising, the first 1; the last bin holds ``largest``.
    """
    decades = int(np.ceil(np.log10(max(largest, 1)))) + 1
    logarithmic = np.round(10 ** (np.arange(per_decade * decades + 1) / per_decade)).astype(
        np.int64
    )
    every = np.unique(np.r_[np.arange(1, exact + 1), logarithmic[logarithmic > exact]])
    return every[every <= max(largest, 1)]


def binned(values: Ints, n: Ints) -> list[dict[str, int]]:
    """Counts by whole number >= 1, put into bins that are alone up to 10 and even in the logarithm
    beyond.

    Args:
        values: (k,) of 1 or more. n: (k,) how often each comes.
    """
    if not len(values):
        return []
    bounds = edges(int(values.max()), per_decade=8, exact=10)
    totals = np.zeros(len(bounds), np.int64)
    np.add.at(totals, np.searchsorted(bounds, values, side="right") - 1, n)
    highs = np.r_[bounds[1:] - 1, max(int(values.max()), int(bounds[-1]))]
    return [
        {"low": int(low), "high": int(high), "n": int(total)}
        for low, high, total in zip(bounds, highs, totals, strict=True)
        if total
    ]


def _intra_inter(counts: dict[str, Ints]) -> dict[str, Any]:
    """Figure 3 (right): hosts by both counts in bins of two dimensions, and how one grows with the
    other.
    """
    intra, inter, n = counts["intra"], counts["inter"], counts["n"]
    both = (intra > 0) & (inter > 0)
    slope, correlation = _log_slope(inter[both], intra[both], n[both])
    cells = []
    if both.any():
        bounds = edges(int(max(intra.max(), inter.max())), per_decade=4, exact=3)
        x, y = (np.searchsorted(bounds, v[both], side="right") - 1 for v in (inter, intra))
        totals = np.zeros((len(bounds), len(bounds)), np.int64)
        np.add.at(totals, (x, y), n[both])
        highs = np.r_[bounds[1:] - 1, max(int(intra.max()), int(inter.max()))]
        cells = [
            {
                "inter": [int(bounds[i]), int(highs[i])],
                "intra": [int(bounds[j]), int(highs[j])],
                "n": int(totals[i, j]),
            }
            for i, j in zip(*np.nonzero(totals), strict=True)
        ]
    return {
        "cells": cells,
        "both": int(n[both].sum()),
        "only_intra": int(n[(intra > 0) & (inter == 0)].sum()),
        "only_inter": int(n[(inter > 0) & (intra == 0)].sum()),
        "slope": slope,
        "correlation": correlation,
    }


def _log_slope(x: Ints, y: Ints, n: Ints) -> tuple[float | None, float | None]:
    """Least-squares slope and Pearson correlation of log y over log x, each point counted n times
    (rows in a fixed order).
    """
    if n.sum() < 3:
        return None, None
    u, v, total = np.log(x), np.log(y), n.sum()
    du, dv = u - (n * u).sum() / total, v - (n * v).sum() / total
    uu, vv, uv = (n * du * du).sum(), (n * dv * dv).sum(), (n * du * dv).sum()
    if uu < 1e-9 or vv < 1e-9:
        return None, None
    return round(float(uv / uu), 6), round(float(uv / np.sqrt(uu * vv)), 6)


def _at_most(cases: Ints, n: Ints) -> dict[str, Any]:
    """Figure 4 (middle): the share of replicated hosts in at most x replicas."""
    if not len(cases):
        return {"hosts": 0, "most": 0, "at_most": []}
    reached, total = np.cumsum(n), int(n.sum())
    kept = np.unique(
        np.round(np.linspace(0, len(cases) - 1, min(len(cases), CASES_SHOWN))).astype(int)
    )
    return {
        "hosts": total,
        "most": int(cases[-1]),
        "at_most": [
            {"cases": int(cases[i]), "hosts": int(reached[i]), "share": int(reached[i]) / total}
            for i in kept
        ],
    }


def _above(counts: dict[str, Ints]) -> dict[str, Any]:
    """Figure 4 (right): pairs above each similarity, and the replicas among them."""
    steps = np.clip(counts["value"], 0, 100)

    def above(name: str) -> Ints:
        totals = np.zeros(101, np.int64)
        np.add.at(totals, steps, counts[name])
        return totals[::-1].cumsum()[
            ::-1
        ]  # [k] = of step k or higher, so similarity > (k - 1) / 100

    pairs, replicas, obvious = above("n"), above("replicas"), above("obvious")
    return {
        "pairs": int(pairs[0]),
        "replicas": int(replicas[0]),
        "obvious": int(obvious[0]),
        "above": (
            [
                {"x": k / 100, "pairs": int(pairs[k + 1]), "replicas": int(replicas[k + 1])}
                for k in range(100)
            ]
            if pairs[0]
            else []
        ),
    }
