"""The Python face of replicadb; the command line is a thin layer over it.

>>> import replicadb
>>> with replicadb.open("web.duckdb") as db:  # doctest: +SKIP
...     db.load("crawl.warc.gz")
...     print(db.detect().counts)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import duckdb
import pyarrow as pa

from replicadb.detection import pipeline, stage
from replicadb.errors import DataError
from replicadb.export import writers
from replicadb.export.export_queries import export_query
from replicadb.inventory import inventory
from replicadb.near_duplicates import near_duplicate_run
from replicadb.page_api import PageMethods, changed_fields, fields_of
from replicadb.settings import (
    Aggregate,
    Candidates,
    Clusters,
    Cut,
    Discretise,
    Evidence,
    Method,
    Negatives,
    Schedule,
    Settings,
    Site,
    refuse_idle,
)
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.store.run_log import data_key

if TYPE_CHECKING:
    import polars as pl

    from replicadb.detection.pipeline import DetectResult
    from replicadb.load.load_options import LoadResult
    from replicadb.model import Model
    from replicadb.rewrite import Rewriter

Parameters: TypeAlias = Sequence[object] | Mapping[str, object] | None


class ReplicaDB(PageMethods):
    """One database of a crawl and its replicas. Use as a context manager, or call :meth:`close`.

    Args:
        path: the DuckDB file; made when it is not there (unless ``read_only``).
        read_only: only look; several readers may share a file.
        memory_limit: DuckDB's memory, as "6GB"; None takes 30 % of the machine's. Bigger work
            spills beside the file.
        threads: worker threads; None takes all cores.

    Raises:
        LockedError: another process writes to the file. DataError: it is no replicadb database.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        read_only: bool = False,
        memory_limit: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.database = Database(
            path, read_only=read_only, memory_limit=memory_limit, threads=threads
        )

    def load(
        self,
        *sources: str | Path,
        format: str = "auto",
        label: str | None = None,
        site: Site | None = None,
        all_types: bool = False,
        pages_only: bool = False,
        force: bool = False,
        columns: dict[str, str] | None = None,
        hosts: str | None = None,
        exclude_hosts: str | None = None,
        links: bool | None = None,
        content: bool = False,
        progress: Callable[[str, int, float | None], None] | None = None,
    ) -> LoadResult:
        """Load crawl files, patterns, folders or ``-``.

        Args:
            sources: files of any format that ``replicadb load --help`` names.
            format: auto, or the name of a format.
            label: the name of this load, for :meth:`unload`; None takes each file's name.
            site: what counts as one site: host, domain or host+1; settled by the first load.
            all_types: keep every status and media type, each as a page.
            pages_only: leave out what is no page by its media type; else it is evidence apart.
            force: load a file again that is known already.
            columns: a table's columns by role, as ``{"url": "Address"}``.
            hosts: a table (host, ip) where the crawl has no addresses.
            exclude_hosts: a file of hosts to leave out, one a line.
            links: out-links: True from HTML, too; False: none; None: where they need no parsing.
            content: keep what stands on the pages, for the page methods.
            progress: called with the source, rows so far, and the share read (None: not known).

        Raises:
            DataError: nothing could be loaded. UsageError: an option that cannot be meant.
        """
        from replicadb.load.load import load
        from replicadb.load.load_options import LoadOptions

        columns = columns or {}
        options = LoadOptions(**fields_of(LoadOptions, locals()))
        return load(self.database, [str(source) for source in sources], options, progress)

    def unload(self, name: str) -> int:
        """Take the load of that label out again; returns the number of its source files.

        Raises:
            DataError: there is no such load.
        """
        from replicadb.load.unload import unload

        return unload(self.database, name)

    def detect(
        self,
        *,
        method: Method = "robust",
        candidates: Candidates = "content",
        min_shared: int = 1,
        max_cluster_hosts: int = 1000,
        max_pairs: int = 20_000_000,
        path_max_hosts: int = 100,
        negatives: Negatives = "content-and-path",
        max_negatives: int = 800_000,
        discretise: Discretise = "frequency",
        bins: int = 5,
        max_patterns: int = 10_000,
        cut: Cut = "own",
        threshold: float = 0.5,
        schedule: Schedule = "batch",
        aggregate: Aggregate = "pareto",
        min_support: int = 1,
        prior_strength: float = 30.0,
        max_wrong: float = 0.03,
        min_probability: float | None = None,
        files_probability: float | None = None,
        evidence: Evidence = "content",
        seed: int = 0,
        clusters: Clusters | Literal["none"] | None = None,
        assets: bool | None = None,
        reference: str | None = None,
        report: Callable[[str, str], None] | None = None,
        profile: bool = False,
    ) -> DetectResult:
        """Find replicas. A second run with the same data and settings does nothing.

        Args:
            clusters: None: by minhash where pages were loaded with content; "none": by fingerprint.
            min_probability: flag every pair from here, whatever the other thresholds are.
            report: called with each stage that is done and what it found.
            profile: keep seconds, rows and peak memory of each stage (``result.profile``).
            others: as in :class:`replicadb.settings.Settings`.

        Raises:
            DataError: nothing is loaded. LimitError: more pairs than ``max_pairs`` would come.
            UsageError: a setting that cannot be meant, or does nothing with the method chosen.
        """
        clusters = near_duplicate_run.chosen_clusters(self.database, clusters, method, report)
        settings = fields_of(Settings, locals())
        refuse_idle(changed_fields(Settings, settings))
        if files_probability is None:  # a threshold that was given holds for every crawl
            settings["files_probability"] = min_probability
        return pipeline.detect(self.database, Settings().with_changes(**settings), report, profile)

    def learn_rewrites(
        self,
        *,
        epsilon: float = 0.0,
        min_support: int = 2,
        say: Callable[[str], None] | None = None,
    ) -> dict[str, Any]:
        """Learn rewrite rules within hosts (tables rewrite_rules and rewrites, view
        canonical_urls).

        Args:
            epsilon: share of a rule's matches that may have another content, 0 to below 1.
            min_support: different contents that must speak for a rule.
            say: called with what each round found.

        Returns:
            Counts and seconds, as :func:`replicadb.rewrite.rule_store.learn` has them.

        Raises:
            UsageError: a threshold that cannot be meant. DataError: nothing to learn from.
        """
        from replicadb.rewrite import rule_store

        return rule_store.learn(self.database, epsilon, min_support, say)

    def rewriter(self) -> Rewriter:
        """The rules that were learned, ready for any URL: ``db.rewriter().canonical(url)``.

        Raises:
            DataError: none were learned yet.
        """
        from replicadb.rewrite import Rewriter, rule_store

        return Rewriter(rule_store.rules_of(self.database))

    def evaluate(
        self,
        gold: str | Path,
        *,
        methods: list[str] | None = None,
        folds: int = 5,
        seed: int = 0,
        positive: tuple[str, ...] = ("replica",),
        with_ambiguous: bool = False,
        report: Callable[[str], None] | None = None,
        page: str | Path | None = None,
    ) -> dict[str, Any]:
        """Compare methods of detection with known replicas; a plain dict that JSON can hold. The
        database is not changed.

        Args:
            gold, methods, folds, seed, positive, with_ambiguous, report: as
                :func:`replicadb.evaluation.evaluate.evaluate` has them.
            page: write the result as a self-contained HTML page there, too.

        Raises:
            DataError: nothing is loaded, or the gold cannot be used. UsageError: an unknown method
                or label.
        """
        from replicadb.evaluation.evaluate import evaluate
        from replicadb.report import training_page, write

        if page is not None:
            training_page.ready(page)
        result = evaluate(
            self.database, gold, methods, folds, seed, report, positive, with_ambiguous
        )
        if page is not None:
            write(result, page)
        return result

    def replicas(self, top: int | None = None, *, flagged: bool = False) -> pl.DataFrame:
        """Candidate pairs in their order, one row each, with scores and features (view
        ``replicas``).

        Raises:
            DataError: detect has not run.
        """
        self._need_ranking()
        where = " WHERE flagged" if flagged else ""
        query = f"SELECT * FROM replicas{where} ORDER BY rank"
        return self.sql(query) if top is None else self.sql(f"{query} LIMIT $top", {"top": top})

    def flagged_hosts(self) -> pl.DataFrame:
        """Hosts to drop, with the host to keep instead (view ``flagged_hosts``).

        Raises:
            DataError: detect has not run.
        """
        self._need_ranking()
        return self.sql("SELECT * FROM flagged_hosts ORDER BY score DESC, host")

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
        with query_errors():
            return writers.as_frame(self.reader(query, parameters).read_all())

    def reader(self, query: str, parameters: Parameters = None) -> pa.RecordBatchReader:
        """Any query's result as a stream of Arrow batches, rows in the query's order.

        Raises:
            DataError: DuckDB does not understand it, or there is no statement in it.
        """
        if not query.strip(" \t\r\n;"):
            raise DataError("SQL: there is no statement in it")
        with query_errors():
            query = self.database.for_people(query)
            relation = self.database.con.sql(query, params=parameters or None)
            if relation is None:  # a statement without a result
                return pa.table({}).to_reader()
            return relation.to_arrow_reader(writers.BATCH_ROWS)

    def export(
        self,
        out: str | Path,
        what: str = "hosts",
        *,
        top: int | None = None,
        min_score: float | None = None,
        unflagged: bool = False,
        format: str | None = None,
    ) -> int:
        """Write flagged hosts, pairs or groups to a file whose ending picks the format; returns the
        rows written.

        Raises:
            DataError: detect has not run, or the file cannot be written. UsageError: an unknown
                ending or option.
        """
        query, parameters = export_query(what, top, min_score, unflagged)
        chosen = writers.format_of(str(out), format)
        self._need_ranking()
        return writers.write(self.reader(query, parameters), str(out), chosen, what)

    def model(
        self, path: str | Path | None = None, *, progress: Callable[[str], None] | None = None
    ) -> Model:
        """What the last detection learned, to score any pair of hosts and to look new hosts up.

        Kept beside the database (NAME.model), made anew for other data or settings.

        Args:
            path: write it there instead, for :func:`replicadb.open_model` without the database.
            progress: called with what is being done while the model is made.

        Raises:
            DataError: no detection is up to date. UsageError: it ran with method paper.
        """
        from replicadb.model import build, open_model

        db = self.database
        key = build.key_of(db, data_key(db), stage.detected_data(db))
        if path is None:
            return build.open_for(db, key, progress)
        build.write_model(db, path, key, progress)
        return open_model(path, verify=False)

    def info(self) -> dict[str, Any]:
        """What the database holds, as :func:`replicadb.inventory.inventory` has it."""
        return inventory(self.database)

    def _need_ranking(self) -> None:
        db = self.database
        if not db.value("SELECT count(*) FROM stages WHERE stage = ?", [pipeline.STAGES[-1].name]):
            raise DataError(
                f"{db.path}: no replicas in it yet; find them first: replicadb detect {db.path}"
            )

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def __enter__(self) -> ReplicaDB:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def query_errors() -> Iterator[None]:
    """DuckDB's errors about a user's query as a one-line DataError."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        raise DataError(f"SQL: {first_line(error)}") from error


def open(
    path: str | Path,
    *,
    read_only: bool = False,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> ReplicaDB:
    """Open a database, or make it; arguments and errors as for :class:`ReplicaDB`."""
    return ReplicaDB(path, read_only=read_only, memory_limit=memory_limit, threads=threads)
