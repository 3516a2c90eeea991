"""Reduction ratio and replica detection rate: what a ranking of pairs is worth to a crawler.

Invariant: one host of each replica pair is kept, so what is removed stays in the crawl once; what
the paper counts, which removes both, stands apart as ``both``; a reduction is never given without
its false-positive rate. Which is kept goes by KEPT_FIRST, which needs no detection; ``detect`` also
hears links and what hosts say themselves. Source: the paper section 4.1.2 and Tables 3 and 4,
docs/method.md#reduction-ratio.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from replicadb.arrays import Array, Bools, Float32s, Floats, Ints, Whole
from replicadb.evaluation.context import Context
from replicadb.evaluation.ranking_curve import RankingCurve, interval, measurable
from replicadb.evaluation.rule_reduction import RuleReduction, beside_hosts

RATES = (0.0, 0.001, 0.005)
"""False-positive rates of the paper's Table 3."""
SIZES = (10, 100, 1000, 10_000)
"""Numbers of other candidates in the paper's Table 4."""
CURVE_POINTS = 200
CURVE_TO = 0.01
"""False-positive rate up to which the curve is drawn (the paper's Figure 5 goes to 0.005)."""

KEPT_FIRST = "s.n_urls DESC, is_registered(h.host, h.domain) DESC, length(h.host), s.host_rank"
"""Order of hosts (h) with their stats (s), the one rather kept first, the same for every method:
most URLs, a registered domain (with or without www) before its subdomains, shortest name, byte
order.
"""


@dataclass(frozen=True)
class DuplicateUrls:
    """The URLs of the crawl that are duplicates, by host. Arrays are indexed by host_id."""

    inter: Ints
    """URLs whose content other hosts have too."""
    intra: Ints
    """URLs whose content other URLs of the same host have too."""
    all: Ints
    """URLs in any dup-cluster."""
    place: Ints
    """lower = rather kept."""

    @classmethod
    def of(cls, context: Context) -> DuplicateUrls:
        """Count them (sql: cluster_hosts, dup_clusters)."""
        context.db.run_once("functions/60_hosts")
        column = context.db.arrays(
            f"""
            WITH kept_first AS (
                SELECT host_id, row_number() OVER (ORDER BY {KEPT_FIRST}) AS place
                FROM host_stats AS s JOIN hosts AS h USING (host_id)
            )
            SELECT
                s.host_id,
                coalesce(sum(c.n_urls), 0)::BIGINT AS n,
                coalesce(sum(c.n_urls) FILTER (d.n_hosts > 1), 0)::BIGINT AS inter,
                coalesce(sum(c.n_urls) FILTER (c.n_urls > 1), 0)::BIGINT AS intra,
                any_value(k.place) AS place
            FROM host_stats AS s
            JOIN kept_first AS k USING (host_id)
            LEFT JOIN cluster_hosts AS c USING (host_id)
            LEFT JOIN dup_clusters AS d USING (cluster_id)
            GROUP BY s.host_id"""
        )
        size = int(column["host_id"].max(initial=0)) + 1
        arrays = np.zeros((4, size), np.int64)
        for row, name in zip(arrays, ("inter", "intra", "n", "place"), strict=True):
            row[column["host_id"]] = column[name]
        return cls(*arrays)


def host_scores(
    context: Context, urls: DuplicateUrls, scores: Floats, among: Bools
) -> tuple[Floats, Floats]:
    """The highest score of a pair ``among`` (n,) bool in which a host is the one to drop, and of
    any pair with it.

    Returns:
        Two arrays by host_id, -inf for hosts that are in no such pair.
    """
    a, b, scores = context.a[among], context.b[among], scores[among]
    worse = np.where(urls.place[a] > urls.place[b], a, b)
    dropped, in_pair = np.full((2, len(urls.place)), -np.inf)
    np.maximum.at(dropped, worse, scores)
    in_pair[:] = dropped
    np.maximum.at(in_pair, np.where(worse == a, b, a), scores)
    return dropped, in_pair


def thresholds(others_ascending: Floats, rates: Iterable[float]) -> list[tuple[float, float]]:
    """For each false-positive rate the score above which it is kept (a tie is in or out as a
    whole), and the rate there.

    Args:
        others_ascending: (N,) scores of the non-replicas.
    """
    n, found = len(others_ascending), []
    for rate in rates:
        allowed = int(np.floor(rate * n + 1e-9))
        threshold = others_ascending[n - 1 - allowed] if allowed < n else -np.inf
        above = n - np.searchsorted(others_ascending, threshold, "right")
        found.append((float(threshold), float(above / n) if n else 0.0))
    return found


