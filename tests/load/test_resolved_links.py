"""What pages link to in one normal form, against a reference that takes the links one by one."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import replicadb
from replicadb.web.urls import join, parse_url

from .loaded import outlinks, rows

# -- one normal form
# ---------------------------------------------------------------------------------------

TARGETS = [
    ("http://b.com/x", "http://b.com/x"),
    ("http://B.com", "http://b.com/"),
    ("HTTP://b.com:80/x#part", "http://b.com/x"),
    ("https://b.com:443/", "https://b.com/"),
    ("//b.com/x", "http://b.com/x"),
    ("\\\\b.com\\x", "http://b.com/x"),
    ("/\\b.com/x", "http://b.com/x"),
    ("/x", "http://a.com/x"),
    ("\\x", "http://a.com/x"),
    ("y", "http://a.com/d/e/y"),
    ("./y", "http://a.com/d/e/y"),
    ("../y", "http://a.com/d/y"),
    ("../../y", "http://a.com/y"),
    ("../../../../y", "http://a.com/y"),
    ("../y/../z", "http://a.com/d/z"),
    ("..", "http://a.com/d/"),
    (".", "http://a.com/d/e/"),
    ("../", "http://a.com/d/"),
    ("?q=2", "http://a.com/d/e/p?q=2"),
    ("y?u=http://c.com/", "http://a.com/d/e/y?u=http://c.com/"),
    (" \n/x\t ", "http://a.com/x"),
    ("http://münchen.de/ä", "http://xn--mnchen-3ya.de/%C3%A4"),
    ("http://user:pw@b.com/", "http://b.com/"),
    ("http://b.com\\x\\y", "http://b.com/x/y"),
    ("http://b.com/%2e%2e/x", "http://b.com/x"),
    ("a b", "http://a.com/d/e/a%20b"),
    ("http://b.com/<script>", "http://b.com/%3Cscript%3E"),
    ("http:y", "http://a.com/d/e/y"),
    ("HTTP:/y", "http://a.com/y"),
    ("http:?q", "http://a.com/d/e/p?q"),
    ("https:b.com", "https://b.com/"),
    ("http:", None),
    ("http:\\b.com", "http://a.com/b.com"),
    ("http:\\\\b.com", "http://b.com/"),
    ("a//b", "http://a.com/d/e/a//b"),
    ("x:y" * 3, None),
    ("mailto:a@b.com", None),
    ("JavaScript:void(0)", None),
    ("data:text/html,hi", None),
    ("tel:1", None),
    ("", None),
    ("#top", None),
    (" ", None),
    ("http://", None),
    ("http://b.com:99999/", None),
    ("http://x y.com/", None),
    ("http://b.com/\x00", None),
    ("\x00", None),
    ("[object Object]", None),
    ('{"a": 1}', None),
    ("<a href=x>", None),
    ("http://b.com/" + "x" * 70_000, None),
    ("x" * 1_000_000, None),
    ("http://b..com/", None),
]


@pytest.fixture(scope="module")
def resolved(tmp_path_factory):
    """All of TARGETS, the n-th on a page of site h<n>.com in a load of two files; what the load
    said, and the links.
    """
    folder = tmp_path_factory.mktemp("targets")
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        paths = [folder / name for name in ("links.parquet", "none.parquet")]
        for path, wanted in zip(paths, (True, False), strict=True):
            given = [
                (n, href) for n, (href, target) in enumerate(TARGETS) if bool(target) == wanted
            ]
            pq.write_table(
                pa.table(
                    {
                        "url": [f"http://h{n}.com/d/e/p?q=1" for n, _ in given],
                        "links": [[href] for _, href in given],
                    }
                ),
                path,
            )
        result = web.load(*paths)
        query = "SELECT host, origin || path, pages FROM outlinks JOIN hosts USING (host_id)"
        found = rows(web, query)
        yield web, result, found


@pytest.mark.parametrize("n", range(len(TARGETS)), ids=[repr(href[:20]) for href, _ in TARGETS])
def test_a_link_is_resolved_against_its_page_or_left_out(resolved, n):
    target = TARGETS[n][1]
    found = [link for host, *link in resolved[2] if host == f"h{n}.com"]
    if target and target.startswith("http://a.com/"):
        target = target.replace("a.com", f"h{n}.com", 1)
    assert found == ([[target, 1]] if target else [])


def test_every_link_is_counted_as_found_or_as_left_out(resolved):
    web, result, _ = resolved
    found = sum(bool(target) for _, target in TARGETS)
    assert result.links == {
        "redirect": 0,
        "canonical": 0,
        "link": found,
        "left_out": len(TARGETS) - found,
    }
    assert rows(
        web, "SELECT source[-12:], sum(n) FROM link_skips JOIN sources USING (source_id) GROUP BY 1"
    ) == [("none.parquet", len(TARGETS) - found)]


SEGMENT = st.sampled_from(
    ["", "a", "B", ".", "..", "x.html", "%41", "%2e%2E", "é", "a b", "~", "a;b"]
)
HREF = st.one_of(
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(["", "/"]),
        st.lists(SEGMENT, min_size=1, max_size=5).map("/".join),
        st.sampled_from(["", "/"]),
        st.sampled_from(["", "?", "?q=/../1", "#f", "?q#f"]),
    ),
    st.builds(
        "{}{}".format,
        st.sampled_from(
            [
                "http://a.com",
                "https://A.com",
                "//b.com",
                "HTTP://b.com:80",
                "http://b.com:8080",
                "http://[::1]",
            ]
        ),
        st.sampled_from(["", "/", "/a", "/a/../b", "/a#f", "/B?x"]),
    ),
    st.sampled_from(["mailto:x", "?", "?q", "#", "http://..", "a:b", "tel:1"]),
)
PAGE = st.tuples(
    st.sampled_from(
        ["http://a.com", "https://a.com", "http://b.com", "http://c.com", "https://c.com"]
    ),
    st.sampled_from(["/", "/a", "/a/", "/a/b?c=/d/e", "/x/y/z/w", "/b//", "/%41;b", "/a/b/?"]),
    st.lists(HREF, max_size=8),
)


def reference(given: list[tuple[str, str, list[str]]]) -> tuple[dict[tuple, int], int]:
    """Pages a site and target, and what is left out: a page and a link at a time."""
    counted: dict[tuple, int] = {}
    left = 0
    for origin, path, hrefs in {
        (origin, path): (origin, path, hrefs) for origin, path, hrefs in given
    }.values():
        seen = set()
        for href in hrefs:
            text = href.split("#")[0]
            target = parse_url(join(origin + path, text)) if text else (None,)
            if target[0] is None or target[:3] in seen:
                left += 1
                continue
            seen.add(target[:3])
            key = (origin.split("/")[2], target[1], target[0] + target[2])
            counted[key] = counted.get(key, 0) + 1
    return counted, left


JOINED = [
    ("http:x", "http://a.com/d/x"),
    ("", "http://a.com/d/e?q"),
    ("#f", "http://a.com/d/e?q"),
    ("?", "http://a.com/d/e?"),
    ("x//y?", "http://a.com/d/x//y?"),
    ("\\\\b.com", "http://b.com"),
    ("https:b", "https:b"),
    ("//b", "http://b"),
    ("/..", "http://a.com/.."),
]


@pytest.mark.parametrize(("reference", "joined"), JOINED)
def test_a_redirect_is_joined_to_its_url_as_browsers_do(reference, joined):
    assert join("http://a.com/d/e?q", reference) == joined


@pytest.mark.slow
@settings(
    max_examples=2,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(
    given=st.lists(PAGE, min_size=30, max_size=100, unique_by=lambda page: page[:2])
)  # few examples of many pages: a load has its price
def test_links_are_those_of_a_reference_that_takes_them_one_by_one(tmp_path_factory, given):
    path = tmp_path_factory.mktemp("links") / "crawl.parquet"
    pq.write_table(
        pa.table(
            {
                "url": [origin + rest for origin, rest, _ in given],
                "links": pa.array([links for *_, links in given], pa.list_(pa.string())),
            }
        ),
        path,
    )
    with replicadb.open(path.with_name("web.duckdb"), threads=1) as web:
        result = web.load(path)
        counted, left = reference(given)
        assert {row[:3]: row[3] for row in outlinks(web)} == counted
        assert result.links["left_out"] == left and result.links["link"] == sum(counted.values())
