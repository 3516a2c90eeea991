"""A digest that most rows have and that is none: named, and not taken for content."""

from __future__ import annotations

import hashlib

import pytest

FINGERPRINTS = "SELECT DISTINCT fingerprint FROM pages WHERE fingerprint IS NOT NULL ORDER BY ALL"
NOTE = "and is not taken for content; if it is, say --column fingerprint=NAME"


def crawl(digests: list[str]) -> str:
    rows = (f"http://a{n}.com/{n},{digest}" for n, digest in enumerate(digests))
    return "\n".join(["url,digest", *rows])


@pytest.mark.parametrize("constant", ["x1", "computed", "12345"])
def test_one_value_without_a_digests_form_on_most_rows_is_no_content(web, write, constant):
    path = write("a.csv", crawl([constant] * 15 + ["x2", "x3"] * 4))
    result = web.load(path)
    assert f"{path}: the digest {constant!r} stands on 15 rows {NOTE}" in result.warnings
    assert web.database.rows(FINGERPRINTS) == [("x2",), ("x3",)]
    web.load(path, columns={"fingerprint": "digest"}, force=True)
    assert len(web.database.rows(FINGERPRINTS)) == 3


@pytest.mark.parametrize("nothing", ["N/A", "null", "0", "None"])
def test_words_for_no_digest_are_none_however_few_they_are(web, write, nothing):
    result = web.load(write("a.csv", crawl([nothing, nothing, "x1"])))
    assert f"the digest {nothing!r} stands on 2 rows" in result.warnings[0]
    assert web.database.rows(FINGERPRINTS) == [("x1",)]


@pytest.mark.parametrize(
    "digests",
    [
        ["x1"] * 10 + ["x2"] * 10,  # half is not most
        ["x1"] * 19,  # few
        [hashlib.sha1(b"parked").hexdigest()] * 30 + ["x1"],  # a page that many hosts have
    ],
)
def test_content_that_many_rows_share_stays_content(web, write, digests):
    assert not any(
        "stands on" in text for text in web.load(write("a.csv", crawl(digests))).warnings
    )
    assert len(web.database.rows(FINGERPRINTS)) == len(set(digests))


def test_urls_without_a_scheme_are_taken_and_counted(web, write):
    path = write("a.csv", "url,digest\nb.com/x,x1\na.com,x1\nhttp://c.com/,x1\nindex.html,x1\n")
    result = web.load(path)
    assert result.warnings[0] == (
        f"{path}: 2 URLs have no scheme (such as 'a.com') and are read as http://"
    )
    assert web.database.rows("SELECT url FROM pages ORDER BY url") == [
        ("http://a.com/",), ("http://b.com/x",), ("http://c.com/",),
    ]  # fmt: skip
