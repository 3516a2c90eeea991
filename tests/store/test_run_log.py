"""What is known of the commands that ran: whether a detection has finished."""

from __future__ import annotations

import shutil

import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.store.run_log import need_detection


def test_a_detection_that_was_stopped_is_told_from_none(crawled, detected, tmp_path):
    """The first one, or where an older version stopped: the next goes on."""
    with (
        replicadb.open(crawled, read_only=True) as web,
        pytest.raises(DataError, match="no replicas in it yet; find them first"),
    ):
        need_detection(web.database)
    with replicadb.open(shutil.copy(detected, tmp_path)) as web:
        db = web.database
        need_detection(db)
        db.execute("DELETE FROM stages WHERE stage <> '10_dup_clusters'")
        with pytest.raises(DataError, match="its detection was stopped before it was done"):
            web.flagged_hosts()
