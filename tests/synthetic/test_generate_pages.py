"""Generated pairs of pages: the same bytes again, labels as the papers say, and harder than any one
signal.

Tries families, family, generated_page, language, main_texts, new_sites, page_duplicates,
page_files, page_gold, page_links, page_look_alikes, page_noise, page_sites and page_synth_command,
too.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.learning import decision_tree
from replicadb.page_pairs.pair_list import read_pairs
from replicadb.page_pairs.signals import GROUPS, SIGNALS, compute
from replicadb.store.arrow import insert_arrow
from replicadb.synthetic.pages import page_files as files
from replicadb.synthetic.pages.generate_pages import CAUSES, LOOK_ALIKES, generate_pages
from replicadb.web.page_text import extract
from replicadb.web.terms import words

pytestmark = pytest.mark.slow

SEED = 11  # a development seed
HIGHER = tuple(name for name in SIGNALS if "same_" in name)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    generate_pages(folder, 800, SEED, "parquet")
    return folder


@pytest.fixture(scope="module")
def gold(made) -> pl.DataFrame:
    return pl.read_csv(made / "gold.csv").with_columns(pl.col("content_label").fill_null(""))


@pytest.fixture(scope="module")
def fetched(made) -> dict[str, str]:
    return dict(pl.read_parquet(made / "pages.parquet").select("url", "html").iter_rows())


@pytest.fixture(scope="module")
def shown(made, fetched) -> dict[str, tuple[str, str]]:
    """URL to where a browser ends and what it shows."""
    return {url: (url, html) for url, html in fetched.items()} | {
        url: (to, html) for url, to, html in pl.read_parquet(made / "rendered.parquet").iter_rows()
    }


def pairs(gold: pl.DataFrame, *causes: str) -> list[tuple[str, str]]:
    return gold.filter(pl.col("cause").is_in(causes)).select("url_a", "url_b").rows()


def host(url: str) -> str:
    return url.split("/")[2]


# -- files
# --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """Few pages, in a folder of each format."""
    folder = tmp_path_factory.mktemp("small")
    for fmt in ("warc", "parquet"):
        generate_pages(folder / fmt, 40, 5, fmt)
    return folder


def test_row_groups_hold_so_many_pages_and_change_none(small, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "GROUP_ROWS", 2)
    generate_pages(tmp_path, 40, 5, "parquet")
    for name in ("pages.parquet", "rendered.parquet"):
        whole, parts = (pq.ParquetFile(folder / name) for folder in (small / "parquet", tmp_path))
        sizes = [parts.metadata.row_group(i).num_rows for i in range(parts.metadata.num_row_groups)]
        assert (
            whole.read().equals(parts.read())
            and whole.metadata.num_row_groups == 1
            and set(sizes[:-1]) == {2}
            and 0 < sizes[-1] <= 2
        )


def contents(folder: Path) -> dict[str, bytes]:
    """By name; the command's own mark begins with a dot."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "."}


def test_another_seed_gives_other_bytes(small, tmp_path):
    generate_pages(tmp_path, 40, 6, "parquet")
    another, known = contents(tmp_path), contents(small / "parquet")
    assert len(known) == 3 and all(another[name] != known[name] for name in known)


