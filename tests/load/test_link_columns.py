"""Links of a table's column, in every form that cells have."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb

from .linked import targets
from .loaded import outlinks

LISTED = ["http://b.com/1", "/2"]


CELLS = [
    (json.dumps(LISTED), 2),
    (json.dumps([{"url": "http://b.com/1", "text": "[x"}, {"href": "/2"}]), 2),
    (str(LISTED), 2),
    (" http://b.com/1\n/2 ", 2),
    ("http://b.com/1|/2", 2),
    ("http://b.com/1, http://b.com/2; http://b.com/3", 3),
    (json.dumps([]), 0),
    ("", 0),
    ("25", 0),
    ("null", 0),
    ("[1, 2]", 0),
    ('{"a": {"b": [1]}}', 0),
    ('[["http://b.com/"]]', 0),
    ('["http://b.com/1", null, 7, {"x": 1}, ["y"]]', 2),
    ('["http://b.com/1", "/2"', 2),
    ("[{[{[", 0),
    ("no list at all", 0),
    ('"', 0),
    ("[]]", 0),
    ("['http://b.com/it''s']", 1),
]


FORMS = ("csv", "tsv", "jsonl", "parquet")


@pytest.fixture(scope="module")
def celled(tmp_path_factory):
    """The links of every cell in every form, each on a page of site <form><n>.com. No column's type
    is guessed, so all cells of a form may stand in one file.
    """
    folder = tmp_path_factory.mktemp("cells")
    for form in FORMS:
        path, urls, cells = (
            folder / f"cells.{form}",
            [f"http://{form}{n}.com/d/" for n in range(len(CELLS))],
            [cell for cell, _ in CELLS],
        )
        if form == "parquet":
            pq.write_table(pa.table({"url": urls, "OutLinks": cells}), path)
        elif form == "jsonl":
            path.write_text(
                "".join(
                    json.dumps({"url": url, "out_links": cell}) + "\n"
                    for url, cell in zip(urls, cells, strict=True)
                )
            )
        else:
            comma = "," if form == "csv" else "\t"
            lines = [
                url + comma + '"' + cell.replace('"', '""') + '"\n'
                for url, cell in zip(urls, cells, strict=True)
            ]
            path.write_text(f"url{comma}hrefs\n" + "".join(lines))
    with replicadb.open(tmp_path_factory.mktemp("celled") / "web.duckdb", threads=1) as web:
        assert web.load(folder).kept == len(FORMS) * len(CELLS)
        return outlinks(web)


@pytest.mark.parametrize("cell", range(len(CELLS)), ids=[cell[:24] or "empty" for cell, _ in CELLS])
@pytest.mark.parametrize("form", FORMS)
def test_a_cell_of_links_is_read_in_every_usual_form_or_its_links_are_counted_as_left_out(
    celled, form, cell
):
    found = [url for host, _, url, _ in celled if host == f"{form}{cell}.com"]
    assert len(found) == CELLS[cell][1], found
    assert all(url.startswith(("http://b.com/", f"http://{form}{cell}.com/")) for url in found)


@pytest.mark.slow
def test_lists_of_parquet_and_json_are_read_as_they_are(web, tmp_path):
    pq.write_table(pa.table({"url": ["http://a.com/"], "links": [LISTED]}), tmp_path / "1.parquet")
    pq.write_table(
        pa.table(
            {"url": ["http://b.com/"], "links": [[{"text": "x", "HREF": link} for link in LISTED]]}
        ),
        tmp_path / "2.parquet",
    )
    pq.write_table(pa.table({"url": ["http://c.com/"], "links": [[1, 2]]}), tmp_path / "3.parquet")
    pq.write_table(pa.table({"url": ["http://d.com/"], "links": [12]}), tmp_path / "4.parquet")
    (tmp_path / "5.jsonl").write_text(json.dumps({"url": "http://e.com/", "links": LISTED}) + "\n")
    (tmp_path / "6.json").write_text(
        json.dumps([{"url": "http://f.com/", "links": [{"url": link} for link in LISTED]}])
    )
    result = web.load(tmp_path)
    assert (result.kept, result.links["link"], result.failed) == (6, 8, [])


@pytest.mark.slow
def test_another_column_is_named_by_its_role(web, write):
    web.load(write("a.csv", "url,goes\nhttp://a.com/,/x /y\n"), columns={"links": "goes"})
    assert targets(web) == ["http://a.com/x", "http://a.com/y"]