@dataclass(frozen=True)
class HostResamples:
    """Bootstrap resamples of hosts, for the intervals of reductions (thresholds and rules are held
    fixed).
    """

    times: Whole
    """(R, hosts) how often each host counts."""
    urls: Float32s
    """(R,) duplicate URLs of each resample."""
    rules: dict[float, Float32s]
    """(R,) those that rewrite rules remove, by epsilon."""

    @classmethod
    def of(
        cls, times: Whole, urls: DuplicateUrls, rules: dict[float, RuleReduction]
    ) -> HostResamples:
        return cls(
            times,
            resampled_urls(urls.all, times),
            {epsilon: resampled_urls(rule.removed, times) for epsilon, rule in rules.items()},
        )

    def spread(self, urls: Ints, gone: Bools, beside: Float32s | float = 0.0) -> list[float] | None:
        """Interval of RR where ``urls`` (hosts,) of the hosts ``gone`` go, and ``beside`` (R,)
        others.
        """
        return interval(resampled_reduction(urls, gone, self.times, self.urls, beside))


def reduction(
    context: Context,
    urls: DuplicateUrls,
    scores: Floats,
    others: Floats,
    resamples: HostResamples | None = None,
    among: Bools | None = None,
    rules: dict[float, RuleReduction] | None = None,
) -> tuple[list[dict[str, Any]], list[list[float]], list[list[float]]]:
    """RR = (|U| - |U*|) / |U| at the false-positive rates of Table 3, and its curve.

    U is all URLs in dup-clusters, U* what is left of it when hosts that a pair above the threshold
    drops are removed. ``both`` removes both hosts of each pair, as the paper's counts do: its Table
    3 has all hosts of the gold's replicas gone.

    Args:
        scores: (n,) of the candidates. others: (N,) scores of the compared non-replicas, ascending.
        resamples: for intervals; None is no intervals.
        among: (n,) bool, the pairs that may drop a host, of those compared and those that the gold
            connects; None is all of them.
        rules: rewrite rules by epsilon, to be counted together with the hosts.

    Returns:
        Rows with fpr (wanted), at_fpr (what the threshold has), what :func:`_removal` counts with
        one host of each pair kept, and the same as ``both``; all but fpr are None where the others
        are too few to measure it (``ranking_curve.measurable``). And the curves, each [[fpr, rr],
        ...]: one host kept, and both removed.
    """
    total = int(urls.all.sum())
    if not total:
        return [], [], []
    used = context.compared | context.connected
    used = used if among is None else used & among
    hosts = host_scores(context, urls, scores, used)
    rightly = host_scores(context, urls, scores, used & context.truth)
    rows = []
    for rate, (threshold, real) in zip(RATES, thresholds(others, RATES), strict=True):
        one, both = (
            _removal(urls, of > threshold, right > threshold, resamples, rules or {})
            for of, right in zip(hosts, rightly, strict=True)
        )
        row = {"at_fpr": real} | one | {"both": both}
        rows.append({"fpr": rate} | (row if measurable(rate, len(others)) else dict.fromkeys(row)))
    one_kept, none_kept = (_curve(urls, of, others, total) for of in hosts)
    return rows, one_kept, none_kept


def _removal(
    urls: DuplicateUrls,
    gone: Bools,
    rightly: Bools,
    resamples: HostResamples | None,
    rules: dict[float, RuleReduction],
) -> dict[str, Any]:
    """What goes with the hosts ``gone``: rr with its interval, hosts, duplicate URLs, those of them
    that are intra-site duplicates too, those of hosts that no replica names (``wrong_urls``), and
    what rewrite rules take away besides.
    """
    removed = int(urls.all[gone].sum())
    found = {
        "rr": removed / int(urls.all.sum()),
        "interval": resamples.spread(urls.all, gone) if resamples else None,
        "removed_hosts": int(gone.sum()),
        "removed_urls": removed,
        "removed_intra": int(urls.intra[gone].sum()),
        "wrong_urls": int(urls.all[gone & ~rightly].sum()),
    }
    return found | ({"rules": _beside_rules(rules, urls.all, gone, resamples)} if rules else {})


