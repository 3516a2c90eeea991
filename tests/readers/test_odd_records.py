"""One odd record costs itself: what no column, number or stack can hold becomes a problem.

Tries capture_rows, too.
"""

from __future__ import annotations

import io
import json

import pytest

from replicadb.readers import archives
from replicadb.readers.capture_rows import RowBuffer
from replicadb.readers.formats import recognise
from replicadb.readers.warc import WarcRows


def record(kind: bytes, block: bytes, length: int | None = None, type: bytes = b"text/plain"):
    return (
        b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: %s\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n"
        % (kind, type, len(block) if length is None else length, block)
    )


def envelope(url: str, **http) -> bytes:
    header = {"WARC-Type": "response", "WARC-Target-URI": url}
    payload = {"HTTP-Response-Metadata": http}
    block = {"Envelope": {"WARC-Header-Metadata": header, "Payload-Metadata": payload}}
    return record(b"metadata", json.dumps(block).encode(), type=b"application/json")


GOOD = record(b"resource", b"a page")
ARC = b"http://a.example/ 1.2.3.4 20240101000000 text/html %d\nabc\n"


def rows(data: bytes, reader=archives.read_warc):
    return [row for batch in reader(io.BytesIO(data)) for row in batch.to_pylist()]


@pytest.mark.parametrize("digits", [19, 25, 5_000])
def test_a_length_beyond_any_file_costs_its_record_alone(digits):
    odd = record(b"resource", b"x").replace(b"Length: 1", b"Length: " + b"9" * digits)
    first, broken, *_, last = rows(GOOD + odd + GOOD)
    assert (first["problem"], last["problem"]) == (None, None)
    assert broken["problem"] == "record header has no usable length"
    arc = ARC % 3 + (ARC % 3).replace(b" 3\n", b" " + b"9" * digits + b"\n") + ARC % 3
    assert [row["problem"] for row in rows(arc, archives.read_arc)] == [
        None,
        "record header has no usable length",
        None,
    ]


@pytest.mark.parametrize("length", ["9" * 20, "9" * 5_000])
def test_a_length_that_no_column_holds_is_not_recorded(length):
    http = {"Entity-Length": length, "Entity-Digest": "sha1:AA"}
    (row,) = rows(envelope("http://a.example/", **http))
    assert (row["url"], row["length"], row["problem"]) == ("http://a.example/", None, None)


def test_half_a_surrogate_rejects_a_url_and_mends_the_rest():
    half = "\ud83d"
    html = {"Head": {"Title": f"a{half}b"}, "Links": [{"path": "A@/href", "url": f"/x{half}"}]}
    http = {"Headers": {"Content-Type": half}, "HTML-Metadata": html}
    bad, good = rows(envelope(f"http://a.example/{half}") + envelope("http://b.example/", **http))
    assert bad["problem"] == "half a character in its URL"
    assert (good["problem"], good["url"]) == (None, "http://b.example/")
    assert (good["title"], good["links"]) == ("a?b", ["/x?"])


@pytest.mark.parametrize(
    "odd", [{"length": 1 << 63}, {"url": "http://a/\ud800"}, {"title": 7}, {"links": ["\udfff"]}]
)
def test_a_value_that_fits_no_column_is_a_problem_and_its_neighbours_stay(odd):
    buffer = RowBuffer()
    buffer.append(1, url="http://a.example/")
    buffer.append(2, **odd)
    buffer.append(3, url="http://b.example/")
    ((first, bad, last),) = (batch.to_pylist() for batch in buffer.take())
    assert (first["problem"], last["problem"], last["url"]) == (None, None, "http://b.example/")
    assert bad["position"] == 2
    assert bad["problem"].startswith("a value that cannot be stored")


def test_an_error_in_reading_a_record_is_a_problem(monkeypatch):
    def fail(self, record, fields, kind):
        raise RecursionError

    monkeypatch.setattr(WarcRows, "_capture", fail)
    problems = [row["problem"] for row in rows(GOOD + GOOD)]
    assert problems == ["record that cannot be read (RecursionError)"] * 2


def test_json_nested_beyond_the_stack_is_recognised(write):
    deep = '{"url": "http://a.example/", "x": ' + "[" * 30_000 + "]" * 30_000 + "}\n"
    assert recognise(write("deep.jsonl", deep)) == "jsonl"
