"""What a detection found, as plain values for a page: the facts of ``replicadb report``."""

from replicadb.findings.findings import collect

__all__ = ["collect"]
