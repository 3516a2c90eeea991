"""Why two hosts are replicas or are none, and all copies of one host: what the last detection
stored of them, in words.
"""

from replicadb.explanation.copies import copies_of
from replicadb.explanation.explain import explain
from replicadb.explanation.watch import stop_watching, watch

__all__ = ["copies_of", "explain", "stop_watching", "watch"]
