"""What ``replicadb info`` prints for a person: a line a fact, those that are nothing left out."""

from __future__ import annotations

from typing import Any

from replicadb.counted import counted
from replicadb.load.load_options import by_folder, named

LOADS_SHOWN = 20
"""More loads than these are listed by their folders."""


def info_text(facts: dict[str, Any]) -> str:
    """The facts of :func:`replicadb.inventory.inventory` for a person."""
    parts = (_loaded, _pages, _left_out, _detected, _settings)
    return "\n".join(line for part in parts for line in part(facts))


def settings_text(settings: list[dict[str, Any]]) -> str:
    """Every setting in a line: ``detect.max_wrong = 0.03 (default)``."""
    return "\n".join(
        f"{row['table']}{'.' if row['table'] else ''}{row['name']} = {row['value']} ({row['from']})"
        for row in settings
    )


def _settings(facts: dict[str, Any]) -> list[str]:
    """What a file of settings says, and where the last detection had something else."""
    file = facts.get("settings_file") or {}
    if not file.get("path"):
        return []
    lines = [f"settings of {file['path']}; all else is as by default (--settings lists all):"]
    last = facts["detection"] or {}
    for key, value in file["says"].items():
        table, _, name = key.rpartition(".")
        had = last.get("settings", {}).get(name, value) if table == "detect" else value
        if last and key in file["of_detection"]:
            had = last["constants"].get(key, file["of_detection"][key])
        other = "" if had == value else f" (the last detection had {had})"
        lines.append(f"  {key} = {value}{other}")
    return lines


def _loaded(facts: dict[str, Any]) -> list[str]:
    lines = [
        f"{facts['database']}: {counted(facts['hosts'], 'site')} (--site"
        f" {facts['site']}), {_urls(facts)}, {facts['bytes'] / 1e6:,.1f} MB"
    ]
    lines += [
        f"  {named(load)}: read {load['read']:,} = kept {load['kept']:,} + replaced"
        f" {load['replaced']:,} + skipped {load['skipped']:,} + rejected {load['rejected']:,},"
        f" {counted(load['files'], 'file')}"
        for load in by_folder(facts["loads"], LOADS_SHOWN)
    ]
    kinds = ", ".join(f"{kind['kind']} {kind['urls']:,}" for kind in facts["fingerprints"])
    lines.append(f"fingerprints: {kinds or 'none'}")
    lines.append(
        f"addresses: {facts['addresses']:,}; redirects: {facts['redirects']:,}; canonical links:"
        f" {facts['canonicals']:,}; out-links: {facts['outlinks']:,}"
    )
    return lines


def _urls(facts: dict[str, Any]) -> str:
    """How many URLs are loaded, pages and others apart."""
    if not facts["assets"]:
        return counted(facts["urls"], "URL")
    return f"{counted(facts['urls'], 'page')} and {counted(facts['assets'], 'other file')}"


def _pages(facts: dict[str, Any]) -> list[str]:
    lines = []
    if facts["page_contents"]:
        lines.append(f"pages with content: {facts['page_contents']:,}")
    for run in facts["page_methods"]:
        counts = run["counts"]
        stale = f"; {run['stale']} since, run fingerprint again" if run["stale"] else ""
        lines.append(
            f"  {run['method']}: {counted(counts['matches'], 'match', 'matches')},"
            f" {counted(counts['clusters'], 'cluster')} of"
            f" {counted(counts['clustered_pages'], 'page')}{stale}"
        )
    return lines


def _left_out(facts: dict[str, Any]) -> list[str]:
    lines = []
    for title, key in (("skipped", "skip_reasons"), ("rejected", "reject_reasons")):
        if facts[key]:
            reasons = ", ".join(f"{reason['reason']} {reason['n']:,}" for reason in facts[key])
            lines.append(f"{title}: {reasons}")
    if facts["link_skip_reasons"]:
        links = facts["link_skip_reasons"]
        reasons = ", ".join(f"{link['kind']}: {link['reason']} {link['n']:,}" for link in links)
        lines.append(f"links left out: {reasons}")
    return lines


def _next(facts: dict[str, Any]) -> str:
    """What to run where a detection is not of what is loaded now."""
    return "detect again" if facts["hosts"] else "load: nothing is loaded any more"


def _detected(facts: dict[str, Any]) -> list[str]:
    named = facts["named_runs"]
    kept = [f"kept by name (replicadb runs): {', '.join(named)}"] if named else []
    if not facts["detected"]:  # before it there are no dup-clusters to count duplicate URLs by
        return ["no detection yet: replicadb detect " + facts["database"], *kept]
    counts, settings = facts["detection"]["counts"], facts["detection"]["settings"]
    near = f" on clusters by {settings['clusters']}" if settings.get("clusters") else ""
    old = f", new hosts against those of {of}" if (of := settings.get("reference")) else ""
    lines = [
        f"detection ({settings['method']}{near}{old}): "
        f"{counted(counts['candidate_pairs'], 'candidate pair')},"
        f" {counted(counts['obvious_replicas'], 'obvious replica')},"
        f" {counts['flagged_pairs']:,} flagged, {counted(counts['flagged_hosts'], 'host')} to drop"
        + (f"; {facts['stale']} since; run {_next(facts)}" if facts["stale"] else "")
    ]
    if "estimated_at_most" in counts:
        fewest, most = counts["estimated_at_least"], counts["estimated_at_most"]
        lines.append(
            f"replicas among the candidates: {counts['estimated_replicas']:,} estimated"
            + (f", {fewest:,} to {most:,} eight times in ten" if fewest < most else "")
        )
    if found := facts["reduction"]:
        total = max(found["duplicate_urls"], 1)
        lines.append(
            f"duplicate URLs: {found['duplicate_urls']:,} (within hosts {found['intra']:,}, between"
            f" hosts {found['inter']:,}, both {found['both_kinds']:,}); removed with flagged hosts"
            f" {found['removed_with_hosts']:,} ({found['removed_with_hosts'] / total:.1%}), by"
            f" rewrite rules {found['removed_by_rules']:,}"
            f" ({found['removed_by_rules'] / total:.1%}, {found['wrong_by_rules']:,} wrongly), by"
            f" both {found['removed_by_both']:,} ({found['removed_by_both'] / total:.1%})"
        )
    return [*lines, *kept]
