"""What the tests of lists share: a detection that is its first and last stage alone."""

from __future__ import annotations

import pytest

from replicadb.detection import pipeline


@pytest.fixture
def stages_left_out(monkeypatch) -> None:
    """``detect`` runs its first and last stage and notes nothing: for a test that makes the members
    of groups itself, so that nothing hangs on what the others would find.
    """
    monkeypatch.setattr(pipeline, "STAGES", (pipeline.STAGES[0], pipeline.STAGES[-1]))
    monkeypatch.setattr(pipeline, "notes_of", lambda *_: [])
