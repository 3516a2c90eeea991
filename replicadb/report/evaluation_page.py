"""The page of an evaluation: sections in order, each from one part of the result.

Invariant: a part that the result does not have is said to be missing, never left out silently; the
same result gives the same bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from replicadb.report import charts, method_tables, table_html
from replicadb.report.crawl_order_section import crawl_order_section
from replicadb.report.crawl_sections import figure_3, figure_4
from replicadb.report.curve_section import figure_5
from replicadb.report.headlines_section import headlines_section
from replicadb.report.page_frame import frame
from replicadb.report.plane_section import plane_section
from replicadb.report.reliability_section import reliability_section
from replicadb.report.safe_text import NOTHING, count, esc, is_number, percent, plural, rate
from replicadb.report.series import choose, hits, main_rate
from replicadb.report.table_sections import paper_table

GLANCE_MOST = 24
CAUSE_METHODS = ("robust", "robust-paths", "paper", "normpaths", "booster")


def render(result: dict[str, Any], figures: dict[str, Any]) -> str:
    """The whole page.

    Args:
        result: of ``evaluate``; see its docstring. Parts may be missing.
        figures: of ``crawl_figures.collect``.
    """
    numbers = itertools.count(1)
    methods = [m for m in result.get("methods") or [] if isinstance(m, dict) and m.get("name")]
    series = choose(methods)
    sections = [
        ("data", "What was evaluated", _data(result, figures)),
        ("methods", "Methods side by side", _methods(result, methods, numbers)),
        ("causes", "By cause of replication", _causes(result, methods)),
        *_plane(result, numbers),
        ("figure-3", "Figure 3: duplicates in this crawl", figure_3(figures, numbers)),
        ("figure-4", "Figure 4: replicas in this crawl", figure_4(figures, numbers)),
        ("figure-5", "Figure 5: how well replicas are found", figure_5(series, numbers)),
        ("reliability", "What probabilities are worth", reliability_section(series, numbers)),
        *_crawl_order(result, numbers),
        *_headlines(result),
        ("tables", "The paper’s tables", _paper_tables(result)),
        ("terms", "Terms", TERMS),
    ]
    name = (result.get("data") or {}).get("database") or "a crawl"
    title = f"Website replicas in {name}: evaluation"
    return frame(title, _headline(result, name), sections, result)


def _headlines(result: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The section on the paper's headlines, where it was asked for."""
    found = headlines_section(result.get("headlines"))
    if found:
        yield "headlines", "The paper’s headlines", found


def _crawl_order(result: dict[str, Any], numbers: Iterator[int]) -> Iterator[tuple[str, str, str]]:
    """The section on crawling, where it was asked for."""
    found = crawl_order_section(result.get("crawl_order"), numbers)
    if found:
        yield "crawl-order", "What a crawler would have saved", found


def _plane(result: dict[str, Any], numbers: Iterator[int]) -> Iterator[tuple[str, str, str]]:
    """The paper's Figure 1, where the published method ran."""
    found = plane_section(result.get("plane"), numbers)
    if found:
        yield "figure-1", "Figure 1: PU and NU in this crawl", found


# -- what stands first
# ------------------------------------------------------------------------------------


def _headline(result: dict[str, Any], name: str) -> str:
    data = result.get("data") or {}
    cards = [
        (count(data.get("hosts")), "hosts", plural_urls(data)),
        (
            count(data.get("candidate_pairs")),
            "candidate pairs",
            f"{count(data.get('obvious_replicas'))} obvious replicas among them",
        ),
        (
            count(data.get("gold_replicas")),
            "known replicas",
            f"{percent(data.get('candidate_recall'))} of them are candidates",
        ),
    ]
    shown = "".join(
        f"<div><strong>{esc(n)}</strong><span>{esc(what)}</span><small>{esc(more)}</small></div>"
        for n, what, more in cards
    )
    return (
        '<p class="kind">Evaluation of website replica'
        f" detection</p>\n<h1><bdi>{esc(name)}</bdi></h1>\n<p"
        f' class="lead">{" ".join(_sentences(result))}</p>\n<div class="cards">{shown}</div>\n'
    )


def plural_urls(data: dict[str, Any]) -> str:
    urls = data.get("urls")
    return (
        f"{plural(urls, 'URL')}, {percent(data['duplicate_urls'] / urls)} duplicates"
        if (is_number(urls) and urls and is_number(data.get("duplicate_urls")))
        else ""
    )


