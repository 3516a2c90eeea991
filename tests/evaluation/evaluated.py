"""How the planted crawl is evaluated, and a result without what differs from run to run."""

from __future__ import annotations

import json

QUICK = ["robust", "paper", "jaccard", "biased-svm", "ndist", "upper-bound", "booster-five"]
FOLDS = 2


def without_times(result: dict) -> dict:
    """A result without what differs from run to run."""
    kept = json.loads(json.dumps(result))
    kept["methods"] = [
        {k: v for k, v in method.items() if k != "seconds"} for method in kept["methods"]
    ]
    return kept | {
        "made_at": None,
        "machine": None,
        "data": kept["data"] | {"database": None},
        "tables": kept["tables"] | {"5": None},
    }
