"""``replicadb score`` and ``replicadb model``: CSV on standard output, everything else on standard
error, one line an error. Tries score_pairs, too.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.cli.score_command import _tell_sites, _unseen
from replicadb.model import Host, read_hosts
from replicadb.settings import CONSTANTS


@pytest.mark.slow
def test_pairs_of_a_file_come_out_as_csv(cli, write, scored):
    path, values = scored
    strength, probability = values["example.com", "www.example.com"]
    pairs = write(
        "pairs.csv",
        "note,host_b,host_a\nx,www.example.com,example.com\nx,example.com,example.com\n"
        "x,nobody.net,other.net\n",
    )
    found = cli("score", path, pairs)
    lines = found.out.splitlines()
    header = "host_a,host_b,strength,probability,flagged,kind,known,shared"
    assert found.code == 0 and lines[0] == header
    flagged = str(probability >= CONSTANTS.least_flag).lower()
    first = f"example.com,www.example.com,{strength},{probability},{flagged},replica,true,3"
    assert lines[1] == first
    assert (
        lines[2] == "example.com,example.com,,,,,,"
        and lines[3].startswith("other.net,nobody.net,-")
        and lines[3].endswith(",false,,false,0")
    )
    assert (
        "1 host is not in the database (such as nobody.net)" in found.err
        and "1 of 3 rows is no pair of two hosts, and has empty fields" in found.err
    )
    assert cli("score", path, write("bare.csv", "example.com,www.example.com\n"), "-q") == (
        0,
        "\n".join(lines[:2]) + "\n",
        "",
    )


def test_a_pair_with_a_name_that_no_host_can_have_has_empty_fields(cli, write, scored):
    """It is named neither as a host without pages nor scored as one."""
    pairs = write("pairs.csv", "host_a,host_b\na b,example.com\nexample.com,*.example\n")
    found = cli("score", scored[0], pairs)
    assert found.out.splitlines()[1:] == ["a b,example.com,,,,,,", "example.com,*.example,,,,,,"]
    assert found.err.endswith("note: 2 of 2 rows are no pair of two hosts, and have empty fields\n")
    assert "not in the database" not in found.err
    hosts = write("new.jsonl", json.dumps({"host": "a b", "pages": [["/", "sha1:a"]]}))
    refused = cli("score", scored[0], "--host", hosts)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == f"replicadb: {hosts}, line 1: 'a b' is no host name\n"


def test_a_single_pair_is_explained(cli, scored):
    path, values = scored
    found = cli("score", path, "www.example.com", "example.com")
    assert found.out.splitlines()[1].startswith(
        f"www.example.com,example.com,{values['example.com', 'www.example.com'][0]},"
    )
    assert "contents in common: 3; what weighs most:" in found.err and "nan" not in found.err


@pytest.mark.slow
def test_a_new_host_of_a_file_is_found_in_any_spelling(cli, write, scored):
    path, _ = scored
    new = write("new.jsonl", json.dumps({"host": "New.Example", "pages": [["/a"]]}))
    pairs = write("pairs.csv", "NEW.example,example.com\nnew.example,example.com\n")
    found = cli("score", path, pairs, "--host", new)
    spelled, plain = (line.split(",")[2:] for line in found.out.splitlines()[1:])
    assert (found.code, found.err) == (0, "") and spelled == plain
    alone = cli("score", path, "New.Example", "example.com", "--host", new)
    assert alone.out.splitlines()[1].split(",")[2:] == plain


@pytest.mark.slow
def test_a_host_is_found_in_any_spelling_and_one_that_is_not_there_is_an_error(cli, scored):
    path, _ = scored
    values = cli("score", path, "www.example.com", "example.com").out.splitlines()[1]
    again = cli("score", path, "WWW.Example.com", "https://example.com:443/about").out
    assert again.splitlines()[1].split(",")[2:] == values.split(",")[2:]
    assert cli("score", path, "exmple.com", "www.example.com") == (
        1,
        "",
        (
            "replicadb: no host exmple.com here; the nearest names: example.com, www.example.com,"
            " example.org; give pages of a new host with --host FILE\n"
        ),
    )


def test_new_hosts_are_looked_up(cli, write, scored):
    path, _ = scored
    hosts = write(
        "new.jsonl",
        "\n".join(
            map(
                json.dumps,
                [
                    {
                        "host": "mirror.net",
                        "pages": [["/", "sha1:aa"], ["/about", "sha1:ab"], ["/contact", "sha1:ac"]],
                    },
                    {"url": "http://new.net/", "digest": "sha1:ffff"},
                ],
            )
        ),
    )
    found = cli("score", path, "--host", hosts, "--top", 2)
    lines = [line.split(",") for line in found.out.splitlines()]
    assert lines[0] == [
        "host",
        "match",
        "strength",
        "probability",
        "flagged",
        "kind",
        "shared",
        "keep",
        "pages",
    ] and lines[-1] == ["new.net", *[""] * 8]
    assert [line[0] for line in lines[1:]] == ["mirror.net", "mirror.net", "new.net"]
    mate = next(line for line in lines if line[1] in ("example.com", "www.example.com"))
    assert mate[5:] == ["thin", "3", "example.com", "/ /about /contact"]
    paired = cli("score", path, "mirror.net", mate[1], "--host", hosts)
    assert (
        paired.out.splitlines()[1].split(",")[2:4] == mate[2:4]
        and "not in the database" not in paired.err
    )


def test_a_new_host_without_a_match_is_told_why_it_may_be_a_copy_all_the_same(cli, write, scored):
    path, _ = scored
    bare = write("bare.jsonl", '{"host": "bare.net", "pages": [{"path": "/about"}]}')
    assert (
        "; no page of 1 of them has a fingerprint, html or text\n"
        in cli("score", path, "--host", bare).err
    )
    other = write("other.jsonl", '{"host": "other.net", "pages": [{"path": "/", "html": "x"}]}')
    assert cli("score", path, "--host", other).err.endswith("pairs are scored by all else, too\n")
    near = SimpleNamespace(settings={"clusters": "minhash"})
    said = _unseen([Host("other.net", [{"path": "/", "html": "x"}])], near)
    assert said.startswith("; the detection compared near duplicates (minhash)")


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("score", "web.duckdb"), 2, "a CSV file of pairs, or two hosts, or --host"),
        (("score", "web.duckdb", "a", "b", "c"), 2, "or two hosts"),
        (("score", "web.duckdb", "missing.csv"), 1, "no such file; give a CSV of pairs"),
        (("score", "web.duckdb", "empty.csv"), 1, "empty.csv: is empty; give a CSV of pairs"),
        (("score", "web.duckdb", "wide.csv"), 1, "the file is in UTF-16; save it as UTF-8; give a"),
        (("score", "none.duckdb", "a", "b"), 1, "no such database"),
        (("score", "web.duckdb", "a", "b", "--top", "3"), 2, "--top does nothing with pairs"),
        (("score", "web.duckdb", "example.com", "example.com"), 2, "a pair is of two hosts"),
        (
            ("score", "web.duckdb", "--host", "none.jsonl"),
            1,
            "no such file; hosts that are new are",
        ),
        (
            ("score", "web.duckdb", "--host", "example.com"),
            1,
            "no such file; hosts that are new are",
        ),
        (("score", "web.duckdb", "--host", "@web.duckdb"), 1, "(did you mean 'web.duckdb'?)"),
        (("score", "web.duckdb", "--host", "we.duckdb"), 1, "(did you mean 'web.duckdb'?)"),
        (("score", "web.duckdb", "--host", "."), 1, ".: is a folder; hosts that are new are"),
        (
            ("score", "web.duckdb", "--host", "web.duckdb"),
            1,
            "no text in UTF-8; hosts that are new",
        ),
    ],
)
def test_errors_are_one_line(cli, scored, tmp_path, arguments, code, reason):
    for file in scored[0].parent.iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "wide.csv").write_text("host_a,host_b\na.example,b.example\n", "utf-16")
    found = cli(*arguments)
    (error,) = found.err.splitlines()
    assert (
        (found.code, found.out) == (code, "")
        and error.startswith("replicadb: ")
        and reason in error
    )


def test_a_file_of_settings_may_say_how_many_known_hosts_beside_pairs(cli, write, scored):
    write("replicadb.toml", "[score]\ntop = 1\n")
    assert cli("score", scored[0], "example.com", "www.example.com").code == 0
    new = '{"host": "new.example", "pages": [["/", "sha1:a"]]}\n'
    assert cli("score", scored[0], "--host", write("new.jsonl", new)).code == 0


def test_pairs_are_read_whatever_stands_between_their_cells(cli, write, scored, monkeypatch):
    rows = ["host_a,host_b,note", "example.com,www.example.com,x"]
    expected = cli("score", scored[0], write("pairs.csv", "\n".join(rows)), "-q")
    assert expected.code == 0
    for separator in (";", "|", "\t"):
        other = write("other.csv", "\n".join(rows).replace(",", separator))
        assert cli("score", scored[0], other, "-q") == expected, separator
    with other.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert cli("score", scored[0], "-", "-q") == expected
    packed = io.TextIOWrapper(io.BytesIO(gzip.compress(other.read_bytes())))
    monkeypatch.setattr("sys.stdin", packed)
    assert cli("score", scored[0], "-", "-q") == expected


def test_pairs_may_be_parquet_as_export_writes_them(cli, scored, monkeypatch):
    scored = scored[0]
    cli("export", scored, "pairs.parquet", "--what", "pairs", "--all", "-q")
    cli("export", scored, "pairs.csv", "--what", "pairs", "--all", "-q")
    packed = cli("score", scored, "pairs.parquet", "-q")
    assert packed.code == 0 and packed.out.count("\n") > 1
    assert packed.out == cli("score", scored, "pairs.csv", "-q").out
    with open("pairs.parquet", "rb") as piped:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(piped))
        assert cli("score", scored, "-", "-q").out == packed.out
    upper = pq.read_table("pairs.parquet")
    upper = upper.rename_columns([name.upper() for name in upper.column_names])
    pq.write_table(upper, "upper.parquet")
    assert cli("score", scored, "upper.parquet", "-q").out == packed.out
    pq.write_table(pa.table({"host": ["a.example"]}), "hosts.parquet")
    refused = cli("score", scored, "hosts.parquet")
    assert refused.code == 1 and "no Parquet file with columns host_a and host_b" in refused.err


def test_a_table_of_one_column_is_no_table_of_pairs(cli, write, scored):
    found = cli("score", scored[0], write("one.csv", "example.com\n"))
    assert (found.code, found.out) == (1, "") and "one column only" in found.err


def test_a_header_of_other_columns_is_no_pair(cli, write, scored):
    listed = write("dnstwist.csv", "fuzzer,domain\n*original,example.com\n")
    found = cli("score", scored[0], listed)
    assert (found.code, found.out) == (1, "")
    assert "no columns host_a and host_b in its header, which has: fuzzer, domain" in found.err
    bare = cli("score", scored[0], write("bare.csv", "intranet,wiki\nwiki,files\n"), "--quiet")
    assert bare.code == 0 and bare.out.count("\n") == 3


READS = {
    "csv": pl.read_csv,
    "tsv": partial(pl.read_csv, separator="\t"),
    "json": pl.read_json,
    "jsonl": pl.read_ndjson,
    "parquet": pl.read_parquet,
}
"""How a file of scores is read, by its ending."""


def test_scores_are_written_to_a_file_as_its_ending_says(cli, write, scored, tmp_path):
    """And on standard output as --format does."""
    pairs = write("pairs.csv", "example.com,www.example.com\nexample.com,nobody.net\na b,x.net\n")
    hosts = write("new.jsonl", '{"host": "new.example", "pages": [["/", "sha1:aa"]]}')
    shown = cli("score", scored[0], pairs, "-q")
    expected = pl.read_csv(shown.out.encode())
    assert len(expected) == 3
    for ending, read in READS.items():
        out = tmp_path / f"scored.{ending}"
        found = cli("score", scored[0], pairs, "-o", out)
        assert (found.code, found.out) == (0, "") and f"3 rows to {out}\n" in found.err
        assert read(out).equals(expected)
        if ending != "parquet":
            assert cli("score", scored[0], pairs, "-f", ending, "-q").out == out.read_text()
        assert ending != "csv" or out.read_text() == shown.out
        looked = cli("score", scored[0], "--host", hosts, "-q", "-o", out)
        assert (looked.code, looked.out, looked.err) == (0, "", "")
        assert read(out)["host"][0] == "new.example"


@pytest.fixture(scope="module")
def read_here(tmp_path_factory) -> Path:
    """A folder with a crawl file, the database that it was loaded into, a copy of that, a model by
    itself, and pairs; ``score`` must change none of them.
    """
    folder = tmp_path_factory.mktemp("read")
    (folder / "crawl.csv").write_text("url,digest\nhttp://a.net/1,aa\nhttp://b.net/1,aa\n")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        web.detect()
        web.model(folder / "model.csv")
    shutil.copy(folder / "web.duckdb", folder / "other.csv")
    (folder / "pairs.csv").write_text("a.net,b.net\n")
    return folder


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("web.duckdb", "the ending .duckdb picks no format"),
        ("other.csv", "is a DuckDB database"),
        ("pairs.csv", "is read here; name another file"),
        ("model.csv", "is a model; name another file"),
        ("crawl.csv", "is a crawl file that"),
        ("scored.txt", "the ending .txt picks no format"),
    ],
)
def test_scores_are_written_over_no_file_that_is_read(cli, read_here, monkeypatch, out, reason):
    monkeypatch.chdir(read_here)
    before = {path.name: path.read_bytes() for path in read_here.iterdir() if path.is_file()}
    found = cli("score", "web.duckdb", "pairs.csv", "-q", "-o", out)
    assert (found.code, found.out) == (2, "") and found.err.startswith(f"replicadb: {out}: ")
    assert reason in found.err
    for name, content in before.items():
        assert (read_here / name).read_bytes() == content, name


@pytest.mark.parametrize(("columns", "shown"), [(200, "host_a"), (40, "host_a       example.com")])
def test_on_a_terminal_scores_are_a_table_that_fits(scored, on_terminal, columns, shown):
    found = on_terminal(columns, "score", scored[0], "example.com", "www.example.com", "-q")
    assert found[0].startswith(shown) and max(map(len, found)) <= columns
    assert not any("," in line for line in found)


def test_a_pair_that_was_decided_is_scored_by_its_evidence_and_that_is_said(
    cli, write, scored, tmp_path
):
    path = shutil.copy(scored[0], tmp_path / "decided.duckdb")
    before = cli("score", path, "example.com", "www.example.com")
    with replicadb.open(path) as web:
        web.decide("example.com", "www.example.com", False)
        web.decide("example.com", "example.org", True)
    found = cli("score", path, "WWW.example.com", "example.com")
    assert found.out.splitlines()[1].split(",")[2:] == before.out.splitlines()[1].split(",")[2:]
    words = "decided to be no replicas; detect goes by it, scores by the evidence alone"
    assert (
        f"note: WWW.example.com and example.com: {words}" in found.err and words not in before.err
    )
    pairs = write(
        "pairs.csv", "example.com,www.example.com\nexample.org,example.com\na.net,b.net\n"
    )
    assert (
        "note: 2 of these pairs were decided, 1 replicas and 1 none; example.com and"
        f" www.example.com: {words}\n"
    ) in cli("score", path, pairs).err


def test_new_hosts_that_are_no_sites_here_are_named(cli, write, capfd):
    """Of lists of URLs the host is taken, whatever the database counts as a site."""
    rows = "".join(f"http://{h}.net/x/{n},{h[0]}{n}\n" for h in ("a", "a2", "b") for n in range(9))
    with replicadb.open("w.duckdb") as web:
        web.load(write("c.csv", "url,digest\n" + rows), site="domain")
        web.detect()
    page = {"url": "http://www.new.net/x/1", "digest": "a1"}
    for site, name in (("domain", "new.net"), ("host+1", "new.net/x")):
        given = [page, {"host": name, "pages": [["/x/1", "a1"]]}]
        hosts = write("new.jsonl", "\n".join(map(json.dumps, given)))
        if site == "domain":
            said = cli("score", "w.duckdb", "--host", hosts).err
        else:
            _tell_sites(SimpleNamespace(info={"site": site}), read_hosts(hosts), quiet=False)
            said = capfd.readouterr().err
        assert f"note: www.new.net: taken as named, though sites go by --site {site}" in said
