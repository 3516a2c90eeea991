"""One JSON document of URLs: arrays, and answers of Elasticsearch; whole, cut off and broken."""

from __future__ import annotations

import json

import pytest

from replicadb.errors import DataError
from replicadb.readers.formats import recognise

from .tables import captures, problems

PAGES = "SELECT url, fingerprint FROM pages ORDER BY url"
REJECTS = "SELECT position, reason FROM rejects ORDER BY position"
ROWS = [(f"http://a.com/{n}", f"x{n}") for n in range(4)]
HITS = [
    {"_index": "p", "_id": str(n), "_source": {"url": url, "digest": digest, "s": '}]"{['}}
    for n, (url, digest) in enumerate(ROWS)
]
ANSWER = {
    "took": 1,
    "_shards": {"total": 1, "failures": [{"reason": {"type": "x"}}]},
    "hits": {"total": {"value": 4, "relation": "eq"}, "max_score": None, "hits": HITS},
    "aggregations": {"by": {"buckets": [{"key": "url"}]}},
}
SOLR = {
    "responseHeader": {"status": 0, "params": {"q": "*:*"}},
    "response": {
        "numFound": 4,
        "start": 0,
        "docs": [{"url": url, "digest": [digest], "s": '}]"{['} for url, digest in ROWS],
    },
    "facet_counts": {"facet_fields": {"url": ["x", 1]}},
}
SERVICE = {
    "success": True,
    "total": 4,
    "data": [
        {"metadata": {"sourceURL": url, "links": [{"a": 1}]}, "digest": digest}
        for url, digest in ROWS
    ],
}
ARRAY = [{"url": url, "digest": digest} for url, digest in ROWS]
CDX = [["original", "digest"], *map(list, ROWS)]
DOCUMENTS = {"answer": ANSWER, "solr": SOLR, "service": SERVICE, "array": ARRAY, "cdx": CDX}


@pytest.mark.parametrize("indent", [2, None])
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_is_read_however_it_is_laid_out(staged, write, document, indent):
    path = write("a.json", "\ufeff\n" + json.dumps(document, indent=indent))
    assert recognise(path) == "jsonl"
    rows = staged(path)
    assert captures(rows) == ROWS and problems(rows) == []


def test_answers_may_follow_each_other_as_scrolling_gives_them(staged, write):
    pages = [ANSWER | {"hits": {"hits": HITS[at : at + 2]}} for at in (0, 2)]
    rows = staged(write("a.json", "\n".join(map(json.dumps, pages))))
    assert captures(rows) == ROWS and problems(rows) == []


def test_an_object_a_line_is_no_document(write):
    lines = json.dumps({"hits": {"a": [1]}, "url": "http://a.com/"}) + "\n{}"
    assert recognise(write("a.jsonl", lines)) == "jsonl"


def test_an_object_a_line_with_a_url_of_its_own_is_a_row_whatever_else_it_has(staged, write):
    lines = [{"n": 1, "results": [{"url": "x"}], "uri": url, "digest": of} for url, of in ROWS]
    rows = staged(write("a.jsonl", "\n".join(map(json.dumps, lines))))
    assert captures(rows) == ROWS and problems(rows) == []


@pytest.mark.parametrize("indent", [2, None])
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_cut_off_it_loses_one_item_which_is_told(staged, write, document, indent):
    text = json.dumps(document, indent=indent)
    cut = text[: text.rindex('"x3"') + 2]
    rows = staged(write("a.json", cut))
    assert captures(rows) == ROWS[:3]
    assert len(rows) == 4 and [reason for *_, reason in problems(rows)] == ["broken JSON"]


def test_cut_off_behind_its_items_it_loses_nothing(staged, write):
    text = json.dumps(ANSWER)
    rows = staged(write("a.json", text[: text.index('"key"')]))
    assert captures(rows) == ROWS and problems(rows) == []


@pytest.mark.slow
def test_what_is_broken_inside_costs_its_item(web, write):
    web.load(write("a.json", json.dumps(ARRAY).replace('"x1"', "nothing")))
    assert web.database.rows(PAGES) == [ROWS[0], *ROWS[2:]]
    assert web.database.rows(REJECTS) == [(2, "broken JSON")]


def test_another_encoding_loses_nothing(staged, write):
    text = json.dumps(ARRAY, ensure_ascii=False).replace("a.com/3", "a.com/é")
    rows = staged(write("a.json", text.encode("latin-1")))
    assert len(captures(rows)) == 4 and problems(rows) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"url": "http://a', "there is no whole item in it"),
        ('{"took": 1, "hits": {"total": 0, "hits": []}}', "there is no item in it to load"),
        ("[]", "there is no item in it to load"),
        ('{"response": {"numFound": 0, "docs": []}}', "there is no item in it to load"),
        ('{"hits": {"hits": [{"_source": {"adress": 1}}]}}', "no URL column among"),
    ],
)
def test_where_nothing_is_there_it_says_so_in_one_line(staged, write, text, said):
    with pytest.raises(DataError, match=said) as error:
        staged(write("a.json", text))
    assert "\n" not in str(error.value)
