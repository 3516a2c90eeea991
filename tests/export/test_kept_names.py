"""Lists of a kept site with several host names: which of them each dropped name goes for."""

from __future__ import annotations

from pathlib import Path

import pytest

import replicadb

UNPLACED = "none of its pages stands at its path at one of several names of the kept site"


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """Both sites have www, blog and shop with the same paths; the copy's help stands nowhere."""
    folder = tmp_path_factory.mktemp("names")
    pages = [
        f"https://{name}.{site}.example/{n},{name if name != 'help' else site} {n}"
        for site in ("kept", "copy")
        for name in ("www", "blog", "help")
        for n in range(12 if name != "help" else 2)
    ]
    # A name whose pages stand at two names of the kept site, half and half.
    pages += [f"https://both.copy.example/{n},{'www' if n < 6 else 'blog'} {n}" for n in range(12)]
    (folder / "crawl.csv").write_text("\n".join(["url,digest", *pages]))
    with replicadb.open(":memory:") as web:
        web.load(folder / "crawl.csv", site="domain")
        web.pin("kept.example", "keep")
        web.decide("kept.example", "copy.example", True)
        web.detect()
        yield web


@pytest.mark.parametrize("name", ["nutch-host", "redirect-map-apache"])
def test_each_name_goes_for_the_one_that_has_its_pages(web, tmp_path, name):
    found = web.export_list(tmp_path / "list", name)
    assert Path(tmp_path / "list").read_text().splitlines()[1:] == [
        "blog.copy.example blog.kept.example",
        "both.copy.example blog.kept.example",
        "www.copy.example www.kept.example",
    ]
    assert found.left_out == {UNPLACED: (1, "help.copy.example")}


def test_an_annotation_names_it_too(web, tmp_path):
    web.export_list(tmp_path / "list.csv", "cc-annotation")
    lines = (line.split('"') for line in (tmp_path / "list.csv").read_text().splitlines()[1:])
    kept = {cells[1]: cells[3] for cells in lines}
    assert kept["example,copy,blog"] == "example,kept,blog"
    assert kept["example,copy"] == "example,kept"


def test_pages_that_several_names_of_the_kept_site_have_count_for_each(tmp_path):
    """www.kept.example has all pages of the copy, two other names of it 40 and 30 of the same."""
    pages = [f"https://www.{site}.example/{n},{n}" for site in ("kept", "copy") for n in range(100)]
    pages += [f"https://a.kept.example/{n},{n}" for n in range(40)]
    pages += [f"https://b.kept.example/{n},{n}" for n in range(40, 70)]
    (tmp_path / "crawl.csv").write_text("\n".join(["url,digest", *pages]))
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.csv", site="domain")
        web.pin("kept.example", "keep")
        web.detect()
        found = web.export_list(tmp_path / "list", "nutch-host")
    assert found.left_out == {}
    assert (tmp_path / "list").read_text().splitlines()[1:] == ["www.copy.example www.kept.example"]