def test_the_archive_has_the_responses_that_the_table_has(small):
    from warcio.archiveiterator import ArchiveIterator

    table = {
        row["url"]: row
        for row in pl.read_parquet(small / "parquet/pages.parquet").iter_rows(named=True)
    }
    found = 0
    with open(small / "warc/pages.warc.gz", "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response":
                continue
            row, body = table[record.rec_headers["WARC-Target-URI"]], record.content_stream().read()
            assert body.decode() == row["html"] and record.http_headers.get_statuscode() == "200"
            assert (
                record.rec_headers["WARC-IP-Address"] == row["ip"]
                and record.rec_headers["WARC-Date"] == f"{row['timestamp']:%Y-%m-%dT%H:%M:%SZ}"
            )
            assert (
                record.rec_headers["WARC-Payload-Digest"]
                == "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()
            )
            found += 1
    assert found == len(table)


@pytest.mark.parametrize(
    "options, message", [({"fmt": "csv"}, "warc, parquet"), ({"pages": 5}, "20 or more")]
)
def test_what_cannot_be_made_is_refused(tmp_path, options, message):
    with pytest.raises(UsageError, match=message):
        generate_pages(tmp_path / "made", **options)
    assert not (tmp_path / "made").exists()


def test_the_command_gives_the_same_bytes_and_overwrites_nobody_elses(cli, write, small):
    done = cli(*"pages synth made --pages 40 --seed 5".split())
    assert done.code == 0 and "duplicates; seed 5" in done.err
    assert done.out == "made/pages.warc.gz\nmade/rendered.parquet\nmade/gold.csv\n"
    assert contents(Path("made")) == contents(small / "warc") and len(contents(small / "warc")) == 3
    done = cli(*"pages synth made --pages 40 --seed 5 --format parquet --quiet".split())
    assert (done.code, done.err) == (0, "") and not Path("made/pages.warc.gz").exists()
    assert contents(Path("made")) == contents(small / "parquet")
    write("gold.csv", "mine")
    refused = cli("pages", "synth", ".", "--pages", 20)
    assert refused.code == 1 and refused.out == "" and Path("gold.csv").read_text() == "mine"
    assert (
        cli("pages", "synth", "other", "--format", "xml").code == 2 and not Path("other").exists()
    )


# -- pages and gold
# -----------------------------------------------------------------------------------------


def test_gold_has_every_pair_of_a_query_once(gold, fetched):
    assert gold.columns == ["url_a", "url_b", "label", "cause", "query", "content_label"]
    assert (
        (gold["url_a"] < gold["url_b"]).all()
        and gold.n_unique(["url_a", "url_b"]) == len(gold)
        and gold.equals(gold.sort("url_a", "url_b"))
    )
    for _, rows in gold.group_by("query"):
        n = len({*rows["url_a"], *rows["url_b"]})
        assert len(rows) == n * (n - 1) // 2
    assert {*gold["url_a"], *gold["url_b"]} <= set(fetched)


def test_every_cause_occurs_under_its_label(gold):
    assert set(gold.filter(pl.col("label") == "duplicate")["cause"]) == set(CAUSES)
    assert set(gold.filter(pl.col("label") == "not")["cause"]) == {*LOOK_ALIKES, "unrelated"}


def test_duplicates_hang_together(gold):
    """Equal looks are an equivalence: no page is a duplicate of two that are none of each other."""
    same = set(gold.filter(pl.col("label") == "duplicate").select("url_a", "url_b").rows())
    of: dict[str, set[str]] = {}
    for a, b in same:
        of.setdefault(a, set()).add(b)
        of.setdefault(b, set()).add(a)
    assert all(
        (min(b, c), max(b, c)) in same
        for others in of.values()
        for b in others
        for c in others
        if b != c
    )


def test_the_words_of_the_query_stand_on_both_pages_as_shown(gold, shown):
    """Of every third query."""
    third = gold["query"].unique(maintain_order=True)[::3].to_list()
    asked = [
        (url, query)
        for a, b, query in gold.select("url_a", "url_b", "query").iter_rows()
        for url in (a, b)
        if query in third
    ]
    seen = {url: set(words(shown[url][1])) for url in {url for url, _ in asked}}
    assert np.mean([set(words(query)) <= seen[url] for url, query in asked]) > 0.97


def test_pages_are_as_large_as_real_ones_in_several_scripts(fetched):
    size = sorted(len(html.encode()) for html in fetched.values() if len(html) > 4000)
    assert (
        20_000 < size[len(size) // 2] < 40_000
        and size[-1] > 45_000
        and size[len(size) // 50] < 14_000
    )
    languages = Counter(
        re.search('lang="(..)"', html)[1] for html in fetched.values() if 'lang="' in html
    )
    assert len(languages) >= 6 and languages["en"] > sum(languages.values()) / 2 and languages["zh"]


def test_a_redirect_shows_its_target_and_a_conditional_one_itself(made, gold, fetched, shown):
    for page in {page for pair in pairs(gold, "redirect") for page in pair if "/go-" in page}:
        to, html = shown[page]
        assert to in fetched[page] and to != page and html == fetched[to]
    conditional = [page for page in fetched if "MSIE 6" in fetched[page]]
    assert conditional and all(shown[page] == (page, fetched[page]) for page in conditional)


def test_a_frames_document_is_in_the_crawl_and_what_it_says_is_shown(fetched, shown):
    framed = {
        url: html.partition('frame src="')[2].partition('"')[0]
        for url, html in fetched.items()
        if "frame src=" in html
    }
    assert len(framed) > 5
    for url, inner in framed.items():
        said = re.search("<h1>.*?</h1>", fetched[inner])[0]
        assert (
            said in shown[url][1] and said not in fetched[url] and "frame src=" not in shown[url][1]
        )


def test_labels_follow_the_instructions(gold, fetched):
    text = lambda url: Counter(words(re.sub("<[^>]*>", " ", fetched[url].partition("<body")[2])))
    for a, b in pairs(gold, "printer"):
        assert any("print" in url for url in (a, b))
    direct = [
        pair
        for pair in pairs(gold, "sort order")
        if "?sort=" in pair[1] and pair[1].startswith(pair[0])
    ]
    assert direct
    for a, b in direct:
        assert (text(a) & text(b)).total() > 0.8 * text(a).total() and fetched[a] != fetched[b]
    login = {page for pair in pairs(gold, "login") for page in pair if "/member-" in page}
    assert login and all('type="password"' in fetched[page] for page in login)
    looks = pairs(gold, "other look")
    assert sum(host(a) != host(b) for a, b in looks) > 0.8 * len(looks)


def test_content_labels_speak_of_what_was_fetched(gold, fetched):
    empty = lambda url: "frame src=" in fetched[url] or len(fetched[url]) < 1500
    for a, b in gold.filter(pl.col("content_label") == "").select("url_a", "url_b").iter_rows():
        assert empty(a) or empty(b)
    counts = dict(
        gold.group_by("label", "content_label")
        .len()
        .select(pl.concat_list("label", "content_label").list.join(","), "len")
        .iter_rows()
    )
    assert (
        min(
            counts[key]
            for key in ("duplicate,duplicate", "duplicate,not", "not,duplicate", "not,not")
        )
        > 10
    )
    same = gold.filter(
        pl.col("cause").is_in(
            ["date", "counter", "advertisement", "legal", "printer", "mirror", "archive"]
        )
    )
    assert set(same["content_label"]) == {"duplicate"}


# -- how hard it is
# -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged(
    made, gold, shown, tmp_path_factory
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Every signal of the pairs of every third query, the labels, and a group for each query."""
    folder = tmp_path_factory.mktemp("judged")
    chosen = gold["query"].unique(maintain_order=True)[::3].to_list()
    asked = gold.filter(pl.col("query").is_in(chosen))
    asked.write_csv(folder / "gold.csv")
    pages = pl.read_parquet(made / "pages.parquet")
    pages.filter(pl.col("url").is_in([*asked["url_a"], *asked["url_b"]])).write_parquet(
        folder / "pages.parquet"
    )
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "pages.parquet", content=True)
        db = web.database
        rows = db.rows(
            "SELECT url_id, o.origin || u.path FROM page_contents JOIN urls AS u USING (url_id)"
            " JOIN origins AS o USING (origin_id)"
        )
        known = [
            (url_id, to, extract(html, "text/html", to))
            for url_id, url in rows
            for to, html in [shown[url]]
        ]
        whole = np.zeros(len(known), np.int32)
        insert_arrow(
            db,
            "rendered_pages",
            {
                "url_id": np.array([row[0] for row in known]),
                "final_url": np.array([row[1] for row in known], object),
                **{
                    name: np.array([getattr(content, name) for _, _, content in known], object)
                    for name in ("title", "text", "body")
                },
                "length": np.array([content.length for _, _, content in known]),
                "frames": whole,
                "redirects": whole,
                "missing": whole,
            },
        )
        found = read_pairs(db, folder / "gold.csv", labelled=True)
        assert len(found.label) > 500 and found.unknown == 0
        signals = compute(db, found)
    queries = {query: i for i, query in enumerate(dict.fromkeys(found.query))}
    return (
        signals,
        np.asarray(found.label == 1),
        np.array([queries[query] for query in found.query]),
    )


def best_f(values: np.ndarray, labels: np.ndarray) -> float:
    """F of the best threshold: of the pairs from each value on, the highest first."""
    known = np.where(np.isnan(values), -np.inf, values)
    order = np.argsort(-known)
    last_of_value = np.append(known[order][1:] != known[order][:-1], True)
    right = np.cumsum(labels[order])
    return float((2 * right / (np.arange(len(right)) + 1 + labels.sum()))[last_of_value].max())


def test_no_single_signal_tells_duplicates(judged):
    signals, labels, _ = judged
    assert set(SIGNALS) == set(signals)
    for name, values in signals.items():
        assert best_f(values if name in HIGHER else -values, labels) <= 0.85, name


def test_signals_together_tell_them_and_each_group_adds_to_the_others(judged):
    signals, labels, query = judged
    fold = np.random.default_rng(1).permutation(query.max() + 1)[query] % 5

    def f(*groups: str) -> float:
        values = np.column_stack([signals[name] for group in groups for name in GROUPS[group]])
        said = np.zeros(len(labels), bool)
        for k in range(5):
            said[fold == k] = decision_tree.fit(values[fold != k], labels[fold != k]).predict(
                values[fold == k]
            )
        return 2 * (said & labels).sum() / (said.sum() + labels.sum())

    fetched, rendered, snippets = f("F"), f("F", "R"), f("F", "R", "RS")
    best = max(
        best_f(values if name in HIGHER else -values, labels) for name, values in signals.items()
    )
    assert fetched + 0.05 < rendered and snippets >= 0.88 and snippets >= best + 0.05


def test_pages_of_one_content_link_to_much_the_same(tmp_path):
    made = generate_pages(tmp_path / "linked", 150, 4, "parquet", links=True)
    plain = generate_pages(tmp_path / "plain", 150, 4, "parquet")
    linked = pl.read_parquet(made.pages_file)
    assert made.gold_csv.read_bytes() == plain.gold_csv.read_bytes()
    ends = dict(
        linked.select("url", pl.col("html").str.extract(r"<ul>([^\n]*)</ul>\n</body>")).iter_rows()
    )
    links = {url: set(re.findall('href="([^"]*)"', found)) for url, found in ends.items() if found}
    known = set(linked["url"])
    assert len(links) > 60 and all(of <= known for of in links.values())
    shared = {True: [], False: []}
    for row in pl.read_csv(made.gold_csv).iter_rows(named=True):
        a, b = (links.get(row[name], set()) for name in ("url_a", "url_b"))
        if a and b and row["content_label"]:
            shared[row["content_label"] == "duplicate"].append(len(a & b) / len(a | b))
    assert np.mean(shared[True]) > 0.5 and np.mean(shared[False]) < 0.1
