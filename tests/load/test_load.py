"""Loading: the same again, what is wrong with one file of many, and names that mean harm.

Tries host_splitting, load_options, source_counts and staging, too.
"""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from replicadb.errors import DataError, UsageError

from .loaded import MD5, SHA1, contents, rows


def test_a_status_is_understood_with_words_and_one_that_is_not_is_told(web, write):
    """And what crawlers note of themselves is skipped, and not rejected."""
    given = ("200 OK", "HTTP/1.1 404 Not Found", "503", "OK", "Gone", "OK")
    lines = [f"http://a.com/{n},{n},{status},t" for n, status in enumerate(given)]
    lines += ["http://a.com/robots,,0,", "http://a.com/unknown,x,0,", "http://a.com/title,,0,t"]
    notes = ("urn:pageinfo:http://a.com/", "metadata://gnu.org/x", "dns:a.com", "ftp://a.com/")
    lines += [f"{url},x,," for url in notes]
    result = web.load(write("a.csv", "url,digest,status,title\n" + "\n".join(lines)))
    assert (result.kept, result.skipped, result.rejected) == (6, 6, 1)
    skips = rows(web, "SELECT reason, n FROM skips ORDER BY reason")
    assert skips[:2] == [("look-up of a name", 1), ("note of a crawler", 2)]
    assert skips[2:] == [("status 0", 1), ("status 404", 1), ("status 503", 1)]
    (said,) = (line for line in result.warnings if "not understood" in line)
    assert "3 rows have a status that is not understood, such as 'OK'" in said


@pytest.mark.slow
def test_kinds_that_cannot_meet_are_warned_of_with_counts(web, write):
    result = web.load(
        write(
            "a.csv",
            f"url,digest\nhttp://a.com/,{SHA1}\nhttp://a.com/2,{SHA1}\nhttp://b.com/,{MD5}\n",
        )
    )
    assert any("sha1: 2 URLs" in line and "md5: 1 URL)" in line for line in result.warnings)


@pytest.mark.slow
def test_the_same_file_again_changes_nothing_under_any_name(web, write):
    first = write("a.csv", "url,digest\nhttp://a.com/,x\nhttp://a.com/,y\nbad,z\n")
    web.load(first)
    before = (contents(web), rows(web, "FROM sources ORDER BY ALL"))
    result = web.load(first, write("copy.csv", first.read_bytes()))
    assert len(result.known) == 2 and result.read == 0
    assert (contents(web), rows(web, "FROM sources ORDER BY ALL")) == before


def test_a_file_that_was_rejected_as_a_whole_does_not_count_as_loaded(web, write):
    file = write("a.csv", "doc,url\n1,http://a.com/\n2,http://b.com/\n")
    assert web.load(file, columns={"url": "doc"}, label="may").rejected == 2
    result = web.load(file)
    assert (result.known, result.kept) == ([], 2)
    assert rows(web, "SELECT count(*) FROM sources") == [(1,)]
    assert rows(web, "SELECT count(*) FROM rejects") == [(0,)]
    assert rows(web, "SELECT name FROM loads") == [("may",)]
    assert web.load(file, columns={"url": "doc"}, replace=True).known == [str(file)]


def test_a_file_that_was_skipped_as_a_whole_counts_as_loaded_and_force_loads_it_again(web, write):
    file = write("a.csv", "url,status\nhttp://a.com/,301\nhttp://b.com/,404\n")
    assert web.load(file).skipped == 2
    assert web.load(file).known == [str(file)]
    result = web.load(file, force=True, all_types=True)
    assert (result.kept, result.skipped) == (1, 1)
    assert rows(web, "SELECT count(*) FROM sources") == [(1,)]


@pytest.mark.slow
def test_hostile_names_are_data_and_nothing_else(web, write):
    evil = [
        'http://a"b.com/"x',
        "http://x';DROP TABLE urls;--.com/",
        "http://a.com/<script>alert(1)</script>",
        "http://a.com/';DROP TABLE urls;--",
        "http://a.com/\x1b[31m",
        "http://a.com/%00",
    ]
    column = '"; drop table urls; --'
    body = f'url,"{column.replace(chr(34), chr(34) * 2)}"\n' + "".join(
        '"' + url.replace('"', '""') + '",id1\n' for url in evil
    )
    result = web.load(write("a.csv", body), columns={"id": column}, label="'; drop table urls; --")
    assert (result.kept, result.rejected) == (4, 2)
    assert set(rows(web, "SELECT user_id FROM pages")) == {("id1",)}
    assert web.unload("'; drop table urls; --") == 1


def test_a_parquet_file_that_is_broken_inside_leaves_no_trace(web, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table(
            {
                "url": [f"http://a.com/{n}" for n in range(5000)],
                "digest": [hashlib.sha1(b"%d" % n).hexdigest() for n in range(5000)],
            }
        ),
        path,
    )
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 2000] = b"\xff" * 2000
    path.write_bytes(data)
    with pytest.raises(DataError, match="parquet"):
        web.load(path)
    assert (
        rows(web, "SELECT count(*) FROM urls")
        == rows(web, "SELECT count(*) FROM sources")
        == [(0,)]
    )


@pytest.mark.slow
def test_a_file_with_an_error_of_ours_is_named_and_the_others_load(web, write, monkeypatch):
    from replicadb.readers import archives

    good = (
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://%s/\r\n"
        b"Content-Length: 1\r\n\r\n%s"
    )
    files = [write(f"{name}.warc", good % (name.encode(), name.encode())) for name in "abc"]
    read = archives.read_archive

    def fail(raw, *arguments):
        if raw.name.endswith("b.warc"):
            raise OverflowError("too large")
        return read(raw, *arguments)

    monkeypatch.setattr(archives, "read_archive", fail)
    result = web.load(*files)
    assert result.sources == 2
    assert result.failed == [f"{files[1]}: cannot be read: OverflowError: too large"]


def test_nothing_to_load_is_told(web):
    with pytest.raises(UsageError, match="nothing to load"):
        web.load()
