"""Names below which any host answers as one site: against a slow reference, and by the command.

Tries wildcards_command, too.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict

import pytest

import replicadb
from replicadb.constant_tables import changed_constants
from replicadb.errors import DataError, UsageError
from replicadb.learning.intervals import wilson
from replicadb.stage_constants import ALIASES
from tests.conftest import rest_slow

Pages = dict[tuple[str, str], str]
"""Content by host and path."""
AGREE, COMPARED, CONTENTS = 0.9, 0.8, 3


@pytest.fixture
def crawl(write):
    """Write a CSV of pages and load it; gives an open database."""
    opened = []

    def load(pages: Pages, **options) -> replicadb.ReplicaDB:
        rows = [f"https://{host}{path},{content}" for (host, path), content in pages.items()]
        web = replicadb.open(":memory:", threads=1)
        opened.append(web)
        web.load(write("c.csv", "\n".join(["url,fingerprint", *rows]) + "\n"), **options)
        return web

    yield load
    for web in opened:
        web.close()


def thin(seed: int = 1) -> Pages:
    """500 hosts of three of the same 40 pages each; shops of one platform; new accounts that have
    nothing but a default page; two sites that are each others' mirrors.
    """
    draw, pages = random.Random(seed), {}
    for n in range(500):
        for page in draw.sample(range(40), 3):
            pages[f"h{n:03}x.wild.example.org", f"/p{page}"] = f"w{page}"
    for n in range(60):
        host = f"shop{n}.platform.com"
        pages |= {(host, f"/{name}"): name for name in ("terms", "privacy", "faq")}
        pages[host, "/"] = f"home of {n}"
    pages |= {(f"t{n}.hosting.net", "/"): "default" for n in range(30)}
    pages |= {("mail.wild.example.org", f"/p{n}"): f"mail{n}" for n in (1, 2)}
    pages |= {(f"{www}two.org", f"/{n}"): f"two{n}" for www in ("", "www.") for n in range(9)}
    return pages


def test_hosts_too_thin_to_judge_by_pairs_are_a_wildcard_together(crawl):
    (rule,) = crawl(thin()).wildcards().rules
    assert (rule.pattern, rule.name) == ("*.wild.example.org", "h000x.wild.example.org")
    assert (rule.hosts, rule.compared, rule.alike) == (501, 501, 500)
    assert (rule.exceptions, rule.contents) == (["mail.wild.example.org"], 40)
    assert (rule.pages, rule.pages_compared, rule.pages_agree) == (1502, 1502, 1500)
    row = rule.row()
    assert (row["exceptions"], row["error"]) == (1, 1 / 501)
    assert row["error_at_most"] == wilson(1, 501)[1]


def reference(pages: Pages, least: int, most: float) -> dict[str, tuple[int, list[str]]]:
    """Alike hosts and exceptions by name, before nested names are looked at; page by page."""
    hosts = {host for host, _ in pages}
    names = {".".join(h.split(".")[i:]) for h in hosts for i in range(1, h.count("."))}
    found = {}
    for name in names:
        below = {host for host in hosts if host.endswith(f".{name}")}
        at: dict[str, Counter[str]] = defaultdict(Counter)
        for (host, path), content in pages.items():
            if host in below:
                at[path][content] += 1
        alike, exceptions, compared_pages = [], [], 0
        for host in sorted(below):
            own = {path: c for (h, path), c in pages.items() if h == host}
            compared = [path for path in own if sum(at[path].values()) > 1]
            agree = [p for p in compared if at[p][own[p]] == max(at[p].values()) > 1]
            compared_pages += len(compared)
            if compared:
                (alike if len(agree) >= AGREE * len(compared) else exceptions).append(host)
        usual = {max(c, key=c.__getitem__) for c in at.values() if max(c.values()) > 1}
        if (
            len(alike) >= least
            and len(exceptions) <= most * (len(alike) + len(exceptions)) + 1e-9
            and compared_pages >= COMPARED * sum(host in below for host, _ in pages)
            and len(usual) >= CONTENTS
        ):
            found[name] = (len(alike), exceptions)
    return found


@pytest.mark.parametrize("seed", rest_slow(range(6)))
def test_it_is_what_page_by_page_gives(crawl, seed):
    """Contents that are usual in equal numbers do not occur: which counts then is not said."""
    draw, pages = random.Random(seed), {}
    rates = {"a": (0, 0), "b": (0.03, 0.2), "c": (0.2, 0.1), "d": (0, 0.6)}
    for domain, (changed, own) in ((f"{letter}.org", of) for letter, of in rates.items()):
        for n in range(draw.randint(4, 25)):
            for page in draw.sample(range(12), draw.randint(1, 6)):
                host = f"h{n}.{domain}"
                content = f"{domain}{page}" if draw.random() >= changed else f"{host}{page}"
                path = f"/{page}" if draw.random() >= own else f"/own/{host}{page}"
                pages[host, path] = content
    rules = crawl(pages).wildcards(min_hosts=4, max_error=0.2).rules
    expected = reference(pages, 4, 0.2)
    assert expected and len(expected) < 4
    assert {rule.pattern[2:]: (rule.alike, rule.exceptions) for rule in rules} == expected


def site(host: str, key: str = "x", n: int = 4) -> Pages:
    return {(host, f"/{page}"): f"{key}{page}" for page in range(n)}


@pytest.mark.slow
def test_of_nested_names_the_narrower_where_it_has_all_and_else_the_wider(crawl):
    pages: Pages = {}
    for n in range(6):
        pages |= site(f"h{n}.all.one.org") | site(f"h{n}.some.two.org") | site(f"g{n}.two.org")
        pages |= site(f"h{n}.bare.three.org")
    pages |= site("bare.three.org") | site("three.org", "other") | site("all.one.org", "other")
    rules = {rule.pattern: rule for rule in crawl(pages).wildcards(max_error=0.2).rules}
    assert [*rules] == ["*.two.org", "*.all.one.org", "*.bare.three.org"]
    assert rules["*.bare.three.org"].name == "bare.three.org"
    assert rules["*.all.one.org"].name == "h0.all.one.org"  # the bare name is another site


@pytest.mark.slow
def test_www_stands_for_all_where_the_name_itself_does_not(crawl):
    pages = site("www.x.org", n=3)
    for n in range(6):
        pages |= site(f"a{n}.x.org", n=4)
    (rule,) = crawl(pages | site("x.org", "other")).wildcards().rules
    assert rule.name == "www.x.org"
    (rule,) = crawl(pages | site("x.org")).wildcards().rules
    assert rule.name == "x.org"


@pytest.mark.parametrize(
    "asked",
    ["bücher.example.org", "*.BÜCHER.example.org", "https://bücher.example.org/", "a1.bücher.de"],
)
def test_a_wildcard_is_asked_for_by_its_name_of_which_no_page_is_known(crawl, asked):
    pages = {}
    for n in range(6):
        pages |= site(f"a{n}.bücher.example.org") | site(f"a{n}.bücher.de", "y")
    expected = "bcher-kva.de" if asked.endswith(".de") else "bcher-kva.example.org"
    rules = crawl(pages).wildcards(asked).rules
    assert [rule.pattern for rule in rules] == [f"*.xn--{expected}"]


def test_a_wildcard_is_asked_for_by_its_name_that_is_no_copy(crawl):
    pages = site("shop.example.org", "own")
    for n in range(6):
        pages |= site(f"a{n}.shop.example.org")
    (rule,) = crawl(pages).wildcards("shop.example.org").rules
    assert (rule.pattern, rule.name) == ("*.shop.example.org", "a0.shop.example.org")


@pytest.mark.slow
def test_files_do_not_count_and_a_path_counts_once_a_host(crawl, write):
    pages: Pages = {}
    for n in range(6):
        pages |= {(f"a{n}.x.org", f"/{name}.css"): name for name in "abcd"}
    assert not crawl(pages).wildcards().rules
    pages = {}
    for n in range(6):
        pages |= site(f"a{n}.x.org") | site(f"a{n}.x.org:8080")
    (rule,) = crawl(pages).wildcards().rules
    assert (rule.pages, rule.hosts) == (24, 6)


def test_what_a_detection_took_for_one_content_is_one(crawl):
    web = crawl({(f"a{n}.x.org", f"/{page}"): f"{n}-{page}" for n in range(6) for page in range(4)})
    assert not web.wildcards().rules
    web.database.execute(
        "INSERT INTO near_contents SELECT url_id, 'near:minhash', path FROM page_urls"
    )
    (rule,) = web.wildcards().rules
    assert rule.alike == 6


def test_a_number_of_hosts_that_is_meant_for_families_stops_no_wildcards(crawl):
    pages = {(f"{host}.site.org", f"/{n}"): f"c{n}" for host in "ab" for n in range(3)}
    web = crawl(pages | {("c.site.net", f"/{n}"): f"c{n}" for n in range(3)})
    with changed_constants(ALIASES, {"min_hosts": 1}):
        assert [rule.pattern for rule in web.wildcards().rules] == ["*.site.org"]


@pytest.mark.slow
def test_bad_input_is_one_line(crawl):
    web = crawl(site("a.x.org"))
    with pytest.raises(UsageError, match="max_error is 1; give a share"):
        web.wildcards(max_error=1)
    with pytest.raises(UsageError, match="min_hosts is 1; give 2 or more"):
        web.wildcards(min_hosts=1)
    with pytest.raises(DataError, match=r"no host b\.x\.org here"):
        web.wildcards("b.x.org")
    with pytest.raises(DataError, match="its sites are no hosts"):
        crawl(site("a.x.org"), site="domain").wildcards()
    with (
        replicadb.open(":memory:", threads=1) as empty,
        pytest.raises(DataError, match="no URLs in it yet"),
    ):
        empty.wildcards()


@pytest.mark.slow
def test_the_command_says_cost_and_rules(cli, write, tmp_path):
    rows = [f"https://{host}{path},{content}" for (host, path), content in thin().items()]
    db = tmp_path / "w.duckdb"
    cli("load", db, write("c.csv", "\n".join(["url,fingerprint", *rows]) + "\n"), "-q")
    answer = cli("wildcards", db)
    assert answer.code == 0 and answer.out.splitlines()[2].startswith("*.wild.example.org  h000x.")
    assert answer.err.startswith("591 hosts below names with enough others; ")
    assert answer.err.endswith("\n1 wildcard: 500 alike hosts, 1 exception\n")
    one = json.loads(cli("wildcards", db, "--host", "MAIL.wild.example.org", "--json", "-q").out)
    assert [rule["exceptions"] for rule in one["wildcards"]] == [["mail.wild.example.org"]]
    assert "no wildcard: below no name" in cli("wildcards", db, "--host", "two.org").err
    cli("wildcards", db, tmp_path / "w.csv", "-q")
    assert (tmp_path / "w.csv").read_text().startswith("pattern,name,hosts,compared,alike,")
    assert cli("wildcards", db, tmp_path / "w.csv", "--json").code == 2
