"""What method robust believes before it sees a crawl: bins of each evidence, and a weight for each bin.

Made by ``python benchmarks/make_prior.py`` from generated crawls with known replicas; no real crawl and no
hand-made label went in. The edges are round numbers on the scales of sql/40_pair_features.sql.
"""

from __future__ import annotations

SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)

EDGES: dict[str, tuple[float, ...]] = {
    "evidence": (0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256),
    "containment": SHARES,
    "path_overlap": SHARES,
    "agreement": SHARES[3:],
    "alignment": (0.3, 0.5, 0.6, 0.7, 0.8, 0.9),
    "reach": SHARES[2:],
    "reach_both": SHARES[2:],
}
"""Evidence (a column of pair_features): upper edges of its bins but the last; bin 0 is NULL's, bin 1 goes to the first edge."""

WEIGHTS: dict[str, tuple[float, ...]] = {
    "evidence": (0.00, 0.00, 0.00, 2.90, 3.30, 5.18, 5.54, 5.97, 5.97, 5.97, 5.97, 5.97, 5.97, 6.17, 6.61, 7.82),
    "containment": (0.00, 0.00, 0.23, 2.26, 3.88, 4.85, 4.85, 4.85, 4.85, 4.85, 5.32, 5.32, 5.32, 7.40, 8.89, 9.05, 9.05),
    "path_overlap": (0.00, 0.00, 0.77, 1.39, 1.82, 2.61, 3.87, 5.04, 6.37, 7.66, 7.95, 8.22, 8.44, 8.52, 8.53, 8.53, 8.53),
    "agreement": (0.00, 0.00, 0.37, 1.65, 1.65, 1.65, 1.65, 1.65, 1.65, 1.65, 1.65, 1.65, 1.65, 1.65),
    "alignment": (0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
    "reach": (0.00, 0.00, 0.80, 0.86, 1.58, 2.93, 2.93, 3.42, 5.96, 5.96, 5.96, 5.96, 5.96, 5.96, 8.58),
    "reach_both": (0.00, 0.00, 1.08, 1.08, 1.26, 1.51, 1.51, 1.51, 1.51, 1.51, 1.51, 1.51, 1.51, 1.51, 1.70),
}
"""Log odds of each bin; the first is NULL's, the lowest bin counts 0."""

INTERCEPT = -18.58
"""Log odds of a pair with the lowest bin of everything, at equal mass of replicas and others."""
