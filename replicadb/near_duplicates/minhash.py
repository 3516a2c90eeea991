"""MinHash: pages whose shingle sets are alike, by signatures, bands of rows and a verified
estimate; today's practice, for comparison.

Invariant: every pair's score is the share of equal rows of the two signatures, and at least
the threshold; deterministic by seed. A pair of true Jaccard J is a candidate with probability 1 -
(1 - J^r)^b, and its estimate has a standard error of sqrt(J (1 - J) / rows) at
most: this method may lose a pair near the threshold, and find one just below it.
Sources: Broder (1997); Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4
(bands). Signatures: shingles.py (rensa).
SQL: near_duplicates/40_minhash, 20_pair_expansion.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replicadb.arrays import Floats, Ints
from replicadb.errors import UsageError
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.pair_expansion import MATCHES, SIGNATURES, refuse_above, write_pairs
from replicadb.near_duplicates.shingles import FACTOR, Shingler, mixed
from replicadb.page_constants import PAGE_METHODS
from replicadb.store.arrow import batches, insert_arrow, reader_of
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.under_way import each
from replicadb.web.digests import Hashes

if TYPE_CHECKING:
    from replicadb.near_duplicates.query_page import QueryPage

Signatures = npt.NDArray[np.uint32]
"""(n, permutations), a page each."""

THRESHOLD = PAGE_METHODS.minhash_threshold
"""Of the estimated Jaccard coefficient, unless options.threshold says another."""

RECALL = PAGE_METHODS.minhash_recall
"""At least so likely is a pair of Jaccard = threshold to agree in a band."""

PAGES = 2048
"""Texts read at a time."""

PAIRS = 1 << 15
"""Candidates verified at a time: 8 bytes for each row of a signature, so 32 MB at 128."""

MOST_CANDIDATES = 1_000_000_000
"""Pairs of signatures to verify before the work is refused: minutes on one core."""

FEWER = "raise --threshold or --max-pairs"


def find(db: Database, options: PageOptions, query: QueryPage | None = None) -> dict[str, Any]:
    """Write the pairs of pages whose estimated Jaccard reaches the threshold into the temporary
    table ``found`` (a_id, b_id, score).

    Args:
        options: shingle, permutations, threshold, seed; stop_words and stem.
        query: a page from outside; then only its pairs, a_id = -1, each compared with it: no pair
            is lost to the bands.

    Returns:
        pages, keys (distinct signatures), stars, pairs_not_written and pairs as
        :func:`pair_expansion.write_pairs`; bands, rows (of a band) and candidates (pairs of
        signatures verified). With ``query``: pages and pairs.

    Raises:
        LimitError: more pairs than max_pairs. UsageError: a library is missing; stop words or a
            language that cannot be used; a threshold too low for the bands.

    Complexity: O(terms) for signatures, O(bands * keys + candidates * permutations) for pairs.
    Memory: 4 * permutations + 8 * bands bytes a page for the signatures, and a batch.
    """
    threshold = THRESHOLD if options.threshold is None else options.threshold
    if query is None and threshold < lowest(options.permutations):
        raise UsageError(
            "minhash finds pairs through bands that agree, which miss many below --threshold"
            f" {math.ceil(lowest(options.permutations) * 1000) / 1000:g} with"
            f" {options.permutations} permutations; raise it, or take --page-method mwo --exact"
        )
    shingler = Shingler(options)
    urls, signatures = page_signatures(db, shingler, options.permutations)
    if query is not None:
        text = query.content.main_text or query.content.text or ""
        return {
            "pages": len(urls),
            "pairs": _query_pairs(db, urls, signatures, shingler.signatures([text])[1], threshold),
        }
    for statement in ("page_keys", "near_keys", "signature_bands"):
        db.run("near_duplicates/40_minhash", only=statement)
    distinct, key = _distinct(signatures)
    insert_arrow(db, "page_keys", {"url_id": urls, "key": key})
    work = near_signatures(db, distinct, threshold, options.max_pairs)
    return write_pairs(db, options.max_pairs, FEWER) | work


def page_signatures(db: Database, shingler: Shingler, permutations: int) -> tuple[Ints, Signatures]:
    """url_id (n,) and signature (n, permutations) of every page that has terms, by url_id."""
    stage_texts(db)
    urls, rows = [np.empty(0, np.int64)], [np.empty((0, permutations), np.uint32)]
    texts = db.con.sql(statements("near_duplicates/40_minhash")["page_texts"])
    found_texts = batches(reader_of(texts, PAGES))
    for batch in each("signatures", found_texts, f"times {PAGES:,} pages"):
        with_terms, found = shingler.signatures(batch.column("text").to_pylist())
        urls.append(batch.column("url_id").to_numpy()[with_terms])
        rows.append(found)
    url = np.concatenate(urls)
    order = np.argsort(url)
    return url[order], np.concatenate(rows)[order]


def _query_pairs(
    db: Database, urls: Ints, signatures: Signatures, own: Signatures, threshold: float
) -> int:
    """Write ``found`` for one signature (1, permutations), or none (0, permutations)."""
    db.run("near_duplicates/40_minhash", only="no_pairs")
    if not len(own):
        return 0
    score = (signatures == own).sum(axis=1) / signatures.shape[1]
    near = score >= threshold
    insert_arrow(
        db,
        "found",
        {"a_id": np.full(int(near.sum()), -1), "b_id": urls[near], "score": score[near]},
    )
    return int(near.sum())


def _distinct(signatures: Signatures) -> tuple[Signatures, Ints]:
    """The distinct rows (k, permutations), and for each row its number among them (n,)."""
    if not len(signatures):
        return signatures, np.empty(0, np.int64)
    whole = (
        np.ascontiguousarray(signatures)
        .view(np.dtype((np.void, signatures.shape[1] * signatures.itemsize)))
        .reshape(-1)
    )
    _, first, number = np.unique(whole, return_index=True, return_inverse=True)
    return signatures[first], number.reshape(-1)


def near_signatures(
    db: Database, signatures: Signatures, threshold: float, max_pairs: int = 0
) -> dict[str, int]:
    """Write ``near_keys`` (a_key, b_key, score): pairs of distinct signatures that agree in a band
    and whose estimate reaches the threshold.

    Args:
        signatures: (n, permutations) uint32, distinct; a key is the number of a row.

    Raises:
        LimitError: more than max_pairs, or more candidates than MOST_CANDIDATES.
    """
    rows = rows_for(threshold, signatures.shape[1])
    bands = band_hashes(signatures, rows)
    insert_arrow(
        db,
        "signature_bands",
        {
            "key": np.arange(len(bands)),
            "bands": pa.FixedSizeListArray.from_arrays(bands.reshape(-1), bands.shape[1]),
        },
    )
    candidates = written = 0
    for band in each("pairs", range(bands.shape[1]), "bands"):
        near: list[tuple[Ints, Ints, Floats]] = []
        agreeing = db.con.sql(
            statements("near_duplicates/40_minhash")["agreeing"], params={"band": band + 1}
        )
        for batch in batches(reader_of(agreeing, PAIRS)):
            candidates += batch.num_rows
            refuse_above(candidates, MOST_CANDIDATES, SIGNATURES, "raise --threshold")
            a, b = (column.to_numpy() for column in batch.columns)
            near.append(_verified(signatures, bands[:, :band], a, b, threshold))
            written += len(near[-1][0])
            refuse_above(written, max_pairs, MATCHES, FEWER)
        if near:
            a, b, score = (np.concatenate(parts) for parts in zip(*near, strict=True))
            insert_arrow(db, "near_keys", {"a_key": a, "b_key": b, "score": score})
    return {"bands": bands.shape[1], "rows": rows, "candidates": candidates}


def _verified(
    signatures: Signatures, before: Hashes, a: Ints, b: Ints, threshold: float
) -> tuple[Ints, Ints, Floats]:
    """Of candidates a and b those that agreed in no band ``before`` and whose estimate reaches the
    threshold, with it.
    """
    first = ~(before[a] == before[b]).any(axis=1)
    a, b = a[first], b[first]
    score = (signatures[a] == signatures[b]).sum(axis=1) / signatures.shape[1]
    near = score >= threshold
    return a[near], b[near], score[near]


def rows_for(threshold: float, permutations: int) -> int:
    """Rows of a band: as many as keep the recall at the threshold at RECALL, since more rows mean
    fewer candidates; one at least.

    The curve's steepest point, (1 / bands) ^ (1 / rows), then lies a bit below the threshold: 7
    rows, 18 bands, 0.66 for 0.8 and 128.
    """
    return max(
        (
            rows
            for rows in range(1, permutations + 1)
            if 1 - (1 - threshold**rows) ** (permutations // rows) >= RECALL
        ),
        default=1,
    )


def lowest(permutations: int) -> float:
    """The threshold from which on bands of one row, the most there are, reach RECALL."""
    return float(1 - (1 - RECALL) ** (1 / permutations))


def band_hashes(signatures: Signatures, rows: int) -> Hashes:
    """(n, permutations // rows) uint64, the hash of each band; the rows that fill no band are left
    to the estimate.
    """
    n, permutations = signatures.shape
    bands = signatures[:, : permutations // rows * rows].reshape(n, permutations // rows, rows)
    hashes = np.zeros(bands.shape[:2], np.uint64)
    for i in range(rows):
        hashes = mixed(hashes * FACTOR + bands[:, :, i])
    return hashes
