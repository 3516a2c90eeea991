"""Files of pairs, and the command that gives their signals.

Tries page_signals_command and pair_files, too.
"""

from __future__ import annotations

import csv
import io

import pytest
from page_database import with_pages

from replicadb.errors import DataError
from replicadb.page_pairs import signals
from replicadb.page_pairs.pair_list import read_pairs

from .drawn_pages import pages


def test_urls_count_in_normal_form_and_unknown_ones_are_counted(web, write):
    with_pages(
        web,
        [
            {"url": "http://www.a.com/x", "text": "one two"},
            {"url": "http://b.com/y?q=1", "text": "one two"},
        ],
    )
    path = write(
        "pairs.csv",
        "URL_A,url_b,label\nHTTP://WWW.A.com:80/./x#top,http://b.com/y?q=1,1\nhttp://gone.com/,not"
        " a url,0\nhttp://gone.com/,http://b.com/y?q=1,perhaps\n",
    )
    pairs = read_pairs(web.database, path)
    assert pairs.a_id.tolist() == [1, -1, -1] and pairs.b_id.tolist() == [2, -1, 2]
    assert pairs.unknown == 2 and pairs.label.tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,b\n1,2\n", "url_a"),
        ("url_a,url_b\nx,y\n", "label"),
        ("url_a,url_b,label\nx,y,1\n", "both kinds"),
        ("url_a,url_b,label\nx,y,1\nx\n", "line 3 has 1 cell where the header has 3"),
        ("url_a,url_b,label\nx,y,1,z\n", "line 2 has 4 cells where the header has 3"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(web, write, text, what):
    with pytest.raises(DataError, match=what):
        read_pairs(web.database, write("pairs.csv", text), labelled=True)


def test_a_pair_with_both_labels_is_refused_by_name(web, write):
    with_pages(web, [{"url": f"http://{host}.com/", "text": host} for host in "abc"])
    rows = "http://a.com/,http://b.com/,1\nhttp://c.com/,http://b.com/,0\n"
    more = "http://a.com/,http://gone.com/,0\nhttp://a.com/,http://gone.com/,1\n"
    twice = rows + more + "http://B.com/,http://a.com/,duplicate\n"
    path = write("pairs.csv", "url_a,url_b,label\n" + twice)
    assert len(read_pairs(web.database, path, labelled=True)) == 5
    write("pairs.csv", f"url_a,url_b,label\n{twice}http://b.com/,http://a.com/,not\n")
    said = "http://a.com/ and http://b.com/ are labelled duplicate and not; leave one label"
    with pytest.raises(DataError, match=said):
        read_pairs(web.database, path, labelled=True)
    assert len(read_pairs(web.database, path)) == 6


def test_named_columns_count_in_any_case_and_must_be_there(web, write):
    path = write("pairs.csv", "url_a,url_b,Truth,Question\nhttp://a.com/,http://b.com/,1,x\n")
    for query, label in (("Question", "Truth"), ("question", "TRUTH")):
        pairs = read_pairs(web.database, path, query=query, label=label)
        assert pairs.query == ["x"] and pairs.label.tolist() == [1]
    assert read_pairs(web.database, path).query is None
    with pytest.raises(DataError, match=r"no column asked, .*url_a, url_b, truth, question"):
        read_pairs(web.database, path, query="asked")


@pytest.mark.slow
def test_the_command_writes_csv_and_tells_what_it_does_not_know(web, write, cli):
    made = pages(1, 2)
    with_pages(web, made)
    web.close()
    path = write(
        "pairs.csv",
        f"url_a,url_b,query\n{made[0]['url']},{made[1]['url']},word1\n"
        f"http://no.where/,{made[0]['url']},word1\n",
    )
    answer = cli("pages", "signals", "web.duckdb", path)
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert (answer.code == 0 and [row["engine"] for row in rows] == ["zlib-6"] * 2) or "ng" in rows[
        0
    ]["engine"]
    assert list(rows[0])[:3] == ["url_a", "url_b", "query"] and list(rows[0])[3:-1] == list(
        signals.SIGNALS
    )
    assert (
        rows[0]["same_domain"] == "1"
        and rows[0]["rendered_mcd"] == ""
        and 0 < float(rows[0]["tfidf"]) < 0.5
    )
    assert set(list(rows[1].values())[3:-1]) == {""}
    assert "1 URL of the pairs is not in the database" in answer.err


def test_without_content_the_command_says_what_to_do(cli, crawled, write):
    answer = cli("pages", "signals", crawled, write("pairs.csv", "url_a,url_b\n"))
    assert (
        answer.code == 1 and "--content" in answer.err and len(answer.err.strip().splitlines()) == 1
    )
