"""``replicadb score``: what a detection learned, read for any pair and about hosts newly met.

Invariant: every given pair is a row of the result, in the order given; what could not be scored has
empty fields and is counted on standard error. No file that is read is overwritten by the result.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import isnan
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from replicadb.cli import messages
from replicadb.cli.options import Memory, Quiet, Threads
from replicadb.cli.query_command import Format
from replicadb.cli.score_pairs import read_pairs
from replicadb.cli.settings_file import without_idle
from replicadb.cli.sql_command import Output
from replicadb.counted import and_more, counted
from replicadb.errors import DataError, UsageError
from replicadb.web.domains import registrable_domain
from replicadb.web.urls import host_name

if TYPE_CHECKING:
    import polars as pl

    from replicadb.model import Host, Model, PairScore

SHOWN = 8  # pieces of evidence of one pair
MATCHES = 10  # known hosts for each new one


Db = Annotated[
    Path,
    typer.Argument(
        metavar="DB",
        help="The database, or a model that was exported from one.",
        show_default=False,
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PAIRS | HOST_A HOST_B]",
        help=(
            "A CSV file of pairs (columns host_a and host_b, or without a header its first"
            " two; with commas, semicolons or tabs), or Parquet; - for standard input; or two"
            " hosts."
        ),
        show_default=False,
    ),
]
ScoreHost = Annotated[
    Path | None,
    typer.Option(
        "--host",
        metavar="FILE",
        help=(
            "Hosts that the database does not know, as JSON, one object a line: host, ips,"
            " pages, identifiers, complete (docs/model.md), or pages as httpx and katana write"
            " them. Without pairs each is looked up: which known hosts may it be a copy of, and"
            " which host is kept of those?"
        ),
        show_default=False,
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        "--top",
        min=1,
        help=f"With --host alone: so many known hosts for each. Default: {MATCHES}.",
        show_default=False,
    ),
]


def score(
    db: Db,
    pairs: Pairs = None,
    host: ScoreHost = None,
    top: Top = None,
    format: Format = None,
    output: Output = "-",
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Score pairs of hosts, candidates or not, as detect would; or look hosts up that a crawler has
    just met.

    CSV on standard output, a table on a terminal, or a file (-o): host_a, host_b, strength,
    probability, flagged, kind, known (was a candidate), shared (contents that both have).
    The first time on a database its model is made and kept beside it (DB.model).
    """
    import polars as pl

    from replicadb.model import read_hosts
    from replicadb.model.new_hosts import normal_name

    given = pairs or []
    if len(given) > 2 or not (given or host):
        raise UsageError("score takes a CSV file of pairs, or two hosts, or --host FILE")
    options = without_idle({"top": top}, lambda options: _refuse_idle(options, given))
    _refuse_output(output, format, [db, *given[: len(given) % 2], *([host] if host else [])])
    write = partial(_write, output=output, format=format, quiet=quiet)
    hosts = read_hosts(host) if host else []
    if len(given) == 2:
        with opened(db, output, memory_limit, threads, quiet) as (model, decided):
            by_name = {h.name: h for h in hosts}
            for name in given:
                _refuse_unknown(model, name, by_name)
            found = model.score_pair(*(by_name.get(normal_name(name), name) for name in given))
            scored = model.score([tuple(given)], hosts)
            write(scored)
            _tell_evidence(found, quiet)
            _tell_decided(model, scored, decided, quiet)
        return
    table = read_pairs(given[0]) if given else None
    with opened(db, output, memory_limit, threads, quiet) as (model, decided):
        _tell_sites(model, hosts, quiet)
        if table is None:
            _look_up(model, hosts, options["top"] or MATCHES, write, quiet)
            return
        scored = model.score(table, hosts)
        write(scored)
        _tell_unknown(model, pl.concat([table["host_a"], table["host_b"]]), hosts, quiet)
        if nulls := scored["strength"].null_count():
            messages.say(
                f"note: {nulls:,} of {counted(len(scored), 'row')}"
                f" {'is' if nulls == 1 else 'are'} no pair of two hosts, and"
                f" {'has' if nulls == 1 else 'have'} empty fields",
                quiet,
            )
        _tell_decided(model, scored, decided, quiet)