def _sentences(result: dict[str, Any]) -> Iterator[str]:
    """The findings in words: what replicadb decides, how it ranks, beside what."""
    methods = {m.get("name"): m for m in result.get("methods") or []}
    if not methods:
        yield "No method was evaluated."
        return
    robust = methods.get("robust")
    flagged = (robust or {}).get("flagged") or {}
    if is_number(flagged.get("pairs")):
        yield (
            f"replicadb flags {plural(flagged['pairs'], 'pair')} as replicas without any label,"
            f" with a precision of <b>{rate(flagged.get('precision'), 3)}</b> and a recall of"
            f" <b>{rate(flagged.get('recall'), 3)}</b> over all known replicas."
        )
    yield from _drop_list(result.get("drop_list") or {})
    fpr = main_rate(methods.values())
    found = {name: hits(m.get("non_obvious"), fpr) for name, m in methods.items()}
    if is_number(found.get("robust")):
        others = [
            (words, found.get(key))
            for key, words in (
                ("paper", "the published method"),
                ("normpaths", "NormPaths"),
                ("booster", "a booster trained on the true labels"),
            )
        ]
        beside = [f"{words} <b>{rate(value, 3)}</b>" for words, value in others if is_number(value)]
        where = "above every non-replica" if fpr == "0" else f"at a false-positive rate of {fpr}"
        yield (
            "Of the replicas that names do not give away, its ranking finds"
            f" <b>{rate(found['robust'], 3)}</b> {where}"
            + (f"; {', '.join(beside)}." if beside else ".")
        )
    if not robust:
        yield (
            f"{plural(len(methods), 'method')} compared; <code>robust</code>, replicadb’s default,"
            " is not among them."
        )


def _drop_list(found: dict[str, Any]) -> Iterator[str]:
    """What the gold says of the hosts to drop."""
    if not found.get("judged"):
        return
    held = found.get("held") or {}
    counts = ", ".join(f"{count(n)} {esc(name)}" for name, n in found["by_verdict"].items())
    yield (
        f"Of {plural(found['judged'], 'host')} to drop that the gold judges"
        f" <b>{rate(found['share'], 3)}</b> are replicas of the host kept in their place"
        f" ({counts}); {plural(held.get('hosts') or 0, 'drop')} held back."
    )


# -- sections
# ---------------------------------------------------------------------------------------------


def _warnings(data: dict[str, Any], detected: bool) -> str:
    """What a reader must know before the figures."""
    out = (
        ""
        if detected
        else (
            '<p class="warn">This database has no detection in it, so there are no candidates to'
            " evaluate and Figures 3 and 4 are empty. Run <code>replicadb detect</code>"
            " first.</p>\n"
        )
    )
    gold, unknown = data.get("gold_replicas"), data.get("gold_unknown_hosts")
    if is_number(gold) and not gold:
        out += (
            '<p class="warn">The gold names no replica, so no rate of hits is defined; what can be'
            " counted is shown.</p>\n"
        )
    if is_number(unknown) and unknown:
        are = "is" if unknown == 1 else "are"
        out += (
            f'<p class="warn">{plural(unknown, "host")} of the gold {are} not in this crawl.</p>\n'
        )
    notes = filter(None, [*(data.get("notes") or ()), data.get("connected"), data.get("decisions")])
    return out + "".join(f'<p class="warn">{esc(note, 1000)}</p>\n' for note in notes)


def _data(result: dict[str, Any], figures: dict[str, Any]) -> str:
    data, machine = result.get("data") or {}, result.get("machine") or {}
    candidates, gold = data.get("candidate_pairs"), data.get("gold_replicas")
    urls = data.get("urls")
    out = _warnings(data, bool(figures.get("detected")))
    others = "all other candidates" + (" but those it connects" if data.get("connected") else "")
    labels = "given with the gold" if data.get("gold_labelled") else others
    rows = [
        ("Database", str(data.get("database") or NOTHING)),
        ("Hosts", count(data.get("hosts"))),
        ("URLs", count(urls)),
        ("Duplicate URLs", table_html.share(data.get("duplicate_urls"), urls)),
        ("Dup-clusters", count(data.get("dup_clusters"))),
        ("Candidate pairs", count(candidates)),
        ("Obvious replicas", count(data.get("obvious_replicas"))),
        ("Pairs in the gold", count(data.get("gold_pairs"))),
        ("Known replicas", count(gold)),
        ("Known replicas among candidates", table_html.share(data.get("gold_candidates"), gold)),
        ("Non-replicas", labels),
        ("Groups of known replicas", count(data.get("gold_groups"))),
        ("Pairs compared", count(data.get("evaluated_pairs"))),
        (
            "Replicas among them",
            table_html.share(data.get("evaluated_replicas"), data.get("evaluated_pairs")),
        ),
        (
            "Non-obvious among these",
            table_html.share(data.get("non_obvious_replicas"), data.get("evaluated_replicas")),
        ),
        ("replicadb", str(result.get("replicadb") or NOTHING)),
        ("Made", str(result.get("made_at") or NOTHING)),
    ]
    rows += [
        (
            MACHINE.get(key, str(key)),
            f"{value:,.1f} GB" if key == "memory_gb" and is_number(value) else str(value),
        )
        for key, value in machine.items()
    ]
    return out + table_html.pairs(rows)


