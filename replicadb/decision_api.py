"""The part of :class:`replicadb.ReplicaDB` that keeps what people decided."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from replicadb.decisions import decision_store
from replicadb.errors import UsageError, need_text, need_yes_or_no
from replicadb.export import writers
from replicadb.given_file import path_of
from replicadb.store.database import Database

if TYPE_CHECKING:
    import polars as pl

    from replicadb.decisions.decision_store import LabelResult
    from replicadb.review import Review


class Decisions:
    """What people decided of pairs and hosts; a base of :class:`replicadb.ReplicaDB`."""

    database: Database

    def label(self, file: str | Path, *, replace: bool = False) -> LabelResult:
        """Take the decisions of a file: CSV, TSV, JSON (lines or one array) or Parquet with host_a,
        host_b, label (replica, no replica, keep, never) and, where there is one, note. The next
        detection goes by them.

        Args:
            replace: one that contradicts an earlier decision takes its place; else it is refused.

        Returns:
            What became of the rows, and what contradicts itself.

        Raises:
            DataError: the file cannot be read, or has no such columns. UsageError: ``file`` is no
                path, or ``replace`` neither True nor False.
        """
        need_yes_or_no(replace=replace)
        return decision_store.take_file(self.database, path_of(file), replace)

    def decide(
        self,
        host_a: str,
        host_b: str,
        replica: bool,
        *,
        note: str = "",
        source: str = "label",
        replace: bool = False,
    ) -> LabelResult:
        """Decide that two hosts are replicas, or are none.

        Args:
            host_a, host_b: in any spelling, in any order.
            source: who says so.
            replace: an earlier decision that says otherwise gives way.

        Raises:
            DataError: an unknown host, with the nearest names, or an earlier decision that says
                otherwise. UsageError: one host twice, ``replica`` or ``replace`` is neither True
                nor False, or the note or the source is no text.
        """
        need_text(note=note, source=source)
        need_yes_or_no(replace=replace)
        if replica not in (True, False):
            raise UsageError(f"replica is True or False, not {replica!r}")
        label = "replica" if replica else "no replica"
        return decision_store.take(
            self.database, label, host_a, host_b, note, source=source, replace=replace
        )

    def pin(
        self,
        host: str | Iterable[str],
        pin: Literal["keep", "never"],
        *,
        note: str = "",
        replace: bool = False,
    ) -> LabelResult:
        """Pin a host, or several, all of them or none: ``keep``, it is never dropped and is the
        host to keep of its group; ``never``, it is never flagged. A host that is not loaded waits
        until it is, which the notes say.

        Raises:
            DataError: pinned otherwise. UsageError: no host name, no such pin, a note that is no
                text, or ``replace`` is neither True nor False.
        """
        need_text(note=note)
        need_yes_or_no(replace=replace)
        if pin not in ("keep", "never"):
            raise UsageError(f"a pin is keep or never, not {pin!r}")
        hosts = host if isinstance(host, Iterable) and not isinstance(host, str) else [host]
        return decision_store.pin(self.database, {str(pin): hosts}, note=note, replace=replace)

    def remove_decision(self, host_a: str, host_b: str | None = None) -> None:
        """Take back what was decided of two hosts, or the pin of one.

        Raises:
            DataError: nothing was. UsageError: no host name.
        """
        decision_store.remove(self.database, host_a, host_b)

    def review(self) -> Review:
        """Undecided pairs of the last detection that are in doubt, one after the other.

        Raises:
            DataError: detect has not run.
        """
        from replicadb.review import Review

        return Review(self.database)

    def decisions(self) -> pl.DataFrame:
        """All decisions in the shape of a file that :meth:`label` takes."""
        return writers.as_frame(self.decision_reader().read_all())

    def decision_reader(self) -> pa.RecordBatchReader:
        """The same as a stream of Arrow batches."""
        return self.database.arrow(decision_store.listed()).to_reader(writers.BATCH_ROWS)
