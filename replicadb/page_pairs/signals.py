"""The signals of a pair of pages: how far two pages are apart in each respect, as fetched and as
rendered.

Invariant: a signal does not depend on which page comes first, nor on the other pairs of the
list; distances are 0 for equal pages; NaN = not known (page not loaded with content, not rendered,
no title, no text on either side). Each page is tokenised once; pages go by in batches. Source:
Huffman et al. (SIGIR 2007), section 3.2; docs/method.md#page-signals.

Departures: idf = ln(1 + N / df), which stays above 0 for a term of every page, over N pages (all,
or a sample of SAMPLE, by the MD5 of their URLs) as fetched, or as rendered; ties of tf-idf go by
the term. Documents are the visible text. Empty against empty is no evidence: NaN, but for the body
length, where the paper has 0. Some signals are ours. Two see what stands together: headings, the
Jaccard distance of the two sets of headings; and blocks, the same of the lines of visible text, by
their length. order sees a list that is sorted otherwise: how much of the blocks that both have is
followed by another of them. Those of URLs the paper leaves for later (section 6): equal paths,
equal last segments, edit distances of hosts and of paths.
"""

from __future__ import annotations

import math

import numpy as np

from replicadb.arrays import Floats, Ints
from replicadb.errors import UsageError
from replicadb.page_pairs.compression_distance import Engine, cut
from replicadb.page_pairs.pair_list import URL_SIGNALS, Pairs
from replicadb.page_pairs.signal_inputs import Documents, read_documents
from replicadb.store.database import Database

BODY = (
    "same_title",
    "body_length",
    "simhash",
    "tfidf",
    "mcd",
    "snippet_mcd",
    "headings",
    "blocks",
    "order",
)
"""Signals of a body; those of the rendered one have rendered_ before."""
OF_URLS = ("same_domain", *URL_SIGNALS)
SIGNALS = (*OF_URLS, *BODY, *(f"rendered_{name}" for name in BODY if name != "headings"))
WHOLE = (
    "same_domain",
    "same_path",
    "same_last_segment",
    "same_title",
    "simhash",
    "rendered_same_title",
    "rendered_simhash",
)
"""Whole numbers: 0 or 1, and bits."""
GROUPS = {
    "F": ("same_domain", "same_title", "mcd", "simhash", "tfidf"),
    "R": ("rendered_same_title", "rendered_mcd", "rendered_simhash", "rendered_tfidf"),
    "FS": ("snippet_mcd",),
    "RS": ("rendered_snippet_mcd",),
    "X": ("headings", "blocks", "order", "rendered_blocks", "rendered_order"),
    "U": URL_SIGNALS,
}
"""Table 1 of the paper, and X and U: ours. Body length stands in none of them, for it adds nothing
where mcd is.
"""
PAIRS_BATCH = 4_000


def compute(
    db: Database,
    pairs: Pairs,
    engine: Engine | None = None,
    only: tuple[str, ...] | None = None,
    views: tuple[str, str] = ("fetched", "rendered"),
    stem: str = "page_pairs/10_signals",
) -> dict[str, Floats]:
    """Every signal of every pair.

    Args:
        pairs: just found in the same database (its temporary table named_pairs is read).
        engine: of compression; zlib at its usual level.
        only: signals wanted; what the others alone need is not computed.
        views, stem: the statements that say what the pages are, as fetched and as rendered, and
            their SQL file.

    Returns:
        Signal to (n,) float64, NaN where not known; those of a query only where the pairs have one.

    Complexity:
        Linear in pages and pairs; a batch of PAIRS_BATCH pairs has its bodies in memory.
    """
    engine = engine or Engine()
    wanted = only or SIGNALS
    found = {"same_domain": pairs.same_domain, **pairs.of_urls}
    for prefix, view in zip(("", "rendered_"), views, strict=True):
        names = [
            name
            for name in BODY
            if prefix + name in wanted
            and prefix + name in SIGNALS
            and (name != "snippet_mcd" or pairs.query is not None)
        ]
        if names:
            db.run(stem, only=view)
            found |= {
                prefix + name: values
                for name, values in _of_bodies(db, pairs, engine, names).items()
            }
    return {name: found[name] for name in SIGNALS if name in found and name in wanted}


def expand(groups: str) -> tuple[str, ...]:
    """Signals named by groups (F, R, FS, RS, X, U) or by their own names, by commas, each once.

    Raises:
        UsageError: no such group or signal.
    """
    found: dict[str, None] = {}
    for part in filter(None, (text.strip() for text in groups.split(","))):
        names = GROUPS.get(part.upper()) or ((part.lower(),) if part.lower() in SIGNALS else ())
        if not names:
            raise UsageError(
                f"no group or signal {part!r}; groups: {', '.join(GROUPS)}; signals:"
                f" {', '.join(SIGNALS)}"
            )
        found |= dict.fromkeys(names)
    if not found:
        raise UsageError(f"no signal was named; groups: {', '.join(GROUPS)}")
    return tuple(found)


def _of_bodies(db: Database, pairs: Pairs, engine: Engine, names: list[str]) -> dict[str, Floats]:
    """The signals of the pages as fetched or as rendered, as the view bodies has them."""
    documents = read_documents(db, pairs, engine, names)
    a, b = documents.places(pairs.a_id), documents.places(pairs.b_id)
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    found: dict[str, Floats] = {}
    for name in names:
        if name == "mcd":
            values = _mcd(db, documents, a, b, engine)
        elif name == "snippet_mcd":
            queries = [query for query, there in zip(pairs.query or (), both, strict=True) if there]
            values = _snippet_mcd(documents, a, b, queries, engine)
        elif name in ("headings", "blocks"):
            values = getattr(documents, name).distances(a, b)
        elif name == "order":
            values = documents.blocks.disorder(a, b)
        else:
            values = {
                "same_title": same_title,
                "body_length": body_length,
                "simhash": _simhash,
                "tfidf": _tfidf,
            }[name](documents, a, b)
        found[name] = np.full(len(both), np.nan)
        found[name][both] = np.round(values, 6)
    return found


