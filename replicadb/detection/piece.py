"""A piece of evidence, as the catalogue has it (``evidence.py``)."""

from __future__ import annotations

from dataclasses import dataclass

ROBUST = ("pages", "files")
"""The priors of method robust that weigh contents."""


@dataclass(frozen=True)
class Piece:
    """One piece of evidence: how alike two hosts are in one respect."""

    name: str
    """The column."""
    group: str
    """What it is about."""
    phrase: str
    """The same in a person's words, with its value; before the colon what it is about."""
    definition: str
    """A sentence or two, with range and source."""
    sql: str
    """Its expression over what sql/detect/40_pair_features has of a pair."""
    null: str = ""
    """When it is NULL; empty where it never is."""
    used_by: tuple[str, ...] = ()
    """Who weighs it: method paper, and the priors of method robust (paths, pages, files)."""
    type: str = "FLOAT"
    """Of the column."""
    beside: bool = False
    """Whether it finds replicas without any fingerprint; NULL where it was not loaded."""

    @property
    def comment(self) -> str:
        """The column's description in the database."""
        text = self.definition + (f" NULL = {self.null}." if self.null else "")
        return text + (" For method robust." if "files" in self.used_by else "")

    def in_words(self, value: float | None) -> str:
        """The phrase with its value; what NULL means where there is none."""
        if value is not None:
            return self.phrase.format(value)
        about = self.phrase.split(":")[0].split(" {")[0]
        return f"{about}: unknown ({self.null})"
