"""Names that rules fold: one site, two, or not known; each on its evidence.

Tries aliases_command, too.
"""

from __future__ import annotations

import json

import pytest

import replicadb
from replicadb.errors import DataError, LimitError, UsageError
from tests.cli.conftest import kept_open

PAGES = 12


def crawl() -> str:
    """A library whose www2 is another site, a paper with a mobile name, a server at a port, sites
    that redirect from http, a thin one, and two copies that no rule folds. An old name leads to the
    same paths of one host, a sold one to one page, and one to two hosts.
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
        rows.append(f"http://old.net/r{n},,,,301,https://re.org/r{n}")
        rows.append(f"http://sold.biz/s{n},,,,302,https://thin.org/t0")
        rows.append(f"http://split.biz/t{n},,,,301,https://{'thin' if n else 're'}.org/t{n}")
        rows += [f"http://{name}/q{n},z{n},Z {n},900,200," for name in ("copy.com", "other.net")]
        rows.append(f"https://thin.org/t{n},t{n},,,200,")
        rows.append(f"https://www.thin.org/u{n},u{n},,,200,")
    return "\n".join(rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """w.duckdb of ``crawl``, detected, kept open; do not change it."""
    made = tmp_path_factory.mktemp("aliases")
    (made / "c.csv").write_text(crawl())
    with replicadb.open(made / "w.duckdb", threads=1) as web:
        web.load(made / "c.csv")
        web.detect()
    with kept_open(made / "w.duckdb"):
        yield made


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
        ("redirects", "old.net", "one site", "redirects", (0, 0, 0, 0, PAGES)),
        ("redirects", "sold.biz", "not known", "redirects", (0, 0, 0, 0, PAGES)),
        ("none", "other.net", "one site", "detect", (PAGES, PAGES, 0, 0, 0)),
        ("www", "www.thin.org", "not known", None, (0, 0, 0, 0, 0)),
    ],
)
def test_each_pair_has_its_verdict_and_evidence(audited, rule, name, verdict, by, counts):
    row = rows_of(audited)[rule, name]
    assert (row["verdict"], row["by"]) == (verdict, by)
    assert tuple(row[key] for key in ("paths", "same", "alike", "unlike", "named")) == counts
    probability = row["probability"]
    if verdict == "not known" or by == "redirects":
        assert probability is None
    else:
        assert probability > 0.9 if verdict == "one site" else probability < 0.1


def test_the_name_that_stays_is_told(audited):
    keep = {name: row["keep"] for (_, name), row in rows_of(audited).items()}
    assert (keep["old.net"], keep["sold.biz"], keep["www2.lib.org"]) == ("re.org", None, None)
    assert keep["www.lib.org"] == "lib.org" and keep["other.net"] in ("copy.com", "other.net")


def test_every_pair_once_and_what_would_be_folded_wrongly_first(audited):
    rows = audited.rows.to_pylist()
    assert len(rows) == 11 and [row["verdict"] for row in rows[:3]] == ["two sites"] * 3
    assert len({(row["name_a"], row["name_b"]) for row in rows}) == 11
    assert rows[3]["rule"] == "none"
    assert audited.cost.pairs == 11 and audited.cost.names == 14
    assert audited.cost.seen_one_way == 11  # all but news.net, dual.de and re.org


@pytest.mark.slow
def test_no_pair_more_than_names_however_many_names_have_one_key(tmp_path):
    names = [f"www{n}.big.org" for n in range(40)]
    (tmp_path / "c.csv").write_text("url\n" + "".join(f"http://{name}/\n" for name in names))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.csv")
        audit = web.aliases()
        assert audit.cost.pairs == 39 and audit.cost.pages == 78 and audit.cost.large_groups == 1
        assert {row["verdict"] for row in audit.rows.to_pylist()} == {"not known"}
        assert not audit.cost.detected
        with pytest.raises(LimitError, match="78 pages would be read for 39 pairs"):
            web.aliases(max_pages=77)
        for number in (-1, 1.5, "9"):
            with pytest.raises(UsageError, match=f"max_pages is {number!r}; give"):
                web.aliases(max_pages=number)
        assert web.aliases("www7.big.org").cost.pairs == 1
        with pytest.raises(DataError, match=r"nearest names: www0\.big\.org"):
            web.aliases("ww.big.org")


def test_under_domain_replicas_are_sites_as_detection_judged_them(tmp_path):
    """Also where a site's bare name was never crawled; at other paths, which say nothing."""
    rows = [
        f"http://{name}/{place}{n},z{n}"
        for n in range(2 * PAGES)
        for name, place in (("www.copy.com", ""), ("a.copied.net", "x/"), ("bare.org", "y/"))
    ]
    (tmp_path / "c.csv").write_text("\n".join(["url,digest", *rows]))
    with replicadb.open(tmp_path / "w.duckdb", threads=1) as web:
        web.load(tmp_path / "c.csv", site="domain")
        web.detect(min_probability=0.5)
        flagged = {
            (a, b): p
            for a, b, p in web.database.rows(
                "SELECT host_a, host_b, probability FROM replicas WHERE flagged"
            )
        }
        found = [row for row in web.aliases().rows.to_pylist() if row["rule"] == "none"]
    assert len(flagged) == 3
    assert {(row["name_a"], row["name_b"]): row["probability"] for row in found} == flagged
    assert {(row["verdict"], row["by"], row["pages_a"]) for row in found} == {
        ("one site", "detect", 2 * PAGES)
    }


