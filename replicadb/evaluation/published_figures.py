"""What the paper published, transcribed, to stand beside what is measured here.

Invariant: every figure is printed in Carvalho, de Moura, Veloso and Ziviani (2017), "Website
replica detection with distant supervision", in the section or table named beside it, misprints
included; what is known of those is said beside the number. Curves that the paper only draws are not
guessed from the picture. None stands where the paper prints a dash. The figures are of another
crawl, so they say how far, not how well.
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
    "biased-svm-em": 0.9824,
    "upper-bound": 0.9956,
}
"""Area under the ROC curve, section 4.2.1 (the upper bound: the thesis, section 4.3)."""

RR = {
    "paper": {0.0: 0.0791, 0.001: 0.1245, 0.005: 0.1916},
    "paper-pu": {0.005: 0.17},
    "paper-nu": {0.005: 0.18},
    "normpaths": {0.001: 0.07, 0.005: 0.14},
    "upper-bound": {0.005: 0.19},
    "thesis-best": {0.005: 0.165},
    "thesis-pu-0.6": {0.001: 0.11, 0.005: 0.17},
    "thesis-nu-0.5": {0.005: 0.155},
}
"""Reduction ratio by false-positive rate: Table 3 (PU + NU) and section 4.2.1. (The thesis has 0.18
for PU and 0.17 for NU.) The upper bound and global thresholds: the thesis, Figures 4.8 and 4.10.
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

THESIS_TABLE_4_1 = {
    0.1: (0.7559, 0.3642),
    0.2: (0.7594, 0.3632),
    0.3: (0.7689, 0.3689),
    0.4: (0.7643, 0.9281),
    0.5: (0.9455, 0.9482),
    0.6: (0.9683, 0.9413),
    0.7: (0.9260, 0.3643),
    0.8: (0.9351, 0.3521),
    0.9: (0.9050, 0.3776),
}
"""AUC from PU and from NU data by global threshold; the two best together give 0.9763 (the thesis,
section 4.3).
"""

THESIS_AUC = {name: AUC[name] for name in ("paper", "paper-pu", "paper-nu")} | {
    "thesis-best": 0.9763,
    "thesis-pu-0.6": 0.9683,
    "thesis-nu-0.5": 0.9482,
}
"""AUC by the thesis' two by five folds (section 4.3); the paper prints the first three again."""

THESIS_TABLE_4_2 = {
    "–": (0.9683, 0.9482, 0.9683, 0.9482),
    "ip3": (0.5033, 0.5114, 0.9455, 0.8166),
    "ip4": (0.5244, 0.5218, 0.9451, 0.7036),
    "nmatch": (0.5426, 0.5729, 0.9301, 0.6178),
    "ndist": (0.7450, 0.5031, 0.9183, 0.7163),
    "fullpath": (0.6311, 0.6304, 0.9300, 0.5845),
}
"""The same as Table 2 under the best global thresholds, PU at 0.6 and NU at 0.5 (the thesis)."""

TABLE_2 = {
    "–": (0.9908, 0.9688, 0.9908, 0.9688),
    "ip3": (0.5132, 0.5116, 0.9706, 0.9411),
    "ip4": (0.5288, 0.5283, 0.9701, 0.9431),
    "nmatch": (0.6565, 0.2312, 0.9646, 0.9391),
    "ndist": (0.7716, 0.6528, 0.9631, 0.9272),
    "fullpath": (0.7187, 0.6274, 0.9550, 0.9206),
}
"""AUC by feature: alone PU, alone NU, all except it PU, all except it NU."""

TABLE_3 = {
    "duplicate URLs": (6_948_501, None, None, None),
    "intra-site URLs": (6_514_746, None, None, None),
    "intra-site, rewrite rules, epsilon 0.0": (293_374, None, None, None),
    "intra-site, rewrite rules, epsilon 0.1": (1_628_685, None, None, None),
    "inter-site URLs": (843_526, 555_880, 865_384, 1_331_215),
    "inter- and intra-site URLs": (409_771, 286_485, 446_182, 758_927),
    "inter and intra, rewrite rules, epsilon 0.0": (64_947, 38_835, 70_232, 110_284),
    "inter and intra, rewrite rules, epsilon 0.1": (151_683, 98_377, 170_827, 388_022),
    "RR intra": (0.9376, None, None, None),
    "RR intra, epsilon 0.0": (0.0422, None, None, None),
    "RR intra, epsilon 0.1": (0.2344, None, None, None),
    "RR inter": (0.1213, 0.0791, 0.1245, 0.1916),
    "RR inter + intra": (1.0, None, None, None),
    "RR inter + intra, epsilon 0.0": (0.1541, 0.1166, 0.1567, 0.2179),
    "RR inter + intra, epsilon 0.1": (0.3340, 0.3002, 0.3343, 0.3701),
}
"""Columns: all hosts of the gold's replicas removed, then those found at FPR 0, 0.001 and 0.005. RR
are the counts over 6,948,501; but 555,880 gives 0.0800, not 0.0791, and ``all`` 0.1214, not 0.1213.
"""

TABLE_4 = {
    "paper-pu": (0.9900, 0.9891, 0.9615, 0.7656),
    "paper-nu": (0.6590, 0.4429, 0.4300, 0.4287),
    "paper": (1.0000, 1.0000, 0.9905, 0.8272),
    "normpaths": (0.6619, 0.4192, 0.4105, 0.4088),
    "biased-svm-em": (0.9805, 0.9622, 0.9349, 0.7034),
    "upper-bound": (1.0000, 0.9901, 0.9586, 0.7555),
}
"""Replica detection rate at 10 + 1, 100 + 1, 1000 + 1 and 10,000 + 1 candidates."""

TABLE_5 = {
    "EM, PU (from scratch)": 8838.98,
    "EM, PU (incremental)": 112.26,
    "EM, NU (from scratch)": 9172.37,
    "EM, NU (incremental)": 131.11,
    "rule extraction, one pair": 0.0575,
    "prediction, one pair": 0.0086,
    "aggregation, one pair": 0.0232,
}
"""Seconds; on 1.33 million training examples (PU), on the hardware of the time. The last three are
of one candidate (section 4.2.3: together less than 0.1 s).
"""


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
