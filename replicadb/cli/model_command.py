"""``replicadb model``: what a detection learned, in a file of its own.

Invariant: no database is overwritten by a model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from replicadb.cli import messages
from replicadb.cli.options import Memory, Quiet, Threads
from replicadb.cli.score_command import tell_progress
from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean

Action = Annotated[
    str,
    typer.Argument(
        metavar="export|info",
        help=(
            "export DB FILE: write the model of a database's detection to a file. info FILE:"
            " what a model is, with its checksum gone through."
        ),
        show_default=False,
    ),
]
Source = Annotated[
    Path,
    typer.Argument(
        metavar="DB|FILE",
        help="The database to export from, or the model to look at.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="The file to write.", show_default=False)
]


def model(
    action: Action,
    source: Source,
    out: Out = None,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Take what a detection learned out of the database, in one file that scores without it: model
    export DB FILE, model info FILE.
    """
    import replicadb
    from replicadb.model import open_model

    if action not in ("export", "info"):
        raise UsageError(
            f"model cannot {action!r}{did_you_mean(action, ('export', 'info'))};"
            " choose: model export DB FILE, or model info FILE"
        )
    if action == "info":
        if out is not None:
            raise UsageError("model info takes one file")
        messages.show(json.dumps(open_model(source, verify=True).info, indent=2))
        return
    if out is None:
        raise UsageError(
            "model export takes a database and the file to write: replicadb model export DB FILE"
        )
    if out.exists() and out.samefile(source):
        raise UsageError(f"{out}: is the database itself; name another file")
    with replicadb.open(source, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        counts = web.model(out, progress=tell_progress(quiet)).header["counts"]
    messages.say(
        f"{counts['hosts']:,} hosts, {counts['urls']:,} URLs, {out.stat().st_size / 1e6:,.1f} MB to"
        f" {out}",
        quiet,
    )
