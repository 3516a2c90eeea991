"""The part of :class:`replicadb.ReplicaDB` that brings crawls in and takes them out again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from replicadb.errors import UsageError
from replicadb.given_file import path_of
from replicadb.page_api import fields_of
from replicadb.settings import Site
from replicadb.store.database import Database

if TYPE_CHECKING:
    from replicadb.load.load_options import LoadResult


class Loads:
    """What fills a database; a base of :class:`replicadb.ReplicaDB`."""

    database: Database

    def load(
        self,
        *sources: str | Path | Sequence[str | Path],
        format: str = "auto",
        label: str | None = None,
        site: Site | None = None,
        all_types: bool = False,
        pages_only: bool = False,
        machine_files: bool = False,
        force: bool = False,
        replace: bool = False,
        dry_run: bool = False,
        columns: dict[str, str | None] | None = None,
        hosts: str | None = None,
        exclude_hosts: str | None = None,
        links: bool | None = None,
        content: bool = False,
        identifiers: bool = True,
        max_file_size: str | None = None,
        progress: Callable[[str, int, float | None], None] | None = None,
    ) -> LoadResult:
        """Load crawl files, patterns, folders or ``-``.

        Args:
            sources: files of any format that ``replicadb load --help`` names, or lists of them.
            format: auto, or the name of a format.
            label: the name of this load, for :meth:`unload`; None takes each file's name.
            site: what counts as one site: host, domain or host+1; settled by the first load.
            all_types: keep every status and media type, each as a page.
            pages_only: leave out what is no page by its media type; else it is evidence apart.
            machine_files: keep robots.txt, site maps and the like, which are no pages.
            force: load a file again that is known already.
            replace: take out what was loaded before under the same name and is not in the files
                given now.
            dry_run: change nothing; the result is what each file would do by itself.
            columns: a table's columns by role, as ``{"url": "Address"}``; None for no column. A
                role goes by the names of its columns, too: ``text`` is content. ``id`` is a column
                of your own ids, as ``--id-column``.
            hosts: a table (host, ip) where the crawl has no addresses.
            exclude_hosts: a file of hosts to leave out, one a line, or the column host or domain
                of a table.
            links: out-links: True also from HTML in archives, False from nowhere, None where they
                need no parsing.
            content: keep what stands on the pages, for the page methods.
            identifiers: keep what HTML that is read for links or content says of who runs it, and
                its language.
            max_file_size: refuse a file that has more, unpacked, as "10GB"; None takes any.
            progress: called with the source, its rows so far, and the share of it that is read
                (None: not known).

        Raises:
            DataError: nothing could be loaded. UsageError: an option that cannot be meant, or
                another load or a detection of this process is under way in the file.
        """
        from replicadb.load.load import load
        from replicadb.load.load_options import LoadOptions

        columns = _by_role({} if columns is None else columns)
        options = LoadOptions(**fields_of(LoadOptions, locals()))
        return load(self.database, _one_by_one(sources), options, progress)

    def unload(self, name: str) -> int:
        """Take the load of that label out again; returns the number of its source files.

        Raises:
            DataError: there is no such load. UsageError: a load or a detection of this process is
                under way in the file.
        """
        from replicadb.load.unload import unload

        return unload(self.database, name)


def _by_role(columns: Mapping[str, str | None]) -> dict[str, str | None]:
    """Columns as they were given, by the names of their roles."""
    from replicadb.readers.table_columns import role_of

    if not isinstance(columns, Mapping):
        raise UsageError(
            f"columns {columns!r}: give them by role, as in columns={{'url': 'Address'}}"
        )
    return {role_of(role): _column(name) for role, name in columns.items()}


def _column(name: str | int | None) -> str | None:
    """A column as the command line has it: by its name, or by its number as text."""
    return str(name) if isinstance(name, int) else name


def _one_by_one(sources: Sequence[str | Path | Sequence[str | Path]]) -> list[str]:
    return [
        path_of(file)
        for given in sources
        for file in (given if isinstance(given, list | tuple) else [given])
    ]
