"""What the paper published, to stand beside what is measured here.

Always true here: every figure is printed in Carvalho, de Moura, Veloso and Ziviani (2017), "Website
replica detection with distant supervision", in the section named beside it; curves that the paper
only draws are not guessed from the picture. They are of another crawl, so they say how far, not how
well.
"""

from __future__ import annotations

from typing import Any

SOURCE = (
    "Carvalho, de Moura, Veloso & Ziviani (2017), Website replica detection with distant"
    " supervision"
)

AUC = {
    "paper-pu": 0.9908,
    "paper-nu": 0.9688,
    "paper": 0.9950,
    "normpaths": 0.9415,
    "biased-svm": 0.9824,
    "upper-bound": 0.9956,
}
"""Area under the ROC curve, section 4.2.1 (the upper bound: the thesis, section 4.3)."""

RR = {
    "paper": {0.0: 0.0791, 0.001: 0.1245, 0.005: 0.1916},
    "paper-pu": {0.005: 0.17},
    "paper-nu": {0.005: 0.18},
    "normpaths": {0.001: 0.07, 0.005: 0.14},
}
"""Reduction ratio by false-positive rate: Table 3 (PU + NU) and section 4.2.1. (The thesis has 0.18
for PU and 0.17 for NU.)
"""

URLS, HOSTS, SHARING_HOSTS = 30_000_000, 583_411, 172_004
"""Section 4.1.1; the number of URLs is "+30 million"."""

DUPLICATES = {"urls": 6_948_501, "intra": 6_514_746, "inter": 843_526, "both": 409_771}
"""Duplicate URLs, Table 3."""

INTRA_PER_THREEFOLD_INTER = 10.0
"""Three times the inter-site duplicates of a host go with ten times the intra-site ones (section
4.1.1, Figure 3 right).
"""

MEAN_URLS = {"replicated": 224, "candidate": 135}
"""URLs of replicated and of other hosts of the sample, on average (section 4.1.1,
Figure 4 left).
"""

SAMPLE_HOSTS, REPLICATED_HOSTS, MOST_CASES = 49_636, 3_765, "more than 100"
"""Hosts in the sample, those in a replica pair, and in how many the busiest is (section 4.1.1,
Figure 4 middle).
"""

SAMPLE_PAIRS, REPLICA_PAIRS, OBVIOUS_PAIRS = 1_600_000, 6_853, 354
"""Pairs in the sample, the replicas among them, and the obvious ones of these (section 4.1.1)."""


def as_json() -> dict[str, Any]:
    """All of the above as JSON can hold it, by figure; Tables 2 to 5 have the published rows beside
    their own.
    """
    return {
        "source": SOURCE,
        "auc": AUC,
        "rr": {
            method: [{"fpr": fpr, "rr": rr} for fpr, rr in found.items()]
            for method, found in RR.items()
        },
        "figure_3": {
            "urls": URLS,
            "hosts": HOSTS,
            "sharing_hosts": SHARING_HOSTS,
            "duplicates": DUPLICATES,
            "intra_per_threefold_inter": INTRA_PER_THREEFOLD_INTER,
        },
        "figure_4": {
            "mean_urls": MEAN_URLS,
            "sample_hosts": SAMPLE_HOSTS,
            "replicated_hosts": REPLICATED_HOSTS,
            "most_cases": MOST_CASES,
            "sample_pairs": SAMPLE_PAIRS,
            "replica_pairs": REPLICA_PAIRS,
            "obvious_pairs": OBVIOUS_PAIRS,
        },
    }
