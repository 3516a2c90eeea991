"""``replicadb export --as``: the hosts to drop as a list that another tool takes.

Invariant: a list names each host once and nothing but hosts to drop; what it cannot say is counted
with an example (:class:`ToolList`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from replicadb.counted import counted
from replicadb.errors import UsageError
from replicadb.export import writers
from replicadb.export.file_formats import format_of, refuse_no_text, unpacked_name
from replicadb.export.list_formats import (
    BY_NAME,
    JOIN,
    MEANT,
    NAMES,
    SOURCES,
    TABLES,
    ListFormat,
)
from replicadb.export.own_hosts import OwnHosts, own_hosts
from replicadb.likely_meant import did_you_mean
from replicadb.near_duplicates.loaded_contents import stage_near_contents
from replicadb.store.arrow import reader_of
from replicadb.store.atomic_file import atomic_write
from replicadb.store.database import Database
from replicadb.store.run_log import loads_since
from replicadb.store.statements import statements

NAMED = "export/10_dropped_names"
FIRST = (
    "surt_name",
    "httrack_name",
    "plain_name",
    "port_of",
    "named_ports",
    "dropped_names",
)
"""Statements of NAMED up to the table of that name, in their order."""
CHOSEN_HOSTS = """SELECT host_id FROM hosts
    WHERE host IN (SELECT host FROM chosen_hosts UNION SELECT canonical_host FROM chosen_hosts)"""
"""Those that go and those that stay for them."""
COMPARED = ("held_pages", "placed_pages", "placed_contents", "same_content")
"""Temporary tables that compare pages of what goes and of what stays, in their order."""


@dataclass
class ToolList:
    """What was written, and what it saves."""

    format: str
    files: list[str]
    rows: int = 0
    """Rows of a table, lines of a list without those before and after."""
    hosts: int = 0
    """Sites that it names."""
    urls: int = 0
    """Their pages."""
    of_urls: int = 0
    """All pages."""
    lost: int | None = None
    """Of their pages, those that stand nowhere else as far as the last detection knows; None: it
    has not measured all of them.
    """
    lost_then: bool = False
    """Whether loads came or went since that detection."""
    bytes: int = 0
    """Of their pages whose length is known."""
    of_bytes: int = 0
    of_known: int = 0
    """Pages whose length is known."""
    left_out: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By reason: how many host names, and one of them; with the kept host, where that is why."""
    nowhere: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Of a list of pages, by reason: how many go to no page of the kept host, and one of them."""
    ids_elsewhere: int = 0
    """Of a list with ids: how many stand at a URL of a host that is not in it, too."""
    ids_lost: int = 0
    """Rows of their files whose ids are not known: another row of their file had their URL."""
    files_left: tuple[int, str | None] = (0, None)
    """Of a list of pages: how many files other than pages its hosts have, and one of them."""
    earlier_unknown: tuple[int, str | None] = (0, None)
    """Of a list of pages: how many files an older version loaded, so that nothing is known of
    captures that others of the same file replaced; and one of them.
    """
    of_groups: bool = True
    """Whether it has the hosts to drop: of each group all but the one that is kept."""
    own: OwnHosts = field(default_factory=OwnHosts)
    """Hosts in it that somebody watches, or of a domain of theirs."""

    def lines(self) -> list[str]:
        """What to say of it."""
        aliases = BY_NAME[self.format].by_key
        known = f", {_size(self.bytes)} of {_size(self.of_bytes)}" if self.of_known else ""
        share = f" ({100 * self.urls / self.of_urls:.3g} %{known})" if self.of_urls else ""
        saved = (
            f"{self.rows:,} of {self.urls:,} pages of {counted(self.hosts, 'host')} have an alias"
            if aliases
            else f"it saves {self.urls:,} of {self.of_urls:,} pages{share}"
        )
        to = "" if self.files == ["-"] else f" to {' and '.join(self.files)}"
        rows, hosts = counted(self.rows, "row"), counted(self.hosts, "host")
        said = [f"{rows} for {self.format}{to}: {hosts}; {saved}"]
        if self.lost is not None and not aliases:
            lost = f"{self.lost:,} {_stand(self.lost)} nowhere else"
            said.append(
                f"of the pages that these hosts had at the last detection, {lost}"
                if self.lost_then
                else f"of these pages {lost}, as far as is known"
            )
        if BY_NAME[self.format].blocks and self.hosts and self.of_groups:
            said.append(
                "of each group the host that is kept is not in it, though it may be a copy, and an"
                " original may be: replicadb label DB --keep ORIGINAL, then detect; all copies of"
                " one's own hosts: copies-of DB HOST --as"
            )
        said += self.own.lines()
        said += [
            f"left out, {counted(n, 'name')}: {reason}, such as {example}"
            for reason, (n, example) in self.left_out.items()
        ]
        files, example = self.files_left
        if files:
            said.append(
                f"left out, {counted(files, 'file')} of these hosts that {_are(files)} no pages,"
                f" such as {example}; load --all-types takes every file for a page"
            )
        older, example = self.earlier_unknown
        if older:
            said.append(
                f"an older replicadb loaded {counted(older, 'file')}, such as {example}: what these"
                " pages were in captures that a newer one of the same file replaced is not looked"
                " at; load it again with --force, then detect"
            )
        if self.ids_elsewhere:
            ids, stand = counted(self.ids_elsewhere, "id"), _stand(self.ids_elsewhere)
            said.append(f"{ids} {stand} at pages that are not in this list, too: join on url")
        if self.ids_lost:
            said.append(
                f"{counted(self.ids_lost, 'row')} had the URL of another row of the same file;"
                " their ids are not in this list: join on url"
            )
        lacks = "alias" if aliases else "same_content_at"
        return said + [
            f"no {lacks}, {counted(n, 'page')}: {reason}, such as {example}"
            for reason, (n, example) in self.nowhere.items()
        ]


def write_list(
    db: Database,
    query: str,
    parameters: dict[str, float],
    out: str,
    name: str,
    wanted: str | None = None,
    of_groups: bool = True,
) -> ToolList:
    """Write the sites that a query chooses as a list.

    Args:
        query, parameters: rows like those of ``flagged_hosts``. out: a path, or ``-``. name: of
            BY_NAME. wanted: the format of a list that is a table; None goes by the ending.
            of_groups: as in :class:`ToolList`.

    Raises:
        UsageError: no such list, or one that needs another ending or format. DataError: the file
            cannot be written.
    """
    format = format_named(name)
    chosen = _written_as(format, out, wanted)
    with db.temporary():
        db.execute(f"CREATE TEMP TABLE chosen_hosts AS {query}", parameters)
        choose_names(db, format)
        saved, left_out = _saved(db, format), _left_out(db, format)
        found = ToolList(name, [out], of_groups=of_groups, left_out=left_out, **saved)
        listed = db.arrow(statements(NAMED)["listed_hosts"])
        found.own = own_hosts(db, listed, format.blocks)
        found.lost_then = loads_since(db)
        found.rows = writers.write(_reader(db, format), out, chosen)
        if format.of_pages:
            nowhere = statements(f"export/{TABLES}")["nowhere"]
            found.nowhere = _examples(db.rows(nowhere, {"by_key": format.by_key}))
            db.run_once("functions/70_earlier_captures")
            (found.earlier_unknown,) = db.rows(statements(f"export/{TABLES}")["earlier_unknown"])
        if format.name == "urls":
            (row,) = db.rows(statements(f"export/{TABLES}")["doubtful_ids"])
            found.ids_elsewhere, found.ids_lost = row
            (found.files_left,) = db.rows(statements(f"export/{TABLES}")["other_files"])
    found.rows = max(0, found.rows - len(format.head) - len(format.tail))
    if name == "cc-annotation" and out != "-":
        found.files.append(_write_join(out, chosen))
    return found


def choose_names(db: Database, format: ListFormat) -> None:
    """Make the tables ``dropped_names`` and ``listed`` of ``chosen_hosts``; where the form needs
    it, ``same_content``, too.
    """
    given = _given(format)
    stage_near_contents(db, CHOSEN_HOSTS)
    for step in FIRST:
        db.run(NAMED, given, only=step)
    if format.same_paths or (format.says_kept and db.value(statements(NAMED)["several_names"])):
        compare_pages(db)
        for step in ("name_places", "nearest_names", "moved"):
            db.run(NAMED, given, only=step)
    if format.keeps_port:
        db.run(NAMED, given, only="at_other_ports")
    db.run(NAMED, given, only="listed")


def compare_pages(db: Database) -> None:
    """Make the table ``same_content`` of ``dropped_names``."""
    for name in COMPARED:
        db.run(f"export/{TABLES}", only=name)


def format_named(name: str) -> ListFormat:
    """Raises UsageError where there is none of that name."""
    if name not in BY_NAME:
        meant = MEANT.get(str(name).lower())
        likely = f" (did you mean {meant!r}?)" if meant else did_you_mean(name, BY_NAME)
        raise UsageError(f"no list is called {name!r}{likely}; choose one of: {NAMES}")
    return BY_NAME[name]


def _written_as(format: ListFormat, out: str, wanted: str | None) -> str:
    """The format of the file."""
    if not format.is_table:
        refuse_format(format.name, wanted)
        refuse_no_text(out, format.name)
        return "lines"
    chosen = format_of(out, wanted)
    if format.name == "cc-annotation" and chosen not in SOURCES:
        raise UsageError(f"cc-annotation is csv or parquet, not {chosen}; {out} cannot be one")
    return chosen


def refuse_format(name: str, wanted: str | None) -> None:
    """Raises UsageError where a list of that name is not written in the format; a name that is no
    list's is refused elsewhere.
    """
    if name not in BY_NAME or wanted is None:
        return
    if not BY_NAME[name].is_table:
        raise UsageError(
            f"{name} has the form that its tool reads; --format goes with --as urls and"
            " cc-annotation alone"
        )
    if name == "cc-annotation" and wanted not in SOURCES:
        raise UsageError(f"cc-annotation is csv or parquet, not {wanted}")


def _saved(db: Database, format: ListFormat) -> dict[str, Any]:
    given = {"needs": format.needs}
    (row,) = db.arrow(statements(NAMED)["saved"], given).to_pylist()
    hosts = db.value("SELECT count(DISTINCT host_id) FROM listed")
    return {**row, "hosts": hosts, "lost": db.value(statements(NAMED)["lost"], given)}


def _left_out(db: Database, format: ListFormat) -> dict[str, tuple[int, str]]:
    return _examples(db.rows(statements(NAMED)["left_out"], _given(format)))


def _given(format: ListFormat) -> dict[str, str | bool]:
    """The parameters of the statements that choose names."""
    return {
        "needs": format.needs,
        "says_kept": format.says_kept,
        "same_paths": format.same_paths,
        "keeps_port": format.keeps_port,
    }


def _examples(rows: list[tuple[Any, ...]]) -> dict[str, tuple[int, str]]:
    return {reason: (n, example) for reason, n, example in rows}


def _reader(db: Database, format: ListFormat) -> pa.RecordBatchReader:
    """The rows, with the lines before and after."""
    stem = f"export/{format.stem}"
    for name, statement in statements(stem).items():
        if "CREATE " in statement:  # macros, and what the rows are made from
            db.run(stem, {"by_key": format.by_key}, only=name)
    rows = reader_of(db.con.sql(statements(stem)[format.statement]), writers.BATCH_ROWS)
    if format.is_table:
        return rows
    schema = pa.schema({"line": pa.string()})

    def lines(texts: tuple[str, ...]) -> list[pa.RecordBatch]:
        return [pa.record_batch([pa.array(texts, pa.string())], schema=schema)] if texts else []

    batches = (batch.cast(schema) for batch in rows)
    return pa.RecordBatchReader.from_batches(
        schema,
        (b for part in (lines(format.head), batches, lines(format.tail)) for b in part),
    )


def _write_join(out: str, chosen: str) -> str:
    """The YAML by which the annotation is joined, beside it; under its whole name where another
    table has the YAML of the short one, as copies.parquet has beside copies.csv.
    """
    path = Path(out)
    yaml = path.with_name(f"join_{unpacked_name(path).stem}.yaml")
    text = JOIN.format(url=json.dumps(f"./{path.name}"), source=SOURCES[chosen])
    if yaml.is_file() and _url_line(yaml.read_text("utf-8", "replace")) != _url_line(text):
        yaml = path.with_name(f"join_{path.name}.yaml")
    with atomic_write(yaml) as part:
        Path(part).write_text(text, "utf-8")
    return str(yaml)


def _url_line(yaml: str) -> str:
    return next((line for line in yaml.splitlines() if line.startswith("    url: ")), "")


def _stand(n: int) -> str:
    return "stands" if n == 1 else "stand"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _size(n: int) -> str:
    """Bytes in a unit that reads well."""
    size = float(n)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
