"""What Huffman et al. (SIGIR 2007) published, to stand beside one's own numbers; in percent:
precision, recall, F of JRip, of J48, mean F.

Invariant: their 34,577 pairs (537 duplicates) are not ours, so these are a yardstick and no
target.
"""

from __future__ import annotations

Row = tuple[float, float, float, float, float, float, float]

TABLE_2: dict[str, Row] = {
    "rendered_snippet_mcd": (85.6, 70.3, 77.2, 90.3, 66.6, 76.9, 77.0),
    "rendered_tfidf": (81.5, 70.7, 75.7, 84.5, 67.6, 75.1, 75.4),
    "tfidf": (84.4, 65.9, 74.0, 86.1, 63.4, 73.0, 73.5),
    "snippet_mcd": (88.9, 61.4, 72.6, 91.9, 59.3, 72.1, 72.3),
    "simhash": (90.2, 59.9, 72.0, 91.4, 57.6, 70.7, 71.3),
    "mcd": (89.9, 58.4, 70.8, 90.5, 58.4, 71.0, 70.9),
    "rendered_mcd": (86.1, 55.6, 67.6, 90.5, 54.2, 67.8, 67.7),
    "rendered_body_length": (84.3, 55.6, 67.0, 89.6, 52.7, 66.4, 66.7),
    "body_length": (86.6, 52.1, 65.0, 90.0, 52.2, 66.1, 65.5),
    "rendered_same_title": (52.2, 80.9, 63.4, 52.2, 80.9, 63.4, 63.4),
    "rendered_simhash": (82.3, 50.1, 62.3, 86.4, 47.9, 61.6, 61.9),
    "same_title": (50.9, 70.7, 59.2, 50.3, 63.6, 56.2, 57.7),
}
"""Single signals, over the pairs that have them."""

TABLE_3: dict[str, Row | tuple[float, float, float]] = {
    "simhash": TABLE_2["simhash"],
    "tfidf": TABLE_2["tfidf"],
    "F": (88.7, 68.7, 77.4, 89.9, 67.8, 77.3, 77.3),
    "F,R": (86.7, 79.1, 82.8, 91.2, 75.2, 82.4, 82.6),
    "F,R,RS": (87.8, 81.4, 84.4, 91.3, 77.3, 83.6, 84.0),
    "human": (77.4, 95.4, 85.5),
}
TABLE_4: dict[str, tuple[float, float | None]] = {
    "simhash": (71.3, None),
    "F": (77.3, 77.3),
    "F,R": (82.6, 82.6),
    "F,R,RS": (84.0, 83.5),
}
"""Mean F without and with the snippets of fetched bodies."""

TABLE_5: dict[str, Row] = {
    "UK": (83.2, 79.9, 81.5, 96.4, 77.9, 86.2, 83.8),
    "Chinese": (64.8, 56.7, 60.4, 75.4, 74.2, 74.8, 67.6),
}
"""Trained on US queries, tested on others."""
