"""Snippets: the visible text around the words of a query, longer than what a search engine shows.

Invariant: a snippet is made of the page's visible text alone, in its order; of at most
LONGEST terms; the same text and query give the
same snippet. Source: Huffman et al. (SIGIR 2007), section 3.2.2, which calls for much longer
snippets than a result page's and for nothing that is not visible; it gives no windows, so they are
ours: REACH terms to either side of each hit, windows that touch made one, those with the most
distinct words of the query first. A page without any of the words shows its beginning, as search
engines do.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from replicadb.page_constants import PAGE_PAIRS

REACH = PAGE_PAIRS.snippet_reach
"""Terms shown to either side of a word of the query."""
LONGEST = PAGE_PAIRS.snippet_longest
"""Terms of a snippet."""


def snippet(terms: Sequence[str], query: Sequence[str]) -> str:
    """The text around a query's words.

    Args:
        terms: the page's visible text as :func:`replicadb.web.terms.words` gives it.
        query: the query's terms, likewise.

    Returns:
        Terms with blanks between; "" for a page without text.

    Complexity:
        O(n log n) in the terms.
    """
    wanted = frozenset(query)
    hits = [i for i, term in enumerate(terms) if term in wanted]
    if not hits:
        return " ".join(terms[:LONGEST])
    breaks = [k for k, (i, j) in enumerate(pairwise(hits), 1) if j - i > 2 * REACH]
    groups = [hits[i:j] for i, j in zip([0, *breaks], [*breaks, len(hits)], strict=True)]
    groups.sort(key=lambda group: (-len({terms[i] for i in group}), group[0]))
    shown, left = [], LONGEST
    for group in groups:
        start = max(group[0] - REACH, 0)
        stop = min(group[-1] + REACH + 1, start + left)
        shown.append((start, stop))
        left -= min(stop, len(terms)) - start
        if left <= 0:
            break
    return " ".join(term for start, stop in sorted(shown) for term in terms[start:stop])
