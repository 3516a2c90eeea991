"""WAT files: envelopes of what was captured."""

from __future__ import annotations

from replicadb.readers import archives

from .records_made import rows, write


def test_a_wat_envelope_of_a_response_is_a_capture_and_of_a_request_is_none(tmp_path):
    def envelope(kind):
        body = (
            '{"Container":{},"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":'
            '{"Response-Message":{"Status":"302"},'
            '"Headers":{"Content-Type":"text/html","Location":"/x"},'
            '"Entity-Length":"7","Entity-Digest":"sha1:E"}},'
            f'"WARC-Header-Metadata":{{"WARC-Type":"{kind}",'
            '"WARC-Target-URI":"http://a.example/","WARC-Date":"2020-01-01",'
            '"WARC-IP-Address":"192.0.2.1"}}}'
        ).encode()
        return (
            b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(body), body)
        )

    path = write(tmp_path, envelope("request"), envelope("response"))
    (row,) = rows(path)
    assert row == {
        "position": 2,
        "url": "http://a.example/",
        "ip": "192.0.2.1",
        "digest": "sha1:E",
        "fetched_at": "2020-01-01",
        "status": "302",
        "mime": "text/html",
        "length": 7,
        "redirect": "/x",
        "revisit_of": None,
        "problem": None,
        "links": None,
        "canonical": None,
        "base": None,
        "title": None,
    }
    assert archives.looks_like_wat(path.read_bytes())
