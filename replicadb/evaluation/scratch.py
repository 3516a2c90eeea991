"""A place to run detection in without touching the database: results in memory, what was loaded
seen through views.

Invariant: nothing is ever written to the user's file. A second, in-memory database is
attached to a cursor of the open connection; the tables that loads filled, and results that are up
to date, are views on the file there, and every other table is the scratch's own. Bigger work spills
as DuckDB's does. Statements of ``sql/`` run as they are.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

from replicadb.detection import incremental, pipeline
from replicadb.detection.stage import Stage, first_key, run_stage, stage_key
from replicadb.errors import DataError, LimitError
from replicadb.settings import Settings
from replicadb.store.database import Database
from replicadb.store.misused import OneThread
from replicadb.store.older_schemas import ASIDE, INTERNAL
from replicadb.store.schema import VIEWS, make_schemas, results

_NUMBERS = itertools.count()
"""Connections of one process to one file share their attached databases, so each scratch needs a
name of its own.
"""
COPIED = ("meta", "stages", "runs", "settings")
"""Small tables that stages write to: the scratch has copies."""
KEPT = {"fingerprints", "matches", "page_clusters"}
"""Results that no stage makes: those of ``fingerprint``, seen as they are."""
FIRST_OF_METHOD = "50_patterns"
"""The first stage whose results depend on the method."""


class Scratch(Database):
    """A :class:`Database` over a cursor of another, in which everything may be written and nothing
    lasts.

    Args:
        source: the open database, with rights to write or without.
        as_published: pairs and published method are the paper's, whatever the last detection was.

    Raises:
        DataError: nothing is loaded in it.
    ``compared_urls`` are the URLs that the last detection compared: with assets, or pages alone.
    """

    keeps_results = False

    def __init__(self, source: Database, as_published: bool = False) -> None:
        if not source.value("SELECT count(*) FROM page_urls"):
            raise DataError(
                f"{source.path}: no URLs in it yet; load a crawl first: replicadb load"
                f" {source.path} SOURCE"
            )
        self.path, self.read_only = source.path, False
        self.source = source.value("SELECT current_database()")
        self.settings, self.published = (
            published_settings() if as_published else last_settings(source)
        )
        self.temporaries, self.one_thread = {}, OneThread(self.path)
        self.con = source.con.cursor()
        self.name = f"replicadb_scratch_{next(_NUMBERS)}"
        self.execute(f"ATTACH ':memory:' AS {self.name} (READ_WRITE)")
        self.execute(f"USE {self.name}")
        make_schemas(self)
        self._mirror(source)
        compared = "urls" if self.settings.reads_assets else "page_urls"
        self.execute(f"CREATE VIEW {INTERNAL}.compared_urls AS FROM {compared}")

    def _mirror(self, source: Database) -> None:
        """Views of what is loaded and of results up to date, own tables for the rest, and the views
        over both.
        """
        made = results()
        self.renew(*made)
        current = self._current(source)
        for schema, table in source.rows(
            "SELECT schema_name, table_name FROM duckdb_tables()"
            " WHERE database_name = current_database() AND NOT temporary ORDER BY ALL"
        ):
            here = f'{schema}."{table}"'
            there = f'"{self.source}".{here}'
            if table in COPIED:
                if table not in made:
                    self.run("schema/10_loaded", only=table)
                self.execute(f"INSERT INTO {here} BY NAME FROM {there}")
            elif table not in made or table in current | KEPT:
                self.execute(f"DROP TABLE IF EXISTS {here}")
                self.show(table, here, there)
        stages = [stage.name for stage in pipeline.STAGES if set(stage.tables) <= current]
        self.execute(
            "DELETE FROM stages WHERE NOT list_contains($current, stage)", {"current": stages}
        )
        self.execute(
            "DELETE FROM meta WHERE list_contains($keys, key)",
            {"keys": [*incremental.KEYS, ASIDE]},
        )  # pairs are kept, and results put aside, in the file alone
        for stem in VIEWS:
            if not stem.endswith("_comments"):  # nobody reads them here; half of the time
                self.run(stem)

    def show(self, table: str, here: str, there: str) -> None:
        """A table of the file as it is seen in here: whole."""
        self.execute(f"CREATE VIEW {here} AS FROM {there}")

    def _current(self, source: Database) -> set[str]:
        """The tables of the stages shared by all methods whose results hold for what is loaded now,
        as this version has them.
        """
        tables: set[str] = set()
        key, done = (
            first_key(source, self.published),
            dict(source.rows("SELECT stage, key FROM stages")),
        )
        for stage in shared_stages():
            key = stage_key(key, stage, self.published)
            if done.get(stage.name) != key or any(
                _columns(source, name) != _columns(self, name) for name in stage.tables
            ):
                break
            tables |= set(stage.tables)
        return tables

    def renew(self, *tables: str) -> None:
        """As ever; views of the other database's results give way to tables of the
        scratch's own.
        """
        views = self.column(
            "SELECT view_name FROM duckdb_views() WHERE database_name = current_database() AND NOT"
            " internal"
        )
        for table in set(tables) & set(views):
            self.execute(f"DROP VIEW {table}")
        super().renew(*tables)

    def detect(self, **changes: Any) -> pipeline.DetectResult:
        """Run detection in here, with the last settings and these changes; stages that are up to
        date are reused.
        """
        return pipeline.detect(self, self.settings.with_changes(**changes))

    def detect_until_features(self) -> None:
        """Candidates, non-replicas and features, made anew only where they are missing or stale."""
        key, done = (
            first_key(self, self.published),
            dict(self.rows("SELECT stage, key FROM stages")),
        )
        for stage in shared_stages():
            key = stage_key(key, stage, self.published)
            if done.get(stage.name) != key:
                try:
                    run_stage(self, stage, self.published, key, pipeline.after(stage))
                except LimitError as error:
                    raise LimitError(
                        f"{error} in replicadb detect first: evaluate takes its settings over"
                    ) from error

    def close(self) -> None:
        """Forget everything; the other database stays open."""
        self.execute(f'USE "{self.source}"')
        self.execute(f"DETACH {self.name}")
        self.con.close()


def _columns(db: Database, table: str) -> list[tuple[Any, ...]]:
    """Names and types of a table's columns, in their order."""
    return db.rows(
        """
        SELECT column_name, data_type
        FROM duckdb_columns()
        WHERE database_name = current_database() AND table_name = $table
        ORDER BY column_index""",
        {"table": table},
    )


