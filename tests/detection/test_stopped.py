"""A stage that is stopped or fails: told as what it was, nothing left behind, and the next run
makes what was missing.
"""

from __future__ import annotations

import duckdb
import pytest

from replicadb.detection import (
    blocking,
    pair_features,
    pair_scoring,
)
from replicadb.detection.name_similarity import Names

from .crawls import only_pairs, state


class Odd(RuntimeError):
    pass


def settings_of(web) -> tuple:
    names = ("disabled_optimizers", "threads")
    return tuple(
        web.database.value("SELECT current_setting($name)", {"name": name}) for name in names
    )


def temporary(web) -> set[str]:
    db = web.database
    return set(db.column("SELECT table_name FROM duckdb_tables() WHERE temporary")) | set(
        db.column("SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal")
    )


PLACES = (
    ((Names, "distance"), KeyboardInterrupt, True),
    ((pair_scoring, "_scored"), Odd, False),
)
"""Where a stage is stopped, by which error, and whether in the midst of the slices."""


@pytest.mark.slow
def test_what_stops_a_stage_is_reported_as_it_is_and_leaves_nothing(lasting, monkeypatch):
    """In one place after the other; the next run goes on, and makes what a run makes that nothing
    stops. Other settings come first, so that all stages but the first run again.
    """
    web = lasting
    web.detect()
    wanted = state(web)
    web.detect(max_cluster_hosts=5)
    before, there = settings_of(web), temporary(web)
    assert state(web)["pair_features"] != wanted["pair_features"]
    monkeypatch.setattr(blocking, "SLICE_ROWS", 40)
    for place, error, later in PLACES:
        with monkeypatch.context() as patched, pytest.raises(error):
            patched.setattr(*place, stopping(getattr(*place), error, later))
            web.detect()
        assert (settings_of(web), temporary(web)) == (before, there)
    assert web.detect().stages_run and state(web) == wanted
    assert temporary(web) == there


def stopping(usual, error, later: bool):
    """What raises the error when it is called, or at the second call: in the midst of
    the slices.
    """
    calls = []

    def stop(*given):
        calls.append(1)
        if len(calls) > later:
            raise error
        return usual(*given)

    return stop


@pytest.mark.parametrize("around", ["joined_as_written", "in_order"])
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT error('the disk is gone')",
        "INSERT INTO settings VALUES ('twice', ''), ('twice', '')",
    ],
)
def test_a_statement_that_fails_is_reported_as_it_is_and_no_setting_stays(small, around, statement):
    db = small.database
    query = (
        "SELECT current_setting('disabled_optimizers'), current_setting('preserve_insertion_order')"
    )
    with pytest.raises(duckdb.Error) as said, db.transaction(), getattr(db, around)():
        db.execute(statement).fetchall()
    assert "aborted" not in str(said.value)
    with db.transaction():
        assert db.rows(query) == [("", False)]
        with getattr(db, around)():
            assert db.rows(query) != [("", False)]
        assert db.rows(query) == [("", False)]


@pytest.mark.slow
def test_the_pairs_of_the_last_slice_are_let_go(small, monkeypatch):
    ended = []
    usual = pair_features.PairNames.__exit__

    def end(self, *failure):
        usual(self, *failure)
        ended.append(self)

    monkeypatch.setattr(pair_features.PairNames, "__exit__", end)
    only_pairs(small, 5)
    assert len(ended) == 2  # of the candidates, and of decoys
    assert all(names.table.schema.names for names in ended)
    assert not any(
        chunk.get_total_buffer_size()
        for names in ended
        for column in names.table.columns
        for chunk in column.chunks
    )
