"""What changed between two detections, pair by pair, with the reason.

Invariant: nothing is changed by asking; a run is a named one, or ``current``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from replicadb.detection import named_runs
from replicadb.errors import DataError, UsageError
from replicadb.export.writers import as_frame
from replicadb.short_table import in_a_line, short_table
from replicadb.store.database import Database
from replicadb.store.statements import statements

if TYPE_CHECKING:
    import polars as pl

SQL = "runs/20_run_diff"
OF_GROUPS = ("keep",)
"""Settings that say which host of a group stays, and nothing of a pair."""


@dataclass(frozen=True, repr=False)
class RunDiff:
    """What one detection says and the other does not."""

    before: str
    after: str
    table: pa.Table
    """A row a pair that is flagged in one of the two alone: change, the hosts, probabilities,
    reason, what they share and their places; what is flagged now first, then by probability.
    """
    dropped: pa.Table
    """A row a host that one of the two drops and the other does not, or for another host: change,
    host, canonical_before, canonical_after, reason (that the two changed places; of the current
    detection why the other is kept, or why the drop is held back; of what is dropped no longer
    what was decided, that it is gone or no longer flagged; else None).
    """
    counts: dict[str, int]
    """flagged (of the later one), now_flagged, no_longer_flagged; dropped (likewise),
    now_dropped, no_longer_dropped, for_another_host.
    """
    settings: str
    """The settings that differ; '' where none does."""
    came: list[str]
    """Names of loads that the later one compared and the earlier one did not."""
    went: list[str]
    """The other way round."""

    @property
    def pairs(self) -> pl.DataFrame:
        """The table as a Polars frame."""
        return as_frame(self.table)

    @property
    def hosts(self) -> pl.DataFrame:
        """The hosts whose drop changed, as a Polars frame."""
        return as_frame(self.dropped)

    def __repr__(self) -> str:
        found = in_a_line(self._shown())
        return f"<RunDiff {self.before} -> {self.after}: {found}>"

    def _repr_html_(self) -> str:
        notes = [self.settings] if self.settings else []
        return short_table(f"{self.before} -> {self.after}", self._shown(), notes)

    def _shown(self) -> list[tuple[str, int]]:
        return [(name.replace("_", " "), n) for name, n in self.counts.items()]


def diff(db: Database, before: str, after: str = named_runs.CURRENT) -> RunDiff:
    """Compare two runs.

    Raises:
        DataError: no such run, or no detection yet. UsageError: one run twice.
    """
    if before == after:
        raise UsageError(f"{before!r} twice; name two runs, or one to compare with the current one")
    runs = {run["name"]: run for run in named_runs.listed(db)}
    for name in (before, after):
        if name not in runs:
            if name == named_runs.CURRENT:
                raise DataError(
                    f"{db.path}: no detection yet; find replicas first: replicadb detect {db.path}"
                )
            named_runs.need(db, name, named_runs.CURRENT)
    earlier, later = runs[before], runs[after]
    settings = changed_text(earlier, later)
    weighing = changed_text(earlier, later, but=OF_GROUPS)
    values = {"before": before, "after": after}
    with db.temporary():
        for name in ("turned", "dropped"):
            db.run(SQL, values, only=name)
        found = statements(SQL)
        pairs = db.arrow(found["diff"], values | {"settings": weighing or None})
        hosts = db.arrow(found["hosts"], {"after": after})
        counts = db.arrow(found["counts"], {"after": after}).to_pylist()[0]
    return RunDiff(
        before,
        after,
        pairs,
        hosts,
        counts,
        settings,
        [name for name in later["loads"] if name not in earlier["loads"]],
        [name for name in earlier["loads"] if name not in later["loads"]],
    )


def changed_text(earlier: dict[str, Any], later: dict[str, Any], but: tuple[str, ...] = ()) -> str:
    """How the settings of two runs differ, some aside, and the version that made them, in a few
    words.
    """
    old, new = (named_runs.changed_settings(run["settings"]) for run in (earlier, later))
    parts = [
        _change(name, *(named_runs.in_words(run["settings"], name) for run in (earlier, later)))
        for name in later["settings"]
        if old.get(name) != new.get(name) and name not in but
    ]
    if earlier["version"] != later["version"]:
        parts.append(f"replicadb {earlier['version']} -> {later['version']}")
    return ", ".join(parts)


def _change(name: str, before: str, after: str) -> str:
    return f"{name} {before} -> {'others, ' if before == after else ''}{after}"
