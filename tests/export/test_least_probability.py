"""``export --min-probability``: of rows that have one, those from there on."""

from __future__ import annotations

from pathlib import Path

import pytest

import replicadb


@pytest.fixture(scope="module")
def ranked_by_probability(tmp_path_factory) -> Path:
    """Pairs of copies among unlike hosts, more and less complete, as method robust has them."""
    folder = tmp_path_factory.mktemp("probability")
    rows = [
        f"http://{name}{end}/{page},{name}-{page}"
        for name, pages in (("aa", 60), ("bb", 30), ("cc", 20))
        for end in (".com", ".org")
        for page in range(pages)
    ]
    rows += [f"http://{h}.net/{page},{h}-{page}" for h in range(30) for page in range(5)]
    rows += [f"http://cc.org/own/{page},own-{page}" for page in range(15)]
    (folder / "crawl.csv").write_text("url,digest\n" + "\n".join(rows) + "\n")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        web.detect(min_probability=0.01)
    return folder / "web.duckdb"


@pytest.mark.slow
def test_a_probability_chooses_rows_of_each_export(ranked_by_probability, tmp_path):
    def exported(what: str, **options) -> list[str]:
        web.export(tmp_path / "out.csv", what, **options)
        return (tmp_path / "out.csv").read_text().splitlines()[1:]

    with replicadb.open(ranked_by_probability, read_only=True) as web:
        for what, column in (("hosts", 2), ("pairs", 2), ("groups", 1)):
            rows = exported(what)
            bound = max(float(row.split(",")[column]) for row in rows)
            chosen = exported(what, min_probability=bound)
            assert chosen == [row for row in rows if float(row.split(",")[column]) >= bound]
            assert 0 < len(chosen) < len(rows)


def test_a_probability_that_cannot_be_asked_for_is_usage(cli, detected, ranked_by_probability):
    answer = cli("export", detected, "-", "--min-probability", "0.9")
    assert answer.code == 2 and "method paper gives no probabilities" in answer.err
    answer = cli("export", ranked_by_probability, "-", "--min-probability", "90")
    assert answer.code == 2 and "from 0 to 1" in answer.err
