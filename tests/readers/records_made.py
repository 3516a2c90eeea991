"""Archive records made for tests, and archives read to rows."""

from __future__ import annotations

import hashlib
import io
import re

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from replicadb.readers import archives
from replicadb.readers.capture_rows import ARCHIVE_SCHEMA

BODY = b"<html>a page</html>"


def rows(path, reader=archives.read_warc):
    batches = list(reader(path))
    assert all(batch.schema == ARCHIVE_SCHEMA for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()]


def response(
    uri="http://a.example/",
    body=BODY,
    status="200 OK",
    http=(),
    digest=None,
    kind="response",
    **warc,
):
    """One WARC record as bytes; ``digest`` None leaves the payload digest out."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=False)
    headers = StatusAndHeaders(status, [("Content-Type", "text/html"), *http], protocol="HTTP/1.1")
    record = writer.create_warc_record(
        uri,
        kind,
        payload=io.BytesIO(body),
        http_headers=headers,
        warc_headers_dict={name.replace("_", "-"): v for name, v in warc.items()},
    )
    writer.write_record(record)
    data = re.sub(
        rb"WARC-(Block|Payload)-Digest: [^\r]*\r\n", b"", out.getvalue()
    )  # the writer's own
    return (
        data.replace(b"\r\n", b"\r\nWARC-Payload-Digest: %s\r\n" % digest.encode(), 1)
        if digest
        else data
    )


def write(tmp_path, *members, name="x.warc.gz"):
    path = tmp_path / name
    path.write_bytes(b"".join(members))
    return path


def sha1(data):
    return "sha1:" + hashlib.sha1(data).hexdigest()


def chunked(data):
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
