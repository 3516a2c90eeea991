"""The part of :class:`replicadb.ReplicaDB` that tells what was found: views, SQL, files, facts."""

from __future__ import annotations

import contextlib
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import duckdb
import pyarrow as pa

from replicadb.detection import named_runs, pipeline, run_diff
from replicadb.detection.notes import stale_note
from replicadb.detection.stage import last_settings
from replicadb.errors import DataError, UsageError, need_count
from replicadb.export import drop_guard, writers
from replicadb.export.drop_guard import DropShares
from replicadb.export.export_queries import export_query
from replicadb.export.file_formats import format_for_label, format_of
from replicadb.export.odd_columns import with_every_digit
from replicadb.given_file import path_of
from replicadb.inventory import inventory
from replicadb.short_table import in_a_line, short_table
from replicadb.store.arrow import batches, plain, reader_of, table_of
from replicadb.store.connecting import query_error
from replicadb.store.database import Database
from replicadb.store.hash_macros import made_for
from replicadb.store.misused import misuse
from replicadb.store.own_sources import refuse_source
from replicadb.store.run_log import need_detection
from replicadb.store.site_spellings import with_sites_meant

if TYPE_CHECKING:
    import polars as pl

    from replicadb.detection.run_diff import RunDiff

Parameters: TypeAlias = Sequence[object] | Mapping[str, object] | None


class StaleWarning(UserWarning):
    """Results are reported that are older than what is loaded."""


