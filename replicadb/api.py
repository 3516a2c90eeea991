"""The Python face of replicadb; the command line is a thin layer over it.

>>> import replicadb
>>> with replicadb.open("web.duckdb") as db:        # doctest: +SKIP
...     db.load("crawl.warc.gz")
...     db.detect()
...     print(db.replicas(top=10))
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from replicadb.detection import pipeline
from replicadb.errors import DataError, UsageError
from replicadb.export import writers as export
from replicadb.near_duplicates import near_duplicate_run
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.settings import Settings, refuse_idle
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from replicadb.load.load_options import LoadResult, Progress
    from replicadb.model import Model
    from replicadb.rendering.render import RenderResult
    from replicadb.rewrite import Rewriter


class ReplicaDB:
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

    # -- doing
    # ---------------------------------------------------------------------------------------

    def load(
        self, *sources: str | Path, progress: Progress | None = None, **options: Any
    ) -> LoadResult:
        """Load crawl files, patterns, folders or ``-``. Options are those of
        :class:`replicadb.load.load_options.LoadOptions`.

        Raises:
            DataError: nothing could be loaded. UsageError: an option that cannot be meant.
        """
        from replicadb.load.load import load
        from replicadb.load.load_options import LoadOptions

        return load(self.database, [str(s) for s in sources], LoadOptions(**options), progress)

    def unload(self, name: str) -> int:
        """Take the load of that label out again; returns the number of its source files."""
        from replicadb.load.unload import unload

        return unload(self.database, name)

    def detect(
        self, *, report: pipeline.Report | None = None, profile: bool = False, **settings: Any
    ) -> pipeline.DetectResult:
        """Find replicas. Settings are those of :class:`replicadb.settings.Settings`; None leaves a
        default.

        Raises:
            DataError: nothing is loaded. LimitError: more pairs than ``max_pairs`` would come.
            UsageError: a setting that does not exist, cannot be meant, or does nothing with the
                method chosen.
        """
        refuse_idle(
            {
                name: value
                for name, value in settings.items()
                if value != getattr(Settings, name, None)
            }
        )
        if (
            settings.get("files_probability") is None
        ):  # a bar that was asked for holds for every crawl
            settings["files_probability"] = settings.get("min_probability")
        return pipeline.detect(self.database, Settings().with_changes(**settings), report, profile)

    def fingerprint(
        self, method: str, *, report: near_duplicate_run.Report | None = None, **options: Any
    ) -> near_duplicate_run.FingerprintResult:
        """Find near-duplicate pages by one method and keep them (views ``page_matches`` and
        ``near_duplicates``).

        Args:
            method: exact, simhash, minhash, rp, rp+hm or mwo.
            options: those of :class:`replicadb.near_duplicates.page_options.PageOptions` that
                belong to the method; None leaves a default.

        Raises:
            DataError: no page was loaded with its content. LimitError: more matches than
                ``max_pairs`` would come.
            UsageError: a method or option that does not exist, cannot be meant, or belongs to
                another method; a library is missing.
        """
        near_duplicate_run.refuse_idle(
            method,
            {
                name: value
                for name, value in options.items()
                if value != getattr(PageOptions, name, None)
            },
        )
        return near_duplicate_run.fingerprint(
            self.database, method, PageOptions().with_changes(**options), report
        )

    def similar(
        self,
        page: str | Path,
        *,
        method: str = "mwo",
        threshold: float | None = None,
        limit: int | None = None,
    ) -> pl.DataFrame:
        """The near duplicates of one page: url and score, the most alike first. The database is not
        changed.

        Args:
            page: a URL of the database, a file of HTML or text, or ``-`` for standard input.
            method: with the options of its last :meth:`fingerprint`, else its defaults.
            threshold: the least score, 0 to 1; None goes as far as those options.
            limit: so many of them at most.

        Raises:
            DataError: no such page, or none was loaded with its content. UsageError: a method or
                threshold that cannot be meant.
        """
        from replicadb.near_duplicates.query_page import asked_about

        options = near_duplicate_run.options_of(self.database, method)
        near_duplicate_run.need_contents(self.database)
        asked = asked_about(self.database, str(page))
        return export.as_frame(
            near_duplicate_run.similar(self.database, asked, method, options, threshold, limit)
        )

    def learn_rewrites(
        self,
        *,
        epsilon: float = 0.0,
        min_support: int = 2,
        say: Callable[[str], None] | None = None,
    ) -> dict[str, Any]:
        """Learn rewrite rules within hosts (tables rewrite_rules and rewrites, view
        canonical_urls); see :func:`replicadb.rewrite.rule_store.learn`.
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
        """Compare methods of detection with known replicas; the database is not changed.

        Args:
            gold, methods, folds, seed, positive, with_ambiguous, report: as
                :func:`replicadb.evaluation.evaluate.evaluate` has them.
            page: write the result as a self-contained HTML page there, too.

        Returns:
            The result as a plain dict that JSON can hold.

        Raises:
            DataError: nothing is loaded, or the gold cannot be used. UsageError: an unknown method
                or label.
        """
        from replicadb.evaluation.evaluate import evaluate

        if page is None:
            return evaluate(
                self.database, gold, methods, folds, seed, report, positive, with_ambiguous
            )
        from replicadb import report as pages

        pages.ready()
        if Path(page).suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"{page}: the page is HTML; let its name end in .html")
        if not Path(page).parent.is_dir():
            raise DataError(f"{Path(page).parent}: no such folder for the page; make it first")
        result = evaluate(
            self.database, gold, methods, folds, seed, report, positive, with_ambiguous
        )
        pages.write(result, page)
        return result

    def page_signals(
        self,
        pairs: str | Path,
        *,
        engine: str = "zlib",
        level: int | None = None,
        query: str = "query",
    ) -> tuple[pa.Table, Any]:
        """Every signal of the pairs of URLs in a CSV file, and the pairs; see
        :func:`replicadb.page_pairs.pair_files.signals_of_file`.

        Raises:
            DataError: nothing is loaded with content, or the file cannot be used. UsageError: no
                such engine or level.
        """
        from replicadb.page_pairs import compression_distance, pair_files

        return pair_files.signals_of_file(
            self.database, pairs, compression_distance.Engine(engine, level), query
        )

    def evaluate_pages(
        self, gold: str | Path, *, page: str | Path | None = None, **options: Any
    ) -> dict[str, Any]:
        """Every page method, signal and combination judged on known pairs; see
        :func:`replicadb.evaluation.page_method_evaluation.evaluate_pages`.

        Args:
            page: write the tables and curves as a self-contained HTML page there, too.
        """
        from replicadb.evaluation.page_method_evaluation import evaluate_pages
        from replicadb.report import page_method_page, training_page

        if page is not None:
            training_page.ready(page)
        result = evaluate_pages(self.database, gold, **options)
        if page is not None:
            page_method_page.write(result, page, Path(self.database.path).name)
        return result

    def train_pages(
        self,
        labelled: str | Path | None = None,
        *,
        engine: str = "zlib",
        level: int | None = None,
        page: str | Path | None = None,
        **options: Any,
    ) -> tuple[Any, dict[str, Any]]:
        """Learn from labelled pairs of URLs which pages are duplicates; a classifier and the
        result. See :func:`replicadb.page_pairs.pair_files.train_file`.

        Args:
            page: write the paper's tables and figures as a self-contained HTML page there, too.

        Raises:
            DataError: nothing is loaded with content, or the labels cannot be used. UsageError:
                unknown groups, or a library is missing.
        """
        from replicadb.page_pairs import compression_distance, pair_files
        from replicadb.report import training_page

        if page is not None:
            training_page.ready(page)
        tables = options.pop("tables", False) or page is not None
        classifier, result = pair_files.train_file(
            self.database,
            labelled,
            compression_distance.Engine(engine, level),
            tables=tables,
            **options,
        )
        if page is not None:
            training_page.write(result, page, Path(self.database.path).name)
        return classifier, result

    def classify_pages(
        self,
        pairs: str | Path,
        model: str | Path,
        *,
        engine: str | None = None,
        level: int | None = None,
        query: str = "query",
    ) -> tuple[pa.Table, Any]:
        """Judge the pairs of URLs in a CSV file by a classifier of :meth:`train_pages`; the
        judgements and the pairs.

        Raises:
            DataError: no such classifier, one of another compression engine, or the file cannot be
                used.
        """
        from replicadb.page_pairs import compression_distance, pair_files

        wanted = (
            compression_distance.Engine(engine or "zlib", level)
            if engine or level is not None
            else None
        )
        return pair_files.classify_file(self.database, pairs, model, wanted, query)[:2]

    def render_pages(
        self,
        *sources: str | Path,
        progress: Callable[[int, int], None] | None = None,
        **options: Any,
    ) -> RenderResult:
        """Replay pages from their archive in a headless Chromium and keep what it shows (table
        ``rendered_pages``).

        Args:
            sources: WARC, ARC or WACZ files, patterns or folders.
            progress: told how many pages are done, of how many.
            options: those of :class:`replicadb.rendering.render.RenderOptions`.

        Raises:
            UsageError: no browser, no playwright, or an option that cannot be meant.
            DataError: no page was loaded with its content, or a file is no archive.
        """
        from replicadb.rendering.render import RenderOptions, render

        return render(
            self.database, [str(source) for source in sources], RenderOptions(**options), progress
        )

    # -- looking
    # -------------------------------------------------------------------------------------

    def replicas(self, top: int | None = None, *, flagged: bool = False) -> pl.DataFrame:
        """Candidate pairs in their order, one row each, with scores and features (view
        ``replicas``).

        Raises:
            DataError: detect has not run.
        """
        self._need_ranking()
        where = " WHERE flagged" if flagged else ""
        return self.sql(
            f"SELECT * FROM replicas{where} ORDER BY rank"
            + (" LIMIT $top" if top is not None else ""),
            {"top": top} if top is not None else None,
        )

    def flagged_hosts(self) -> pl.DataFrame:
        """Hosts to drop, with the host to keep instead (view ``flagged_hosts``)."""
        self._need_ranking()
        return self.sql("SELECT * FROM flagged_hosts ORDER BY score DESC, host")

    def groups(self) -> pl.DataFrame:
        """Groups of replicas with their members (view ``replica_groups``)."""
        self._need_ranking()
        return self.sql("SELECT * FROM replica_groups ORDER BY hosts DESC, canonical_host")

    def sql(self, query: str, parameters: Any = None) -> pl.DataFrame:
        """Any query's result as a Polars frame.

        Raises:
            DataError: DuckDB does not understand it.
        """
        with told_as_ours():
            return export.as_frame(self.reader(query, parameters).read_all())

    def reader(self, query: str, parameters: Any = None) -> pa.RecordBatchReader:
        """Any query's result as a stream of Arrow batches, rows in the query's order."""
        if not query.strip(" \t\r\n;"):
            raise DataError("SQL: there is no statement in it")
        with told_as_ours():
            self.database.con.execute("SET preserve_insertion_order = true")
            query = self.database.for_people(query)
            relation = (
                self.database.con.sql(query, params=parameters)
                if parameters
                else self.database.con.sql(query)
            )
            if relation is None:  # a statement without a result
                return pa.table({}).to_reader()
            return relation.to_arrow_reader(export.BATCH_ROWS)

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
        query, parameters = export.export_query(what, top, min_score, unflagged)
        chosen = export.format_of(str(out), format)
        self._need_ranking()
        return export.write(self.reader(query, parameters), str(out), chosen, what)

    def model(
        self, path: str | Path | None = None, *, progress: Callable[[str], None] | None = None
    ) -> Model:
        """What the last detection learned, to score any pair of hosts and to look new hosts up.

        Kept in a file beside the database (NAME.model), made where it is missing or of other data
        or settings.

        Args:
            path: write the model there instead, to be opened without the database
                (:func:`replicadb.open_model`).
            progress: told what is being done while the model is made.

        Raises:
            DataError: detect has not run, or loads came or went since. UsageError: it ran with
                method paper.
        """
        from replicadb.model import build, open_model

        db = self.database
        key = build.key_of(db, pipeline.data_key(db), pipeline.detected_data(db))
        if path is None:
            return build.open_for(db, key, progress)
        build.write_model(db, path, key, progress)
        return open_model(path, verify=False)

    def info(self) -> dict[str, Any]:
        """What the database holds: loads with their counts, hosts, URLs, kinds of fingerprint, the
        last detection.
        """
        from replicadb.load.site_unit import site_of
        from replicadb.rewrite import rule_store

        db = self.database

        def table(query: str) -> list[dict[str, Any]]:
            return json.loads(self.sql(query).write_json())

        stages = dict(db.rows("SELECT stage, key FROM stages"))
        methods = db.rows("SELECT method, key, options, counts FROM fingerprints ORDER BY method")
        last = table(
            "SELECT started_at, seconds, settings, counts FROM runs WHERE command = 'detect' ORDER"
            " BY run_id DESC LIMIT 1"
        )
        return {
            "database": db.path,
            "bytes": Path(db.path).stat().st_size if Path(db.path).exists() else 0,
            "replicadb": __version__,
            "site": site_of(db),
            "hosts": db.value("SELECT count(*) FROM hosts"),
            "urls": db.value("SELECT count(*) FROM urls"),
            "rejects": db.value("SELECT count(*) FROM rejects"),
            "redirects": db.value("SELECT count(*) FROM links WHERE kind = 'redirect'"),
            "canonicals": db.value("SELECT count(*) FROM links WHERE kind = 'canonical'"),
            "outlinks": db.value("SELECT coalesce(sum(pages), 0)::BIGINT FROM outlinks"),
            "link_skip_reasons": table(
                "SELECT kind, reason, sum(n)::BIGINT AS n FROM link_skips GROUP BY ALL ORDER BY n"
                " DESC, kind, reason LIMIT 10"
            ),
            "addresses": db.value("SELECT count(DISTINCT ip) FROM host_ips"),
            "fingerprints": table(
                """SELECT coalesce(fingerprint_kind, 'unknown') AS kind, count(*) AS urls FROM urls
                                     GROUP BY 1 ORDER BY 2 DESC, 1"""
            ),
            "loads": table(
                """SELECT l.name, count(*) AS files, sum(s.read)::BIGINT AS read, sum(s.kept)::BIGINT AS kept,
                sum(s.replaced)::BIGINT AS replaced, sum(s.skipped)::BIGINT AS skipped, sum(s.rejected)::BIGINT AS rejected
                FROM loads AS l JOIN sources AS s USING (load_id) GROUP BY l.load_id, l.name ORDER BY l.load_id"""
            ),
            "reject_reasons": table(
                "SELECT reason, count(*) AS n FROM rejects GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10"
            ),
            "skip_reasons": table(
                "SELECT reason, sum(n)::BIGINT AS n FROM skips GROUP BY 1 ORDER BY 2 DESC, 1"
                " LIMIT 10"
            ),
            "page_contents": db.value(
                "SELECT count(*) FROM page_contents SEMI JOIN urls USING (url_id)"
            ),
            "page_methods": [
                {
                    "method": method,
                    "options": json.loads(options),
                    "counts": json.loads(counts),
                    "up_to_date": near_duplicate_run.is_current(db, method, key, options),
                }
                for method, key, options, counts in methods
            ],
            "detection": (
                (
                    last[0]
                    | {
                        "settings": json.loads(last[0]["settings"]),
                        "counts": json.loads(last[0]["counts"]),
                    }
                )
                if last
                else None
            ),
            "reduction": rule_store.reduction(db),
            "detected": pipeline.STAGES[-1].name in stages,
            "up_to_date": pipeline.STAGES[-1].name in stages and pipeline.stale(db) is None,
        }

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
def told_as_ours() -> Iterator[None]:
    """DuckDB's errors about a user's query as a one-line DataError."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        raise DataError(f"SQL: {first_line(error)}") from error


def open(path: str | Path, **options: Any) -> ReplicaDB:
    """Open a database, or make it; see :class:`ReplicaDB` for the options."""
    return ReplicaDB(path, **options)
