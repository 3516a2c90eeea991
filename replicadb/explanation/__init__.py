"""Why two hosts are replicas or are none: what the last detection stored of them, in words."""

from replicadb.explanation.explain import explain

__all__ = ["explain"]
