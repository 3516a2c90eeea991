"""A small evaluation result, made by hand, of the shape that ``evaluate`` gives; for the tests of
the report.
"""

from __future__ import annotations

from typing import Any

HOSTILE = "</script><script>alert(1)</script>"
ODD = [
    "\"quotes' & <b>bold</b>",
    "nul\x00bell\x07esc\x1b[31m",
    "rtl\u202egnp.exe\u2066x",
    "lone\ud800surrogate",
    "<!-- x",
    "]]>",
    "${x} `y`",
]
GOLD = [  # of the crawl that conftest.detected holds
    ("example.com", "www.example.com"),
    ("example.org", "example.com"),
    ("example.com", "example.org"),
    ("gone.net", "example.com"),
    ("alone.net", "alone.net"),
]

KINDS = (
    ("robust", "replicadb, robust", "ours", 0.03),
    ("robust-paths", "robust, five features", "ours", 0.1),
    ("paper", "Published: PU + NU, Pareto", "paper", 0.45),
    ("paper-pu", "Published: PU", "paper", 0.5),
    ("paper-nu", "Published: NU", "paper", 0.7),
    ("thesis-0.5", "Thesis, threshold 0.5", "paper", 0.6),
    ("normpaths", "NormPaths", "baseline", 0.6),
    ("biased-svm", "Biased SVM", "baseline", 0.4),
    ("jaccard", "Jaccard of content", "baseline", 0.35),
    ("fullpath", "fullpath alone", "single", 0.5),
    ("without-ndist", "without ndist", "left-out", 0.5),
    ("upper-bound", "Rules with true labels", "ceiling", 0.2),
    ("booster", "Gradient booster", "ceiling", 0.01),
)


def metrics(badness: float, causes: int = 200) -> dict[str, Any]:
    """METRICS of a method that is the worse, the higher ``badness`` in (0, 1]."""
    tpr = {f: round(float(f) ** badness, 6) for f in ("0.0001", "0.001", "0.005", "0.01")}
    area = 1 / (1 + badness)
    return {
        "n": 50_000,
        "replicas": causes,
        "auc": area,
        "average_precision": area**3,
        "tpr": tpr,
        "precision_at": {"10": 1.0, "100": 0.97, "1000": None},
        "intervals": {
            "auc": [area - 0.01, min(1, area + 0.01)],
            "average_precision": [area**3 - 0.02, min(1, area**3 + 0.02)],
            "tpr": {f: [max(0, tpr[f] - 0.04), min(1, tpr[f] + 0.04)] for f in ("0.001", "0.005")},
        },
    }


def method(name: str, title: str, family: str, badness: float) -> dict[str, Any]:
    """One method, its curves of the form TPR = FPR^badness."""
    rates = [0.0] + [10 ** (k / 25 - 5) for k in range(126)]
    return {
        "name": name,
        "title": title,
        "family": family,
        "needs_gold": family == "ceiling",
        "seconds": 0.01 + 40 * badness,
        "all": metrics(badness * 0.8),
        "non_obvious": metrics(badness),
        "by_cause": {
            cause: {
                "replicas": 20 + k,
                "average_precision": 1 - badness / (k + 2),
                "tpr": {"0.001": 0.001 ** (badness * (k + 1) / 2), "0.005": 0.005**badness},
            }
            for k, cause in enumerate(("www", "moved", "farm"))
        },
        "flagged": {
            "pairs": 180,
            "precision": 0.97,
            "recall": 0.86,
            "fpr": 0.0001,
            "intervals": {"precision": [0.95, 0.99], "recall": [0.8, 0.9]},
        }
        if name in ("robust", "paper")
        else None,
        "roc": [[f, f ** (badness * 0.8)] for f in rates],
        "roc_non_obvious": [[f, f**badness] for f in rates],
        "precision_recall": [[k / 50, 1 - badness * (k / 50) ** 3] for k in range(51)],
        "precision_recall_non_obvious": [[k / 50, 1 - badness * (k / 50) ** 2] for k in range(51)],
        "rr": [
            {"fpr": f, "rr": r, "removed_urls": 90, "both": {"rr": 1.5 * r}}
            for f in (0, 0.001, 0.005)
            for r in [0.2 * f ** (badness / 4)]
        ],
        "rr_curve": [[f, 0.2 * f ** (badness / 4)] for f in rates if f <= 0.02],
        "rr_curve_both": [[f, 0.3 * f ** (badness / 4)] for f in rates if f <= 0.02],
        "rr_curve_non_obvious": [[f, 0.1 * f ** (badness / 4)] for f in rates if f <= 0.02],
        "rdr": {"10": 1.0, "100": 0.99, "1000": 0.95, "10000": None},
        "folds": None,
        "note": "scikit-learn is not installed" if name == "biased-svm" else None,
    }


