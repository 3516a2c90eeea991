"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DB = Annotated[
    Path, typer.Argument(metavar="DB", help="The database, one DuckDB file.", show_default=False)
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help=(
            "DuckDB's memory, as 6GB; bigger work spills beside the file. Default: 30 % of the"
            " machine's."
        ),
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, max=256, help="Worker threads. Default: all cores."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="As one JSON object.")]
