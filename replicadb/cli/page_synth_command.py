"""``replicadb pages synth``: generated pages and the gold of their pairs, to measure page methods
on.

Invariant: standard output names the files written, one a line, and nothing else; a file that
is not this command's own is never overwritten.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from replicadb.cli import messages
from replicadb.cli.options import Quiet
from replicadb.errors import DataError

# says that the folder's files are this command's, which may make them anew
MARK = ".replicadb-pages-synth"
FILES = ("pages.warc.gz", "pages.parquet", "rendered.parquet", "gold.csv")


Folder = Annotated[
    Path,
    typer.Argument(
        metavar="DIR",
        help=(
            "Where pages.warc.gz (or pages.parquet), rendered.parquet and gold.csv go; made if"
            " missing."
        ),
        show_default=False,
    ),
]
Pages = Annotated[
    int,
    typer.Option(
        "--pages", metavar="N", help="About so many pages, 20 or more; some 2.5 pairs each."
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same bytes.")]
Format = Annotated[
    str,
    typer.Option(
        "--format", "-f", help="Of the pages: warc (responses, ready for a browser) or parquet."
    ),
]
Links = Annotated[
    bool,
    typer.Option(
        "--links",
        help=(
            "Pages link to earlier ones, those of one content to much the same, so that rp+hm can"
            " be judged."
        ),
    ),
]


def page_synth(
    folder: Folder,
    pages: Pages = 2000,
    seed: Seed = 0,
    format: Format = "warc",
    links: Links = False,
    quiet: Quiet = False,
) -> None:
    """Generate pages, hard on purpose, with the gold of their pairs: which are duplicates, and why.

    gold.csv has every pair of pages that one query finds: url_a, url_b, label (duplicate or not, as
    a visitor sees them), cause, query, and content_label (whether the same main text stands in the
    markup; empty where there is none). rendered.parquet has what a browser shows, of pages where
    that is not what was fetched.
    """
    from replicadb.synthetic.pages.generate_pages import generate_pages

    _make_ready(folder)
    started = time.monotonic()
    try:
        made = generate_pages(folder, pages, seed, format, links)
        (folder / MARK).touch()
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror or error}") from error
    written = (made.pages_file, made.rendered, made.gold_csv)
    for left in set(FILES) - {path.name for path in written}:
        (folder / left).unlink(missing_ok=True)  # of an earlier run in the other format
    for path in written:
        messages.show(str(path))
    messages.say(
        f"{made.pages:,} pages; {made.pairs:,} pairs, {made.duplicates:,} of them duplicates; seed"
        f" {seed}, in {time.monotonic() - started:.1f} s",
        quiet,
    )
    messages.say(
        f"try next: replicadb load {folder / 'pages.duckdb'} {made.pages_file} --content", quiet
    )


def _make_ready(folder: Path) -> None:
    """Refuse to overwrite what this command did not make."""
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file; name a folder")
    taken = [name for name in FILES if (folder / name).exists()]
    if taken and not (folder / MARK).exists():
        raise DataError(
            f"{folder}: {taken[0]} is there already and was not made by pages synth; name another"
            " folder"
        )
