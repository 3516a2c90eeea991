"""``replicadb fingerprint`` and ``replicadb similar``: near-duplicate pages, of a whole crawl and
of one page.

Invariant: an option of another method is refused; ``similar`` changes nothing and writes its
rows alone to standard output.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.cli.settings_file import without_idle
from replicadb.counted import counted
from replicadb.errors import UsageError
from replicadb.near_duplicates import page_options
from replicadb.near_duplicates.near_duplicate_run import refuse_unread
from replicadb.near_duplicates.page_options import METHODS, PageOptions

if TYPE_CHECKING:
    from replicadb.near_duplicates.near_duplicate_run import FingerprintResult

Method = Annotated[
    page_options.Method | None,
    typer.Option(
        "--page-method",
        "-m",
        help="exact, simhash, minhash, rp, rp+hm or mwo.",
        show_default="one is needed",
    ),
]
DEFAULT = PageOptions()
NOT_OPTIONS = ("db", "method", "memory_limit", "threads", "quiet")


Level = Annotated[
    page_options.Level | None,
    typer.Option(
        "--level",
        help=(
            "Method exact: raw (bytes), text (decoded), or normalised (text without digits,"
            f" dates and white space). Default: {DEFAULT.level}."
        ),
    ),
]
Bits = Annotated[
    int | None,
    typer.Option(
        "--bits",
        help=(
            "Method simhash: signatures of 64 bits differ in so many at most, 0 to 8. Default:"
            f" {DEFAULT.bits}."
        ),
    ),
]
Shingle = Annotated[
    int | None,
    typer.Option(
        "--shingle", help=f"Method minhash: terms of a shingle. Default: {DEFAULT.shingle}."
    ),
]
Permutations = Annotated[
    int | None,
    typer.Option(
        "--permutations",
        help=(
            f"Method minhash: hashes of a signature, 16 to 1,024. Default: {DEFAULT.permutations}."
        ),
    ),
]
FingerprintThreshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        "-t",
        help=(
            "Method minhash: least Jaccard, default 0.8. Method mwo: least weight overlapping,"
            " default 0.6 (the paper: 0.5)."
        ),
    ),
]
Dimensions = Annotated[
    int | None,
    typer.Option(
        "--dimensions",
        help=(f"Methods rp, rp+hm: components of a signature (m). Default: {DEFAULT.dimensions}."),
    ),
]
EpsRp = Annotated[
    float | None,
    typer.Option(
        "--eps-rp",
        help=(
            "Methods rp, rp+hm: largest difference in a component of the projection. Default:"
            f" {DEFAULT.eps_rp}."
        ),
    ),
]
EpsHm = Annotated[
    float | None,
    typer.Option(
        "--eps-hm",
        help=(
            "Method rp+hm: largest difference in a component of the hyperlink map. Default:"
            f" {DEFAULT.eps_hm}."
        ),
    ),
]
Damping = Annotated[
    float | None,
    typer.Option(
        "--damping",
        help=(
            "Method rp+hm: how much of a page's map comes from the pages that it links to (d)."
            f" Default: {DEFAULT.damping}."
        ),
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        help=(f"Method rp+hm: rounds of the map, 3 to 5 in the paper. Default: {DEFAULT.rounds}."),
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="Methods minhash, rp, rp+hm: of the hashes or the projection. Default: 0.",
    ),
]
MinWeight = Annotated[
    float | None,
    typer.Option(
        "--min-weight",
        help="Method mwo: terms of a smaller share of their page are dropped (T). Default: 0.",
    ),
]
Order = Annotated[
    page_options.Order | None,
    typer.Option(
        "--order",
        help=(
            "Method mwo: terms by rising df (pages that have them) or weight. Default:"
            f" {DEFAULT.order}."
        ),
    ),
]
Exact = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="Method mwo: all pairs of that weight overlapping, whatever their Jaccard.",
    ),
]
StopWords = Annotated[
    str | None,
    typer.Option(
        "--stop-words",
        metavar="FILE",
        help=(
            "All methods but exact: words to leave out, one or more a line, or english. Default:"
            " none."
        ),
    ),
]
Stem = Annotated[
    str | None,
    typer.Option(
        "--stem",
        metavar="LANGUAGE",
        help="All methods but exact: Snowball stems, as english. Default: none.",
    ),
]
MaxPairs = Annotated[
    int | None,
    typer.Option(
        "--max-pairs",
        help=(
            "All methods: stop before more matches than this; 0 for no limit. Default:"
            f" {DEFAULT.max_pairs:,}."
        ),
    ),
]
Chains = Annotated[
    bool,
    typer.Option(
        "--chains",
        help=(
            "All methods: connected components as clusters. Without it each member of a cluster"
            " matches its centre."
        ),
    ),
]


def fingerprint(
    db: DB,
    method: Method = None,
    level: Level = None,
    bits: Bits = None,
    shingle: Shingle = None,
    permutations: Permutations = None,
    threshold: FingerprintThreshold = None,
    dimensions: Dimensions = None,
    eps_rp: EpsRp = None,
    eps_hm: EpsHm = None,
    damping: Damping = None,
    rounds: Rounds = None,
    seed: Seed = None,
    min_weight: MinWeight = None,
    order: Order = None,
    exact: Exact = False,
    stop_words: StopWords = None,
    stem: Stem = None,
    max_pairs: MaxPairs = None,
    chains: Chains = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Find near-duplicate pages by one method, and keep its matches and clusters (views
    page_level.page_matches and page_level.near_duplicates).

    The pages are those that were loaded with --content. A second run with the same data and options
    does nothing; other methods' results stay. To find replicas on the clusters, detect has the
    option --clusters METHOD.
    """
    given = {name: value for name, value in locals().items() if name not in NOT_OPTIONS}
    given |= {name: given[name] or None for name in ("exact", "chains")}
    if method is None:
        raise UsageError(f"which method? choose one with --page-method: {', '.join(METHODS)}")
    refuse = partial(refuse_unread, method, spelled=lambda name: f"--{name.replace('_', '-')}")
    given = without_idle(given, refuse)
    messages.must_exist(db)
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        result = web.fingerprint(
            method,
            report=lambda line: messages.say(f"{method}: {line}", quiet),
            **given,
        )
    _tell(result, quiet)


