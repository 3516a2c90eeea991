"""The sections of Figures 3 and 4: what duplicates and replicas this crawl has, beside what the
paper's had.

Invariant: where there is nothing to draw, the panel says why; below the panels the numbers
stand as tables, so that nobody needs to see the picture. Source: paper Figures 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.evaluation import published_figures
from replicadb.report import crawl_charts, table_html
from replicadb.report.page_frame import panel
from replicadb.report.safe_text import NOTHING, count, esc, is_number, percent, span

NO_DETECTION = "The database has no detection in it."
KNOWN = "known replicas"
NUMBERS = "The numbers of these charts"
CIRCLE, SQUARE = '<span class="key b">○</span>', '<span class="key o">□</span>'
SOLID, DASHED = '<span class="key b">—</span>', '<span class="key o">- -</span>'


# -- Figure 3
# ---------------------------------------------------------------------------------------------


def figure_3(numbers: dict[str, Any], chart: Iterator[int]) -> str:
    """Dup-cluster sizes, hosts per cluster, intra-site against inter-site duplicates."""
    missing = "No dup-cluster in this database." if numbers.get("detected") else NO_DETECTION
    per_cluster, per_host = (
        numbers.get(key) or [] for key in ("hosts_per_cluster", "clusters_per_host")
    )
    sizes, both = numbers.get("cluster_sizes") or [], numbers.get("intra_inter") or {}
    panels = [
        panel(
            crawl_charts.cluster_sizes(sizes, next(chart)),
            "Dup-cluster sizes",
            "How many dup-clusters have a given number of URLs. Beyond 10, means over bins.",
            missing,
        ),
        panel(
            crawl_charts.hosts_and_clusters(per_cluster, per_host, next(chart)),
            "Hosts per dup-cluster",
            f"{CIRCLE} dup-clusters by their hosts (as the paper’s caption says); {SQUARE} hosts by"
            " their dup-clusters (as its text says).",
            missing,
        ),
        panel(
            crawl_charts.intra_inter(both, next(chart)),
            "Intra- against inter-site duplicates",
            _growth_in_words(both),
            "No host has both kinds." if numbers.get("detected") else missing,
        ),
    ]
    bins = (
        _bins_table("Dup-clusters by URLs", sizes, "URLs", "dup-clusters")
        + _bins_table("Dup-clusters by hosts", per_cluster, "hosts", "dup-clusters")
        + _bins_table("Hosts by dup-clusters", per_host, "dup-clusters", "hosts")
    )
    return _section(
        panels,
        table_html.facts("Duplicates here and in the paper", _duplicate_facts(numbers)),
        bins,
    )


def _growth_in_words(both: dict[str, Any]) -> str:
    correlation = both.get("correlation")
    here = f" (correlation of the logarithms {correlation:.2f})" if is_number(correlation) else ""
    return (
        "A dot is a bin of hosts, its area their number. Three times the inter-site duplicates go"
        f" with ten times the intra-site ones in the paper (dashed), with {esc(_growth(both))}"
        f" here{esc(here)}. Hosts with only intra-site duplicates: {count(both.get('only_intra'))},"
        f" only inter-site: {count(both.get('only_inter'))}."
    )


def _growth(both: dict[str, Any]) -> str:
    return f"×{3 ** both['slope']:.1f}" if is_number(both.get("slope")) else "no defined factor"


def _duplicate_facts(numbers: dict[str, Any]) -> list[tuple[str, str, str]]:
    here, there, share = (
        numbers.get("duplicates") or {},
        published_figures.DUPLICATES,
        table_html.share,
    )
    rows = [
        ("Hosts", count(numbers.get("hosts")), count(published_figures.HOSTS)),
        (
            "… that share content with another host",
            share(here.get("sharing_hosts"), numbers.get("hosts")),
            share(published_figures.SHARING_HOSTS, published_figures.HOSTS),
        ),
        (
            "Duplicate URLs",
            share(here.get("urls"), numbers.get("urls")),
            share(there["urls"], published_figures.URLS),
        ),
    ]
    rows += [
        (words, share(here.get(key), here.get("urls")), share(there[key], there["urls"]))
        for key, words in (
            ("intra", "… intra-site: another URL of the same host has the content"),
            ("inter", "… inter-site: another host has the content"),
            ("both", "… both"),
        )
    ]
    growth = _growth(numbers.get("intra_inter") or {})
    return [
        *rows,
        ("Growth of intra-site with three times the inter-site duplicates", growth, "×10"),
    ]


def _bins_table(caption: str, bins: list[dict[str, int]], value: str, many: str) -> str:
    rows = [[span(b["low"], b["high"]), count(b["n"])] for b in bins]
    return table_html.table(caption, [value, many], rows, kind="facts") if rows else ""


def _section(panels: list[str], facts: str, numbers: str) -> str:
    inner = f'<div class="side">{numbers}</div>' if numbers else ""
    return (
        f'<div class="panels">{"".join(panels)}</div>\n{facts}{table_html.details(NUMBERS, inner)}'
    )


# -- Figure 4
# ---------------------------------------------------------------------------------------------


def figure_4(numbers: dict[str, Any], chart: Iterator[int], replicas: str = KNOWN) -> str:
    """Site sizes, replicas per host, similarity against the concentration of replicas.

    Args:
        replicas: what the pairs are called that count as replicas, in the plural.
    """
    sizes, cases, alike, gold = (
        numbers.get(k) or {} for k in ("site_sizes", "replica_cases", "similarity", "gold")
    )
    missing = "No candidate in this database." if numbers.get("detected") else NO_DETECTION
    none = f"There are no {replicas} in this database."
    panels = [
        panel(
            crawl_charts.site_sizes(sizes, next(chart)),
            "Site sizes",
            f"{CIRCLE} replicated hosts, {SQUARE} other hosts with candidates; dashed: their"
            " published means.",
            missing,
        ),
        panel(
            crawl_charts.replica_cases(cases, next(chart)),
            "Replicas per host",
            f"Share of replicated hosts that are in at most x {replicas}.",
            none,
        ),
        panel(
            crawl_charts.similarity(alike, next(chart), replicas),
            "Similarity and replicas",
            f"{DASHED} share of candidates above a similarity (Jaccard of dup-clusters); {SOLID}"
            " share of replicas among them.",
            missing,
        ),
    ]
    rows = _replica_facts(sizes, cases, alike, replicas)
    if replicas == KNOWN:
        loaded = table_html.share(gold.get("known"), gold.get("given"))
        rows.append(("Known replicas whose hosts are both loaded", loaded, NOTHING))
    facts = table_html.facts("Replicas here and in the paper", rows)
    warning = "" if gold.get("known") else f'<p class="warn">{none}</p>\n'
    return warning + _section(panels, facts, _replica_numbers(sizes, cases, alike))


def _replica_facts(
    sizes: dict[str, Any], cases: dict[str, Any], alike: dict[str, Any], replicas: str
) -> list[tuple[str, str, str]]:
    share = table_html.share
    rows = [
        (
            f"URLs of a host on average: {words}",
            _mean(sizes.get(kind) or {}),
            count(published_figures.MEAN_URLS.get(kind)),
        )
        for kind, words in (
            ("replicated", "replicated"),
            ("candidate", "other candidates"),
            ("other", "no candidate"),
        )
    ]
    return [
        *rows,
        (
            f"Hosts in {replicas}",
            count(cases.get("hosts")),
            f"{count(published_figures.REPLICATED_HOSTS)} of"
            f" {count(published_figures.SAMPLE_HOSTS)} in the sample",
        ),
        ("… the one in most", count(cases.get("most")), published_figures.MOST_CASES),
        (
            f"{replicas.capitalize()} among pairs",
            share(alike.get("replicas"), alike.get("pairs")),
            share(published_figures.REPLICA_PAIRS, published_figures.SAMPLE_PAIRS),
        ),
        (
            "… obvious ones",
            share(alike.get("obvious"), alike.get("replicas")),
            share(published_figures.OBVIOUS_PAIRS, published_figures.REPLICA_PAIRS),
        ),
    ]


def _mean(group: dict[str, Any]) -> str:
    return f"{group['urls'] / group['hosts']:,.0f}" if group.get("hosts") else NOTHING


def _replica_numbers(sizes: dict[str, Any], cases: dict[str, Any], alike: dict[str, Any]) -> str:
    out = ""
    if alike.get("above"):
        rows = [
            [
                f"{s['x']:g}",
                count(s["pairs"]),
                percent(s["pairs"] / alike["pairs"]),
                count(s["replicas"]),
                percent(s["replicas"] / s["pairs"]) if s["pairs"] else NOTHING,
            ]
            for s in alike["above"][::10]
        ]
        out += table_html.table(
            "Candidates above a similarity",
            ["above", "pairs", "of all", "replicas", "of these pairs"],
            rows,
            kind="facts",
            numbers=0,
        )
    if cases.get("at_most"):
        steps = cases["at_most"][:: max(1, len(cases["at_most"]) // 20)]
        rows = [[count(s["cases"]), count(s["hosts"]), percent(s["share"])] for s in steps]
        out += table_html.table(
            "Replicated hosts in at most x replicas",
            ["x", "hosts", "share"],
            rows,
            kind="facts",
            numbers=0,
        )
    for kind, words in (("replicated", "Replicated hosts"), ("candidate", "Other candidate hosts")):
        out += _bins_table(
            f"{words} by URLs", (sizes.get(kind) or {}).get("bins") or [], "URLs", "hosts"
        )
    return out
