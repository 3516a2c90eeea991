"""The crawl's file, written a piece at a time.

Invariant: the file has its name only when it is whole; its bytes depend on the pieces' rows
alone.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

ROWS_OF_A_GROUP = 250_000


class CrawlFile:
    """A Parquet or CSV file that frames of one schema are appended to."""

    def __init__(self, path: Path, fmt: str) -> None:
        self.path, self.fmt, self.rows = path, fmt, 0
        self.part = path.with_name(path.name + ".part")
        self._parquet: pq.ParquetWriter | None = None
        self._begun = False

    def __enter__(self) -> CrawlFile:
        self._csv = open(self.part, "wb") if self.fmt == "csv" else None
        return self

    def write(self, frame: pl.DataFrame) -> None:
        """Append rows."""
        if self._csv:
            frame.write_csv(self._csv, include_header=not self._begun)
        else:
            table = frame.to_arrow()
            self._parquet = self._parquet or pq.ParquetWriter(
                self.part,
                table.schema,
                compression="zstd",
                compression_level=3,
                use_dictionary=["ip", "mime", "status", "redirect"],
            )
            self._parquet.write_table(table, ROWS_OF_A_GROUP)
        self._begun = True
        self.rows += len(frame)

    def __exit__(self, kind: object, *_: object) -> None:
        for handle in (self._csv, self._parquet):
            if handle:
                handle.close()
        if kind is None:
            self.part.replace(self.path)
        else:
            self.part.unlink(missing_ok=True)
