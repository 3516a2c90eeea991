"""``replicadb synth``: a generated crawl with known replicas, to prove a detector on.

Invariant: standard output names the files written, one a line, and nothing else. Files that
this command made in a folder it makes anew there, whatever was done to them since (``MARK`` names
them); any other file is left alone, and refused where it is in the way.
"""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from replicadb.cli import messages
from replicadb.cli.options import Quiet
from replicadb.errors import DataError

MARK = (  # names the folder's files that are this command's, which may make them anew
    ".replicadb-synth"
)
FILES = ("crawl.parquet", "crawl.csv", "hosts.csv", "gold.csv", "url_gold.csv")
PROFILE_HELP = (
    "What kind of crawl: ordinary, template, sparse, few-obvious, affiliates, shared-hosting,"
    " parked, themes (static sites, every file type; load with --all-types), versions (such sites,"
    " and near-replicas of other years among them), paper (with the counts of Carvalho et al. 2017;"
    " its outcomes are others), erring (as paper, with URL rules that err) or demo."
)


Folder = Annotated[
    Path,
    typer.Argument(
        metavar="DIR",
        help=(
            "Where crawl.parquet (or .csv), hosts.csv, gold.csv and url_gold.csv go; made if"
            " missing."
        ),
        show_default=False,
    ),
]
Hosts = Annotated[
    int,
    typer.Option(
        "--hosts", metavar="N", help="Exactly so many hosts, 20 or more.", show_default=False
    ),
]
Urls = Annotated[
    int | None,
    typer.Option(
        "--urls",
        metavar="M",
        min=1,
        help="About so many URLs. Default: as the profile's sites are large.",
    ),
]
Profile = Annotated[
    str,
    typer.Option(
        "--profile", metavar="NAME", help=PROFILE_HELP, autocompletion=lambda: _profiles()
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same bytes.")]
Format = Annotated[Literal["parquet", "csv"], typer.Option("--format", "-f", help="Of the crawl.")]
Links = Annotated[
    bool,
    typer.Option(
        "--links",
        help=(
            "Out-links, canonical links and redirects too: columns links (JSON), canonical,"
            " title and redirect."
        ),
    ),
]
Content = Annotated[
    bool,
    typer.Option(
        "--content",
        help=(
            "The pages' markup too: column html; load it with --content. Equal contents have"
            " equal markup."
        ),
    ),
]
PageEdits = Annotated[
    Literal["none", "small"],
    typer.Option(
        "--page-edits",
        help=(
            "none, or small: every page differs by a date, a counter, a banner or an"
            " advertisement, so that no two are the same to the byte (with --content)."
        ),
    ),
]


def _profiles() -> list[str]:
    from replicadb.synthetic.crawl.profiles import PROFILES

    return list(PROFILES)


def synth(
    folder: Folder,
    hosts: Hosts,
    urls: Urls = None,
    profile: Profile = "ordinary",
    seed: Seed = 0,
    format: Format = "parquet",
    links: Links = False,
    content: Content = False,
    page_edits: PageEdits = "none",
    quiet: Quiet = False,
) -> None:
    """Generate a crawl, hard on purpose, with its gold: which hosts are copies of each other, and
    why.

    gold.csv has every planted pair of replicas (host_a, host_b, cause, label: near-replica for
    versions of one site from other years); hosts.csv the known addresses (host, ip); url_gold.csv
    the further URLs of pages within a host (further_url, duplicate_of, kind). Names, paths and
    parameters are random words, so that no list of names finds them.
    """
    from replicadb.synthetic.crawl.generate import generate

    _make_ready(folder)
    started = time.monotonic()
    try:
        made = generate(folder, hosts, urls, profile, seed, format, links, content, page_edits)
        paths = (made.crawl, made.hosts_csv, made.gold_csv, made.url_gold)
        for left in _own(folder) - {path.name for path in paths}:
            (folder / left).unlink(missing_ok=True)  # of an earlier run in the other format
        (folder / MARK).write_text("".join(f"{path.name}\n" for path in paths))
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror or error}") from error
    for path in paths:
        messages.show(str(path))
    messages.say(
        f"{made.urls:,} URLs on {made.hosts:,} hosts; {made.replica_pairs:,} replica pairs in"
        f" {made.replica_groups:,} groups; profile {profile}, seed {seed}, in"
        f" {time.monotonic() - started:.1f} s",
        quiet,
    )
    if not made.replica_pairs:
        messages.say("note: no replica pair: too few hosts for this profile's groups", quiet)
    types = " --all-types" if profile in ("themes", "versions") else ""
    load = f"{made.crawl}{types}{' --content' if content else ''}"
    web = _new_database(folder, quiet)
    if page_edits != "none":
        find = (
            f"replicadb fingerprint {web} --page-method minhash"
            f" && replicadb detect {web} --clusters minhash"
        )
    elif made.replica_pairs:
        find = f"replicadb detect {web} && replicadb evaluate {web} {made.gold_csv}"
    else:
        find = f"replicadb detect {web}"
    messages.say(f"try next: replicadb load {web} {load} && {find}", quiet)


def _new_database(folder: Path, quiet: bool) -> Path:
    """A name in the folder that no database has yet."""
    first = folder / "web.duckdb"
    if not first.exists():
        return first
    messages.say(
        f"note: {first} is there already; load another crawl into a database of its own", quiet
    )
    numbered = (folder / f"web{n}.duckdb" for n in itertools.count(2))
    return next(path for path in numbered if not path.exists())


def _make_ready(folder: Path) -> None:
    """Refuse to overwrite what this command did not make."""
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file; name a folder")
    taken = [name for name in FILES if (folder / name).exists() and name not in _own(folder)]
    if taken:
        raise DataError(
            f"{folder}: {taken[0]} is there already and was not made by synth; name another folder"
        )


def _own(folder: Path) -> set[str]:
    """The names of the files here that this command made; an empty mark, as it once was, stands for
    all.
    """
    mark = folder / MARK
    return set(mark.read_text().split() or FILES) & set(FILES) if mark.is_file() else set()
