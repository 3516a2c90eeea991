"""The sections of Figures 3, 4 and 5: charts beside each other, what they show, and the published figures.

Always true here: where there is nothing to draw, the panel says why; below the panels the numbers stand as a table, so
that nobody needs to see the picture. Source: paper Figures 3 to 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicadb.report import charts, crawl_charts, published, tables
from replicadb.report.series import DASHES, Series
from replicadb.report.text import NOTHING, count, esc, is_number, percent, rate, span


def panel(svg: str | None, heading: str, words: str, missing: str = "Nothing to draw.") -> str:
    """One chart with its caption (``words`` is finished HTML)."""
    drawing = svg or f'<p class="empty">{esc(missing)}</p>'
    return f"<figure><h3>{esc(heading)}</h3>{drawing}<figcaption>{words}</figcaption></figure>\n"


# -- Figure 5 ---------------------------------------------------------------------------------------------


def figure_5(series: list[Series], numbers: Iterator[int]) -> str:
    """ROC (all and non-obvious), precision and recall, reduction ratio; with a legend that hides and shows methods."""
    if not series:
        return '<p class="warn">No method has a curve to draw.</p>\n'
    missing = "No method has this curve."
    panels = "".join([
        panel(charts.roc(series, "roc", next(numbers), "all replicas"), "ROC, all replicas",
              "Replicas found against non-replicas let in. The left end, on a logarithmic axis, is what matters in practice.", missing),
        panel(charts.roc(series, "roc_non_obvious", next(numbers), "non-obvious replicas"), "ROC, non-obvious replicas",
              "The same without the pairs that their names give away.", missing),
        panel(charts.precision_recall(series, next(numbers)), "Precision and recall",
              "Precision down the ranking, all replicas among candidates.", missing),
        panel(charts.reduction(series, next(numbers)), "Reduction ratio",
              "Share of duplicate URLs removed, at low false-positive rates. Diamonds: published.", missing)])
    areas = [(s.title, _area(s, "all"), _area(s, "non_obvious"), rate(published.AUC.get(s.method["name"]))) for s in series]
    numbers_table = tables.table("Area under the ROC curve", ["Method", "all", "non-obvious", "published"], [
        [f"<bdi>{esc(a)}</bdi>", esc(b), esc(c), f'<span class="pub">{esc(d)}</span>'] for a, b, c, d in areas], kind="facts")
    removed = _removed(series)
    return (f'<div class="curves">{_legend(series)}<div class="panels four">{panels}</div></div>\n<div class="side">{numbers_table}{removed}</div>\n')


def _area(series: Series, part: str) -> str:
    return rate((series.method.get(part) or {}).get("auc"))


def _legend(series: list[Series]) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" id="show-{s.name}" autocomplete="off"{" checked" if s.shown else ""}>'
        f'<svg width="30" height="10" aria-hidden="true"><line x1="1" y1="5" x2="29" y2="5" stroke="{s.color}" stroke-width="{s.line["strokeWidth"]}"'
        f' stroke-dasharray="{" ".join(map(str, DASHES[s.place]))}"/></svg><bdi>{esc(s.title)}</bdi></label>' for s in series)
    return f'<fieldset class="legend"><legend>Methods shown</legend>{boxes}</fieldset>\n'


def _removed(series: list[Series]) -> str:
    rates = sorted({r["fpr"] for s in series for r in s.method.get("rr") or () if is_number(r.get("fpr"))})[:6]
    if not rates:
        return ""
    rows = []
    for s in series:
        ours = {r.get("fpr"): r.get("rr") for r in s.method.get("rr") or ()}
        theirs = published.RR.get(s.method["name"], {})
        rows.append([f"<bdi>{esc(s.title)}</bdi>", *(
            f"{rate(ours.get(f))}" + (f'<small class="pub">{rate(theirs[f])}</small>' if f in theirs else "") for f in rates)])
    return tables.table("Reduction ratio by false-positive rate", ["Method", *(f"{f:g}" for f in rates)], rows, kind="facts",
                        note='<span class="pub">in italics: published.</span>')


# -- Figure 3 ---------------------------------------------------------------------------------------------


def figure_3(numbers: dict[str, Any], chart: Iterator[int]) -> str:
    """Dup-cluster sizes, hosts per cluster, intra-site against inter-site duplicates."""
    missing = "No dup-cluster in this database." if numbers.get("detected") else "The database has no detection in it."
    both = numbers.get("intra_inter") or {}
    slope = both.get("slope")
    growth = f"here ×{3 ** slope:.1f} (correlation of the logarithms {both['correlation']:.2f})" if is_number(slope) else "here not defined"
    panels = "".join([
        panel(crawl_charts.cluster_sizes(numbers.get("cluster_sizes") or [], next(chart)), "Dup-cluster sizes",
              "How many dup-clusters have a given number of URLs. Beyond 10, means over bins.", missing),
        panel(crawl_charts.hosts_and_clusters(numbers.get("hosts_per_cluster") or [], numbers.get("clusters_per_host") or [], next(chart)),
              "Hosts per dup-cluster", '<span class="key b">○</span> dup-clusters by their hosts (as the paper’s caption says); '
              '<span class="key o">□</span> hosts by their dup-clusters (as its text says).', missing),
        panel(crawl_charts.intra_inter(both, next(chart)), "Intra- against inter-site duplicates",
              f"A dot is a bin of hosts, its area their number. With three times the inter-site duplicates go, published (dashed), ten times the intra-site "
              f"ones; {esc(growth)}. Hosts with only intra-site duplicates: {count(both.get('only_intra'))}, only inter-site: {count(both.get('only_inter'))}.",
              missing if not both.get("only_intra") and not both.get("only_inter") else "No host has both kinds.")])
    here, there = numbers.get("duplicates") or {}, published.DUPLICATES
    rows = [("Hosts", count(numbers.get("hosts")), count(published.HOSTS)),
            ("… that share content with another host", tables.share(here.get("sharing_hosts"), numbers.get("hosts")),
             tables.share(published.SHARING_HOSTS, published.HOSTS)),
            ("Duplicate URLs", tables.share(here.get("urls"), numbers.get("urls")), tables.share(there["urls"], published.URLS)),
            ("… intra-site: another URL of the same host has the content", tables.share(here.get("intra"), here.get("urls")), tables.share(there["intra"], there["urls"])),
            ("… inter-site: another host has the content", tables.share(here.get("inter"), here.get("urls")), tables.share(there["inter"], there["urls"])),
            ("… both", tables.share(here.get("both"), here.get("urls")), tables.share(there["both"], there["urls"])),
            ("Growth of intra-site with three times the inter-site duplicates", f"×{3 ** slope:.1f}" if is_number(slope) else NOTHING, "×10")]
    bins = "".join(_bins_table(caption, numbers.get(key) or [], value, many) for caption, key, value, many in (
        ("Dup-clusters by URLs", "cluster_sizes", "URLs", "dup-clusters"), ("Dup-clusters by hosts", "hosts_per_cluster", "hosts", "dup-clusters"),
        ("Hosts by dup-clusters", "clusters_per_host", "dup-clusters", "hosts")))
    return (f'<div class="panels">{panels}</div>\n' + tables.facts("Duplicates here and in the paper", rows)
            + tables.details("The numbers of these charts", f'<div class="side">{bins}</div>' if bins else ""))


def _bins_table(caption: str, bins: list[dict[str, int]], value: str, many: str) -> str:
    return tables.table(caption, [value, many], [[span(b["low"], b["high"]), count(b["n"])] for b in bins], kind="facts") if bins else ""


# -- Figure 4 ---------------------------------------------------------------------------------------------


def figure_4(numbers: dict[str, Any], chart: Iterator[int]) -> str:
    """Site sizes, replicas per host, similarity against the concentration of replicas."""
    sizes, cases, alike, gold = (numbers.get(key) or {} for key in ("site_sizes", "replica_cases", "similarity", "gold"))
    missing = "No candidate in this database." if numbers.get("detected") else "The database has no detection in it."
    none = "No known replica is in this database."
    warning = f'<p class="warn">{none}</p>\n' if not gold.get("known") else ""
    panels = "".join([
        panel(crawl_charts.site_sizes(sizes, next(chart)), "Site sizes",
              '<span class="key b">○</span> replicated hosts, <span class="key o">□</span> other hosts with candidates; dashed: their published means.', missing),
        panel(crawl_charts.replica_cases(cases, next(chart)), "Replicas per host", "Share of replicated hosts that are in at most x known replicas.", none),
        panel(crawl_charts.similarity(alike, next(chart)), "Similarity and replicas",
              '<span class="key o">- -</span> share of candidates above a similarity (Jaccard of dup-clusters); '
              '<span class="key b">—</span> share of replicas among them.', missing)])
    rows = [(f"URLs of a host on average: {words}", _mean(sizes.get(kind) or {}), count(theirs) if theirs else NOTHING) for kind, words, theirs in (
        ("replicated", "replicated", published.MEAN_URLS["replicated"]), ("candidate", "other candidates", published.MEAN_URLS["candidate"]),
        ("other", "no candidate", None))]
    rows += [("Hosts in a known replica", count(cases.get("hosts")), f"{count(published.REPLICATED_HOSTS)} of {count(published.SAMPLE_HOSTS)} in the sample"),
             ("… the one in most", count(cases.get("most")), published.MOST_CASES),
             ("Known replicas among pairs", tables.share(alike.get("replicas"), alike.get("pairs")), tables.share(published.REPLICA_PAIRS, published.SAMPLE_PAIRS)),
             ("… obvious ones", tables.share(alike.get("obvious"), alike.get("replicas")), tables.share(published.OBVIOUS_PAIRS, published.REPLICA_PAIRS)),
             ("Known replicas whose hosts are both loaded", tables.share(gold.get("known"), gold.get("given")), NOTHING)]
    above = [[f"{s['x']:g}", count(s["pairs"]), percent(s["pairs"] / alike["pairs"]), count(s["replicas"]), percent(s["replicas"] / s["pairs"]) if s["pairs"] else NOTHING]
             for s in (alike.get("above") or [])[::10]]
    inner = tables.table("Candidates above a similarity", ["above", "pairs", "of all", "replicas", "of these pairs"], above, kind="facts", numbers=0) if above else ""
    steps = cases.get("at_most") or []
    inner += tables.table("Replicated hosts in at most x replicas", ["x", "hosts", "share"], [
        [count(s["cases"]), count(s["hosts"]), percent(s["share"])] for s in steps[::max(1, len(steps) // 20)]], kind="facts", numbers=0) if steps else ""
    inner += "".join(_bins_table(f"{words} by URLs", (sizes.get(kind) or {}).get("bins") or [], "URLs", "hosts")
                     for kind, words in (("replicated", "Replicated hosts"), ("candidate", "Other candidate hosts")))
    return (f'{warning}<div class="panels">{panels}</div>\n' + tables.facts("Replicas here and in the paper", rows)
            + tables.details("The numbers of these charts", f'<div class="side">{inner}</div>' if inner else ""))


def _mean(group: dict[str, Any]) -> str:
    return f"{group['urls'] / group['hosts']:,.0f}" if group.get("hosts") else NOTHING
