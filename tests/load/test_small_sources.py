"""A source is read by a query without what none of its rows needs (capture_store)."""

from __future__ import annotations

from collections import Counter

import replicadb
from replicadb.load import capture_store
from replicadb.store.statements import statements

from .loaded import BASE32, MD5, SHA1

RECORDED = (
    *(None, "", "-", " ", "0", "00", "200", " 200", "404 Not Found", "2e2", "70000", "-1", "OK"),
    *(
        "db_gone",
        "fetched",
        "HTTP/1.1 200 OK",
        "20240101000000",
        "19991231235959",
        "20241301000000",
    ),
    *(" 20240101000000", "2024-01-01T00:00:00Z", "1704067200", "202401", SHA1, SHA1.upper(), MD5),
    *(
        BASE32,
        f"urn:sha1:{BASE32}",
        f"sha1:{SHA1}",
        "text/html",
        "Text/HTML",
        "text/html; charset=x",
    ),
    *(
        "unknown/unknown",
        "warc/revisit",
        "html",
        "unk",
        "application/pdf",
        " image/png",
        "A  title",
    ),
    *("http://a.com/", "http://a.com/x.pdf", "http://a.com/X.PDF?y", "http://a.com/d/x.png#z"),
    *(
        "a.com/x.gif",
        "http:\\\\a.com\\x.css",
        "http://a.com/\nx.js",
        "http:/a.com/x.zip",
        "https://b/x.doc",
    ),
    *("http://a.com:/x.pdf", "HTTP://[::1]:\\x.gif", "a.com:/x.zip", "404e-5", "503.e-9", "200.4"),
)


def test_a_source_is_read_without_a_closer_look_only_where_that_changes_nothing():
    query = statements("load/20_captures")
    of_the_found = {  # asked where there is an ending, or a digest of another form
        *(capture_store.ENDING, capture_store.TYPE_OF_ENDING),
        *("digest_kind(d)", "digest_value(d)"),
    }
    with replicadb.open(":memory:") as opened:
        db = opened.database
        capture_store.prepare(db)
        left_out = Counter()
        for value in RECORDED:
            db.execute(
                """CREATE OR REPLACE TEMP TABLE staged AS
                SELECT v AS url, v AS fetched_at, v AS digest, v AS title, v AS status, v AS mime,
                    known(v) AS recorded, NULL::VARCHAR AS written, NULL::VARCHAR AS d,
                    v AS full_url
                FROM (SELECT $v::VARCHAR AS v)""",
                {"v": value},
            )
            for form, found in db.arrays(query["forms"]).items():
                if found[0]:
                    continue
                for part, instead in capture_store.SPARED[form].items():
                    assert part in query["captures_copied"]
                    if part in of_the_found:
                        continue
                    same = f"SELECT ({part}) IS NOT DISTINCT FROM ({instead}) FROM staged"
                    if part == capture_store.HAS_ENDING:
                        same = f"SELECT NOT coalesce({part}, {instead}) FROM staged"
                    assert db.value(same), (value, part)
                left_out[form] += 1
        assert left_out.keys() == capture_store.SPARED.keys()
        assert all(n < len(RECORDED) for n in left_out.values()), left_out