def tables() -> dict[str, Any]:
    """The paper's Tables 2 to 5 as they come."""
    two = [["ip3", 0.51, 0.52, 0.97, 0.94], ["fullpath", 0.71, 0.62, 0.95, None]]
    return {
        "2": {
            "title": "Performance of different feature combinations (AUC)",
            "columns": ["Feature", "PU alone", "NU alone", "PU without", "NU without"],
            "rows": two,
            "published": {
                "columns": [],
                "rows": [
                    ["ip3", 0.5132, 0.5116, 0.9706, 0.9411],
                    ["fullpath", 0.7187, 0.6274, 0.9550, 0.9206],
                ],
            },
            "note": None,
        },
        "3": {
            "title": "Reduction ratio after removing duplicate URLs",
            "columns": ["", "all", "0.000", "0.001", "0.005"],
            "rows": [
                ["duplicate URLs", 6000, None, None, None],
                ["RR inter", 0.12, 0.07, 0.11, 0.18],
            ],
            "published": [
                ["duplicate URLs", 6_948_501, None, None, None],
                ["RR inter", 0.1213, 0.0791, 0.1245, 0.1916],
            ],
            "note": "Rewrite rules are not part of replicadb.",
        },
        "4": {
            "title": "Replica detection rate",
            "columns": ["Algorithm", "10 + 1", "100 + 1"],
            "rows": [["PU data", 0.98, 0.97], ["robust", 1.0, 1.0]],
            "published": {"rows": [["PU data", 0.99, 0.9891], ["B-SVM", 0.9805, 0.9622]]},
            "note": None,
        },
        "5": {
            "title": "Execution time in seconds",
            "columns": ["Step", "Seconds"],
            "rows": [["PU (incremental)", 0.11]],
            "published": None,
            "note": None,
        },
    }


def sample() -> dict[str, Any]:
    """A whole result."""
    return {
        "replicadb": "0.1.0",
        "made_at": "2025-01-02T03:04:05+00:00",
        "machine": {"cores": 2, "memory_gb": 23.5, "python": "3.11.4", "duckdb": "2.0.0"},
        "data": {
            "database": "web.duckdb",
            "hosts": 4000,
            "urls": 400_676,
            "duplicate_urls": 96_243,
            "dup_clusters": 25_613,
            "candidate_pairs": 57_495,
            "obvious_replicas": 187,
            "gold_pairs": 3054,
            "gold_replicas": 3054,
            "gold_labelled": False,
            "gold_candidates": 3042,
            "candidate_recall": 0.996,
            "gold_unknown_hosts": 1,
            "evaluated_pairs": 57_495,
            "evaluated_replicas": 3042,
            "non_obvious_replicas": 2857,
            "causes": {
                "www": {"gold": 30, "candidates": 29},
                "moved": {"gold": 300, "candidates": 299},
                "farm": {"gold": 90, "candidates": 90},
            },
            "notes": ["0 obvious replicas to learn from: a note of the data"],
        },
        "methods": [method(*kind) for kind in KINDS],
        "comparisons": [
            {
                "a": "robust",
                "b": "paper",
                "metric": "auc",
                "wilcoxon_p": 0.0312,
                "mean_difference": 0.11,
                "n": 5,
            }
        ],
        "tables": tables(),
        "figures": {},
    }


def hostile(value: Any, nasty: str, key: str = "") -> Any:
    """The same result with every text that a crawl, a file or a person could have written replaced
    or ended by ``nasty``.
    """
    if isinstance(value, dict):
        if key in ("causes", "by_cause"):
            return {
                (nasty if i == 0 else f"{i}{nasty}"): hostile(v, nasty)
                for i, v in enumerate(value.values())
            }
        return {k: hostile(v, nasty, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(v, nasty, key) for v in value]
    if not isinstance(value, str) or key in ("name", "a", "b"):  # the program's own words
        return value
    return nasty if key in ("database", "title", "note") else value + nasty
