"""The part of :class:`replicadb.ReplicaDB` that is about pages: near duplicates, pairs, rendering.

Options are keywords with the names and defaults of the dataclass that each method fills; a test
holds them equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from replicadb.export.writers import as_frame
from replicadb.given_file import path_of
from replicadb.near_duplicates import near_duplicate_run
from replicadb.near_duplicates.page_options import Level, Method, Order, PageOptions
from replicadb.store.database import Database
from replicadb.store.own_sources import refuse_source

if TYPE_CHECKING:
    import polars as pl

    from replicadb.near_duplicates.near_duplicate_run import FingerprintResult
    from replicadb.page_pairs.compression_distance import Engine
    from replicadb.page_pairs.page_classifier import Classifier
    from replicadb.page_pairs.pair_list import Pairs
    from replicadb.rendering.render_store import RenderResult


def fields_of(kind: type, given: dict[str, Any]) -> dict[str, Any]:
    """Those of the given values that are fields of a dataclass, by name; a column of a frame or an
    array as a list.
    """
    return {item.name: _listed(given[item.name]) for item in fields(kind) if item.name in given}


def _listed(given: Any) -> Any:
    column = hasattr(given, "__array__") and isinstance(given, Iterable)
    return list(given) if column and not isinstance(given, str) else given


def changed_fields(kind: type, given: dict[str, Any]) -> dict[str, Any]:
    """Those of the given values that are not the default of their field of a dataclass."""
    return {name: value for name, value in given.items() if value != getattr(kind, name, None)}


class PageMethods:
    """What a database says about its pages; the base of :class:`replicadb.ReplicaDB`."""

    database: Database

    def fingerprint(
        self,
        method: Method,
        *,
        stop_words: str | None = None,
        stem: str | None = None,
        seed: int = 0,
        level: Level = "normalised",
        bits: int = 3,
        shingle: int = 5,
        permutations: int = 128,
        threshold: float | None = None,
        dimensions: int = 32,
        damping: float = 0.1,
        rounds: int = 4,
        eps_rp: float = 0.02,
        eps_hm: float = 0.02,
        min_weight: float = 0.0,
        order: Order = "df",
        exact: bool = False,
        max_pairs: int = 50_000_000,
        chains: bool = False,
        report: Callable[[str], None] | None = None,
    ) -> FingerprintResult:
        """Find near-duplicate pages by one method and keep them (views
        ``page_level.page_matches`` and ``page_level.near_duplicates``).

        Args:
            method: exact, simhash, minhash, rp, rp+hm or mwo.
            report: called with what each step found.

        The other options are those of
        :class:`replicadb.near_duplicates.page_options.PageOptions`; each belongs to some of the
        methods.

        Raises:
            DataError: no page was loaded with its content. LimitError: more matches than
                ``max_pairs`` would come.
            UsageError: a method or option that cannot be meant, or an option of another method; a
                library is missing.
        """
        given = fields_of(PageOptions, locals())
        near_duplicate_run.refuse_unread(method, changed_fields(PageOptions, given))
        chosen = PageOptions().with_changes(**given)
        return near_duplicate_run.fingerprint(self.database, method, chosen, report)

    def similar(
        self,
        page: str | Path,
        *,
        method: Method = "mwo",
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
        from replicadb.near_duplicates.loaded_contents import need_contents
        from replicadb.near_duplicates.query_page import query_page

        options = near_duplicate_run.options_of(self.database, method)
        need_contents(self.database)
        query = query_page(self.database, str(page))
        return as_frame(
            near_duplicate_run.similar(self.database, query, method, options, threshold, limit)
        )

    def page_signals(
        self,
        pairs: str | Path,
        *,
        engine: str = "zlib",
        level: int | None = None,
        query: str = "query",
    ) -> tuple[pa.Table, Pairs]:
        """Every signal of the pairs of URLs in a CSV file, and the pairs; see
        :func:`replicadb.page_pairs.pair_files.signals_of_file`.

        Args:
            engine, level: of the compression distances: zlib or isal.
            query: column of the query that found both pages.

        Raises:
            DataError: nothing is loaded with content, or the file cannot be used. UsageError: no
                such engine or level.
        """
        from replicadb.page_pairs import compression_distance, pair_files

        return pair_files.signals_of_file(
            self.database, path_of(pairs), compression_distance.Engine(engine, level), query
        )

    def evaluate_pages(
        self,
        gold: str | Path,
        *,
        options: PageOptions | None = None,
        engine: Engine | None = None,
        seeds: int = 9,
        folds: int = 10,
        seed: int = 0,
        all_pairs: bool = True,
        label: str = "label",
        content_label: str = "content_label",
        as_published: bool = False,
        say: Callable[[str], None] = lambda line: None,
        page: str | Path | None = None,
    ) -> dict[str, Any]:
        """Every page method, signal and combination judged on known pairs.

        Args:
            gold, options, engine, seeds, folds, seed, all_pairs, label, content_label,
                as_published, say: as
                :func:`replicadb.evaluation.page_method_evaluation.evaluate_pages` has them.
            page: write the tables and curves as a self-contained HTML page there, too.

        Returns:
            The result as a plain dict that JSON can hold.

        Raises:
            DataError: nothing is loaded with content, or the gold cannot be used.
        """
        from replicadb.evaluation.page_method_evaluation import evaluate_pages
        from replicadb.report import page_method_page, ready

        if page is not None:
            ready(page)
            refuse_source(self.database, page)
        result = evaluate_pages(
            self.database,
            gold,
            options=options,
            engine=engine,
            seeds=seeds,
            folds=folds,
            seed=seed,
            all_pairs=all_pairs,
            label=label,
            content_label=content_label,
            as_published=as_published,
            say=say,
        )
        if page is not None:
            page_method_page.write(result, page, Path(self.database.path).name)
        return result

    def train_pages(
        self,
        labelled: str | Path | None = None,
        *,
        groups: str = "auto",
        folds: int = 10,
        seeds: int = 9,
        seed: int = 0,
        split: str = "auto",
        tests: Sequence[str | Path] = (),
        query: str = "query",
        label: str = "label",
        engine: str = "zlib",
        level: int | None = None,
        tables: bool = False,
        say: Callable[[str], None] = lambda line: None,
        page: str | Path | None = None,
    ) -> tuple[Classifier, dict[str, Any]]:
        """Learn from labelled pairs of URLs which pages are duplicates; a classifier and the
        result.

        Args:
            labelled: CSV with url_a, url_b and label; None learns from exact and obvious pairs of
                the database.
            groups, folds, seeds, seed, split: as
                :class:`replicadb.page_pairs.page_validation.Options` has them.
            tests: other files of labelled pairs, for the paper's Table 5.
            query, label: columns of the files.
            engine, level: of the compression distances: zlib or isal.
            tables: the numbers of the paper's tables and figures; takes about ten times as long.
            say: called with what is being done.
            page: write those tables and figures as a self-contained HTML page there, too.

        Raises:
            DataError: nothing is loaded with content, or the labels cannot be used. UsageError:
                unknown groups, or a library is missing.
        """
        from replicadb.page_pairs import compression_distance, page_validation, pair_files
        from replicadb.report import ready, training_page

        if page is not None:
            ready(page)
            refuse_source(self.database, page)
        classifier, result = pair_files.train_file(
            self.database,
            labelled,
            compression_distance.Engine(engine, level),
            page_validation.Options(groups, folds, seeds, seed, split),
            say=say,
            tables=tables or page is not None,
            tests=tests,
            query=query,
            label=label,
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
    ) -> tuple[pa.Table, Pairs]:
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
        browser: str | None = None,
        only: str | None = None,
        limit: int | None = None,
        timeout: float = 20.0,
        delay: float = 5.0,
        workers: int | None = None,
        force: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> RenderResult:
        """Replay pages from their archive in a headless Chromium and keep what it shows (table
        ``rendered_pages``).

        Args:
            sources: WARC, ARC or WACZ files, patterns or folders.
            browser: path of a Chromium; None finds one.
            only: a CSV file with a column url: render those alone.
            limit: render so many pages at most.
            timeout: seconds until a page that does not come to rest is taken as it stands.
            delay: seconds of the page's own time that scripts and refreshes have.
            workers: browsers at the same time; None is one a core, at most 8.
            force: render pages again that were rendered before.
            progress: called with how many pages are done, of how many.

        Raises:
            UsageError: no browser, no playwright, or an option that cannot be meant.
            DataError: no page was loaded with its content, or a file is no archive.
        """
        from replicadb.rendering.render import RenderOptions, render

        options = RenderOptions(**fields_of(RenderOptions, locals()))
        return render(self.database, [str(source) for source in sources], options, progress)
