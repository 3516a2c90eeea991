"""``replicadb detect`` and ``replicadb demo``: replicas in a crawl, of your own or generated."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import replicadb
from replicadb import settings
from replicadb.cli import messages, settings_file
from replicadb.cli.host_files import names_in
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.cli.settings_file import without_idle
from replicadb.idle_settings import refuse_idle

ROBUST, PUBLISHED = "Method robust", "Methods paper and thesis"

Method = Annotated[
    settings.Method | None,
    typer.Option(
        "--method",
        help=(
            "robust; paper (the published method to the letter); or thesis (the one before it:"
            " bins without labels, candidates by path too). Default: robust."
        ),
    ),
]
Evidence = Annotated[
    settings.Evidence | None,
    typer.Option(
        "--evidence",
        rich_help_panel=ROBUST,
        help=(
            "What is weighed: all that was loaded, or five: the paper's features alone, of host"
            " names, addresses and paths. Default: all."
        ),
    ),
]
MaxWrong = Annotated[
    float | None,
    typer.Option(
        "--max-wrong",
        rich_help_panel=ROBUST,
        help=(
            "Flag as many pairs as it can while this share of them is expected to be"
            " wrong. Default: 0.03."
        ),
    ),
]
MinProbability = Annotated[
    float | None,
    typer.Option(
        "--min-probability",
        rich_help_panel=ROBUST,
        help="Flag every pair of those --kinds from here, above 0 to 1, whatever --max-wrong is.",
    ),
]
Kinds = Annotated[
    str | None,
    typer.Option(
        "--kinds",
        metavar="KINDS",
        rich_help_panel=ROBUST,
        autocompletion=lambda incomplete: _kinds(incomplete),
        help=(
            "What a likely pair must look like to be flagged:"
            f" {', '.join(settings.PAIR_KINDS)}, by commas, or all. Default: replica,partial."
        ),
    ),
]
Candidates = Annotated[
    settings.Candidates | None,
    typer.Option(
        "--candidates",
        help=(
            "Which hosts are compared: those that share content, a path, or either. Default:"
            " content; either under method thesis."
        ),
    ),
]
Clusters = Annotated[
    Literal[settings.Clusters, "none"] | None,
    typer.Option(
        "--clusters",
        help=(
            "What counts as one content: the clusters of near duplicates that fingerprint found"
            " by exact, simhash, minhash, rp, rp+hm or mwo; none: equal fingerprints. Default: by"
            " minhash where pages were loaded with --content; none without, and under methods"
            " paper and thesis."
        ),
    ),
]
Assets = Annotated[
    bool | None,
    typer.Option(
        "--assets/--no-assets",
        help=(
            "Whether files that are no pages (pictures, styles, scripts, fonts) are evidence."
            " Default: yes; no under methods paper and thesis, which know pages alone."
        ),
        show_default=False,
    ),
]
MinShared = Annotated[
    int | None,
    typer.Option(
        "--min-shared",
        help="Shared dup-clusters (or paths) that make a candidate pair. Default: 1.",
    ),
]
MaxClusterHosts = Annotated[
    int | None,
    typer.Option(
        "--max-cluster-hosts",
        help=(
            "A fingerprint on more hosts makes no pairs; 0 for no cap. Default: 1000; no cap under"
            " methods paper and thesis."
        ),
    ),
]
MaxPairs = Annotated[
    int | None,
    typer.Option(
        "--max-pairs",
        help="Stop before making more pairs than this; 0 for no limit. Default: 20,000,000.",
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="NAME",
        help=(
            "Label of a load: compare only new hosts with those of that load, and flag only new"
            " ones."
        ),
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep",
        metavar="CRITERIA",
        help=(
            "Which host of a group stays, where canonical links and redirects do not say: names of"
            f" hosts, {', '.join(settings.KEEP)}, by commas; @FILE reads names from a file."
            " Default: links,contents,urls,domain,short."
        ),
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help=(
            "Keep a copy of this detection under that name, to compare with others: runs lists"
            " them, diff says what changed. The same name again takes its place."
        ),
    ),
]
DetectSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        rich_help_panel=PUBLISHED,
        help="Of the sample of obvious non-replicas. Default: 0.",
    ),
]
Discretise = Annotated[
    settings.Discretise | None,
    typer.Option(
        "--discretise",
        rich_help_panel=PUBLISHED,
        help="Bins: mdl, frequency or width. Default: mdl under paper, frequency under thesis.",
    ),
]
Cut = Annotated[
    settings.Cut | None,
    typer.Option(
        "--cut",
        rich_help_panel=PUBLISHED,
        help="Whose rules and cut: own, projected or global. Default: own.",
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(
        "--alpha",
        rich_help_panel=PUBLISHED,
        help="With --cut global: the threshold on alpha(x, -), 0.1 ... 0.9. Default: 0.5.",
    ),
]
Schedule = Annotated[
    settings.Schedule | None,
    typer.Option(
        "--schedule",
        rich_help_panel=PUBLISHED,
        help=(
            "When labels turn: example (one at a time, as published), pattern or batch. Default:"
            " example up to 200,000 candidates, pattern beyond."
        ),
    ),
]
Aggregate = Annotated[
    settings.Aggregate | None,
    typer.Option(
        "--aggregate",
        rich_help_panel=PUBLISHED,
        help="How the two learners go together: pareto, pu or nu. Default: pareto.",
    ),
]
First = Annotated[
    int | None,
    typer.Option(
        "--first",
        metavar="N",
        min=0,
        rich_help_panel=PUBLISHED,
        help=(
            "Flag the first N of the ranking, as published. Default, ours: pairs with both scores"
            " above 1/2."
        ),
    ),
]
Profile = Annotated[
    bool,
    typer.Option(
        "--profile",
        help="Show where the time went: seconds, rows and peak memory of each stage that ran.",
    ),
]


def detect(
    db: DB,
    method: Method = None,
    evidence: Evidence = None,
    max_wrong: MaxWrong = None,
    min_probability: MinProbability = None,
    kinds: Kinds = None,
    candidates: Candidates = None,
    clusters: Clusters = None,
    assets: Assets = None,
    min_shared: MinShared = None,
    max_cluster_hosts: MaxClusterHosts = None,
    max_pairs: MaxPairs = None,
    reference: Reference = None,
    keep: Keep = None,
    name: Name = None,
    seed: DetectSeed = None,
    discretise: Discretise = None,
    cut: Cut = None,
    alpha: Alpha = None,
    schedule: Schedule = None,
    aggregate: Aggregate = None,
    first: First = None,
    profile: Profile = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Find replicas. A second run with the same data and settings does nothing."""
    chosen: dict[str, Any] = {
        k: v
        for k, v in locals().items()
        if k not in ("db", "name", "profile", "memory_limit", "threads", "quiet")
    }
    refuse = partial(refuse_idle, spelled=lambda name: f"--{name.replace('_', '-')}")
    chosen = without_idle(settings_file.CURRENT.settings | chosen, refuse, beside=("method", "cut"))
    messages.must_exist(db)
    chosen["keep"] = keep and _with_files(keep)
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        report = messages.StageReport(quiet)
        given = {k: v for k, v in chosen.items() if v is not None}
        result = web.detect(report=report, profile=profile, name=name, **given)
    messages.tell_detect(result, quiet)
    if name is not None:
        messages.say(f"kept as {name.strip()}; see: replicadb runs {db}", quiet)
    if profile:
        messages.tell_profile(result)


