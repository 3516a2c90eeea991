"""Snippets, as the papers cut them."""

from __future__ import annotations

from replicadb.page_pairs.snippets import LONGEST, REACH, snippet


def test_snippets_are_the_text_around_the_querys_words():
    terms = [f"t{i}" for i in range(1000)]
    terms[500] = "needle"
    assert snippet(terms, ["needle"]).split() == terms[500 - REACH : 500 + REACH + 1]
    assert snippet(terms, ["nothing"]).split() == terms[:LONGEST]
    assert snippet([], ["needle"]) == ""
    terms[900], terms[905] = "needle", "thread"
    assert (
        snippet(terms, ["needle", "thread"]).split()
        == terms[500 - REACH : 500 + REACH + 1] + terms[900 - REACH : 905 + REACH + 1]
    )
    assert len(snippet(["needle"] * 5000, ["needle"]).split()) == LONGEST
    few = ["needle", *["x"] * 300, "needle", "thread", *["y"] * 300]
    assert "thread" in snippet(few * 9, ["needle", "thread"])
