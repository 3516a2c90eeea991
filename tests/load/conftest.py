"""Pages with links, loaded."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def pages(web, tmp_path):
    """Loads pages (url, links, ...) from Parquet and returns the database."""

    def load(*given: dict, **options):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(pa.Table.from_pylist(list(given)), path)
        web.last = web.load(path, **options)
        return web

    return load
