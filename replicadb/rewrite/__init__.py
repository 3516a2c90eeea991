"""Intra-site duplicates: rewrite rules that give every page of a site one URL, learned from
dup-clusters.

Source: Dasgupta, Kumar and Sasturkar (2008), "De-duping URLs via rewrite rules", as
docs/method.md#rewrite-rules reads it, with choosing targets in place of all pairs (Koppula et al.
2010). Invariant: a rule only ever makes a URL's form smaller (``rewrite_rules.py``
says how that is measured), so rewriting ends, and rewriting again changes nothing.
"""

from replicadb.rewrite.apply import Rewriter
from replicadb.rewrite.rewrite_rules import Rule, RuleSet

__all__ = ["Rewriter", "Rule", "RuleSet"]
