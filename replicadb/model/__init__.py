"""What a detection learned, in one file that opens in milliseconds: scores for any pair of hosts,
and for hosts newly met.

``replicadb.open(...).model()`` makes or opens the model of a database;
``replicadb.open_model(FILE)`` one that was exported.
"""

from __future__ import annotations

from replicadb.model.model import Match, Model, PairScore, open_model
from replicadb.model.new_hosts import Host, Page, read_hosts

__all__ = ["Host", "Match", "Model", "Page", "PairScore", "open_model", "read_hosts"]