# -- one signal each; documents and two arrays of places give (n,) float64
# --------------------------------------


def same_title(documents: Documents, a: Ints, b: Ints) -> Floats:
    """1 where both titles are the same to the character, else 0; NaN where neither page has one."""
    kinds = {title: code for code, title in enumerate(dict.fromkeys(documents.title))}
    codes = np.array([kinds[title] for title in documents.title], np.int64)
    none = kinds.get(None, -1)
    return np.where(
        (codes[a] == none) & (codes[b] == none), np.nan, (codes[a] == codes[b]).astype(float)
    )


def body_length(documents: Documents, a: Ints, b: Ints) -> Floats:
    """|la - lb| / max(la, lb), 0 for two empty bodies."""
    la, lb = documents.length[a], documents.length[b]
    share: Floats = np.abs(la - lb) / np.maximum(np.maximum(la, lb), 1)
    return share


def _simhash(documents: Documents, a: Ints, b: Ints) -> Floats:
    """Bits of 64 that differ."""
    bits = np.bitwise_count(documents.simhash[a] ^ documents.simhash[b]).astype(float)
    return np.where((documents.terms[a] == 0) & (documents.terms[b] == 0), np.nan, bits)


def position_weights(n: int) -> Floats:
    """1 / ln(pos + e - 1) for pos 1 to n: a page's half of weight_{A,B}(w); (n,) float64, falling
    from 1.
    """
    falling: Floats = 1 / np.log(np.arange(1, n + 1) + math.e - 1)
    return falling


def _tfidf(documents: Documents, a: Ints, b: Ints) -> Floats:
    """1 - sum of weight_{A,B} over the longer list / sum of weight_{A,A} over it; a term that one
    lacks weighs 0.
    """
    return np.concatenate(
        [
            np.zeros(0),
            *(
                tfidf_distance(
                    documents.top[a[i : i + PAIRS_BATCH]], documents.top[b[i : i + PAIRS_BATCH]]
                )
                for i in range(0, len(a), PAIRS_BATCH)
            ),
        ]
    )


def tfidf_distance(a: Ints, b: Ints) -> Floats:
    """The tf-idf distance of pairs of lists.

    Args:
        a, b: (n, k) int64, codes of each page's terms, highest tf-idf first, -1 beyond the last.

    Returns:
        (n,) float64 in 0 to 1; NaN where both lists are empty.
    """
    n, k = a.shape
    weights = position_weights(k)
    base = int(max(a.max(initial=0), b.max(initial=0))) + 1
    rows = np.arange(n)[:, None] * base
    keys = np.where(b >= 0, rows + b, -1).ravel()
    order = np.argsort(keys, kind="stable")
    wanted = np.where(a >= 0, rows + a, -2).ravel()
    at = np.minimum(np.searchsorted(keys[order], wanted), n * k - 1)
    hit = keys[order][at] == wanted
    shared = (
        np.where(hit, np.tile(weights, n) * weights[order[at] % k], 0.0).reshape(n, k).sum(axis=1)
    )
    longer = np.maximum((a >= 0).sum(axis=1), (b >= 0).sum(axis=1))
    whole = np.concatenate([[np.nan], np.cumsum(weights**2)])[longer]
    distance: Floats = np.clip(1 - shared / whole, 0, 1)
    return distance


def _mcd(db: Database, documents: Documents, a: Ints, b: Ints, engine: Engine) -> Floats:
    """The modified compression distance of the bodies, batches of pairs in the order of their first
    page.
    """
    found = np.empty(len(a))
    order = np.lexsort((b, a))
    for start in range(0, len(order), PAIRS_BATCH):
        rows = order[start : start + PAIRS_BATCH]
        places = np.unique(np.concatenate([a[rows], b[rows]]))
        bodies = (
            db.arrow(
                "SELECT url_id, body FROM bodies SEMI JOIN (SELECT unnest($ids::BIGINT[]) AS"
                " url_id) USING (url_id) ORDER BY url_id",
                {"ids": documents.url_id[places].tolist()},
            )
            .column("body")
            .to_pylist()
        )
        texts = dict(zip(places.tolist(), map(cut, bodies), strict=True))
        found[rows] = engine.distances(
            [texts[i] for i in a[rows].tolist()],
            [texts[i] for i in b[rows].tolist()],
            documents.double[a[rows]],
            documents.double[b[rows]],
        )
    return found


def _snippet_mcd(
    documents: Documents, a: Ints, b: Ints, queries: list[str], engine: Engine
) -> Floats:
    """The same of the text around the query's terms; NaN where neither page has text."""
    a_keys, b_keys = (list(zip(side.tolist(), queries, strict=True)) for side in (a, b))
    doubles = dict(
        zip(
            documents.snippets,
            engine.doubled(list(documents.snippets.values())).tolist(),
            strict=True,
        )
    )
    x, y = ([documents.snippets[key] for key in side] for side in (a_keys, b_keys))
    xx, yy = (np.array([doubles[key] for key in side], np.int64) for side in (a_keys, b_keys))
    empty = np.array([not mine and not other for mine, other in zip(x, y, strict=True)], bool)
    return np.where(empty, np.nan, engine.distances(x, y, xx, yy))
