"""What the pages of one source say of who runs them, on its way into the table ``identifiers``.

Invariant: memory does not grow with the source, and a host keeps MOST_OF_A_HOST of a kind at most;
nothing that a page says stops a load. The SQL is sql/load/55_identifiers.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from replicadb.store.database import Database
from replicadb.web.site_identifiers import site_identifiers

BATCH = 100_000
"""Found values that wait to be written."""
MOST_OF_A_HOST = 1_000
"""Values of a kind that a host keeps of one source: those on the most pages."""


class Identifiers:
    """Takes pages while their source is read.

    Args:
        db: inside the transaction of the source, within ``db.temporary()``.
    """

    def __init__(self, db: Database) -> None:
        self.db = db
        self._positions: list[int] = []
        self._found: list[tuple[str, str]] = []
        db.run("load/55_identifiers", only="found_identifiers")

    def take(
        self, position: int, page: str | bytes, fields: Mapping[bytes, bytes] | None = None
    ) -> None:
        """Keep what one page says; ``fields`` are of its HTTP header, by lower-case name."""
        body = page.encode("utf-8", "replace") if isinstance(page, str) else page
        self._add(position, site_identifiers(body, fields))

    def take_languages(self) -> None:
        """Keep the languages that a table's column says, from ``staged``."""
        self.db.run("load/55_identifiers", only="told_languages")

    def _add(self, position: int, found: list[tuple[str, str]]) -> None:
        self._positions += [position] * len(found)
        self._found += found
        if len(self._found) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        if not self._found:
            return
        kinds, values = zip(*self._found, strict=True)
        batch = pa.table(
            {
                "position": pa.array(self._positions, pa.int64()),
                "kind": pa.array(kinds, pa.string()),
                "value": pa.array(values, pa.string()),
            }
        )
        with self.db.registered("identifier_batch", batch):
            self.db.execute("INSERT INTO found_identifiers BY NAME FROM identifier_batch")
        self._positions, self._found = [], []

    def finish(self, source_id: int, site: str) -> int:
        """After the captures are stored: what is said on pages that are kept.

        Returns:
            The number of values that were stored, each once a host.
        """
        self._flush()
        if not self.db.value("SELECT count(*) FROM found_identifiers"):
            return 0
        given = {"source_id": source_id, "site": site, "most": MOST_OF_A_HOST}
        for name in ("insert_identifiers", "insert_languages"):
            self.db.run("load/55_identifiers", given, only=name)
        stored = "SELECT count(*) FROM identifiers WHERE source_id = ?"
        return int(self.db.value(stored, [source_id]))
