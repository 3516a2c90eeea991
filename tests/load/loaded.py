"""What a load leaves in a database, by name rather than by id; and digests of one page."""

from __future__ import annotations

import base64
import hashlib

SHA1 = hashlib.sha1(b"page").hexdigest()
BASE32 = base64.b32encode(bytes.fromhex(SHA1)).decode()
MD5 = hashlib.md5(b"page").hexdigest()
SHA256 = hashlib.sha256(b"page").hexdigest()


def rows(web, query: str) -> list[tuple]:
    return web.database.rows(query)


def contents(web) -> dict[str, list[tuple]]:
    """Everything that a load leaves, by name rather than by id."""
    return {
        "hosts": rows(web, "SELECT host, domain, suffix, name FROM hosts ORDER BY ALL"),
        "origins": rows(
            web,
            "SELECT origin, host_name, host FROM origins JOIN hosts USING (host_id) ORDER BY ALL",
        ),
        "urls": rows(
            web,
            """SELECT host, origin || path, fingerprint_kind, fingerprint, fetched_at, status,
                mime, length, title, user_id
                             FROM urls JOIN origins USING (origin_id)
                                 JOIN hosts ON hosts.host_id = urls.host_id ORDER BY ALL""",
        ),
        "ips": rows(
            web,
            "SELECT host, ip, net, source FROM host_ips JOIN hosts USING (host_id) JOIN sources"
            " USING (source_id) ORDER BY ALL",
        ),
        "earlier captures": rows(
            web,
            """SELECT source, host, origin || path, fingerprint_kind, content_hash, first
            FROM earlier_captures AS e JOIN sources USING (source_id) JOIN origins USING (origin_id)
            JOIN hosts ON hosts.host_id = e.host_id ORDER BY ALL""",
        ),
        "ids": rows(
            web, "SELECT count(*) FROM host_ips WHERE host_id NOT IN (SELECT host_id FROM hosts)"
        ),
        "links": rows(
            web,
            "SELECT from_host, from_url, to_host, to_url, kind, source FROM links JOIN sources"
            " USING (source_id) ORDER BY ALL",
        ),
        "outlinks": rows(
            web,
            "SELECT host, to_host, origin, path, pages, source FROM outlinks JOIN hosts USING"
            " (host_id) JOIN sources USING (source_id) ORDER BY ALL",
        ),
        "outlinks of nobody": rows(
            web, "SELECT count(*) FROM outlinks WHERE host_id NOT IN (SELECT host_id FROM hosts)"
        ),
        "link skips": rows(
            web,
            "SELECT source, kind, reason, n FROM link_skips JOIN sources USING (source_id) ORDER"
            " BY ALL",
        ),
        "rejects": rows(
            web,
            "SELECT source, position, url, reason FROM rejects JOIN sources USING (source_id) ORDER"
            " BY ALL",
        ),
        "skips": rows(
            web, "SELECT source, reason, n FROM skips JOIN sources USING (source_id) ORDER BY ALL"
        ),
    }


def adds_up(web) -> bool:
    return not rows(web, "SELECT * FROM sources WHERE read <> kept + replaced + skipped + rejected")


def outlinks(web) -> list[tuple]:
    """(site, target site, target, pages), in order."""
    return rows(
        web,
        "SELECT host, to_host, origin || path, pages FROM outlinks JOIN hosts USING (host_id) ORDER"
        " BY ALL",
    )
