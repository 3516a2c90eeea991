"""The review as a page on this machine alone: one person, one browser, one database."""

from replicadb.review_page.page_server import serve

__all__ = ["serve"]
