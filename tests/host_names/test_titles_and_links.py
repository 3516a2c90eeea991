"""Names judged by what their pages say: titles of a whole site, canonical links, and nothing that
can be compared; and names that fold with several others.
"""

from __future__ import annotations

import pytest

import replicadb
from tests.host_names.test_aliases import PAGES, rows_of

SITE_WIDE = {
    # titles of the two names, by page; lengths of the second, of which the first has 1000 + 900 n
    "all": (lambda n: "Library", lambda n: "Library", 90_000, "two sites"),
    "most": (lambda n: f"Page {n % 5}" if n % 5 < 2 else "Library", None, 90_000, "two sites"),
    "one side": (
        lambda n: "Library",
        lambda n: "Library" if n < 4 else f"S {n}",
        90_000,
        "two sites",
    ),
    "lengths": (lambda n: "Library", lambda n: "Library", 1_000, "one site"),
    "own": (lambda n: f"Page {n} | Library", None, 90_000, "one site"),
}


KNOWN = {
    # columns of two pages whose contents differ: what their pairs of pages count as
    "nothing": ((",", ","), "not_compared"),
    "one title": (("Page {n},", ","), "not_compared"),
    "one length": ((",{n}00", ","), "not_compared"),
    "no lengths": ((",0", ",0"), "not_compared"),
    "site's title": (("Library,", "Library,"), "not_compared"),
    "titles": (("Page {n},", "Other {n},"), "unlike"),
    "sites' titles": (("Library,", "Staff,"), "unlike"),
    "lengths": ((",{n}00", ",{n}50"), "unlike"),
    "empty": ((",{n}00", ",0"), "unlike"),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What is said of names of one page each as long as others, or not, with titles that say much
    or little; and of those of KNOWN.
    """
    rows = ["url,digest,title,length"]
    for k, (one, other, least, _) in enumerate(SITE_WIDE.values()):
        for n in range(30):
            rows.append(f"http://n{k}.org/p{n},a{k}-{n},{one(n)},{1_000 + 900 * n}")
            rows.append(f"http://www2.n{k}.org/p{n},b{k}-{n},{(other or one)(n)},{least + 900 * n}")
    for k, (columns, _) in enumerate(KNOWN.values()):
        for name, both in zip((f"k{k}.org", f"www.k{k}.org"), columns, strict=True):
            rows += [f"http://{name}/p{n},{name}{n},{both.format(n=n)}" for n in range(1, 9)]
    made = tmp_path_factory.mktemp("wide") / "c.csv"
    made.write_text("\n".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(made)
        return rows_of(web.aliases())


@pytest.mark.parametrize("case", SITE_WIDE)
def test_a_title_of_the_whole_site_says_nothing_of_a_page(found, case):
    name = f"www2.n{list(SITE_WIDE).index(case)}.org"
    assert found["www+digits", name]["verdict"] == SITE_WIDE[case][-1]


def test_pages_of_which_only_the_content_is_known_are_not_compared(found):
    for k, (case, (_, counted)) in enumerate(KNOWN.items()):
        row = found["www", f"www.k{k}.org"]
        counts = {one: row[one] for one in ("same", "alike", "unlike", "not_compared")}
        assert counts == dict.fromkeys(counts, 0) | {counted: 8}, case
        said = ("unclear", None) if counted == "not_compared" else ("two sites", row["probability"])
        assert (row["verdict"], row["probability"], row["by"]) == (*said, "paths"), case


def named_crawl() -> str:
    """By their canonical links: copies of a site at its paths and at others, of two pages and one,
    by most pages, by a part and by a half of them; one that all leads to one page, one that names
    itself, two that name each other, and one whose original was not crawled. The original is
    spelled with http and www, too.
    """
    rows = ["url,digest,title,length,canonical"]

    def site(name: str, to: str, pages: int = 6, named: int = 6) -> None:
        rows.extend(
            f"https://{name}/p{n},{name}{n},,{100 + n},{to.format(n=n) if n < named else ''}"
            for n in range(pages)
        )

    site("orig.org", "https://orig.org/p{n}")
    site("same.net", "http://www.orig.org/p{n}")
    site("www.same.net", "https://orig.org/p{n}")
    site("moved.net", "https://orig.org/q/{n}")
    site("two.net", "https://orig.org/p{n}", 2)
    site("one.net", "https://orig.org/p{n}", 1)
    site("part.net", "https://orig.org/p{n}", 7, 4)
    site("most.net", "https://orig.org/p{n}", 8, 6)
    site("half.net", "https://orig.org/p{n}", 8, 4)
    site("home.net", "https://orig.org/p0")
    site("x.info", "https://y.info/p{n}")
    site("y.info", "https://x.info/p{n}")
    site("far.net", "https://not-crawled.org/p{n}")
    site("www.self.net", "https://self.net/p{n}")
    site("self.net", "https://www.self.net/p{n}")
    return "\n".join(rows)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    made = tmp_path_factory.mktemp("named") / "c.csv"
    made.write_text(named_crawl())
    with replicadb.open(":memory:", threads=1) as web:
        web.load(made)
        yield web


def by_canonical(audit) -> dict[str, tuple]:
    return {
        row["name_b"]: (row["name_a"], row["verdict"], row["by"], row["keep"], row["named"])
        for row in audit.rows.to_pylist()
        if row["rule"] == "canonical"
    }


def test_a_name_whose_pages_name_another_s_is_one_site_with_it(named):
    one = ("orig.org", "one site", "canonical", "orig.org")
    assert by_canonical(named.aliases()) == {
        "same.net": (*one, 6),
        "www.same.net": (*one, 6),
        "moved.net": (*one, 6),
        "two.net": (*one, 2),
        "most.net": (*one, 6),
        "part.net": ("orig.org", "unclear", "canonical", None, 4),
        "home.net": ("orig.org", "not known", "canonical", None, 6),
        "y.info": ("x.info", "one site", "canonical", None, 6),
    }
    assert rows_of(named.aliases())["www", "www.self.net"]["named"] == 6
    assert by_canonical(named.aliases("moved.net")).keys() == {"moved.net"}


@pytest.mark.slow
def test_people_know_better_than_canonical_links(named):
    named.detect()
    named.decide("moved.net", "orig.org", False)
    named.detect()
    assert by_canonical(named.aliases())["moved.net"][1:4] == ("two sites", "decision", None)


def test_three_hundred_names_that_lead_to_one_are_read_once_each(tmp_path):
    rows = ["url,digest,canonical"]
    rows += [f"http://orig.org/p{n},o{n}," for n in range(50)]
    rows += [
        f"http://c{k}.net/p{n},c{k}-{n},http://orig.org/p{n}" for k in range(300) for n in range(2)
    ]
    (tmp_path / "c.csv").write_text("\n".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.csv")
        audit = web.aliases()
    assert (audit.cost.pairs, audit.cost.pages) == (300, 600)
    assert {row["verdict"] for row in audit.rows.to_pylist()} == {"one site"}


FOLDED = {8: 28, 9: 9}
"""Of a site with so many names: pairs that are compared."""


def numbered() -> str:
    """Sites with names www and www2 to so many, of which the last two have one content."""
    rows = ["url,digest,title,length"]
    for names in FOLDED:
        for k in range(names):
            name, content = f"www{k + 1 if k else ''}.bib{names}.org", min(k, names - 2)
            rows += [
                f"http://{name}/p{n},{names}-{content}-{n},T{content} {n},{99 * content}"
                for n in range(PAGES)
            ]
    rows += [f"http://s{k}.net/p{n},s{k}-{n},S{k} {n},500" for k in range(12) for n in range(4)]
    return "\n".join(rows)


def test_names_that_fold_are_compared_each_with_each_as_long_as_they_are_few(cli, tmp_path):
    """Of more each with the first, and those that are flagged with each other."""
    (tmp_path / "c.csv").write_text(numbered())
    with replicadb.open(tmp_path / "w.duckdb", threads=1) as web:
        web.load(tmp_path / "c.csv")
        web.detect()
        audit = web.aliases()
        of_one = {names: web.aliases(f"www{names}.bib{names}.org") for names in FOLDED}
    rows = audit.rows.to_pylist()
    assert (len(rows), audit.cost.pairs, audit.cost.large_groups) == (37, 37, 1)
    for names, pairs in FOLDED.items():
        of_it = [row for row in rows if row["name_b"].endswith(f".bib{names}.org")]
        assert len(of_it) == pairs
        (same,) = [row for row in of_it if row["verdict"] == "one site"]
        last = f"www{names - 1}.bib{names}.org", f"www{names}.bib{names}.org"
        assert (same["rule"], same["name_a"], same["name_b"]) == ("www+digits", *last)
        assert same in of_one[names].rows.to_pylist()
        assert of_one[names].cost.large_groups == (names > 8)
    said = cli("aliases", tmp_path / "w.duckdb").err
    assert "1 group of more than 8 names that fold together: of it only pairs with" in said


YEARS = {
    # name: years in which the bare name and www were fetched, with the content's own year
    "once.org": ([2020, 2025], [2020], "one site"),
    "later.org": ([2025], [2020], "not known"),
    "now.org": ([2025], [2025], "two sites"),
}


def test_captures_of_other_years_are_compared_with_older_ones_or_not_at_all(tmp_path):
    """Contents change every year; of now.org the two names never had one in common. In one file or
    in a file a year: those under apart.
    """
    files: dict[str, list[str]] = {"all": [], "2020": [], "2025": []}
    for name, (bare, www, verdict) in YEARS.items():
        for at, apart in ((name, False), (f"apart.{name}", True)):
            for host, years in ((at, bare), (f"www.{at}", www)):
                for year in years:
                    files[str(year) if apart else "all"] += [
                        f"http://{host}/p{n},{host if verdict == 'two sites' else at}{year}-{n},"
                        f"{year}0601000000,{len(host)}00"
                        for n in range(20)
                    ]
    with replicadb.open(":memory:", threads=1) as web:
        for name, rows in files.items():
            file = tmp_path / f"{name}.csv"
            file.write_text("\n".join(["url,digest,timestamp,length", *rows]))
            web.load(file)
        found = rows_of(web.aliases())
    for name, (*_, verdict) in YEARS.items():
        for host in (f"www.{name}", f"www.apart.{name}"):
            assert found["www", host]["verdict"] == verdict, host


def test_an_index_says_one_site_only_where_as_many_pages_are_equal_as_differ(tmp_path):
    """Names with so many equal pages of forty; the home page of one was fetched by http and https,
    and changed in between.
    """
    rows = ["url,digest"]
    for same in (0, 1, 19, 20):
        for name in (f"s{same}.org", f"www.s{same}.org"):
            rows += [f"http://{name}/p{n},{same}{name * (n >= same)}{n}" for n in range(40)]
    rows += [f"{scheme}://home.org/,{scheme}" for scheme in ("http", "https")]
    (tmp_path / "c.csv").write_text("\n".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.csv")
        found = {key[1]: row["verdict"] for key, row in rows_of(web.aliases()).items()}
    names = [f"www.s{same}.org" for same in (0, 1, 19, 20)]
    assert [found[name] for name in names] == ["unclear", "unclear", "unclear", "one site"]
    assert found["https://home.org"] == "unclear"


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """Forty names that are one site with www, and four that are none, at other addresses: their
    pages are at other paths, but for one page, or two, at the same.
    """
    rows = ["url,ip,digest,length"]
    for k in range(40):
        for name in (f"t{k}.com", f"www.t{k}.com"):
            rows += [f"http://{name}/p{n},1.1.{k}.0,t{k}-{n},{n}00" for n in range(20)]
    for common in (1, 2):
        for k in range(2):
            for j, name in enumerate((f"f{common}{k}.org", f"www.f{common}{k}.org")):
                place = f"2.{common}.{k}.{j},{name}"
                rows += [
                    f"http://{name}/{n if n < common else f'{j}/{n}'},{place}{n},{1 + j}{n}00"
                    for n in range(20)
                ]
    made = tmp_path_factory.mktemp("twins") / "c.csv"
    made.write_text("\n".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(made)
        before = rows_of(web.aliases())
        web.detect()
        yield web, before, rows_of(web.aliases())


def test_many_true_twins_make_no_false_one_true(twins):
    _, before, after = twins
    for found in (before, after):
        one = [key[1] for key, row in found.items() if row["verdict"] == "one site"]
        assert sorted(one) == sorted(f"www.t{k}.com" for k in range(40))
    for k in range(2):
        assert before["www", f"www.f1{k}.org"]["verdict"] == "unclear"
        assert after["www", f"www.f1{k}.org"]["verdict"] == "unclear"
        assert after["www", f"www.f2{k}.org"]["verdict"] == "two sites"


@pytest.mark.parametrize("name", ["www.f10.org", "www.f20.org"])
def test_of_one_host_the_audit_says_what_it_says_of_all(twins, name):
    web, _, after = twins
    (asked,) = web.aliases(name).rows.to_pylist()
    assert asked["verdict"] == after["www", name]["verdict"] and asked["by"] == "paths"


def test_one_page_that_is_alike_by_chance_makes_no_site(tmp_path):
    """Among names that are one site each, before a detection: one of two pages is as long."""
    rows = ["url,digest,length"]
    for k in range(99):
        rows += [f"http://{w}t{k}.com/p{n},t{k}-{n},9" for w in ("", "www.") for n in range(9)]
    rows += [f"http://f.org/{n},a{n},1000" for n in range(2)]
    rows += [f"http://www.f.org/{n},b{n},{1000 + 900 * n}" for n in range(2)]
    (tmp_path / "c.csv").write_text("\n".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.csv")
        row = rows_of(web.aliases())["www", "www.f.org"]
    assert (row["alike"], row["unlike"], row["verdict"]) == (1, 1, "unclear")
    assert row["probability"] > 0.9