def _tell_sites(model: Model, hosts: list[Host], quiet: bool) -> None:
    """Say which new hosts have other names than sites have here: their pages are not put together,
    and not distinguished.
    """
    site = model.info["site"]
    if site == "domain":
        odd = [h.name for h in hosts if registrable_domain(h.name) not in (None, h.name)]
    elif site == "host+1":
        below = (h for h in hosts if "/" not in h.name)
        odd = [h.name for h in below if any(page.path.count("/") > 1 for page in h.distinct())]
    else:
        return
    if odd:
        messages.say(
            f"note: {and_more(odd)}: taken as named, though sites go by --site {site} here;"
            ' give "host" in each line as the database names sites',
            quiet,
        )


def _refuse_idle(options: Mapping[str, Any], pairs: Sequence[str]) -> None:
    """Raises UsageError: --top beside pairs."""
    if pairs and options["top"] is not None:
        raise UsageError("--top does nothing with pairs; leave it out")


@contextlib.contextmanager
def opened(
    path: Path, output: str, memory_limit: str | None, threads: int | None, quiet: bool
) -> Iterator[tuple[Model, pl.DataFrame]]:
    """The model of a database, or one that was exported; and what was decided of pairs (host_a,
    host_b, replica), which an exported model does not know.

    Raises:
        UsageError: ``output`` is a crawl file that the database was loaded from.
    """
    import polars as pl

    import replicadb
    from replicadb.model.model_file import is_model
    from replicadb.store.own_sources import refuse_source

    if is_model(path):
        yield replicadb.open_model(path), pl.DataFrame()
        return
    with replicadb.open(path, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        if output != "-":
            refuse_source(web.database, output)
        decided = web.sql("SELECT host_a, host_b, replica FROM decisions")
        yield web.model(progress=tell_progress(quiet)), decided


def tell_progress(quiet: bool) -> Callable[[str], None]:
    """Says on standard error what is being done while a model is made."""
    return lambda doing: messages.say(f"making the model: {doing}", quiet)


def _refuse_output(output: str, format: str | None, read: Sequence[str | Path]) -> None:
    """Raises UsageError where nothing says the format, or the result would be written over a model
    or a file that is read.
    """
    from replicadb.export.file_formats import format_of
    from replicadb.model.model_file import is_model

    if output == "-":
        return
    format_of(output, format)
    if not os.path.isfile(output):
        return
    if is_model(Path(output)):
        raise UsageError(f"{output}: is a model; name another file")
    if any(os.path.isfile(path) and os.path.samefile(output, path) for path in read):
        raise UsageError(f"{output}: is read here; name another file")


def _write(frame: pl.DataFrame, output: str, format: str | None, quiet: bool) -> None:
    from replicadb.export import writers
    from replicadb.export.file_formats import format_of

    reader = frame.to_arrow().to_reader()
    if output == "-":
        writers.write(reader, "-", writers.for_reader(format))
        return
    rows = writers.write(reader, output, format_of(output, format))
    messages.say(f"{counted(rows, 'row')} to {output}", quiet)


def _look_up(
    model: Model, hosts: list[Host], top: int, write: Callable[[pl.DataFrame], None], quiet: bool
) -> None:
    import polars as pl

    rows: list[tuple[Any, ...]] = []
    said = attrgetter("host", "strength", "probability", "flagged", "kind", "shared", "keep")
    for host in hosts:
        found = [(host.name, *said(m), " ".join(m.pages)) for m in model.lookup(host, top)]
        rows += found or [(host.name, *[None] * 8)]
    schema = {
        "host": pl.String,
        "match": pl.String,
        "strength": pl.Float64,
        "probability": pl.Float64,
        "flagged": pl.Boolean,
        "kind": pl.String,
        "shared": pl.Int64,
        "keep": pl.String,
        "pages": pl.String,
    }
    table = pl.DataFrame(rows, schema=schema, orient="row")
    write(table)
    alone = set(table.filter(pl.col("match").is_null())["host"])
    if alone:
        messages.say(
            f"note: {len(alone):,} of {counted(len(hosts), 'new host')} without a match: no content"
            " in common with a known host, by which alone they are looked up; pairs are scored by"
            f" all else, too{_unseen([h for h in hosts if h.name in alone], model)}",
            quiet,
        )


def _unseen(hosts: list[Host], model: Model) -> str:
    """Why hosts without a match may be copies all the same."""
    blank = sum(not any(page.fingerprint for page in host.pages) for host in hosts)
    if blank:
        return f"; no page of {blank:,} of them has a fingerprint, html or text"
    if (clusters := model.settings["clusters"]) in (None, "none", "exact"):
        return ""
    return (
        f"; the detection compared near duplicates ({clusters}), while a new page is known by its"
        " bytes alone: load these hosts with --content and detect again to compare them so, too"
    )


def _tell_evidence(found: PairScore, quiet: bool) -> None:
    """Why: the largest contributions."""
    added = sorted(found.contributions.items(), key=lambda item: (-abs(item[1]), item[0]))[:SHOWN]
    messages.say(
        f"contents in common: {found.shared:,}; what weighs most: "
        + ", ".join(f"{name}{_valued(found, name)} ({value:+.2f})" for name, value in added),
        quiet,
    )


def _valued(found: PairScore, name: str) -> str:
    """The value of a piece of evidence, where it has one."""
    if name not in found.features:
        return ""
    value = found.features[name]
    return " unknown" if isnan(value) else f" {value:.3g}"


def _refuse_unknown(model: Model, name: str, given: Container[str]) -> None:
    """
    Raises:
        DataError: a host that neither the database nor a file of hosts knows.
    """
    from replicadb.model.new_hosts import normal_name

    if normal_name(name) not in given and model.find(name) < 0:
        raise DataError(
            f"no host {name} here{_or_no_page(model)}; the nearest names:"
            f" {', '.join(model.nearest(name))}; give pages of a new host with --host FILE"
        )


def _tell_unknown(
    model: Model, named: Iterable[str | None], hosts: list[Host], quiet: bool
) -> None:
    import polars as pl

    from replicadb.model.new_hosts import normal_name

    names = pl.Series("name", list(named), pl.String).drop_nulls().unique()
    given = {host.name for host in hosts}
    unknown = sorted(
        name
        for name in names.filter(model.names.find_all(names) < 0)
        if name and normal_name(name) not in given and model.find(name) < 0 and host_name(name)
    )
    if unknown:
        messages.say(
            f"note: {len(unknown):,} host{'s are' if len(unknown) > 1 else ' is'} not in the"
            f" database{_or_no_page(model)} (such as {unknown[0][:60]}): scored by name alone, as"
            " sharing nothing; give pages with --host FILE",
            quiet,
        )


def _or_no_page(model: Model) -> str:
    """Why a host that was loaded is none of a model's, where there may be such hosts."""
    files = model.settings.get("assets") is False
    return ", or has no page (detect --no-assets)" if files else ""


def _tell_decided(model: Model, scored: pl.DataFrame, decided: pl.DataFrame, quiet: bool) -> None:
    """What was decided of pairs that were scored, whatever their scores."""
    import polars as pl

    def place(names: pl.Series) -> pl.Series:
        known = pl.Series(model.names.find_all(names))
        odd = names.filter(known < 0).drop_nulls().unique()  # not known as they are spelled
        spelled = names.replace_strict(
            {name: model.find(name) for name in odd}, default=-1, return_dtype=pl.Int64
        )
        return known.zip_with(known >= 0, spelled)

    def places(pairs: pl.DataFrame) -> pl.DataFrame:
        pairs = pairs.with_columns(one=place(pairs["host_a"]), other=place(pairs["host_b"]))
        return pairs.with_columns(
            low=pl.min_horizontal("one", "other"), high=pl.max_horizontal("one", "other")
        )

    if decided.is_empty() or scored.is_empty():
        return
    found = places(scored.select("host_a", "host_b")).filter(pl.col("low") >= 0)
    found = found.join(places(decided).select("low", "high", "replica"), on=["low", "high"])
    if found.is_empty():
        return
    first, second, *_, replica = found.row(0)
    pairs = f"{first} and {second}: decided to be {'replicas' if replica else 'no replicas'}"
    if len(found) > 1:
        n, yes = len(found), int(found["replica"].sum())
        pairs = f"{n:,} of these pairs were decided, {yes:,} replicas and {n - yes:,} none; {pairs}"
    messages.say(f"note: {pairs}; detect goes by it, scores by the evidence alone", quiet)
