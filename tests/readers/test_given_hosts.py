"""Lists of hosts, however they are written, come out as their names."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from replicadb.errors import DataError
from replicadb.readers import given_hosts as given_hosts_module
from replicadb.readers.given_hosts import given_hosts, names_in_list


@pytest.mark.parametrize(
    "text",
    [
        "a.example\n\n# a remark\n  b.example # ours\n",
        "a.example,the shop\nb.example;x, y\n",
        "host;why\na.example;x\nb.example;y, z\n",
        "Domain\tsince\na.example\t2020\nb.example\t\n",
        "url|n\na.example|1\nb.example|2\n",
        'name,note\n"a.example","two\nlines"\n"b.example",x\n',
        "fuzzer,domain,dns_a\n*original,a.example,192.0.2.1\naddition,b.example,\n",
        "nr;note;HOST\n1;x;a.example\n2;;b.example\n",
        'note,host\n"opened,a.example\nx,b.example\n',
    ],
)
def test_a_list_gives_its_names(text):
    assert names_in_list(text) == ["a.example", "b.example"]


def test_what_is_no_name_of_a_host_comes_out_too():
    assert names_in_list("host;n\n*.example;1\nnot a host\n") == ["*.example", "not a host"]
    assert names_in_list("a.example;host\n") == ["a.example"]  # the first line is a row
    assert names_in_list("# nothing\n\n;\n") == names_in_list("") == []


def test_a_file_that_cannot_be_read_is_told_by_the_given_name(write):
    write("mine.csv", b"caf\xe9.example\n")
    with pytest.raises(DataError, match=r"LIST: no such file \(did you mean 'mine.csv'\?\)"):
        given_hosts("mime.csv", "LIST")
    with pytest.raises(DataError, match="LIST: cannot be read: it is no UTF-8 text"):
        given_hosts("mine.csv", "LIST")
    assert given_hosts("mine.csv", "LIST", "replace") == ["caf\ufffd.example"]


def test_where_host_is_an_address_the_url_beside_it_names_the_host(write):
    text = (
        '{"input": "a.example", "url": "https://a.example:443", "host": "192.0.2.1"}\n'
        '{"url": "https://[2001:db8::1]/", "host": "2001:db8::1"}\n'
        '{"url": "https://www.example/", "host": "b.example"}\n'
        '{"host": "192.0.2.1"}\n'
    )
    names = ["https://a.example:443", "https://[2001:db8::1]/", "b.example", "192.0.2.1"]
    assert given_hosts(write("httpx.jsonl", text), "LIST") == names
    rows = ["host,url", "192.0.2.1,https://a.example:443", "b.example,https://www.example/"]
    assert names_in_list("\n".join(rows)) == [names[0], names[2]]
    pq.write_table(pa.table({"URL": [names[0], None], "Host": ["192.0.2.1", "b.example"]}), "x.pq")
    assert given_hosts("x.pq", "LIST") == [names[0], names[2]]


@pytest.mark.parametrize(
    "text",
    [
        '[\n  {"dns_a": ["192.0.2.1"], "domain": "a.example", "fuzzer": "*original"},\n'
        '  {"domain": "b.example", "ssdeep": 97}\n]\n',
        '["a.example", "b.example"]',
        '{"domain": "a.example"}\n{"host": "b.example", "domain": "example"}\n',
        '{"domain": "a.example"}\r\n{"domain": null}\r\n{"domain": "b.example"}\r\n',
    ],
)
def test_json_as_dnstwist_writes_it_gives_its_names(write, text):
    assert given_hosts(write("mine.json", text), "LIST") == ["a.example", "b.example"]


@pytest.mark.parametrize("text", ["[1, 2]", '{"a": "b"}', '[{"domain": 7}]', '["a.example"', "{"])
def test_json_of_another_form_is_refused(write, text):
    with pytest.raises(DataError, match="LIST: JSON of another form: give an array of"):
        given_hosts(write("mine.json", text), "LIST")


def test_an_address_in_brackets_is_no_json(write):
    given = given_hosts(write("mine.txt", "[::1]\n[2001:db8::1]\na.example\n"), "LIST")
    assert given == ["[::1]", "[2001:db8::1]", "a.example"]


@pytest.mark.parametrize(
    "columns",
    [
        {"rank": [1, 2, 3], "Host": ["a.example", None, " b.example "]},
        {"url_host_name": ["a.example", "b.example"], "domain_of": ["x", "y"]},
        {"mine": pa.array(["a.example", "b.example"]).dictionary_encode(), "n": [1, 2]},
    ],
)
def test_parquet_gives_the_names_of_its_column(tmp_path, columns):
    pq.write_table(pa.table(columns), tmp_path / "mine")
    assert given_hosts(tmp_path / "mine", "LIST", "replace") == ["a.example", "b.example"]


def test_parquet_without_names_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "mine.parquet"
    for table in (pa.table({"host": [["a.example"]]}), pa.table({})):
        pq.write_table(table, path)
        with pytest.raises(DataError, match="LIST: no Parquet file with a column of host names"):
            given_hosts(path, "LIST")
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match="LIST: no Parquet file with a column of host names"):
        given_hosts(path, "LIST")
    monkeypatch.setattr(given_hosts_module, "MOST_ROWS", 2)
    pq.write_table(pa.table({"host": ["a", "b", "c"]}), path)
    with pytest.raises(DataError, match="LIST: has more than 2 rows; is it the right file"):
        given_hosts(path, "LIST")
