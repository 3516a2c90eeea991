"""Lists of a kept site with several host names: which of them each dropped name goes for."""

from __future__ import annotations

from pathlib import Path

import pytest

import replicadb
from replicadb.export.tool_lists import BY_NAME, choose_names
from tests.export.hosts_to_drop import members_of

UNPLACED = "none of its pages stands at its path at one of several names of the kept site"


def names_with_the_same_paths() -> list[str]:
    """Both sites have www, blog and shop with the same paths; the copy's help stands nowhere."""
    pages = [
        f"https://{name}.{site}.example/{n},{name if name != 'help' else site} {n}"
        for site in ("kept", "copy")
        for name in ("www", "blog", "help")
        for n in range(12 if name != "help" else 2)
    ]
    # A name whose pages stand at two names of the kept site, half and half.
    return pages + [
        f"https://both.copy.example/{n},{'www' if n < 6 else 'blog'} {n}" for n in range(12)
    ]


def pages_at_several_names() -> list[str]:
    """www.kept.test has most pages; a. and b. have some of them, a. by two schemes. What is at
    port 8080 alone is not in lists that say no port, and of a name whose pages three names share
    out, most would be missed at any.
    """

    def at(origin: str, pages: range, what: str = "m") -> list[str]:
        return [f"{origin}.test/{what}{n},{what}{n}" for n in pages]

    pages = at("https://www.kept", range(150)) + at("https://www.copy", range(100))
    pages += at("https://a.kept", range(60)) + at("http://a.kept", range(60))
    pages += at("https://b.kept", range(60, 90)) + at("https://few.copy", range(60, 90))
    pages += [line.replace(".test", ".test:8080") for line in at("http://dev.kept", range(9), "d")]
    pages += at("http://dev.copy", range(9), "d")
    for n, name in enumerate("cde"):
        pages += at(f"https://{name}.kept", range(9 * n, 9 * n + 9), "e")
    return pages + at("https://all.copy", range(27), "e")


@pytest.fixture(scope="module")
def web(tmp_path_factory, leave_out_stages):
    """copy.example goes for kept.example, and copy.test for kept.test, whatever detection says."""
    folder = tmp_path_factory.mktemp("names")
    pages = [*names_with_the_same_paths(), *pages_at_several_names()]
    (folder / "crawl.csv").write_text("\n".join(["url,digest", *pages]))
    with replicadb.open(":memory:", threads=1) as web:
        web.load(folder / "crawl.csv", site="domain")
        with pytest.MonkeyPatch.context() as patch:
            leave_out_stages(patch)
            web.detect()
        members_of(web, {"copy.example": "kept.example", "copy.test": "kept.test"})
        yield web


def listed(path: Path, end: str) -> list[str]:
    """The lines of a list that name these sites."""
    return [line for line in path.read_text().splitlines() if f".{end}" in line]


@pytest.mark.parametrize("name", ["nutch-host", "redirect-map-apache"])
def test_each_name_goes_for_the_one_that_has_its_pages(web, tmp_path, name):
    found = web.export_list(tmp_path / "list", name)
    assert listed(tmp_path / "list", "example") == [
        "blog.copy.example blog.kept.example",
        "both.copy.example blog.kept.example",
        "www.copy.example www.kept.example",
    ]
    assert found.left_out[UNPLACED] == (1, "help.copy.example")


@pytest.mark.parametrize("name", ["ublock", "ublacklist"])
def test_a_line_of_evidence_names_the_kept_site_and_none_of_its_names(web, tmp_path, name):
    """Its counts are of whole sites, and a name of the kept one may have none of these pages."""
    web.export_list(tmp_path / "list", name)
    text = (tmp_path / "list").read_text()
    said = [
        f"{name}.copy.example copies kept.example, " for name in ("blog", "both", "help", "www")
    ]
    assert all(text.count(line) == 1 for line in said) and text.count(
        " copies kept.example"
    ) == len(said)


def test_an_annotation_names_it_too(web, tmp_path):
    web.export_list(tmp_path / "list.csv", "cc-annotation")
    lines = (line.split('"') for line in (tmp_path / "list.csv").read_text().splitlines()[1:])
    kept = {cells[1]: cells[3] for cells in lines}
    assert kept["example,copy,blog"] == "example,kept,blog"
    assert kept["example,copy"] == "example,kept"


@pytest.mark.parametrize("name", ["nutch-host", "redirect-map-apache"])
def test_pages_that_several_names_of_the_kept_site_have_count_for_each(web, tmp_path, name):
    found = web.export_list(tmp_path / "list", name)
    assert {why[:9]: left for why, left in found.left_out.items() if why != UNPLACED} == {
        "its pages": (1, "all.copy.test"),
        "the kept ": (1, "dev.kept.test for dev.copy.test"),
    }
    assert listed(tmp_path / "list", "test") == [
        "few.copy.test www.kept.test",
        "www.copy.test www.kept.test",
    ]


def test_a_page_of_many_names_is_placed_at_a_few_of_them(tmp_path, leave_out_stages, monkeypatch):
    """Wildcard names: 60 by 60 of them made 3,600 rows. What
    stands at a few names still finds them."""
    pages = [
        f"https://n{n:02}.{site}.test/{path},{digest}"
        for site in ("kept", "copy")
        for n in range(60)
        for path, digest in (
            *((f"every-{i}", f"every {i}") for i in range(5)),
            *((f"{n}-{i}", f"{n} {i}") for i in range(n % 2 * 6)),
        )
    ]
    (tmp_path / "crawl.csv").write_text("\n".join(["url,digest", *pages]))
    leave_out_stages(monkeypatch)
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "crawl.csv", site="domain")
        web.detect()
        members_of(web, {"copy.test": "kept.test"})
        db = web.database
        with db.temporary():
            db.execute("CREATE TEMP TABLE chosen_hosts AS FROM flagged_hosts")
            choose_names(db, BY_NAME["nutch-host"])
            assert db.value("SELECT count(*) FROM name_places") <= 60 * 20 + 40
            found = dict(db.rows("SELECT name, keep_name FROM dropped_names"))
            assert db.value("SELECT count(*) FROM dropped_names WHERE unplaced") == 0
    assert len(found) == 60 and found["n58.copy.test"] == "n01.kept.test"
    assert found["n07.copy.test"] == "n07.kept.test"
