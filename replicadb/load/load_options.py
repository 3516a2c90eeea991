"""The options of a load, and what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from replicadb.counted import counted
from replicadb.short_table import short_table

SITES = ("host", "domain", "host+1")
COUNTS = ("read", "kept", "replaced", "skipped", "rejected")
Progress = Callable[[str, int, float | None], None]
"""Called with the source's name, rows so far, and the share of the file done (None: unknown)."""


@dataclass(frozen=True)
class LoadOptions:
    """How to load; see ``replicadb load --help``."""

    format: str = "auto"
    label: str | None = None
    site: str | None = None
    all_types: bool = False
    machine_files: bool = False
    """Keep robots.txt, site maps and the like, which are no pages; all_types keeps them, too."""
    pages_only: bool = False
    max_file_size: str | None = None
    """No more of a file, unpacked, as 10GB; None: any."""
    force: bool = False
    replace: bool = False
    """Take out what was loaded before under the same name and is not in the files given now."""
    dry_run: bool = False
    """Change nothing; the result is what each file would do by itself."""
    columns: dict[str, str | None] = field(default_factory=dict)
    """Role to a table's column, None for no column."""
    hosts: str | None = None
    exclude_hosts: str | None = None
    links: bool | None = None
    """Out-links: True also from HTML in archives, False from nowhere, None where they need no
    parsing (tables, WAT).
    """
    content: bool = False
    """Keep what stands on the pages: titles, terms, links with their texts, digests; for the page
    methods.
    """
    identifiers: bool = True
    """Keep what HTML that is read for links or content says of who runs it."""


@dataclass(repr=False)
class LoadResult:
    """What one load did, summed over its sources: read = kept + replaced + skipped + rejected."""

    read: int = 0
    kept: int = 0
    replaced: int = 0
    skipped: int = 0
    rejected: int = 0
    sources: int = 0
    """Files loaded."""
    known: list[str] = field(default_factory=list)
    """Files recognised as loaded before; nothing was changed for them."""
    unrecognised: list[str] = field(default_factory=list)
    """Files in folders that are no crawls, with the reason."""
    failed: list[str] = field(default_factory=list)
    """Files that could not be loaded, one line each."""
    too_large: int = 0
    """How many of these are larger than a file may be."""
    warnings: list[str] = field(default_factory=list)
    """What a careful person would want to know."""
    doubts: dict[str, list[str]] = field(default_factory=dict)
    """What of it is said of single files, with those that it holds for; ``warnings`` has each once.
    """
    assets: int = 0
    """Captures of files that are no pages, of those kept or replaced."""
    contents: int = 0
    """Captures whose content was kept (LoadOptions.content)."""
    links: dict[str, int] = field(default_factory=dict)
    """Links stored by kind (redirect, canonical, link: each target once a page), and ``left_out``;
    link_skips says why.
    """
    identifiers: int = 0
    """What pages say of who runs them, each value once a host and source."""
    columns: dict[str, list[str]] = field(default_factory=dict)
    """Which column became what, in a line, with the tables that it holds for."""
    machine_files: dict[str, int] = field(default_factory=dict)
    """Machine files left out, by kind (replicadb/web/machine_files.py); they are among skipped."""
    reasons: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Why little was kept of a source, or some of it rejected: how many captures, and the URL of
    one, or the file's name where it has none; the commonest.
    """
    without_url: set[str] = field(default_factory=set)
    """Those reasons that have a file's name."""
    excluded: set[str] = field(default_factory=set)
    """Hosts that were left out, of those that exclude_hosts names."""
    dry_run: bool = False
    """Whether nothing was changed."""
    seconds: float = 0.0

    @property
    def notes(self) -> list[str]:
        """The warnings, under the name that results of detection have for them."""
        return self.warnings

    def __repr__(self) -> str:
        return f"<LoadResult: {self.line()}>"

    def _repr_html_(self) -> str:
        rows = [("files", self.sources), *((name, getattr(self, name)) for name in COUNTS)]
        failed = [f"could not be loaded: {line}" for line in self.failed]
        return short_table("loaded", rows, [*failed, *self.warnings])

    @property
    def kept_little(self) -> bool:
        """Whether fewer than one in ten captures were kept."""
        return (self.kept + self.replaced) * 10 < self.read

    @property
    def kept_nothing(self) -> bool:
        """Whether files were loaded and nothing was kept."""
        return self.sources > 0 and not self.kept + self.replaced

    def line(self) -> str:
        """The summary line; it adds up."""
        return (
            f"read {self.read:,} = kept {self.kept:,} + replaced {self.replaced:,} + skipped"
            f" {self.skipped:,} + rejected {self.rejected:,}, from"
            f" {counted(self.sources, 'file')} in {self.seconds:.1f} s"
        )


def by_folder(loads: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The loads, as tables of them are shown; of more than ``most`` those of one folder in one row,
    with their counts summed and how many they are as ``loads``.
    """
    if len(loads) <= most:
        return loads
    folders: dict[str, list[dict[str, Any]]] = {}
    for load in loads:
        folder, slash, _ = load["name"].rpartition("/")
        folders.setdefault(folder + slash or load["name"], []).append(load)
    return [
        of[0]
        if len(of) == 1
        else {"name": folder, "loads": len(of)}
        | {name: sum(load[name] for load in of) for name in (*COUNTS, "files")}
        for folder, of in folders.items()
    ]


def named(load: dict[str, Any], alone: str = "load ") -> str:
    """What a row of them is called; ``alone`` stands before the name of one load."""
    many = load.get("loads")
    return f"{many:,} loads of {load['name']}" if many else f"{alone}{load['name']}"
