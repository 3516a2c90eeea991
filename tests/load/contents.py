"""Pages with their text: records to load, and what the tables of contents hold of them."""

from __future__ import annotations

from replicadb.near_duplicates.loaded_contents import stage_texts

PAGE = (
    "<title>Über uns</title><h1>Wer wir sind</h1><p>Wir sind viele.</p><a"
    " href='b/../c?x=1#f'>Weiter</a><a href=//other.org>Fort</a><a href=#top>Hoch</a>"
)


TABLES = ("page_contents", "page_terms", "terms", "anchors")


def record(
    kind: str,
    url: str,
    block: bytes,
    content_type: str = "application/http; msgtype=response",
    *headers: str,
) -> bytes:
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block)}",
        *headers,
    ]
    if not any(line.startswith("WARC-Date") for line in headers):
        lines.append("WARC-Date: 2020-01-01T00:00:00Z")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response(
    url: str,
    body: str | bytes,
    content_type: str | None = "text/html; charset=utf-8",
    *http: str,
    status: str = "200 OK",
    date: str = "2020-01-01T00:00:00Z",
) -> bytes:
    head = "\r\n".join(
        [f"HTTP/1.1 {status}", *([f"Content-Type: {content_type}"] if content_type else []), *http]
    )
    return record(
        "response",
        url,
        head.encode() + b"\r\n\r\n" + (body if isinstance(body, bytes) else body.encode()),
        "application/http; msgtype=response",
        f"WARC-Date: {date}",
    )


def terms(web, url: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for field, term, n in _looked_up(
        web,
        """SELECT f.name, term, n FROM compared_terms JOIN terms USING (term_id)
            JOIN page_fields AS f USING (field)
            JOIN urls USING (url_id) JOIN origins USING (origin_id) WHERE origin || path = ?""",
        [url],
    ):
        found.setdefault(field, {})[term] = n
    return found


def anchors(web, url: str) -> set[tuple[str, str | None]]:
    return set(
        _looked_up(
            web,
            "SELECT to_url, anchor FROM compared_anchors JOIN urls USING (url_id) JOIN origins"
            " USING (origin_id) WHERE origin || path = ?",
            [url],
        )
    )


def _looked_up(web, query: str, parameters: list[str]) -> list[tuple]:
    with web.database.temporary():
        stage_texts(web.database)
        return web.database.rows(query, parameters)


def dump(web) -> dict[str, list]:
    """What the contents are, without ids."""
    rows = web.database.rows
    return {
        "contents": rows(
            """SELECT origin || path, p.* EXCLUDE (url_id, source_id) FROM page_contents AS p
                JOIN (FROM urls SELECT url_id, origin_id, path UNION ALL
                FROM superseded SELECT url_id, origin_id, path) USING (url_id)
                JOIN origins USING (origin_id) ORDER BY ALL"""
        ),
        "terms": rows(
            "SELECT url_id, field, term, n FROM page_terms JOIN terms USING (term_id) ORDER BY ALL"
        ),
        "vocabulary": rows("SELECT term FROM terms ORDER BY 1"),
        "anchors": rows("FROM anchors ORDER BY ALL"),
    }


def counts(web) -> list[int]:
    return [web.database.value(f"SELECT count(*) FROM {table}") for table in TABLES]
