"""replicadb: which websites in a crawl are copies of each other."""

__version__ = "0.1.0"
