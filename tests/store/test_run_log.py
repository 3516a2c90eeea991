"""What is known of the commands that ran: whether a detection has finished."""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.store.run_log import need_detection


def test_a_detection_that_was_stopped_is_told_from_none(crawled, tmp_path):
    """The first one, or where an older version stopped: the next goes on."""
    shutil.copy(crawled, tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as web:
        db = web.database
        with pytest.raises(DataError, match="no replicas in it yet; find them first"):
            need_detection(db)
        web.detect()
        need_detection(db)
        db.execute("DELETE FROM stages WHERE stage <> '10_dup_clusters'")
        with pytest.raises(DataError, match="its detection was stopped before it was done"):
            web.flagged_hosts()
