"""Small crawls that rewrite rules are learned from, and rules of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from replicadb.rewrite import Rewriter, Rule, RuleSet, rule_learning
from replicadb.store.database import Database

HOST = "a.example"


PAGES = range(8)


PLANTED = {
    "param": (
        [f"/p{i}?id={i}" for i in PAGES],
        [f"/p{i}?id={i}&zq={i * 7 + 1}" for i in PAGES],
        "param zq",
    ),
    "order": ([f"/p?a={i}&b=1" for i in PAGES], [f"/p?b=1&a={i}" for i in PAGES], "order "),
    "slash": ([f"/d/p{i}" for i in PAGES], [f"/d/p{i}/" for i in PAGES], "slash "),
    "index": ([f"/d{i}/" for i in PAGES], [f"/d{i}/start.php" for i in PAGES], "index start.php"),
    "case": ([f"/page{i}" for i in PAGES], [f"/Page{i}" for i in PAGES], "case "),
    "matrix": ([f"/p{i}" for i in PAGES], [f"/p{i};sess=x{i}" for i in PAGES], "matrix sess"),
    "segment": ([f"/p{i}/x" for i in PAGES], [f"/print/p{i}/x" for i in PAGES], "segment print"),
    "segment_like": (
        [f"/p{i}/x" for i in PAGES],
        [f"/{i}a7f3e{i}b1c/p{i}/x" for i in PAGES],
        "segment_like hex",
    ),
    "replace": (
        [f"/story/{i}" for i in PAGES],
        [f"/story_id/{i}" for i in PAGES],
        "replace story_id",
    ),
    "suffix": (
        [f"/a{i}.html" for i in PAGES],
        [f"/a{i}_print.html" for i in PAGES],
        "suffix _print",
    ),
    "extension": ([f"/a{i}" for i in PAGES], [f"/a{i}.html" for i in PAGES], "extension html"),
    "to_path": (
        [f"/story/{i}" for i in PAGES],
        [f"/story?story_id={i}" for i in PAGES],
        "to_path story_id",
    ),
    "swap": ([f"/en/news{i}" for i in PAGES], [f"/news{i}/en" for i in PAGES], "swap "),
}


EVERY = (
    Rule("case"),
    Rule("matrix", name="s"),
    Rule("segment", name="p", position=1),
    Rule("segment_like", HOST, name="digits", position=1),
    Rule("segment_like", HOST, name="hex", position=2),
    Rule("replace", name="bb", value="a", position=1),
    Rule("swap", position=1),
    Rule("swap", position=2),
    Rule("suffix", name="-p"),
    Rule("extension", name="html", value="htm"),
    Rule("extension", name="php"),
    Rule("to_path", name="i"),
    Rule("index", name="index.htm"),
    Rule("slash"),
    Rule("param", name="s"),
    Rule("param_is", name="p", value="1"),
    Rule("order"),
    Rule("scheme", HOST),
    Rule("www", f"www.{HOST}"),
)
SEGMENTS = st.sampled_from(
    [
        "a",
        "bb",
        "p",
        "B-p",
        "x-p.html",
        "12345",
        "0a1b2c3d4e",
        "index.htm",
        "q.php",
        "",
        "c;s=1",
        "%2f",
    ]
)


ITEMS = st.sampled_from(["s=1", "p=1", "p=2", "i=7", "i=bb", "z", "a=", "=b", "s"])


URLS = st.builds(
    lambda scheme, host, path, query: (
        f"{scheme}://{host}/" + "/".join(path) + ("?" + "&".join(query) if query else "")
    ),
    st.sampled_from(["http", "https"]),
    st.sampled_from([HOST, f"www.{HOST}", "b.example"]),
    st.lists(SEGMENTS, max_size=5),
    st.lists(ITEMS, max_size=5),
)


def table(rows: list[tuple[str, str]]) -> str:
    return "url,fingerprint\n" + "".join(f'"{url}",{content}\n' for url, content in rows)


def with_and_without(host: str, paths: list[str], query: str, contents: str = "") -> list:
    """Each path of the host with the query and without, both of one content."""
    return [
        (f"http://{host}{path}{q}", f"{contents or host}{path}")
        for path in paths
        for q in ("", query)
    ]


def pages(letter: str, n: int = len(PAGES)) -> list[str]:
    return [f"/{letter}{i}" for i in range(n)]


def loaded(web, write, rows: list[tuple[str, str]]) -> Database:
    web.load(write("crawl.csv", table(rows)))
    return web.database


def rules_of(db, **options) -> RuleSet:
    with db.transaction():
        return rule_learning.learn(db, **options)


def site(kind: str) -> str:
    """The site on which a rule of this kind is planted, where all of them are in one crawl."""
    return f"http://{kind.replace('_', '-')}.example"


PLANTED_ROWS = [
    (f"{site(kind)}{path}", f"{kind}{i}")
    for kind, (plain, copies, _) in PLANTED.items()
    for paths in (plain, copies)
    for i, path in enumerate(paths)
]


def rewritten(url: str, *rules: Rule) -> str:
    return Rewriter(RuleSet(rules)).canonical(url)