def _tell(result: FingerprintResult, quiet: bool) -> None:
    """What was found, in one line."""
    counts = result.counts
    if not result.ran:
        messages.say("nothing to do: pages and options are as they were", quiet)
    cut = (
        ""
        if result.options["chains"]
        else f", {counts['cut_off']:,} cut off by the guard against chains"
    )
    messages.say(
        f"{counted(counts['matches'], 'match', 'matches')} between"
        f" {counted(counts['matched_pages'], 'page')}; {counted(counts['clusters'], 'cluster')} of"
        f" {counted(counts['clustered_pages'], 'page')},"
        f" {counts['largest_cluster']:,} in the largest{cut}; in {result.seconds:.1f} s",
        quiet,
    )


Page = Annotated[
    str,
    typer.Argument(
        metavar="URL|FILE|-",
        help="A URL of the database, a file of HTML or text, or - for standard input.",
        show_default=False,
    ),
]
SimilarMethod = Annotated[
    page_options.Method,
    typer.Option(
        "--page-method",
        "-m",
        help=(
            "exact, simhash, minhash, rp, rp+hm or mwo; with the options of its last"
            " fingerprint, else its defaults."
        ),
    ),
]
SimilarThreshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        "-t",
        help=(
            "The least score, 0 to 1: weight overlapping (mwo), Jaccard (minhash), 1 - bits /"
            " 64 (simhash, from 0.875), 1 - largest difference (rp, rp+hm). Default: as far as"
            " the method's options go."
        ),
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", "-n", min=0, help="So many pages at most. Default: all."),
]
Format = Annotated[
    Literal["csv", "json"] | None,
    typer.Option("--format", "-f", help="Of the list. Default: csv, a table on a terminal."),
]


def similar(
    db: DB,
    page: Page,
    method: SimilarMethod = "mwo",
    threshold: SimilarThreshold = None,
    limit: Limit = None,
    format: Format = None,
    memory_limit: Memory = None,
    threads: Threads = None,
) -> None:
    """The near duplicates of one page, the most alike first: url and score. fingerprint need not
    have run.

    A page of the database is not in its own list. From a file, a page's links and text count as
    they stand there.
    """
    from replicadb.export import writers

    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        found = web.similar(page, method=method, threshold=threshold, limit=limit)
    writers.write(found.to_arrow().to_reader(), "-", writers.for_reader(format))
    if not len(found) and limit != 0:
        lower = "" if method == "exact" else "a lower --threshold, or "
        messages.say(f"no page of the database is that near; try {lower}another --page-method")