def test_pages_and_earlier_captures_are_counted_apart(cli, tmp_path):
    rows = [
        f"http://{name}big.org/{page},d{page}{day},2026010{day}000000\n"
        for name in ("", "www.")
        for page in range(3)
        for day in (1, 2)
    ]
    (tmp_path / "a.csv").write_text("url,digest,timestamp\n" + "".join(rows[:3]))
    (tmp_path / "b.csv").write_text("url,digest,timestamp\n" + "".join(rows[3:]))
    picture = "http://big.org/logo.png,image/png,{},2026010{}000000\n"
    for day in (1, 2):
        given = "url,mime,digest,timestamp\n" + picture.format(f"p{day}", day)
        (tmp_path / f"c{day}.csv").write_text(given)
    both = "".join(picture.format(f"q{day}", day) for day in (3, 4))
    (tmp_path / "d.csv").write_text("url,mime,digest,timestamp\n" + both)
    files = [tmp_path / f"{name}.csv" for name in ("a", "b", "c1", "c2", "d")]
    assert cli("load", tmp_path / "w.duckdb", *files).code == 0
    code, _, said = cli("aliases", tmp_path / "w.duckdb", "--max-pages", 12)
    assert code == 0
    assert said.startswith("1 pair among 2 names; 6 pages and 6 earlier captures to read\n")
    refused = cli("aliases", tmp_path / "w.duckdb", "--max-pages", 11)
    assert refused.code == 3 and "6 pages and 6 earlier captures would be read for 1 pair of" in (
        refused.err
    )


@pytest.mark.slow
def test_the_command_tells_cost_verdicts_and_what_the_crawl_cannot_tell(cli, folder, tmp_path):
    answer = cli("aliases", folder / "w.duckdb", "--top", 3)
    assert answer.code == 0 and answer.out.count("\n") == 5
    assert answer.err.startswith("11 pairs among 14 names; 216 pages to read")
    assert "www+digits  two sites          2\n" in answer.err
    assert "11 of 14 names were crawled under one scheme and port alone" in answer.err
    assert "8 more pairs: --top, or a file" in answer.err
    one = cli("aliases", folder / "w.duckdb", "--top", 10)
    assert one.err.endswith("\n1 more pair: --top, or a file\n")
    found = json.loads(cli("aliases", folder / "w.duckdb", "--json", "-q").out)
    assert len(found["pairs"]) == found["cost"]["pairs"] == 11
    assert cli("aliases", folder / "w.duckdb", tmp_path / "a.csv", "-q").out == ""
    assert (tmp_path / "a.csv").read_text().splitlines()[3].startswith("port,http://dual.de,")
    refused = cli("aliases", folder / "w.duckdb", tmp_path / "a.json", "--json")
    assert refused.code == 2 and "leave out OUT" in refused.err
    assert not (tmp_path / "a.json").exists()


@pytest.mark.slow
def test_what_is_not_there_is_one_line(cli, write, tmp_path):
    assert "no such database" in cli("aliases", tmp_path / "no.duckdb").err
    db = tmp_path / "w.duckdb"
    cli("load", db, write("c.csv", "url\nhttp://a.org/x/y\nhttp://b.org/\n"), "--site", "host+1")
    answer = cli("aliases", db)
    assert answer.code == 1 and "load it anew with --site host" in answer.err
    assert len(answer.err.splitlines()) == 1


TITLES = [
    (("Library", "Library"), "one site", (12, 0)),
    (("Library", "Staff"), "two sites", (0, 12)),
    (("", "Staff"), "one site", (12, 0)),
]
THIN = [(1, "x{name}", "unclear"), (2, "x{name}", "one site"), (1, "x", "one site")]


