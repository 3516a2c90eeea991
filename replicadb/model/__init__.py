"""What a detection learned, in one file that opens in milliseconds: scores for any pair of hosts,
and for hosts newly met.

``replicadb.open(...).model()`` makes or opens the model of a database;
``replicadb.open_model(FILE)`` one that was exported.
"""

from __future__ import annotations

from replicadb.model.hosts import Host, Page, read_hosts
from replicadb.model.score import Match, Model, PairScore, open_model

__all__ = ["Host", "Match", "Model", "Page", "PairScore", "open_model", "read_hosts"]
