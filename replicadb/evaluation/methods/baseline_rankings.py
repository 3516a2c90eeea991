"""What the paper compares itself with: NormPaths, plain similarity, single features, the biased
SVM.

Source: the paper section 4.1.3; docs/method.md#baselines.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.biased_svm import biased_svm, biased_svm_em
from replicadb.evaluation.methods.method import Method, Scored
from replicadb.evaluation.normpaths import normpaths

CONTENTS = """
    SELECT
        u.host_id,
        u.path,
        coalesce(n.fingerprint_kind, u.fingerprint_kind) AS fingerprint_kind,
        coalesce(n.fingerprint, u.fingerprint) AS fingerprint
    FROM compared_urls AS u
    LEFT JOIN near_contents AS n USING (url_id)
    WHERE coalesce(n.fingerprint, u.fingerprint) IS NOT NULL"""
"""What the stages compared: fingerprints or, after detect --clusters, near duplicates."""


def by_paths_and_norms(context: Context) -> Scored:
    """NormPaths (Carvalho et al. 2007): pages at equal paths with equal content, each by how few
    hosts have the two together.
    """
    db = context.db
    with db.temporary():
        db.execute(f"""
            CREATE TEMP TABLE normpaths_pages AS
            SELECT DISTINCT host_id AS host, path, fingerprint FROM ({CONTENTS})""")
        db.execute("""
            CREATE TEMP TABLE normpaths_pairs AS
            SELECT least(a_id, b_id) AS host_a, greatest(a_id, b_id) AS host_b
            FROM pair_features""")
        found = normpaths(db.con, "normpaths_pages", "normpaths_pairs")
    a, b, scores = (found.column(name).to_numpy() for name in ("host_a", "host_b", "normpaths"))
    return Scored(context.aligned(a, b, scores, 0.0))


def by_jaccard(context: Context) -> Scored:
    """Plain Jaccard over the sets of fingerprints of the two hosts, content of their
    own included.
    """
    sizes = context.db.arrays(
        f"SELECT host_id, count(DISTINCT (fingerprint_kind, fingerprint)) AS n FROM ({CONTENTS})"
        " GROUP BY host_id"
    )
    size = np.zeros(context.n_ids, np.int64)
    size[sizes["host_id"]] = sizes["n"]
    shared = context.column("shared")
    return Scored(shared / np.maximum(size[context.a] + size[context.b] - shared, 1))


def by_column(name: str, context: Context) -> Scored:
    """A column of pair_features as it is; NULL is below every value."""
    return Scored(np.nan_to_num(context.column(name), nan=-1.0))


def by_edit_distance(context: Context) -> Scored:
    """The nearer the names, the higher."""
    return Scored(-context.column("ndist"))


METHODS = (
    Method("normpaths", "NormPaths (Carvalho et al. 2007)", "baseline", by_paths_and_norms),
    Method("jaccard", "Jaccard over fingerprints", "baseline", by_jaccard),
    Method(
        "similarity",
        "Jaccard over dup-clusters (the paper's similarity)",
        "baseline",
        partial(by_column, "similarity"),
    ),
    Method("biased-svm", "biased SVM (Liu et al. 2003)", "baseline", biased_svm),
    Method(
        "biased-svm-em", "biased SVM in EM rounds, the paper's baseline", "baseline", biased_svm_em
    ),
    Method("ndist", "feature ndist alone", "single", by_edit_distance),
    *(
        Method(name, f"feature {name} alone", "single", partial(by_column, name))
        for name in PAPER_FEATURES
        if name != "ndist"
    ),
)
