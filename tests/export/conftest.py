"""What the tests of lists share: a detection that is its first and last stage alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from replicadb.detection import pipeline


@pytest.fixture(scope="session")
def leave_out_stages() -> Callable[[pytest.MonkeyPatch], None]:
    """``detect`` runs its first and last stage and notes nothing: for a test that makes the members
    of groups itself, so that nothing hangs on what the others would find.
    """

    def patched(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(pipeline, "STAGES", (pipeline.STAGES[0], pipeline.STAGES[-1]))
        patch.setattr(pipeline, "notes_of", lambda *_: [])

    return patched


@pytest.fixture
def stages_left_out(monkeypatch, leave_out_stages) -> None:
    """The same for one test."""
    leave_out_stages(monkeypatch)
