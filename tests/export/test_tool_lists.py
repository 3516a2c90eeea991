"""Lists for other tools: each read back as its tool reads it says the hosts to drop and no other,
and what it cannot say is told.

Tries list_formats, too.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import duckdb
import pytest
from conftest import rest_slow

import replicadb
from replicadb.errors import UsageError
from replicadb.explanation.words import fate_in_words
from replicadb.export.list_formats import BY_NAME, FORMATS
from tests.export.hosts_to_drop import DROPPED, HOSTS, ODD, STAYING, members_of, url
from tests.export.list_readers import BLOCKED, READERS

GOLDEN = Path(__file__).parents[1] / "golden" / "lists"
TABLES = [format.name for format in FORMATS if format.is_table]
UNSAID = {
    **{name: {ODD} for name in READERS},
    "nutch-host": {ODD, "clone.org"},
    "nutch-regex": {"clone.org"},
    "outbackcdx": {"kept.com", "www2.shop.net"},
    "hosts": {ODD, "10.0.0.9"},
    "httrack": {ODD, "www2.shop.net"},
    "pywb": {ODD, "10.0.0.9", "kept.com", "www2.shop.net"},
}
"""The dropped hosts that a list does not say. kept.com has the key of www.kept.com, www2.shop.net
that of shop.net, and both stay. clone.org is known at port 8080 alone, where Nutch would look for
the kept host.
"""


@pytest.fixture(scope="module")
def web(dropped):
    with replicadb.open(dropped, read_only=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def listed(web, tmp_path_factory):
    """The bytes of a list, by its name."""
    path = tmp_path_factory.mktemp("lists") / "list"

    @cache
    def made(name: str) -> bytes:
        web.export_list(path, name)
        return path.read_bytes()

    return made


def test_each_format_is_read_back_or_is_a_table_and_stands_in_the_docs():
    assert set(BY_NAME) == set(READERS) | set(TABLES)
    page = (GOLDEN.parents[2] / "docs" / "how-to" / "lists.md").read_text()
    for format in FORMATS:
        rows = [line for line in page.splitlines() if line.startswith(f"| `{format.name}` |")]
        assert sum(format.documented in row for row in rows) == 1  # families have rows, too


@pytest.mark.parametrize("name", READERS)
def test_a_list_says_the_hosts_to_drop_and_no_other(listed, name):
    said = READERS[name](listed(name).decode())
    for host, keep in DROPPED.items():
        found = said(url(host))
        if host in UNSAID[name]:
            assert found is None, host
        elif name == "outbackcdx":
            assert found == url(keep), host
        else:
            assert found in (keep, BLOCKED), host
    for host in (*STAYING, "xclone.org", "clone.org.evil.com", "evil.com"):
        assert said(url(host)) is None, host
    assert said("http://evil.com/http://clone.org/") is None
    if name != "outbackcdx":
        port = "" if name == "pywb" else ":8080"  # it has the ports alone that are known
        assert said(f"https://default{port}/") is not None, "by any scheme and port"


@pytest.mark.parametrize("name", READERS)
def test_each_list_has_its_golden_bytes(listed, name):
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("REPLICADB_WRITE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(listed(name))
    assert listed(name) == golden.read_bytes()


@pytest.mark.parametrize("name", ["urls", "cc-annotation", "nutch-host"])
def test_nothing_to_drop_is_a_list_all_the_same(web, name):
    made = web.export_list("none.parquet" if name in TABLES else "none", name, top=0)
    assert (made.rows, made.hosts, made.urls, made.left_out) == (0, 0, 0, {})


@pytest.mark.slow
def test_what_it_saves_and_what_it_cannot_say_are_told(cli, dropped):
    answer = cli("export", dropped, "drop.txt", "--as", "hosts")
    assert answer.err == (
        "5 rows for hosts to drop.txt: 5 hosts; it saves 15 of 29 pages (51.7 %, 1.5 kB of 3.3 kB)"
        "\nof each group the host that is kept is not in it, though it may be a copy, and an"
        " original may be: replicadb label DB --keep ORIGINAL, then detect; all copies"
        " of one's own hosts: copies-of DB HOST --as"
        "\nleft out, 1 name: an address, such as 10.0.0.9"
        f"\nleft out, 1 name: characters that mean something else there, such as {ODD}\n"
        f"more than half of load {dropped.parent}/crawl.csv: 7 of 11 hosts (63.6 %)\n"
    )
    assert cli("export", dropped, "-", "--as", "hosts", "--quiet").err == ""
    assert cli("export", dropped, "drop.txt", "--as", "hosts", "--top", "1").err.startswith(
        "1 row for hosts to drop.txt: 1 host; it saves 3 of 29 pages"
    )


@pytest.mark.slow
def test_urls_are_anti_joined_on_the_users_own_key(web):
    made = web.export_list("urls.parquet", "urls")
    assert made.rows == 3 * len(DROPPED)
    web.export_list("urls.csv", "urls")
    for path in ("urls.parquet", "urls.csv"):
        con = duckdb.connect()
        con.execute(f"CREATE VIEW drops AS FROM '{path}'")
        own = [(f"{n}-1",) for n in range(len(HOSTS))]
        con.execute("CREATE TABLE corpus (id VARCHAR)")
        con.executemany("INSERT INTO corpus VALUES (?)", own)
        left = con.sql("FROM corpus ANTI JOIN drops USING (id) ORDER BY id").fetchall()
        assert left == [(f"{n}-1",) for n in range(len(STAYING))]
        assert con.sql(
            "SELECT count(*), count(same_content_at) FROM drops WHERE url LIKE '%/own'"
        ).fetchall() == [(len(DROPPED), 0)]
        assert con.sql(
            "SELECT canonical_host, same_content_at FROM drops WHERE url = 'http://10.0.0.9/2'"
        ).fetchall() == [("www.kept.com", "http://www.kept.com/2")]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_an_annotation_joins_by_its_yaml(web, ending):
    yaml = pytest.importorskip("yaml")
    surt = pytest.importorskip("surt")
    made = web.export_list(f"copies.{ending}", "cc-annotation")
    assert made.files == [f"copies.{ending}", "join_copies.yaml"]
    assert made.urls == 12, "www and bare are one key there, so neither is dropped"
    (said,) = [line for line in made.lines() if "replica_drop is false" in line]
    assert said == (
        "left out, 2 names: of the drops alone (replica_drop is false): a host that stays has the"
        " key, too, such as kept.com"
    )
    join = yaml.safe_load(Path("join_copies.yaml").read_text())
    (key,) = join["join_columns"]
    con = duckdb.connect()
    con.execute("CREATE TABLE host_index (surt_host_name VARCHAR)")
    keys = {surt.surt(f"http://{host}/").split(")/")[0] for host in HOSTS}
    con.executemany("INSERT INTO host_index VALUES (?)", [(key,) for key in keys - {"d$1(e),c"}])
    source = join["table"]["source"]
    read = {"parquet": con.read_parquet, "csv": con.read_csv}[source["format"]]
    options = {"sep" if k == "delim" else k: v for k, v in source.get("options", {}).items()}
    read(source["url"], **options).create_view("copies")
    joined = con.sql(
        f"SELECT {key}, {', '.join(join['right_columns'])} FROM host_index"
        f" LEFT JOIN copies USING ({key}) ORDER BY {key}"
    ).fetchall()
    found = {row[0]: row[1:] for row in joined}
    assert found["org,clone"] == ("com,kept", 1, 0.99998, True)
    assert found["com,kept"][0] == "com,kept" and found["com,kept"][3] is False
    assert found["net,shop"][3] is False, "shop.net stays and has the key of www2.shop.net"
    assert found["org,clone,sub"] == (None, None, None, None)


def test_an_annotation_to_standard_output_has_no_yaml(cli, dropped):
    answer = cli("export", dropped, "-", "--as", "cc-annotation")
    assert answer.out.startswith("surt_host_name,replica_canonical,") and not os.listdir()
    assert '"org,clone","com,kept",1,0.99998,true' in answer.out
    assert answer.err.startswith("7 rows for cc-annotation: 6 hosts; ")


def test_a_key_is_that_of_the_library_that_indexes_are_made_with(web):
    surt = pytest.importorskip("surt")
    web.database.run("export/10_dropped_names", only="surt_name")
    for name in ("a.com", "www.a.com", "www2.a.com", "www-2.a.com", "m.a.co.uk", "www.www.a.com"):
        key = surt.surt(f"http://{name}/").split(")/")[0]
        assert web.database.value("SELECT surt_name(?)", [name]) == key
    # Where the library has com, Common Crawl's README has this.
    assert web.database.value("SELECT surt_name('www.com')") == "com,www"


@pytest.mark.slow
@pytest.mark.parametrize("site", rest_slow(["domain", "host+1"]))
def test_a_site_that_is_no_host_is_said_by_its_host_names_or_not_at_all(
    tmp_path, stages_left_out, site
):
    hosts = ("a.com", "www.a.com", "b.com", "c.com")
    pages = [f"http://{h}/{s}/{n},{h[-5:]}{n}" for h in hosts for s in ("x", "y") for n in (1, 2)]
    (tmp_path / "crawl.csv").write_text("url,digest\n" + "\n".join(pages))
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.csv", site=site)
        web.detect()
        goes, keep = ("a.com", "b.com") if site == "domain" else ("a.com/x", "b.com/x")
        members_of(web, {goes: keep})
        made = web.export_list("list", "nutch-host")
    lines = Path("list").read_text().splitlines()[1:]
    if site == "domain":
        assert lines == ["a.com b.com", "www.a.com b.com"]
    else:
        assert lines == [] and list(made.left_out.values()) == [(1, "a.com")]


def test_an_odd_name_of_the_kept_host_is_trouble_to_lists_alone_that_write_it(
    tmp_path, stages_left_out
):
    """An address, and characters that mean something in most formats. A dropped name with a blank
    is left out for its characters.
    """
    drops = {"clone1.org": "[2001:db8::1]", "clone2.org": "b,c=d$1(e).com"}
    pages = [f'"http://{host}/{n}",{n}' for pair in drops.items() for host in pair for n in (1, 2)]
    pages += ["http://a.net/1,1", "http://b.net/1,1"]
    (tmp_path / "crawl.csv").write_text("url,digest\n" + "\n".join(pages))
    trouble = {
        "the kept host has characters that mean something else there": (
            2,
            "[2001:db8::1] for clone1.org",
        )
    }
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.csv")
        web.detect()
        members_of(web, drops)
        for name in BY_NAME:
            made = web.export_list("list.csv" if name in TABLES else "list", name)
            unsaid = BY_NAME[name].says_kept and name != "nutch-regex"
            assert (made.hosts, made.left_out) == ((0, trouble) if unsaid else (2, {})), name
            if name in ("ublock", "ublacklist"):
                said = Path("list").read_text()
                assert "clone1.org copies [2001:db8::1], " in said
                assert "clone2.org copies a host of an odd name, " in said
        members_of(web, {"b.net": "a.net"})
        web.database.execute(
            "UPDATE origins SET host_name = 'b\u00a0b.net' WHERE host_name = 'b.net'"
        )
        made = web.export_list("list", "nutch-regex")
    assert made.left_out == {"characters that mean something else there": (1, "b\u00a0b.net")}


def test_what_cannot_be_meant_is_refused(cli, dropped, web):
    with pytest.raises(UsageError, match=r"no list is called 'magic'; choose one of: nutch-host,"):
        web.export_list("x", "magic")
    with pytest.raises(UsageError, match=r"cc-annotation is csv or parquet, not jsonl; x\.jsonl"):
        web.export_list("x.jsonl", "cc-annotation")
    with pytest.raises(UsageError, match=r"the ending \.txt picks no format"):
        web.export_list("x.txt", "urls")
    with pytest.raises(UsageError, match=r"did you mean 'surt'"):
        web.export_list("x", "Heritrix")
    with pytest.raises(UsageError, match=r"did you mean 'ublock' or 'ublacklist'|'ublock'"):
        web.export_list("x", "ublok")
    answer = cli("export", dropped, "drop.surt")
    assert answer.code == 2 and "as in --as surt" in answer.err
    answer = cli("export", dropped, "x", "--as", "surt", "-f", "json")
    assert answer.code == 2 and "--format goes with --as urls and cc-annotation alone" in answer.err
    lines = cli("export", dropped, "-", "--as", "urls", "-f", "jsonl").out.splitlines()
    assert lines and all("url" in json.loads(line) for line in lines)
    for options in (("--what", "pairs"), ("--what", "pairs", "--all")):
        answer = cli("export", dropped, "x", "--as", "hosts", *options)
        assert answer.code == 2 and "leave out --what" in answer.err
    assert not os.listdir()


@pytest.mark.slow
def test_names_whose_key_stays_are_left_out_aloud_as_aliases(dropped, tmp_path):
    with replicadb.open(dropped, read_only=True) as web:
        said = web.export_list(tmp_path / "aliases.txt", "outbackcdx")
    assert said.left_out == {"a key that a host which stays has, too": (2, "kept.com")}


def test_a_host_with_files_alone_is_named_and_its_fate_counts_no_pages(write):
    lines = [f"http://{host}/{n}.png,d{n}" for host in ("one.test", "two.test") for n in range(9)]
    with replicadb.open(":memory:") as opened:
        opened.load(write("c.csv", "\n".join(["url,digest", *lines, "http://other.test/,x"])))
        opened.decide("one.test", "two.test", True)
        opened.detect()
        opened.export_list("n.txt", "nutch-host")
        assert Path("n.txt").read_text().splitlines()[1:] == ["two.test one.test"]
        fates = opened.explain("one.test", "two.test")["groups"]
        said = [fate_in_words(fate) for fate in fates]
        assert said[1] == "two.test is dropped for one.test: its name comes first"
