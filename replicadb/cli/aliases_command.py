"""``replicadb aliases``: names that tools fold by rule, and whether they are one site."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.cli.settings_file import without_idle
from replicadb.counted import counted
from replicadb.errors import UsageError
from replicadb.stage_constants import ALIASES

if TYPE_CHECKING:
    from replicadb.host_names.aliases import AliasAudit, AliasCost

Out = Annotated[
    str | None,
    typer.Argument(
        metavar="[OUT]",
        help=(
            "File for all pairs; its ending picks csv, tsv, json, jsonl, parquet or sqlite. - is"
            " csv. Default: a table of the first."
        ),
        show_default=False,
    ),
]
OneHost = Annotated[
    str | None,
    typer.Option("--host", metavar="HOST", help="Only the names of this host, in any spelling."),
]
TOP = 20
Top = Annotated[
    int | None,
    typer.Option("--top", min=1, help=f"So many pairs in the table. Default: {TOP}."),
]
MaxPages = Annotated[
    int | None,
    typer.Option(
        "--max-pages",
        min=0,
        help=(
            "Refuse to read more pages, with their earlier captures; 0 is no limit. Default:"
            f" {ALIASES.max_pages // 1_000_000} million."
        ),
    ),
]


def aliases(
    db: DB,
    out: Out = None,
    host: OneHost = None,
    top: Top = None,
    max_pages: MaxPages = None,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Audit names that tools fold by rule (www, www2, m., http and https, ports; SURT), old names
    that redirect, and names whose pages name another's by rel=canonical: which are one site, which
    are two, and which replicas no rule folds; with evidence and probability.

    What would be folded wrongly comes first: unlike = equal paths whose titles or lengths differ;
    not_compared = equal paths of which only contents are known, and these differ; keep = the name
    that the other leads to, or that the last detection keeps.
    """
    from replicadb.export import writers
    from replicadb.export.file_formats import format_of
    from replicadb.store.own_sources import refuse_source

    messages.must_exist(db)
    if as_json and out:
        raise UsageError("--json is a form of its own; leave out OUT")

    def refuse(given: Mapping[str, Any]) -> None:
        if given["top"] is not None and (out or as_json):
            raise UsageError("--top is of the table; OUT and --json have all pairs")

    most = without_idle({"top": top}, refuse)["top"] or TOP
    chosen = format_of(out) if out else writers.FITTING
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        if out:
            refuse_source(web.database, out)
        messages.warn_stale(web, quiet)
        found = web.aliases(host, max_pages=max_pages, announce=lambda cost: _announce(cost, quiet))
    if as_json:
        typer.echo(json.dumps(_as_json(found), indent=1))
    elif out or len(found.rows):
        rows = found.rows if out else found.rows.slice(0, most)
        writers.write(rows.to_reader(), out or "-", chosen)
    _summary(found, quiet)
    if not out and not as_json and len(found.rows) > most:
        messages.say(f"{counted(len(found.rows) - most, 'more pair')}: --top, or a file", quiet)


def _announce(cost: AliasCost, quiet: bool) -> None:
    messages.say(
        f"{counted(cost.pairs, 'pair')} among {counted(cost.names, 'name')}; {cost.read} to read",
        quiet,
    )


def _summary(found: AliasAudit, quiet: bool) -> None:
    for rule, verdict, n in found.counts():
        messages.say(f"{rule:<10}  {verdict:<9}  {n:>9,}", quiet)
    cost = found.cost
    if cost.large_groups:
        one = cost.large_groups == 1
        messages.say(
            f"{counted(cost.large_groups, 'group')} of more than {ALIASES.most_folded} names that"
            f" fold together: of {'it' if one else 'each'} only pairs with the first name, and each"
            " flagged name with its likeliest replica",
            quiet,
        )
    if cost.seen_one_way:
        messages.say(
            f"{cost.seen_one_way:,} of {cost.names:,} names were crawled under one scheme and port"
            " alone: whether another one is the same site, this crawl cannot tell",
            quiet,
        )
    if not cost.detected:
        messages.say(
            "no detection yet: replicas that no rule folds are not known, and probabilities go by"
            " equal paths alone; find them first: replicadb detect",
            quiet,
        )


def _as_json(found: AliasAudit) -> dict[str, object]:
    return {"cost": vars(found.cost), "pairs": found.rows.to_pylist()}
