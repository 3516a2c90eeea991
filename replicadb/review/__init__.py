"""Review: a person looks at one pair after the other and decides."""

from replicadb.review.review import Review

__all__ = ["Review"]