def shared_stages() -> tuple[Stage, ...]:
    """The stages that make what methods learn from; the last is empty unless some detection was of
    method paper.
    """
    return tuple(stage for stage in pipeline.STAGES if stage.name < FIRST_OF_METHOD)


COMPARED = (
    "candidates",
    "clusters",
    "min_shared",
    "max_cluster_hosts",
    "max_pairs",
    "path_max_hosts",
    "reference",
    "keep",
)
"""What decides which pairs there are and which host stays, whatever the method."""
OF_ROBUST = (
    "prior_strength",
    "max_wrong",
    "min_probability",
    "files_probability",
    "evidence",
    "kinds",
)
OF_PUBLISHED = (
    "negatives",
    "max_negatives",
    "seed",
    "discretise",
    "bins",
    "max_patterns",
    "cut",
    "alpha",
    "schedule",
    "aggregate",
    "min_support",
    "first",
)


def published_settings() -> tuple[Settings, Settings]:
    """The same of the paper to the letter; robust on its pairs."""
    letter = Settings(method="paper")
    pairs = {name: getattr(letter, name) for name in COMPARED}
    return Settings().with_changes(**pairs, assets=letter.reads_assets), letter


def last_settings(db: Database) -> tuple[Settings, Settings]:
    """What method robust, and what a published method is run with in an evaluation.

    All that the last detection was given is carried over (as far as this version knows it): which
    pairs are compared, and how its method decides. The other method has its defaults. The published
    method is the one that the last detection ran, else paper.
    """
    text = db.value(
        "SELECT settings FROM runs WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1"
    )
    known = json.loads(text or "{}")
    last = Settings().with_changes(method=known.get("method"), assets=known.get("assets"))

    def given(*names: str) -> dict[str, Any]:
        return {name: known[name] for name in names if name in known}

    pairs = {name: getattr(last, name) for name in COMPARED} | given(*COMPARED)
    pairs["assets"] = last.reads_assets
    robust = Settings().with_changes(**pairs, **given(*OF_ROBUST))
    method = last.method if last.published else "paper"
    published = Settings().with_changes(method=method, **pairs, **given(*OF_PUBLISHED))
    return robust, published