def _kinds(incomplete: str) -> list[str]:
    """The kinds that may follow those that stand before the last comma."""
    before, comma, _ = incomplete.rpartition(",")
    given = before.split(",")
    names = settings.PAIR_KINDS if comma else (*settings.PAIR_KINDS, "all")
    return [f"{before}{comma}{name}" for name in names if name not in given]


def _with_files(keep: str) -> str:
    """``--keep`` with the names from files, a line each, in place of ``@FILE``.

    Raises:
        DataError: a file that cannot be read, or has no name in it.
    """
    items = [item.strip() for item in keep.split(",")]
    return ",".join(
        ",".join(names_in(item, "--keep")) if item[:1] == "@" else item for item in items
    )


Folder = Annotated[
    Path | None,
    typer.Argument(
        metavar="[DIR]",
        help="Where to put it. Default: a new folder replicadb-demo here.",
        show_default=False,
    ),
]
DemoHosts = Annotated[int, typer.Option("--hosts", min=100, help="Hosts to generate.")]
DemoSeed = Annotated[int, typer.Option("--seed", help="Same seed, same crawl.")]


def demo(
    folder: Folder = None,
    hosts: DemoHosts = 2000,
    seed: DemoSeed = 1,
    quiet: Quiet = False,
) -> None:
    """Generate a small crawl with known replicas, load it, find them, and show the best."""
    from replicadb.cli.demo import demonstrate

    demonstrate(folder or Path("replicadb-demo"), hosts, seed, quiet)
