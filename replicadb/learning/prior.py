"""What method robust believes before it sees a crawl: bins of each evidence, and a weight for each bin.

Made by ``python benchmarks/make_prior.py`` from generated crawls with known replicas; no real crawl and no
hand-made label went in. The edges are round numbers on the scales of sql/40_pair_features.sql.
"""

from __future__ import annotations

SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)

EDGES: dict[str, tuple[float, ...]] = {
    "evidence": (0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256),
    "containment": SHARES,
    "resemblance": SHARES,
    "path_overlap": SHARES,
    "agreement": SHARES[3:],
    "alignment": (0.3, 0.5, 0.6, 0.7, 0.8, 0.9),
    "reach": SHARES[2:],
    "reach_both": SHARES[2:],
}
"""Evidence (a column of pair_features): upper edges of its bins but the last; bin 0 is NULL's, bin 1 goes to the first edge."""

WEIGHTS: dict[str, tuple[float, ...]] = {
    "evidence": (0.00, 0.00, 0.00, 3.03, 3.62, 5.50, 5.87, 6.02, 6.02, 6.02, 6.02, 6.02, 6.02, 6.26, 6.68, 8.13),
    "containment": (0.00, 0.00, 0.20, 1.98, 3.74, 4.42, 4.42, 4.42, 4.42, 4.42, 4.52, 4.52, 4.52, 6.08, 7.73, 8.18, 8.20),
    "resemblance": (0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.13, 0.14, 0.14),
    "path_overlap": (0.00, 0.00, 1.02, 1.76, 2.30, 2.89, 3.72, 4.11, 4.16, 4.19, 4.19, 4.22, 4.23, 4.52, 4.78, 4.92, 4.92),
    "agreement": (0.00, 0.00, 0.10, 0.77, 0.77, 0.77, 0.77, 0.77, 0.77, 0.77, 0.77, 0.77, 0.77, 0.77),
    "alignment": (0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
    "reach": (0.00, 0.00, 0.63, 0.73, 1.73, 2.95, 2.95, 3.31, 5.91, 5.91, 6.23, 6.23, 6.23, 6.23, 9.03),
    "reach_both": (0.00, 0.00, 1.13, 1.23, 1.61, 2.27, 2.27, 2.27, 2.27, 2.27, 2.27, 2.27, 2.27, 2.27, 2.50),
}
"""Log odds of each bin; the first is NULL's, the lowest bin counts 0."""

INTERCEPT = -18.23
"""Log odds of a pair with the lowest bin of everything, at equal mass of replicas and others."""