def thin_crawl() -> str:
    """Ten names that are one site each; names of equal and of other titles (TITLES), and names of
    one page or two (THIN); and two that have forty pages of a manual, and differ at the ten paths
    of their own sites.
    """
    rows = ["url,digest,title,length"]
    rows += [
        f"http://{name}s{k}.org/p{n},{k}-{n},,900"
        for name in ("", "www.")
        for k in range(10)
        for n in range(PAGES)
    ]
    rows += [
        f"http://{name}lib{k}.org/p{n},x{k}{name}{n},{title and f'{title} {n}'},{14_000 + n}"
        for k, (titles, *_) in enumerate(TITLES)
        for name, title in zip(("", "www2."), titles, strict=True)
        for n in range(PAGES)
    ]
    rows += [
        f"http://{name}thin{k}.org/p{n},{k}{content.format(name=name)}{n},,1400"
        for k, (paths, content, _) in enumerate(THIN)
        for name in ("", "www.")
        for n in range(paths)
    ]
    for folder, name in (("a", ""), ("b", "www.")):
        rows += [f"http://{name}uni.edu/{folder}/m{n},manual{n},Manual {n},{n}" for n in range(40)]
        rows += [f"http://{name}uni.edu/p{n},{name}{n},{name} {n},{len(name)}" for n in range(10)]
    return "\n".join(rows)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """The names of ``thin_crawl``, open, without a detection at first; and their audit then."""
    made = tmp_path_factory.mktemp("thin")
    (made / "c.csv").write_text(thin_crawl())
    with replicadb.open(":memory:", threads=1) as web:
        web.load(made / "c.csv")
        yield web, rows_of(web.aliases())


@pytest.mark.parametrize("k", range(3))
def test_titles_that_differ_outweigh_lengths_that_do_not(loaded, k):
    _, verdict, counts = TITLES[k]
    row = loaded[1]["www+digits", f"www2.lib{k}.org"]
    assert (row["verdict"], (row["alike"], row["unlike"])) == (verdict, counts)


@pytest.mark.parametrize("k", range(3))
def test_one_page_that_is_alike_is_too_little(loaded, k):
    """Beside ten names that are one site each, so that one page would be enough."""
    row = loaded[1]["www", f"www.thin{k}.org"]
    assert (row["verdict"], row["probability"] > 0.9) == (THIN[k][2], True)


def test_a_page_at_another_scheme_or_port_of_a_name_is_its_page_too(tmp_path):
    """Whichever of the two was captured last, or first in a file without times."""
    twins = (("http://", "https://"), ("https://", "https://"), ("https://", "http://"))
    rows = ["url,digest,timestamp"]
    for n, (old, new) in enumerate(twins):
        port = ":8443" if old == new else ""
        rows += [f"{old}s{n}.org{port}/p{k},c{k},20260101000000" for k in range(9)]
        rows += [f"{new}s{n}.org/p{k},x{n}{k},20260202000000" for k in range(9)]
        rows += [f"http://www.s{n}.org/p{k},c{k},20260303000000" for k in range(9)]
    rows += [f"{s}t.org/p{k},{s}{k}," for k in range(9) for s in ("https://", "http://")]
    rows += [f"http://www.t.org/p{k},http://{k}," for k in range(9)]
    (tmp_path / "c.csv").write_text("\n".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.csv")
        found = rows_of(web.aliases())
    for name in ("www.s0.org", "www.s1.org", "www.s2.org", "www.t.org"):
        row = found["www", name]
        assert (row["paths"], row["same"], row["verdict"]) == (9, 9, "one site")
    assert found["scheme", "https://s0.org"]["same"] == 0


@pytest.mark.slow
def test_a_decision_is_the_verdict_and_flags_alone_are_not(loaded):
    """Of names that share all content, none, and that of another folder alone."""
    web, _ = loaded
    web.detect(min_probability=0.01, kinds="all")
    assert ("uni.edu", "www.uni.edu") in web.sql(
        "SELECT host_a, host_b FROM replicas WHERE flagged"
    ).rows()
    rows = rows_of(web.aliases())
    found = rows["www", "www.uni.edu"]
    assert found["verdict"] == "unclear" and found["unlike"] >= 9 and not found["same"]
    assert rows["www", "www.s0.org"]["verdict"] == "one site"
    assert rows["www+digits", "www2.lib0.org"]["verdict"] == "one site"
    web.decide("uni.edu", "www.uni.edu", True)
    web.decide("s0.org", "www.s0.org", False)
    web.decide("lib0.org", "www2.lib0.org", False)
    web.detect(min_probability=0.01, kinds="all")
    rows = rows_of(web.aliases())
    assert rows["www", "www.uni.edu"]["verdict"] == "one site"
    for name in (("www", "www.s0.org"), ("www+digits", "www2.lib0.org")):
        row = rows[name]
        assert (row["verdict"], row["by"], row["probability"]) == ("two sites", "decision", 0)


def test_an_old_name_and_a_host_that_redirects_from_http_can_be_asked_about(folder):
    with replicadb.open(folder / "w.duckdb", read_only=True) as web:
        asked = {name: rows_of(web.aliases(name)).keys() for name in ("old.net", "re.org")}
    assert asked["old.net"] == {("redirects", "old.net")}
    assert asked["re.org"] == {("redirects", "old.net"), ("scheme", "https://re.org")}
