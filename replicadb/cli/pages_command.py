"""``replicadb pages``: pairs of pages, their signals, what a browser shows, and generated pairs
with gold.

Invariant: a sub-command's function lives in a file named for its group; here they are only
put together.
"""

from __future__ import annotations

import typer

from replicadb.cli.page_evaluation_command import evaluate
from replicadb.cli.page_render_command import page_render
from replicadb.cli.page_signals_command import classify, signals, train
from replicadb.cli.page_synth_command import page_synth

pages = typer.Typer(
    name="pages",
    help="Pairs of pages: which are near duplicates, by many signals.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

pages.command("synth")(page_synth)
pages.command("signals")(signals)
pages.command("train")(train)
pages.command("classify")(classify)
pages.command("render")(page_render)
pages.command("evaluate")(evaluate)