def _beside_rules(
    rules: dict[float, RuleReduction],
    urls: Ints,
    gone: Bools,
    resamples: HostResamples | None,
) -> dict[str, dict[str, Any]]:
    """What rules and the removal of hosts take away together, with the interval of its RR."""
    found = beside_hosts(rules, urls, gone)
    for (epsilon, rule), cell in zip(rules.items(), found.values(), strict=True):
        cell["interval"] = (
            resamples.spread(urls - rule.removed, gone, resamples.rules[epsilon])
            if resamples
            else None
        )
    return found


def resampled_urls(urls: Ints, times: Whole) -> Float32s:
    """(R,) duplicate URLs of each resample; arguments as :func:`resampled_reduction`."""
    some = np.flatnonzero(urls)
    weighed: Float32s = times[:, some].astype(np.float32) @ urls[some].astype(np.float32)
    return weighed


def resampled_reduction(
    urls: Ints,
    gone: Bools,
    times: Whole,
    whole: Float32s | None = None,
    beside: Float32s | float = 0.0,
) -> Float32s:
    """RR of bootstrap resamples of hosts.

    Args:
        urls: (hosts,) duplicate URLs. gone: (hosts,) bool, removed. times: (R, hosts) small ints.
        whole: of :func:`resampled_urls`, where it is known already.
        beside: (R,) URLs that are removed otherwise.

    Returns:
        (R,) floats.
    """
    whole = resampled_urls(urls, times) if whole is None else whole
    removed = resampled_urls(np.where(gone, urls, 0), times) + beside
    rates: Array = removed / np.where(whole > 0, whole, np.nan)
    return rates


def _curve(urls: DuplicateUrls, dropped: Floats, others: Floats, total: int) -> list[list[float]]:
    """[[fpr, rr], ...] up to CURVE_TO, CURVE_POINTS at most: after each of the first others, the
    URLs removed so far; [] where there are none.
    """
    if not len(others):
        return []
    hosts = np.flatnonzero(np.isfinite(dropped))
    order = hosts[np.argsort(-dropped[hosts], kind="stable")]
    removed = np.concatenate([[0], np.cumsum(urls.all[order])])
    n = len(others)
    counts = np.unique(np.linspace(0, max(1, int(n * CURVE_TO)), CURVE_POINTS).astype(int))
    points = {
        real: removed[np.searchsorted(-dropped[order], -threshold, "left")] / total
        for threshold, real in thresholds(others, counts / n)
    }
    return [[round(real, 7), round(float(rr), 7)] for real, rr in sorted(points.items())]


def detection_rate(curve: RankingCurve, k: int) -> Floats | None:
    """RDR: one replica among k others drawn at random without replacement, the expected value of 1
    / position.

    The paper draws 100 replicas; here is the expectation over all draws, ties in random order. A
    replica with g others above and e tied has 1 / position, expected over its place j = 0 ... e
    among the tied and over the draws, of the mean over j of (N + 1) / ((k + 1)(g + j + 1)) (1 - C(N
    - g - j, k + 1) / C(N + 1, k + 1)).

    Returns:
        (P,) floats, one for each replica (RDR is their mean); None where there are fewer others
        than k.
    """
    n = curve.others
    if n < k or not curve.replicas:
        return None
    sums = _summed_expectations(n, k)
    above = np.cumsum(curve.false)[:-1:2].astype(np.int64)
    tied = curve.false[1::2].astype(np.int64)
    by_score: Floats = (sums[above + tied + 1] - sums[above]) / (tied + 1)
    return by_score[curve.segment // 2]


@lru_cache(maxsize=8)
def _summed_expectations(n: int, k: int) -> Floats:
    """(n + 2,) sums over g below 0, 1, ... n + 1 of E[1 / (1 + H)], H hypergeometric: of k drawn
    from n, how many are among g.
    """
    g = np.arange(n + 1)
    with np.errstate(divide="ignore"):
        # C(n - g, k + 1) / C(n + 1, k + 1) as a running product: from g - 1 to g the factor (n - g
        # - k) / (n - g + 1).
        log_none = np.cumsum(np.log(np.maximum(n - g - k, 0) / (n - g + 1)))
    return np.concatenate([[0.0], np.cumsum((n + 1) / ((k + 1) * (g + 1)) * -np.expm1(log_none))])
