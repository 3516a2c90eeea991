"""A digest that most rows have and that is none: named, and not taken for content."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

NOTE = "and is not taken for content; if it is, say --column fingerprint=NAME"


def crawl(digests: list[str], name: object) -> str:
    rows = (f"http://a{n}.{name}.com/{n},{digest}" for n, digest in enumerate(digests))
    return "\n".join(["url,digest", *rows])


def fingerprints(web) -> dict[str, set[str]]:
    """By file."""
    found = web.database.rows("""SELECT source, list(DISTINCT fingerprint) FROM pages
        WHERE fingerprint IS NOT NULL GROUP BY source""")
    return {Path(source).stem: set(of) for source, of in found}


@pytest.mark.slow
def test_one_value_without_a_digests_form_on_most_rows_is_no_content(web, write):
    paths = {
        constant: write(f"{constant}.csv", crawl([constant] * 15 + ["x2", "x3"] * 4, constant))
        for constant in ("x1", "12345")
    }
    result = web.load(*paths.values())
    for constant, path in paths.items():
        assert f"{path}: the digest {constant!r} stands on 15 rows {NOTE}" in result.warnings
        assert fingerprints(web)[constant] == {"x2", "x3"}
    web.load(*paths.values(), columns={"fingerprint": "digest"}, force=True)
    assert fingerprints(web) == {constant: {constant, "x2", "x3"} for constant in paths}


@pytest.mark.slow
def test_words_for_no_digest_are_none_however_few_they_are(web, write):
    words = dict(enumerate(["N/A", "0"]))
    files = [write(f"{n}.csv", crawl([word, word, "x1"], n)) for n, word in words.items()]
    result = web.load(*files)
    for n, word in words.items():
        assert f"the digest {word!r} stands on 2 rows" in result.warnings[n]
    assert fingerprints(web) == {str(n): {"x1"} for n in words}


@pytest.mark.slow
def test_content_that_many_rows_share_stays_content(web, write):
    crawls = {
        "half": ["x1"] * 10 + ["x2"] * 10,
        "few": ["x1"] * 19,
        "parked": [hashlib.sha1(b"parked").hexdigest()] * 30 + ["x1"],
    }
    result = web.load(*(write(f"{name}.csv", crawl(of, name)) for name, of in crawls.items()))
    assert not any("stands on" in text for text in result.warnings)
    assert fingerprints(web) == {name: set(of) for name, of in crawls.items()}


def test_urls_without_a_scheme_are_taken_and_counted(web, write):
    path = write("a.csv", "url,digest\nb.com/x,x1\na.com,x1\nhttp://c.com/,x1\nindex.html,x1\n")
    result = web.load(path)
    assert result.warnings[0] == (
        f"{path}: 2 URLs have no scheme (such as 'a.com') and are read as http://"
    )
    assert web.database.rows("SELECT url FROM pages ORDER BY url") == [
        ("http://a.com/",), ("http://b.com/x",), ("http://c.com/",),
    ]  # fmt: skip
    path = write("one.csv", "url,digest\nd.com,x1\nhttp://c.com/,x1\n")
    assert web.load(path).warnings[0] == (
        f"{path}: 1 URL has no scheme (such as 'd.com') and is read as http://"
    )
