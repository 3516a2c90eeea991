"""Names that rules fold: one site, two, or not known; each on its evidence.

Tries aliases_command, too.
"""

from __future__ import annotations

import json

import pytest

import replicadb
from replicadb.errors import DataError, LimitError

PAGES = 12


def crawl() -> str:
    """A library whose www2 is another site, a paper with a mobile name, a server at a port, sites
    that redirect from http, a thin one, and two copies that no rule folds.
    """
    rows = ["url,digest,title,length,status,redirect"]
    for n in range(PAGES):
        rows += [
            f"https://{name}/p{n},m{n},Library {n},{1000 + 90 * n},200,"
            for name in ("lib.org", "www.lib.org")
        ]
        rows.append(f"https://www2.lib.org/p{n},k{n},Catalogue {n},{5000 + 900 * n},200,")
        rows += [
            f"{start}news.net/a{n},{kind}{n},News {n},{100 + 50 * n},200,"
            for kind, start in (("http", "http://"), ("https", "https://"), ("mob", "https://m."))
        ]
        rows.append(f"http://dual.de/a{n},d{n},Shop {n},{2000 + 200 * n},200,")
        rows.append(f"http://dual.de:8080/a{n},x{n},Admin {n},{90 + 50 * n},200,")
        rows.append(f"http://re.org/r{n},,,,301,https://re.org/r{n}")
        rows.append(f"https://re.org/r{n},r{n},Re {n},700,200,")
        rows += [f"http://{name}/q{n},z{n},Z {n},900,200," for name in ("copy.com", "other.net")]
        rows.append(f"https://thin.org/t{n},t{n},,,200,")
        rows.append(f"https://www.thin.org/u{n},u{n},,,200,")
    return "\n".join(rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("aliases")
    (made / "c.csv").write_text(crawl())
    with replicadb.open(made / "w.duckdb", threads=1) as web:
        web.load(made / "c.csv")
        web.detect()
    return made


@pytest.fixture(scope="module")
def audited(folder):
    with replicadb.open(folder / "w.duckdb", read_only=True) as web:
        return web.aliases()


def rows_of(audit) -> dict[tuple[str, str], dict]:
    return {(row["rule"], row["name_b"]): row for row in audit.rows.to_pylist()}


@pytest.mark.parametrize(
    ("rule", "name", "verdict", "by", "counts"),
    [
        # paths, same, alike, unlike, named
        ("www", "www.lib.org", "one site", "detect", (PAGES, PAGES, 0, 0, 0)),
        ("www+digits", "www2.lib.org", "two sites", "paths", (PAGES, 0, 0, PAGES, 0)),
        ("mobile", "m.news.net", "one site", "paths", (PAGES, 0, PAGES, 0, 0)),
        ("scheme", "https://news.net", "one site", "paths", (PAGES, 0, PAGES, 0, 0)),
        ("scheme", "https://re.org", "one site", "paths", (0, 0, 0, 0, PAGES)),
        ("port", "http://dual.de:8080", "two sites", "paths", (PAGES, 0, 0, PAGES, 0)),
        ("none", "other.net", "one site", "detect", (PAGES, PAGES, 0, 0, 0)),
        ("www", "www.thin.org", "not known", None, (0, 0, 0, 0, 0)),
    ],
)
def test_each_pair_has_its_verdict_and_evidence(audited, rule, name, verdict, by, counts):
    row = rows_of(audited)[rule, name]
    assert (row["verdict"], row["by"]) == (verdict, by)
    assert tuple(row[key] for key in ("paths", "same", "alike", "unlike", "named")) == counts
    probability = row["probability"]
    if verdict == "not known":
        assert probability is None
    else:
        assert probability > 0.9 if verdict == "one site" else probability < 0.1


def test_every_pair_once_and_what_would_be_folded_wrongly_first(audited):
    rows = audited.rows.to_pylist()
    assert len(rows) == 8 and [row["verdict"] for row in rows[:2]] == ["two sites"] * 2
    assert rows[2]["rule"] == "none"
    assert audited.cost.pairs == 8 and audited.cost.names == 11
    assert audited.cost.seen_one_way == 8  # all but news.net, dual.de and re.org


@pytest.mark.slow
def test_no_pair_more_than_names_however_many_names_have_one_key(tmp_path):
    names = [f"www{n}.big.org" for n in range(40)]
    (tmp_path / "c.csv").write_text("url\n" + "".join(f"http://{name}/\n" for name in names))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.csv")
        audit = web.aliases()
        assert audit.cost.pairs == 39 and audit.cost.pages == 78
        assert {row["verdict"] for row in audit.rows.to_pylist()} == {"not known"}
        assert not audit.cost.detected
        with pytest.raises(LimitError, match="78 pages would be read for 39 pairs"):
            web.aliases(max_pages=77)
        assert web.aliases("www7.big.org").cost.pairs == 1
        with pytest.raises(DataError, match=r"nearest names: www0\.big\.org"):
            web.aliases("ww.big.org")


@pytest.mark.slow
def test_a_decision_of_a_person_is_the_verdict(folder, tmp_path):
    path = tmp_path / "w.duckdb"
    path.write_bytes((folder / "w.duckdb").read_bytes())
    with replicadb.open(path, threads=1) as web:
        web.decide("lib.org", "www.lib.org", False)
        web.detect()
        row = rows_of(web.aliases("lib.org"))["www", "www.lib.org"]
    assert (row["verdict"], row["by"], row["probability"]) == ("two sites", "decision", 0.0)


@pytest.mark.slow
def test_the_command_tells_cost_verdicts_and_what_the_crawl_cannot_tell(cli, folder, tmp_path):
    answer = cli("aliases", folder / "w.duckdb", "--top", 3)
    assert answer.code == 0 and answer.out.count("\n") == 5
    assert answer.err.startswith("8 pairs among 11 names; ")
    assert "www+digits  two sites          1\n" in answer.err
    assert "8 of 11 names were crawled under one scheme and port alone" in answer.err
    assert "5 more pairs: --top, or a file" in answer.err
    found = json.loads(cli("aliases", folder / "w.duckdb", "--json", "-q").out)
    assert len(found["pairs"]) == found["cost"]["pairs"] == 8
    assert cli("aliases", folder / "w.duckdb", tmp_path / "a.csv", "-q").out == ""
    assert (tmp_path / "a.csv").read_text().splitlines()[1].startswith("port,http://dual.de,")


@pytest.mark.slow
def test_what_is_not_there_is_one_line(cli, write, tmp_path):
    assert "no such database" in cli("aliases", tmp_path / "no.duckdb").err
    db = tmp_path / "w.duckdb"
    cli("load", db, write("c.csv", "url\nhttp://a.org/x/y\nhttp://b.org/\n"), "--site", "host+1")
    answer = cli("aliases", db)
    assert answer.code == 1 and "load it anew with --site host" in answer.err
    assert len(answer.err.splitlines()) == 1


def one_name(web, write, rows: str) -> dict:
    web.load(write("c.csv", "url,digest,title,length\n" + rows))
    (row,) = web.aliases().rows.to_pylist()
    return row


@pytest.mark.parametrize(
    ("titles", "verdict", "counts"),
    [
        (("Library", "Library"), "one site", (12, 0)),
        (("Library", "Staff"), "two sites", (0, 12)),
        (("", "Staff"), "one site", (12, 0)),
    ],
)
def test_titles_that_differ_outweigh_lengths_that_do_not(web, write, titles, verdict, counts):
    rows = "".join(
        f"http://{name}lib.org/p{n},x{name}{n},{title and f'{title} {n}'},{14_000 + n}\n"
        for name, title in zip(("", "www2."), titles, strict=True)
        for n in range(PAGES)
    )
    row = one_name(web, write, rows)
    assert (row["verdict"], (row["alike"], row["unlike"])) == (verdict, counts)


@pytest.mark.parametrize(
    ("paths", "content", "verdict"),
    [(1, "x{name}", "unclear"), (2, "x{name}", "one site"), (1, "x", "one site")],
)
def test_one_page_that_is_alike_is_too_little(web, write, paths, content, verdict):
    """Beside ten names that are one site each, so that one page would be enough."""
    rows = [f"http://{name}s{k}.org/p{n},{k}-{n},,900" for name, k, n in sites(10, PAGES)]
    rows += [
        f"http://{name}thin.org/p{n},{content.format(name=name)}{n},,1400"
        for name in ("", "www.")
        for n in range(paths)
    ]
    web.load(write("c.csv", "url,digest,title,length\n" + "\n".join(rows)))
    found = rows_of(web.aliases())["www", "www.thin.org"]
    assert (found["verdict"], found["probability"] > 0.9) == (verdict, True)


def sites(hosts: int, pages: int) -> list[tuple[str, int, int]]:
    return [(name, k, n) for name in ("", "www.") for k in range(hosts) for n in range(pages)]


@pytest.mark.parametrize("method", ["robust", "paper"])
def test_a_decision_holds_for_names_that_share_no_content(web, write, method):
    rows = "".join(
        f"http://{name}lib.org/p{n},x{name}{n},Library {n},1400\n"
        for name in ("", "www2.")
        for n in range(PAGES)
    )
    assert one_name(web, write, rows)["verdict"] == "one site"
    web.decide("lib.org", "www2.lib.org", False)
    web.detect(method=method)
    (row,) = web.aliases().rows.to_pylist()
    assert (row["verdict"], row["by"], row["probability"]) == ("two sites", "decision", 0)


def test_a_flagged_pair_whose_pages_at_equal_paths_differ_is_not_called_one_site(web, write):
    """Both have forty pages of a manual; at the ten paths of their own sites they differ."""
    rows = [f"http://{name}s{k}.org/p{n},{k}-{n},,900" for name, k, n in sites(10, PAGES)]
    for folder, name in (("a", ""), ("b", "www.")):
        rows += [f"http://{name}uni.edu/{folder}/m{n},manual{n},Manual {n},{n}" for n in range(40)]
        rows += [f"http://{name}uni.edu/p{n},{name}{n},{name} {n},{len(name)}" for n in range(10)]
    web.load(write("c.csv", "url,digest,title,length\n" + "\n".join(rows)))
    web.detect(min_probability=0.01, kinds="all")
    assert ("uni.edu", "www.uni.edu") in web.sql(
        "SELECT host_a, host_b FROM replicas WHERE flagged"
    ).rows()
    found = rows_of(web.aliases())["www", "www.uni.edu"]
    assert found["verdict"] == "unclear" and found["unlike"] >= 9 and not found["same"]
    web.decide("uni.edu", "www.uni.edu", True)
    web.detect(min_probability=0.01, kinds="all")
    assert rows_of(web.aliases())["www", "www.uni.edu"]["verdict"] == "one site"