MACHINE = {"cores": "Cores", "memory_gb": "Memory", "python": "Python", "duckdb": "DuckDB"}


def _methods(result: dict[str, Any], methods: list[dict[str, Any]], numbers: Iterator[int]) -> str:
    if not methods:
        return '<p class="warn">No method was evaluated.</p>\n'
    listed = method_tables.ordered(methods)
    main = [m for m in listed if not method_tables.is_variant(m)] or listed
    variants = [m for m in listed if m not in main]
    fpr = main_rate(methods)
    picture = charts.glance(main[:GLANCE_MOST], next(numbers), fpr)
    out = (
        ""
        if picture is None
        else (
            f'<figure class="wide"><div class="scroll">{picture}</div><figcaption>Filled:'
            " non-obvious replicas, the bar is their 95% interval. Hollow: all replicas."
            " Non-replicas are counted among candidates.</figcaption></figure>\n"
        )
    )
    out += method_tables.methods_table("Methods side by side, on the same pairs", main, methods)
    out += (
        '<p class="note">Small figures: 95% intervals. '
        + (
            "TPR at 0.001: share of replicas found when one non-replica in 1,000 is let in. "
            if fpr != "0"
            else (
                "TPR at 0: share of replicas above every non-replica, for there are too few of"
                " these to measure a false-positive rate of 0.001. "
            )
        )
        + "Bold: the best without labels. Its own decision: the pairs the method itself flags;"
        " recall is over all known replicas, candidates or not. Click a heading to sort.</p>\n"
    )
    if variants:
        out += table_html.details(
            f"{plural(len(variants), 'variant')}: global thresholds, single features, features"
            " left out",
            method_tables.methods_table("Variants, on the same pairs", variants, methods),
        )
    out += table_html.details("More figures of each method", method_tables.more_table(methods))
    notes = [(m.get("title") or m["name"], m["note"]) for m in listed if m.get("note")]
    if notes:
        out += (
            "<h3>Notes</h3><ul>"
            + "".join(
                f"<li><bdi>{esc(title)}</bdi>: <bdi>{esc(note, 1000)}</bdi></li>"
                for title, note in notes
            )
            + "</ul>\n"
        )
    titles = {m["name"]: m.get("title") or m["name"] for m in methods}
    compared = method_tables.comparisons_table(result.get("comparisons") or [], titles)
    return out + table_html.details("Are the differences significant?", compared)


def _causes(result: dict[str, Any], methods: list[dict[str, Any]]) -> str:
    by_name = {m["name"]: m for m in methods if m.get("by_cause")}
    chosen = [by_name[name] for name in CAUSE_METHODS if name in by_name] or list(by_name.values())[
        :5
    ]
    causes = (result.get("data") or {}).get("causes") or {}
    rates = method_tables.causes_table(causes, chosen, main_rate(by_name.values()))
    precision = table_html.details(
        "Average precision by cause", method_tables.causes_precision(causes, chosen)
    )
    return rates + precision if rates else "<p>The gold gives no causes.</p>\n"


def _paper_tables(result: dict[str, Any]) -> str:
    found = result.get("tables") or {}
    shown = "".join(paper_table(number, found[number]) for number in sorted(found) if found[number])
    return (
        f'<div class="side">{shown}</div>\n'
        if shown
        else '<p class="warn">The result has no tables.</p>\n'
    )


TERMS = """<dl class="terms">
<dt>Candidate pair</dt><dd>Two hosts that have at least one page of identical content.</dd>
<dt>Replica</dt><dd>A candidate pair that the gold names as copies of each other.</dd>
<dt>Obvious, non-obvious</dt><dd>Obvious: the names say it (www and non-www, the same name under \
another public suffix). All methods learn from
these for free, so what counts is how the others are found.</dd>
<dt>Dup-cluster</dt><dd>All URLs with one content, when there are two or more.</dd>
<dt>TPR, FPR</dt><dd>True-positive rate: share of replicas found. False-positive rate: share of \
non-replicas let in with them.</dd>
<dt>AUC</dt><dd>Probability that a replica stands above a non-replica in the ranking.</dd>
<dt>Average precision</dt><dd>Precision, averaged over the replicas in the order of the \
ranking.</dd>
<dt>Reduction ratio</dt><dd>Share of duplicate URLs that go when the replicas go. False positives \
raise it, so it always stands beside its FPR.</dd>
<dt>Replica detection rate</dt><dd>One over the place of a replica among k others, on average.</dd>
<dt>Published</dt><dd>Carvalho, de Moura, Veloso and Ziviani (2017), “Website replica detection \
with distant supervision”: 30 million URLs on 583,411
hosts, another crawl, so their figures are a yardstick and no target.</dd>
</dl>
"""
