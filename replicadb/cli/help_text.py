"""How ``--help`` is laid out: commands by what they are for, options by what they belong to, and
examples.

Plain text at any width; no box, no colour. Every example is parsed by a test.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer._click.core import ParameterSource
from typer.core import TyperCommand, TyperGroup

from replicadb.cli import settings_file
from replicadb.cli.messages import say
from replicadb.cli.progress import Progress
from replicadb.cli.renamed import modern
from replicadb.errors import DataError, NotADatabaseError, UsageError

if TYPE_CHECKING:
    from typer import Typer

EXIT_CODES = (
    "Exit codes: 0 done, 1 data or database at fault, 2 usage, 3 over a limit, 4 locked, "
    "130 interrupted (143 by SIGTERM). Data: stdout; all else: stderr."
)
PANELS = {
    "Start here": ("demo", "load", "detect", "export"),
    "Explore": (
        "explain",
        "report",
        "copies-of",
        "watch",
        "recheck",
        "aliases",
        "families",
        "wildcards",
        "info",
        "sql",
        "docs",
        "runs",
        "diff",
        "score",
        "model",
        "unload",
    ),
    "Correct": ("label", "review"),
    "Pages": ("fingerprint", "similar", "pages"),
    "Rewrite URLs": ("rewrite",),
    "Evaluate": ("evaluate", "synth"),
}
"""The commands by what they are for."""
SHORT = {
    "demo": "a generated crawl, loaded and detected: what it is like",
    "load": "read crawl files into a database",
    "detect": "find replicas",
    "export": "hosts to drop, pairs or groups, to a file",
    "explain": "why two hosts are replicas, or are none",
    "report": "what was found and why, as one HTML page",
    "copies-of": "the copies of a site, for who hunts clones",
    "watch": "what is new about them",
    "recheck": "dropped hosts due for another look, and what to fetch first",
    "aliases": "names that rules fold: one site or two",
    "families": "patterns of names that are copies of one host",
    "wildcards": "names below which any host answers as one site",
    "label": "what you decide of pairs and hosts, for ever",
    "review": "decide on the most informative pairs, by keyboard",
    "info": "what is loaded, what was left out and why",
    "sql": "ask anything; begin with: FROM start_here",
    "runs": "detections kept by name, side by side",
    "diff": "what changed between two of them, and why",
    "docs": "what the tables and columns of a database mean",
    "score": "any two hosts, or a newly met one",
    "model": "what detect learned, in one file",
    "unload": "take a load out again",
    "fingerprint": "near-duplicate pages, by six methods",
    "similar": "what is near one page",
    "pages": "pairs of pages, by many signals",
    "rewrite": "rules that give each page of a host one URL",
    "evaluate": "methods side by side on pairs you know",
    "synth": "a generated crawl with its gold",
}
"""What the list of commands says of each."""
SHORT_IN_GROUPS = {
    "rewrite": {
        "learn": "rules from duplicates, and what they make of each URL",
        "apply": "the canonical form of URLs, as CSV",
        "show": "the rules, their support and errors, as a table",
        "export": "the rules for a crawler, to a file",
        "compare": "the rules beside w3lib, courlan, SURT and others",
    },
    "pages": {
        "synth": "pages, hard on purpose, with their gold",
        "signals": "every signal of pairs of URLs, as CSV",
        "train": "learn which pairs of pages are duplicates",
        "classify": "judge pairs of URLs by what was learned",
        "render": "archived pages as a browser draws them",
        "evaluate": "every method and signal on pairs you know",
    },
}
"""The same of the commands of a group, which Typer would cut off in the middle."""
EXAMPLES = {
    "demo": ("demo",),
    "load": (
        "load web.duckdb crawl.warc.gz",
        "load web.duckdb crawl/ --label march --content",
        "load web.duckdb urls.csv --column url=Address --column fingerprint=Hash",
    ),
    "unload": ("unload web.duckdb march",),
    "aliases": (
        "aliases web.duckdb",
        "aliases web.duckdb --host www2.example.org",
        "aliases web.duckdb aliases.csv",
    ),
    "families": (
        "families web.duckdb",
        "families web.duckdb filters.txt --as ublock",
        "families web.duckdb --host www.example.org",
    ),
    "wildcards": ("wildcards web.duckdb", "wildcards web.duckdb wildcards.csv"),
    "review": ("review web.duckdb", "review web.duckdb --terminal"),
    "label": (
        "label web.duckdb decisions.csv",
        "label web.duckdb --no-replica a.example,b.example --note 'two publishers'",
        "label web.duckdb --keep www.example.org --note 'the owner says so'",
        "label web.duckdb --export decisions.csv",
    ),
    "detect": (
        "detect web.duckdb",
        "detect web.duckdb --max-wrong 0.01",
        "detect web.duckdb --reference january",
        "detect web.duckdb --keep https,links,urls",
        "detect web.duckdb --candidates path --evidence five",
        "detect web.duckdb --clusters minhash --name minhash",
    ),
    "export": (
        "export web.duckdb drop.csv --min-probability 0.95",
        "export web.duckdb pairs.parquet --what pairs --all",
        "export web.duckdb - -f jsonl",
        "export web.duckdb drop.surt --as surt",
    ),
    "explain": (
        "explain web.duckdb a.example b.example",
        "explain web.duckdb a.example b.example --json",
    ),
    "report": (
        "report web.duckdb replicas.html",
        "report web.duckdb replicas.html --explained 5000",
    ),
    "copies-of": (
        "copies-of web.duckdb shop.example",
        "copies-of web.duckdb shop.example --json",
        "copies-of web.duckdb @brands.txt -o copies.csv",
        "copies-of web.duckdb @brands.txt --as ublock -o block.txt",
    ),
    "watch": ("watch web.duckdb shop.example", "watch web.duckdb @brands.txt", "watch web.duckdb"),
    "recheck": ("recheck web.duckdb", "recheck web.duckdb due.csv --days 30 --pages 5"),
    "sql": (
        'sql web.duckdb "SELECT * FROM flagged_hosts LIMIT 10"',
        "sql web.duckdb --file query.sql -o answer.parquet",
        "sql web.duckdb --list",
        "sql web.duckdb --example copies-of-a-site --set host=shop.example",
        "sql web.duckdb \"SELECT * FROM evidence_of('a.example', 'b.example')\"",
    ),
    "runs": ("runs web.duckdb", "runs web.duckdb --forget minhash"),
    "diff": (
        "diff web.duckdb exact minhash",
        "diff web.duckdb march -o changes.csv",
    ),
    "docs": ("docs web.duckdb", "docs web.duckdb replicas"),
    "info": ("info web.duckdb", "info web.duckdb --json"),
    "score": (
        "score web.duckdb a.example b.example",
        "score web.duckdb pairs.csv -o scored.parquet",
        "score web.duckdb --host new.jsonl --top 3",
    ),
    "model": ("model export web.duckdb web.model", "model info web.model"),
    "fingerprint": (
        "fingerprint web.duckdb --page-method minhash",
        "fingerprint web.duckdb --page-method simhash --bits 6",
    ),
    "similar": ("similar web.duckdb https://a.example/about --limit 10",),
    "synth": ("synth crawl --hosts 400 --profile demo --links",),
    "evaluate": (
        "evaluate web.duckdb gold.csv --brief",
        "evaluate web.duckdb gold.csv --methods ours,normpaths",
        "evaluate web.duckdb gold.csv --report page.html",
    ),
    "pages synth": ("pages synth p --pages 800",),
    "pages signals": ("pages signals web.duckdb pairs.csv",),
    "pages train": ("pages train web.duckdb labelled.csv --model classifier.json",),
    "pages classify": ("pages classify web.duckdb pairs.csv --model classifier.json",),
    "pages render": ("pages render web.duckdb crawl.warc.gz",),
    "pages evaluate": ("pages evaluate web.duckdb gold.csv --report methods.html",),
    "rewrite learn": ("rewrite learn web.duckdb",),
    "rewrite show": ("rewrite show web.duckdb",),
    "rewrite export": ("rewrite export web.duckdb regex-normalize.xml",),
    "rewrite compare": ("rewrite compare web.duckdb",),
    "rewrite apply": ("rewrite apply rules.json urls.txt",),
}
"""By command, without the name of the program."""
MEANT = {
    word: command
    for command, words in {
        "load": "add import index ingest insert open read",
        "detect": "cluster compare dedup dedupe dedupe-hosts deduplicate find match run",
        "export": "dump list out save write",
        "sql": "ask query repl rows select shell",
        "info": "ls show stat stats status summary",
        "docs": "columns describe schema tables",
        "explain": "evidence reason why",
        "report": "browse html page view",
        "copies-of": "clones copies duplicates mirrors replicas",
        "watch": "alert monitor",
        "label": "correct decide feedback mark",
        "unload": "delete drop forget remove rm",
        "demo": "example examples quickstart start tutorial",
    }.items()
    for word in words.split()
}
"""What people call commands elsewhere, and the command here."""
BY_KEYBOARD = ("review",)
"""Commands that wait for a person, with nothing drawn meanwhile."""


def _refuse_beyond_64_bits(options: Any, values: dict[str, Any]) -> None:
    """Raises UsageError where a number is one that no statement, array or hash takes."""
    for option in options:
        value = values.get(option.name)
        most = 1 << (64 if option.name == "seed" else 63)
        if isinstance(value, int) and not -(1 << 63) <= value < most:
            raise UsageError(
                f"{option.opts[0]} {value}: is beyond 64 bits; give {most - 1} or less"
            )


class Command(TyperCommand):
    """A command whose options stand by what they belong to (``rich_help_panel``), with examples."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        quiet = bool({"-q", "--quiet"} & set(args))
        name = ctx.command_path.partition(" ")[2]
        return super().parse_args(ctx, modern(name, args, lambda line: say(line, quiet)))

    def invoke(self, ctx: Any) -> Any:
        name, quiet = ctx.command_path.partition(" ")[2], bool(ctx.params.get("quiet"))
        _refuse_beyond_64_bits(self.params, ctx.params)
        file = settings_file.CURRENT
        file.used = frozenset(
            option.name
            for option in self.params
            if ctx.get_parameter_source(option.name) == ParameterSource.DEFAULT_MAP
        )
        if said := file.said(name):
            say(f"note: {said}", quiet)
        when = "never" if name in BY_KEYBOARD else ctx.find_root().obj or "auto"
        try:
            with Progress(name, quiet, when):
                return super().invoke(ctx)
        except NotADatabaseError as error:
            example = f"as in: replicadb {EXAMPLES[name][0]}"
            raise DataError(f"{error}; the database comes first, {example}") from error

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The options, then arguments by their names alone: Typer puts braces around them."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return ["[OPTIONS]", *map(_name_of, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            kind = "Options"
            if parameter.param_type_name == "argument":
                kind, record = "Arguments", (_name_of(parameter), record[1])
            panel = getattr(parameter, "rich_help_panel", None) or kind
            panels.setdefault(panel, []).append(record)
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        name = ctx.command_path.partition(" ")[2]
        if examples := EXAMPLES.get(name):
            with formatter.section("Examples"):
                for example in examples:
                    formatter.write(f"{'':{formatter.current_indent}}replicadb {example}\n")
        super().format_epilog(ctx, formatter)


def _name_of(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


class Group(TyperGroup):
    """All commands, by what they are for; ``help`` is ``--help``."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] == "help" and "help" not in self.commands:
            args = [*args[1:2], "--help"]
            if len(args) == 1:
                print(ctx.get_help())
                ctx.exit()
        given = args[0]
        if given not in self.commands and not given.startswith("-"):
            if Path(given).is_file():
                raise UsageError(
                    f"{given}: is a file, and a command comes first, as in: replicadb info {given}"
                )
            if meant := MEANT.get(given.lower()):
                raise UsageError(
                    f"No such command {given!r} (did you mean {meant!r}?); see replicadb --help"
                )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for panel, names in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl([(name, SHORT[name]) for name in names])


def dress(app: Typer) -> None:
    """Every command of an application, and of those in it, is laid out as :class:`Command`."""
    for command in app.registered_commands:
        command.cls = Command
        command.epilog = command.epilog or EXIT_CODES
    for group in app.registered_groups:
        if group.typer_instance is not None:
            dress(group.typer_instance)
            short = SHORT_IN_GROUPS[str(group.typer_instance.info.name)]
            for command in group.typer_instance.registered_commands:
                name = command.name or getattr(command.callback, "__name__", "")
                command.short_help = short[str(name)]
