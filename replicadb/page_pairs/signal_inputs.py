"""What the signals need of each page: read once, in batches, and kept small.

Invariant: a page's simhash, terms and snippets depend on its own text alone; document
frequencies are those of the database (all pages, or a sample of SAMPLE by the MD5 of their URLs),
not of the list of pairs. Ties of tf-idf go by the term. Source: Huffman et al. (SIGIR 2007),
section 3.2.1: the top 100 tf-idf terms of each document.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from replicadb.arrays import Ints
from replicadb.page_constants import PAGE_PAIRS
from replicadb.page_pairs.block_bags import Bags, BagsBuilder
from replicadb.page_pairs.compression_distance import Engine, cut
from replicadb.page_pairs.pair_list import Pairs
from replicadb.page_pairs.snippets import snippet
from replicadb.store.database import Database
from replicadb.web.digests import Hashes
from replicadb.web.terms import words

TOP_TERMS, SAMPLE = PAGE_PAIRS.top_terms, PAGE_PAIRS.counted_pages
PAGES_BATCH = 500


@dataclass
class Documents:
    """What signals need of pages as fetched, or as rendered, (m,) each, by rising id."""

    url_id: Ints
    title: list[str | None]
    length: Ints
    simhash: Hashes
    terms: Ints
    """Number of distinct terms."""
    double: Ints
    """c(AA)."""
    top: Ints
    """(m, TOP_TERMS), codes of the terms of highest tf-idf; -1 beyond the last."""
    snippets: dict[tuple[int, str], bytes]
    headings: Bags
    blocks: Bags

    def places(self, ids: Ints) -> Ints:
        """Place of each url_id, -1 for what is not here."""
        if not len(self.url_id):
            return np.full(len(ids), -1)
        at = np.minimum(np.searchsorted(self.url_id, ids), len(self.url_id) - 1)
        return np.where(self.url_id[at] == ids, at, -1)


def read_documents(db: Database, pairs: Pairs, engine: Engine, names: list[str]) -> Documents:
    """Read the pages of the pairs, each once, and with them the sample for document frequencies
    where tf-idf is wanted.

    Args:
        pairs: as found last in this database; the temporary tables named_pairs and bodies are read.
        names: of the signals of a body that are wanted; the others' needs are left out.
    """
    reader = _Reader(pairs, engine, names)
    db.run("page_pairs/10_signals", {"sample": SAMPLE if reader.tfidf else 0}, only="wanted_pages")
    for start in range(0, db.value("SELECT count(*) FROM wanted_pages"), PAGES_BATCH):
        reader.batch(
            db.rows(
                "SELECT w.url_id, title, length, text, body, headings, sampled, paired FROM"
                " wanted_pages AS w JOIN bodies USING (url_id) WHERE i >= $start AND i < $stop"
                " ORDER BY i",
                {"start": start, "stop": start + PAGES_BATCH},
            )
        )
    return reader.documents()


class _Reader:
    """Takes pages in batches and takes of each what its signals need."""

    def __init__(self, pairs: Pairs, engine: Engine, names: list[str]) -> None:
        self.engine = engine
        self.headings, self.blocks = (
            BagsBuilder("headings" in names),
            BagsBuilder("blocks" in names or "order" in names),
        )
        self.mcd, self.tfidf, self.simhash = "mcd" in names, "tfidf" in names, "simhash" in names
        self.queries = _queries(pairs) if "snippet_mcd" in names else {}
        self.tokens = self.tfidf or self.simhash or bool(self.queries)
        self.vocabulary: dict[str, int] = {}
        self.seen: list[tuple[Ints, Ints]] = []
        self.counted: list[Ints] = []
        self.snippets: dict[tuple[int, str], bytes] = {}
        self.columns: dict[str, list[Any]] = {
            name: [] for name in ("url_id", "title", "length", "simhash", "terms", "double")
        }

    def batch(self, rows: list[tuple[Any, ...]]) -> None:
        """One batch: (url_id, title, length, text, body, headings, sampled, paired)."""
        if self.mcd:
            self.columns["double"] += self.engine.doubled(
                [cut(row[4]) for row in rows if row[-1]]
            ).tolist()
        for url_id, title, length, text, _, headings, sampled, paired in rows:
            terms = words(text) if self.tokens else []
            counts = Counter(terms)
            codes = self._codes(counts)
            if sampled:
                self.counted.append(codes)
            if paired:
                self.headings.add(dict.fromkeys(_lines(headings)), weighted=False)
                self.blocks.add(_lines(text), weighted=True)
                self._keep(url_id, title, length, terms, counts, codes)

    def _codes(self, counts: Counter[str]) -> Ints:
        if not self.tfidf:
            return np.zeros(0, np.int64)
        vocabulary = self.vocabulary
        return np.fromiter(
            (vocabulary.setdefault(term, len(vocabulary)) for term in counts), np.int64, len(counts)
        )

    def _keep(
        self,
        url_id: int,
        title: str | None,
        length: int | None,
        terms: list[str],
        counts: Counter[str],
        codes: Ints,
    ) -> None:
        from replicadb.near_duplicates.simhash import simhash_of

        for query, sought in self.queries.get(url_id, {}).items():
            self.snippets[(len(self.columns["url_id"]), query)] = cut(snippet(terms, sought))
        self.seen.append((codes, np.fromiter(counts.values(), np.int64, len(counts))[: len(codes)]))
        for name, value in (
            ("url_id", url_id),
            ("title", title or None),
            ("length", length or 0),
            ("simhash", simhash_of(counts) if self.simhash else 0),
            ("terms", len(counts)),
        ):
            self.columns[name].append(value)

    def documents(self) -> Documents:
        """All pages that were paired."""
        columns = self.columns
        df = np.bincount(
            np.concatenate([np.zeros(0, np.int64), *self.counted]), minlength=len(self.vocabulary)
        )
        top = (
            top_terms(self.seen, self.vocabulary, df, len(self.counted))
            if self.tfidf
            else np.full((len(columns["url_id"]), 0), -1)
        )
        return Documents(
            np.array(columns["url_id"], np.int64),
            columns["title"],
            np.array(columns["length"], np.int64),
            np.array(columns["simhash"], np.uint64),
            np.array(columns["terms"], np.int64),
            np.array(columns["double"], np.int64),
            top,
            self.snippets,
            self.headings.bags(),
            self.blocks.bags(),
        )


def _lines(text: str | None) -> list[str]:
    return [line for line in map(str.strip, (text or "").split("\n")) if line]


def _queries(pairs: Pairs) -> dict[int, dict[str, list[str]]]:
    """For each page the queries that it was found by, with their terms."""
    terms = {query: words(query) for query in set(pairs.query or ())}
    found: dict[int, dict[str, list[str]]] = {}
    for ids in (pairs.a_id.tolist(), pairs.b_id.tolist()):
        for url_id, query in zip(ids, pairs.query or (), strict=True):
            found.setdefault(url_id, {})[query] = terms[query]
    return found


def top_terms(pages: list[tuple[Ints, Ints]], vocabulary: dict[str, int], df: Ints, n: int) -> Ints:
    """The terms of highest tf-idf of each page, ties by the term.

    Args:
        pages: per page the codes of its terms and how often each stands there.
        vocabulary: term to code, codes from 0 in order.
        df: (codes,) pages of the sample with the term. n: pages in the sample.

    Returns:
        (pages, TOP_TERMS) int64 codes, -1 beyond the last.
    """
    rank = np.empty(len(vocabulary), np.int64)
    rank[np.argsort(np.array(list(vocabulary), dtype=object), kind="stable")] = np.arange(
        len(vocabulary)
    )
    idf = np.log(1 + n / np.maximum(df, 1))
    found = np.full((len(pages), TOP_TERMS), -1, np.int64)
    for i, (codes, counts) in enumerate(pages):
        order = np.lexsort((rank[codes], -(counts * idf[codes])))[:TOP_TERMS]
        found[i, : len(order)] = codes[order]
    return found
