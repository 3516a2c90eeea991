"""Names and addresses, where they are the evidence."""

from __future__ import annotations

import numpy as np
import pytest

import replicadb
from replicadb.model import Host


@pytest.mark.slow
def test_names_and_addresses_count_where_they_are_the_evidence(tmp_path):
    (tmp_path / "crawl.csv").write_text(
        "url,digest,ip\n"
        + "".join(
            f"http://{name}.com/p{k},sha1:{k + (0 if i < 2 else 100 * i):040x},10.0.{i // 2}.{i}\n"
            for i, name in enumerate(["one", "www.one", "two", "three"])
            for k in range(4)
        )
    )
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(tmp_path / "crawl.csv")
        db.detect(evidence="five")
        model = db.model()
        found = model.score_pair(
            Host("one.org", [("/p0", "sha1:" + "9" * 40)], ["10.0.1.2", "10.0.0.9"]), "two.com"
        ).features
        assert (found["ndist"], found["ip4"], found["ip3"]) == (6, 1.0, 0.5)
        assert model.score_pair(Host("one.org"), "one.com").features["nmatch"] > 0 and np.isnan(
            model.score_pair(Host("one.org"), "one.com").features["ip4"]
        )
        assert (
            model.score([("one.org", "www.one.com")])["strength"][0]
            == model.score_pair("www.one.com", Host("one.org")).strength
        )
