"""Rewrite rules beside the removal of hosts: the paper's Table 3, where both methods meet.

Invariant: rules are learned from the crawl without any label, and stay within a host; what
they remove wrongly is counted.
Source: the paper, section 4.2.1 and Table 3, with Dasgupta et al. (2008) at epsilon 0.0 and 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from replicadb.arrays import Bools, Ints
from replicadb.rewrite import RuleSet, rule_learning, rule_store
from replicadb.store.database import Database

EPSILONS = (0.0, 0.1)
"""Of the paper's Table 3."""
BETWEEN_HOSTS = ("www",)
"""Kinds of rules that lead to another host: removing hosts is detect's part."""


@dataclass(frozen=True)
class RuleReduction:
    """What the rules of one epsilon remove. Arrays are by host_id."""

    rules: int
    removed: Ints
    """int64, URLs in dup-clusters that go since another URL of the host has their form."""
    wrong: Ints
    """int64, URLs that go though the one that stays has other content."""

    @classmethod
    def of(cls, db: Database, n_ids: int, epsilon: float) -> RuleReduction:
        """Learn rules and count what they remove; temporary tables only.

        Args:
            n_ids: one more than the highest host_id.
        """
        if not db.value("SELECT count(*) FROM page_urls WHERE fingerprint IS NOT NULL"):
            return cls(0, *np.zeros((2, n_ids), np.int64))
        with db.temporary():
            found = rule_learning.learn(db, epsilon)
            rules = RuleSet(
                tuple(rule for rule in found.rules if rule.kind not in BETWEEN_HOSTS), found.about
            )
            rule_store.write_forms(db, rules, "reduced_forms")
            db.run("evaluate/10_reduction", only="url_reduction")
            counts = db.arrays("SELECT host_id, removed, wrong FROM url_reduction")
        arrays = np.zeros((2, n_ids), np.int64)
        for row, name in zip(arrays, ("removed", "wrong"), strict=True):
            row[counts["host_id"]] = counts[name]
        return cls(len(rules.rules), *arrays)


def beside_hosts(
    rules: dict[float, RuleReduction], urls: Ints, gone: Bools
) -> dict[str, dict[str, Any]]:
    """What rules and the removal of hosts take away together, by epsilon.

    Args:
        urls: (hosts,) URLs in dup-clusters. gone: (hosts,) bool, hosts that are removed.

    Returns:
        epsilon as text to removed_urls (both together), removed_twice (by rules on hosts that go
        anyway), rr.
    """
    total = max(int(urls.sum()), 1)
    found = {}
    for epsilon, rule in rules.items():
        removed = int(urls[gone].sum() + rule.removed[~gone].sum())
        found[f"{epsilon:.1f}"] = {
            "removed_urls": removed,
            "removed_twice": int(rule.removed[gone].sum()),
            "rr": removed / total,
        }
    return found
