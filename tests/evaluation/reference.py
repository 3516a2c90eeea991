"""Slow and plain: figures of a ranking by scikit-learn, and a crawl's candidate pairs without the
product's stages. scikit-learn is imported where it is used: it takes a second.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np

_URL = r"^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:@]+)(?::[0-9]*)?([^#]*)"


def candidate_table(con: duckdb.DuckDBPyConnection, crawl_path: str | Path) -> int:
    """Make pages and candidate pairs straight from a crawl file: the slow, plain reference of what
    the product does.

    Makes temp tables ``crawl_pages`` (host, path, fingerprint; distinct; pages with status 200 and
    type text/html where those are known) and ``crawl_pairs`` (host_a, host_b, shared: fingerprints
    in common).

    Args:
        con: an open connection.
        crawl_path: Parquet or CSV with at least url and fingerprint, and status and mime as
            generate() writes them.

    Returns:
        The number of candidate pairs.
    """
    reader = "read_parquet" if str(crawl_path).endswith(".parquet") else "read_csv"
    con.execute(
        f"""CREATE OR REPLACE TEMP TABLE crawl_pages AS
        SELECT DISTINCT
            lower(part.host) AS host,
            CASE WHEN part.path[1] = '/' THEN part.path ELSE '/' || part.path END AS path,
            fingerprint
        FROM (SELECT regexp_extract(url, '{_URL}', ['host', 'path']) AS part, fingerprint
              FROM {reader}($path)
              WHERE coalesce(status, 200) = 200 AND coalesce(mime, 'text/html') = 'text/html')
        WHERE part.host <> '' AND fingerprint IS NOT NULL""",
        {"path": str(crawl_path)},
    )
    con.execute("""CREATE OR REPLACE TEMP TABLE crawl_pairs AS
        WITH held AS (SELECT DISTINCT host, fingerprint FROM crawl_pages)
        SELECT a.host AS host_a, b.host AS host_b, count(*) AS shared
        FROM held AS a JOIN held AS b ON a.fingerprint = b.fingerprint AND a.host < b.host
        GROUP BY ALL""")
    return con.execute("SELECT count(*) FROM crawl_pairs").fetchall()[0][0]


def roc_curve(scores, labels) -> tuple[np.ndarray, np.ndarray]:
    """(fpr, tpr), a corner for each distinct score, from (0, 0) to (1, 1)."""
    from sklearn import metrics

    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    return fpr, tpr


def roc_auc(scores, labels) -> float:
    """Probability that a replica scores above another pair; ties count half."""
    from sklearn import metrics

    return float(metrics.roc_auc_score(labels, scores))


def average_precision(scores, labels) -> float:
    """Sum over distinct scores of precision there times the recall gained there."""
    from sklearn import metrics

    return float(metrics.average_precision_score(labels, scores))


def tpr_at_fpr(scores, labels, fpr: float) -> float:
    """True-positive rate on the line between two corners; the top where the curve is upright."""
    x, y = roc_curve(scores, labels)
    upright = np.flatnonzero(np.isclose(x, fpr, rtol=0, atol=1e-15))
    return float(y[upright[-1]] if len(upright) else np.interp(fpr, x, y))


def precision_at(scores, labels, n: int) -> float:
    """Share of replicas among the n best; of a tie at the border, its expected value."""
    scores, labels = np.asarray(scores), np.asarray(labels)
    border = np.sort(scores)[-n]
    above, tied = scores > border, scores == border
    return float((labels[above].sum() + (n - above.sum()) * labels[tied].mean()) / n)
