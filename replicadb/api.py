"""The Python face of replicadb; the command line is a thin layer over it.

>>> import replicadb
>>> with replicadb.open("web.duckdb") as db:  # doctest: +SKIP
...     db.load("crawl.warc.gz")
...     print(db.detect().counts)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from replicadb.action_api import ActionMethods
from replicadb.decision_api import Decisions
from replicadb.detection import named_runs, pipeline
from replicadb.errors import UsageError
from replicadb.idle_settings import refuse_idle
from replicadb.load_api import Loads
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
)
from replicadb.store.database import Database
from replicadb.store.own_sources import refuse_source
from replicadb.store.run_log import data_key, detected_data

if TYPE_CHECKING:
    from replicadb.detection.pipeline import DetectResult
    from replicadb.model import Model
    from replicadb.rewrite import Rewriter


class ReplicaDB(Loads, PageMethods, ActionMethods, Decisions):
    """One database of a crawl and its replicas. Use as a context manager, or call :meth:`close`.

    Args:
        path: the DuckDB file; made when it is not there (unless ``read_only``).
        read_only: only look; several readers may share a file.
        memory_limit: DuckDB's memory, as "6GB"; None takes 30 % of the machine's. Bigger work
            spills beside the file.
        threads: worker threads; None takes all cores.

    Raises:
        LockedError: another process writes to the file. DataError: it is no replicadb database.
            UsageError: an argument that cannot be meant, or this process has the file open in the
            other way. Later, of any method: closed, or used by two threads at once.
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

    def detect(
        self,
        *,
        method: Method = "robust",
        candidates: Candidates | None = None,
        min_shared: int = 1,
        max_cluster_hosts: int | None = None,
        max_pairs: int = 20_000_000,
        path_max_hosts: int = 100,
        negatives: Negatives = "content-and-path",
        max_negatives: int = 800_000,
        discretise: Discretise | None = None,
        bins: int = 5,
        max_patterns: int = 10_000,
        cut: Cut = "own",
        alpha: float = 0.5,
        schedule: Schedule | None = None,
        aggregate: Aggregate = "pareto",
        min_support: int = 1,
        first: int | None = None,
        prior_strength: float = 30.0,
        max_wrong: float = 0.03,
        min_probability: float | None = None,
        files_probability: float | None = None,
        kinds: str | Sequence[str] = "replica,partial",
        evidence: Evidence = "all",
        seed: int = 0,
        clusters: Clusters | Literal["none"] | None = None,
        assets: bool | None = None,
        reference: str | None = None,
        keep: str | Sequence[str] = "links,contents,urls,domain,short",
        name: str | None = None,
        report: Callable[[str, str], None] | None = None,
        profile: bool = False,
    ) -> DetectResult:
        """Find replicas. A second run with the same data and settings does nothing.

        Args:
            clusters: "none": by fingerprint; None: under robust by minhash of contents, if loaded.
            min_probability: flag every pair of these ``kinds`` (or "all") from here.
            name: keep a copy of it under that name, for ``runs`` and ``diff``.
            report: called with each stage that is done and what it found.
            profile: keep seconds, rows and peak memory of each stage (``result.profile``).
            others: as in :class:`replicadb.settings.Settings`.

        Raises:
            DataError: nothing is loaded. LimitError: more pairs than ``max_pairs`` would come.
            UsageError: a setting that cannot be meant or does nothing; other work on it under way.
        """
        name = None if name is None else named_runs.valid_name(name)
        clusters = near_duplicate_run.chosen_clusters(self.database, clusters, method, report)
        settings = fields_of(Settings, locals())
        refuse_idle(changed_fields(Settings, settings))
        if files_probability is None:  # a threshold that was given holds for every crawl
            settings["files_probability"] = min_probability
        chosen = Settings().with_changes(**settings)
        result = pipeline.detect(self.database, chosen, report, profile)
        if name is not None:
            named_runs.keep(self.database, name)
        return result

    def learn_rewrites(
        self,
        *,
        epsilon: float = 0.0,
        min_support: int = 2,
        say: Callable[[str], None] | None = None,
    ) -> dict[str, Any]:
        """Learn rewrite rules within hosts (internal.rewrite_rules, and the view
        page_level.canonical_urls).

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
        methods: list[str] | str | None = None,
        folds: int = 5,
        seed: int = 0,
        positive: tuple[str, ...] | str = ("replica",),
        with_ambiguous: bool = False,
        as_published: bool = False,
        crawl_order: str | None = None,
        tables: bool = True,
        report: Callable[[str], None] | None = None,
        page: str | Path | None = None,
    ) -> dict[str, Any]:
        """Compare methods of detection with known replicas; a plain dict that JSON can hold. The
        database is not changed.

        Args:
            gold, methods, folds, seed, positive, with_ambiguous, as_published, crawl_order, tables,
                report: as :func:`replicadb.evaluation.evaluate.evaluate` has them; the page needs
                tables.
            page: write the result as a self-contained HTML page there, too.

        Raises:
            DataError: nothing is loaded, or the gold cannot be used. UsageError: an unknown method
                or label.
        """
        from replicadb.evaluation.evaluate import evaluate
        from replicadb.report import ready, write

        if page is not None:
            ready(page)
            refuse_source(self.database, page)
        result = evaluate(
            self.database,
            gold,
            methods,
            folds,
            seed,
            report,
            positive,
            with_ambiguous,
            as_published,
            crawl_order,
            tables or page is not None,
        )
        if page is not None:
            write(result, page)
        return result

    def model(
        self, path: str | Path | None = None, *, progress: Callable[[str], None] | None = None
    ) -> Model:
        """What the last detection learned, to score any pair of hosts and to look new hosts up.

        Kept beside the database (NAME.model), made anew for other data or settings.

        Args:
            path: write it there instead, for :func:`replicadb.open_model` without the database.
            progress: called with what is being done while the model is made.

        Raises:
            DataError: no detection is up to date. UsageError: it ran with a published method.
        """
        from replicadb.model import build, open_model

        db = self.database
        if path is not None:
            refuse_source(db, path)
        key = build.key_of(db, data_key(db), detected_data(db))
        if path is None:
            return build.open_for(db, key, progress)
        build.write_model(db, path, key, progress)
        return open_model(path, verify=False)

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def __getstate__(self) -> NoReturn:
        raise UsageError(
            f"{self.database.path}: an open database is neither copied nor sent to another process;"
            " open it there, with read_only=True where several look at it"
        )

    def __enter__(self) -> ReplicaDB:
        self.database.need_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(
    path: str | Path,
    *,
    read_only: bool = False,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> ReplicaDB:
    """Open a database, or make it; arguments and errors as for :class:`ReplicaDB`."""
    return ReplicaDB(path, read_only=read_only, memory_limit=memory_limit, threads=threads)
