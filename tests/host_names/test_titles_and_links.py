"""Names judged by what their pages say: titles of a whole site, and canonical links; and names that
fold with several others.
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


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Names of one page each as long as others, or not, with titles that say much or little."""
    rows = ["url,digest,title,length"]
    for k, (one, other, least, _) in enumerate(SITE_WIDE.values()):
        for n in range(30):
            rows.append(f"http://n{k}.org/p{n},a{k}-{n},{one(n)},{1_000 + 900 * n}")
            rows.append(f"http://www2.n{k}.org/p{n},b{k}-{n},{(other or one)(n)},{least + 900 * n}")
    made = tmp_path_factory.mktemp("wide") / "c.csv"
    made.write_text("\n".join(rows))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(made)
        yield rows_of(web.aliases())


@pytest.mark.parametrize("case", SITE_WIDE)
def test_a_title_of_the_whole_site_says_nothing_of_a_page(wide, case):
    name = f"www2.n{list(SITE_WIDE).index(case)}.org"
    assert wide["www+digits", name]["verdict"] == SITE_WIDE[case][-1]


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


def numbered(tmp_path, names: int) -> str:
    """A site with names www and www2 to so many, of which the last two have one content."""
    rows = ["url,digest,title,length"]
    for k in range(names):
        name, content = f"www{k + 1 if k else ''}.bib.org", min(k, names - 2)
        rows += [
            f"http://{name}/p{n},{content}-{n},T{content} {n},{99 * content}" for n in range(PAGES)
        ]
    rows += [f"http://s{k}.net/p{n},s{k}-{n},S{k} {n},500" for k in range(12) for n in range(4)]
    (tmp_path / "c.csv").write_text("\n".join(rows))
    return str(tmp_path / "c.csv")


@pytest.mark.parametrize(("names", "pairs"), [(8, 28), (9, 9)])
def test_names_that_fold_are_compared_each_with_each_as_long_as_they_are_few(
    tmp_path, names, pairs
):
    """Of more each with the first, and those that are flagged with each other."""
    with replicadb.open(":memory:", threads=1) as web:
        web.load(numbered(tmp_path, names))
        web.detect()
        audit, one = web.aliases(), web.aliases(f"www{names}.bib.org")
    assert audit.cost.pairs == pairs and audit.cost.large_groups == (names > 8)
    (same,) = [row for row in audit.rows.to_pylist() if row["verdict"] == "one site"]
    assert (same["rule"], same["name_a"], same["name_b"]) == (
        "www+digits",
        f"www{names - 1}.bib.org",
        f"www{names}.bib.org",
    )
    assert same in one.rows.to_pylist()


@pytest.mark.slow
def test_the_command_says_which_groups_are_too_large(cli, tmp_path):
    cli("load", tmp_path / "w.duckdb", numbered(tmp_path, 9), "-q")
    said = cli("aliases", tmp_path / "w.duckdb").err
    assert "1 group of more than 8 names that fold together: of it only pairs with" in said


YEARS = {
    # name: years in which the bare name and www were fetched, with the content's own year
    "once.org": ([2020, 2025], [2020], "one site"),
    "later.org": ([2025], [2020], "not known"),
    "now.org": ([2025], [2025], "two sites"),
}


@pytest.mark.parametrize("name", YEARS)
def test_captures_of_other_years_are_compared_with_older_ones_or_not_at_all(name, tmp_path):
    """Contents change every year; of now.org the two names never had one in common."""
    bare, www, verdict = YEARS[name]
    with replicadb.open(":memory:", threads=1) as web:
        for year in sorted({*bare, *www}):
            file = tmp_path / f"{year}.csv"
            file.write_text(
                "\n".join(
                    ["url,digest,timestamp"]
                    + [
                        f"http://{host}/p{n},{host if verdict == 'two sites' else ''}{year}-{n},"
                        f"{year}0601000000"
                        for host, years in ((name, bare), (f"www.{name}", www))
                        for n in range(20)
                        if year in years
                    ]
                )
            )
            web.load(file)
        found = rows_of(web.aliases())
    assert found["www", f"www.{name}"]["verdict"] == verdict