class ResultMethods:
    """What a database tells of its replicas; a base of :class:`replicadb.ReplicaDB`."""

    database: Database

    def replicas(self, top: int | None = None, *, flagged: bool = False) -> pl.DataFrame:
        """Candidate pairs in order, a row each, with scores and features (view ``replicas``).

        Raises:
            DataError: detect has not run. UsageError: ``top`` is below 0.
        """
        self._need_ranking()
        if top is not None:
            top = need_count("top", top)
        query = f"SELECT * FROM replicas{' WHERE flagged' if flagged else ''} ORDER BY rank"
        return self.sql(query) if top is None else self.sql(f"{query} LIMIT $top", {"top": top})

    def flagged_hosts(self) -> pl.DataFrame:
        """Hosts to drop, with the host to keep instead (view ``flagged_hosts``).

        Raises:
            DataError: detect has not run.
        """
        self._need_ranking()
        return self.sql("SELECT * FROM flagged_hosts ORDER BY rank")

    def groups(self) -> pl.DataFrame:
        """Groups of replicas with their members (view ``replica_groups``).

        Raises:
            DataError: detect has not run.
        """
        self._need_ranking()
        return self.sql("SELECT * FROM replica_groups ORDER BY hosts DESC, canonical_host")

    def sql(self, query: str, parameters: Parameters = None) -> pl.DataFrame:
        """Any query's result as a Polars frame.

        Args:
            parameters: a value for each ``?``, or by name for each ``$name``.

        Raises:
            DataError: DuckDB does not understand it.
        """
        with self.database.one_thread, query_errors():
            return writers.as_frame(table_of(self._stream(query, parameters)))

    def reader(self, query: str, parameters: Parameters = None) -> pa.RecordBatchReader:
        """Any query's result as a stream of Arrow batches, in the query's order. Until it is read
        to its end, or let go of by ``del``, the database does nothing else.

        Raises:
            DataError: DuckDB does not understand it, or there is no statement in it. UsageError,
                while it is read: the database was closed.
        """
        stream = self._stream(query, parameters)
        return pa.RecordBatchReader.from_batches(stream.schema, self._batches(stream))

    def _batches(self, stream: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        """The batches of a stream. That of a database which was closed ends without a word."""
        with query_errors():
            yield from batches(stream)
        self.database.need_open()

    def _stream(self, query: str, parameters: Parameters) -> pa.RecordBatchReader:
        if not isinstance(query, str):
            raise UsageError(f"{query!r}: no SQL; give a statement as text")
        if not query.strip(" \t\r\n;"):
            raise DataError("SQL: there is no statement in it")
        database = self.database
        with database.one_thread, query_errors(), misuse(database.path, ours=False):
            query = database.for_people(with_sites_meant(database, query))
            relation = self._relation(query, plain(parameters))
            if relation is None:  # a statement without a result
                return pa.table({}).to_reader()
            return reader_of(with_every_digit(relation), writers.BATCH_ROWS)

    def _relation(self, query: str, parameters: Parameters) -> duckdb.DuckDBPyRelation | None:
        """The result to be. What DuckDB cannot bind it tells without its place in the query, unless
        it is asked to explain it.
        """
        con = self.database.con
        try:
            return con.sql(query, params=parameters or None)
        except (duckdb.BinderException, duckdb.CatalogException) as error:
            one = len(con.extract_statements(query)) == 1
            if one and made_for(self.database, error):
                return self._relation(query, parameters)
            if "\n\nLINE " in str(error) or not one:
                raise
            try:
                con.execute(f"EXPLAIN\n{query}", parameters or None)
            except duckdb.Error as placed:
                raise type(error)(_one_line_up(str(placed))) from error
            raise

    def export(
        self,
        out: str | Path,
        what: str = "hosts",
        *,
        top: int | None = None,
        min_probability: float | None = None,
        min_score: float | None = None,
        unflagged: bool = False,
        format: str | None = None,
    ) -> int:
        """Write flagged hosts, pairs or groups to a file whose ending picks the format; returns the
        rows written.

        Args:
            what: hosts, pairs or groups.
            top: only so many rows, the likeliest replicas (groups: the largest).
            min_probability: only rows from this probability on; of a group, its weakest member's.
            min_score: only rows of this ``score`` or more, a place that is 0 where all pairs tie.
            unflagged: with pairs, those that are not flagged, too.
            format: where the ending does not say. Nothing is refused for being much; for that
                there is ``drop_shares().refuse(0.5)``.

        Raises:
            DataError: detect has not run, or the file cannot be written. UsageError: an unknown
                ending or option, or ``min_probability`` after a published method, which has none.
        """
        chosen = format_of(str(out), format)
        refuse_source(self.database, out)
        query, parameters = self._chosen(what, top, min_score, unflagged, min_probability, chosen)
        return writers.write(self.reader(query, parameters), str(out), chosen, what)

    def _chosen(
        self,
        what: str,
        top: int | None,
        min_score: float | None,
        unflagged: bool,
        min_probability: float | None,
        format: str = "csv",
    ) -> tuple[str, dict[str, float]]:
        """The query of what is exported, with its parameters."""
        query = export_query(what, top, min_score, unflagged, min_probability, format)
        self._need_ranking(depth=4)
        if min_probability is not None:
            self._need_probabilities("or choose by --top")
        return query

    def drop_shares(
        self,
        *,
        top: int | None = None,
        min_probability: float | None = None,
        min_score: float | None = None,
    ) -> DropShares:
        """What share of the crawl, of each registered domain, public suffix, load and language the
        list of hosts to drop takes, and how many of its drops are expected to be wrong. Shares are
        of what is loaded now, the list is of the last detection. Options as for :meth:`export`.

        Raises:
            DataError: detect has not run.
        """
        dropped = self._dropped(top, min_score, min_probability)
        assets = last_settings(self.database).reads_assets
        return drop_guard.drop_shares(self.database, dropped, assets)

    def check(
        self,
        out: str | Path,
        n: int = 20,
        *,
        top: int | None = None,
        min_probability: float | None = None,
        min_score: float | None = None,
    ) -> int:
        """Write so many of the hosts to drop to a file, rather those where a mistake would lose
        much: with labels filled in ``label`` takes it. Options as for :meth:`export`; returns
        the rows written.

        Raises:
            DataError: detect has not run, or the file cannot be written. UsageError: less than one.
        """
        refuse_source(self.database, out)
        dropped = self._dropped(top, min_score, min_probability)
        rows = drop_guard.for_a_look(self.database, dropped, n).to_reader()
        return writers.write(rows, str(out), format_for_label(str(out)), "check")

    def _dropped(
        self, top: int | None, min_score: float | None, min_probability: float | None
    ) -> pa.Table:
        """The list that an export would write."""
        query, parameters = export_query("hosts", top, min_score, False, min_probability)
        self._need_ranking()
        return self.database.arrow(query, parameters)

    def explain(self, host_a: str, host_b: str, *, pages: int = 5) -> dict[str, Any]:
        """Why two hosts are replicas or are none, as
        :func:`replicadb.explanation.explain.explain` has it.

        Args:
            host_a, host_b: in any spelling, in any order.
            pages: so many pages that they share, and as many that differ.

        Raises:
            DataError: an unknown host, with the nearest names, or no detection yet. UsageError: one
                host twice.
        """
        from replicadb.explanation import explain

        return explain(self.database, host_a, host_b, pages)

    def report(
        self,
        path: str | Path,
        *,
        pairs: int = 10_000,
        explained: int = 2_000,
        say: Callable[[str], None] | None = None,
    ) -> int:
        """Write a self-contained HTML page about what was found, and why; returns its bytes.

        Args:
            pairs: so many pairs of the ranking, the likeliest.
            explained: so many of them carry a full explanation: those that decide what is dropped
                and the first, then those nearest to where flags end.
            say: called with what is being done.

        Raises:
            DataError: nothing is loaded, or the page cannot be written. UsageError: a number below
                0, a name that is no page's, or the extra ``report`` is not installed.
        """
        from replicadb import findings
        from replicadb.report import ready, write_crawl

        ready(path_of(path))
        refuse_source(self.database, path)
        pairs, explained = need_count("pairs", pairs, 1), need_count("explained", explained)
        facts = self.info()
        if not facts["loads"]:
            raise DataError(
                f"{self.database.path}: nothing is loaded in it yet; load a crawl first:"
                f" replicadb load {self.database.path} SOURCE"
            )
        return write_crawl(findings.collect(self.database, pairs, explained, say), facts, path)

    def runs(self) -> pl.DataFrame:
        """The detections that were given a name, and the current one, a row each: name,
        detected_at, version, settings (those that are no defaults), loads, and counts.
        """
        import polars as pl

        rows = [
            run | {"settings": json.dumps(named_runs.changed_settings(run["settings"]))}
            for run in named_runs.listed(self.database)
        ]
        return pl.DataFrame(rows)

    def diff(self, before: str, after: str = named_runs.CURRENT) -> RunDiff:
        """What one detection flags and the other does not, pair by pair, with the reason.

        Args:
            before, after: names given to ``detect``; ``current`` is the last detection.

        Raises:
            DataError: no such run, or no detection yet. UsageError: one run twice.
        """
        return run_diff.diff(self.database, before, after)

    def forget_run(self, name: str) -> None:
        """Take a named run out again.

        Raises:
            DataError: there is no such run. UsageError: it is the current one.
        """
        named_runs.forget(self.database, name)

    def info(self) -> dict[str, Any]:
        """What the database holds, as :func:`replicadb.inventory.inventory` has it."""
        return inventory(self.database)

    @property
    def notes(self) -> list[str]:
        """What to do before one goes by the results: detect again after further loads. Empty where
        there is nothing.
        """
        note = stale_note(self.database)
        return [note] if note else []

    def __repr__(self) -> str:
        try:
            facts = in_a_line(self._shown())
        except duckdb.Error:
            facts = "closed"
        return f"<ReplicaDB {self.database.path}: {facts}>"

    def _repr_html_(self) -> str:
        return short_table(str(self.database.path), self._shown(), self.notes)

    def _shown(self) -> list[tuple[str, int]]:
        """What is in it, in a few numbers."""
        db = self.database
        last = pipeline.STAGES[-1].name
        detected = db.value("SELECT count(*) FROM stages WHERE stage = ?", [last])
        queries = {
            "loads": "SELECT count(*) FROM loads",
            "sites": "SELECT count(*) FROM hosts",
            "URLs": "SELECT count(*) FROM urls",
        }
        if detected:
            queries |= {
                "candidate pairs": "SELECT count(score_id) FROM ranking",
                "flagged pairs": "SELECT count(*) FROM ranking WHERE flagged",
                "hosts to drop": "SELECT count(*) FROM members WHERE host_id <> canonical_id",
            }
        return [(name, db.value(query)) for name, query in queries.items()]

    def _need_ranking(self, depth: int = 3) -> None:
        """Refuse where nothing was detected; warn where it is old, ``depth`` calls up."""
        need_detection(self.database)
        for note in self.notes:
            warnings.warn(note, StaleWarning, stacklevel=depth)

    def _need_probabilities(self, otherwise: str) -> None:
        """Raises UsageError where the last detection gave none."""
        if self.database.value("SELECT count(*) > count(probability) FROM pattern_scores"):
            said = f"method {last_settings(self.database).method} gives no probabilities"
            raise UsageError(f"{said}; detect by method robust, {otherwise}")


def _one_line_up(text: str) -> str:
    return re.sub(r"(?<=\n\nLINE )\d+", lambda line: str(int(line[0]) - 1), text, count=1)


@contextlib.contextmanager
def query_errors() -> Iterator[None]:
    """DuckDB's errors about a user's query as a DataError: what is wrong, what may have been meant,
    and the place in the query.
    """
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except UsageError:
        raise
    except duckdb.Error as error:
        raise DataError(f"SQL: {query_error(error)}") from error
