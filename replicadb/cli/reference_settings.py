"""The page of settings: each one's default, unit and source, from its dataclass's metadata."""

from __future__ import annotations

from dataclasses import fields

from replicadb.cli.markdown import MADE_BY, paragraph, plain, table
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.settings import CHOICES, Constants, Settings
from replicadb.stage_constants import Copies, Drops, Labels, Model, PageMethods, PagePairs, Rewrite

FIXED = "that decide, where no option says another."
SECTIONS: tuple[tuple[str, type, str], ...] = (
    (
        "Detection",
        Settings,
        "Keywords of `ReplicaDB.detect`. `replicadb detect` has the commonest as options. Those of"
        " a run are written to the table `runs`.",
    ),
    (
        "Page methods",
        PageOptions,
        "Keywords of `ReplicaDB.fingerprint` and options of `replicadb fingerprint`. Those of each"
        " run are written to the table `fingerprints`.",
    ),
    (
        "Constants",
        Constants,
        "Numbers of method robust that decide and that no option changes: the prior was learned"
        " with them.",
    ),
    ("Constants of drops", Drops, f"Numbers of the hosts to drop {FIXED}"),
    ("Constants of labels", Labels, f"Numbers of what people decided {FIXED}"),
    ("Constants of copies", Copies, f"Numbers of `copies-of` and `recheck` {FIXED}"),
    ("Constants of page methods", PageMethods, f"Numbers of page methods {FIXED}"),
    (
        "Constants of page pairs",
        PagePairs,
        f"Numbers of the classifier for pairs of pages {FIXED}",
    ),
    ("Constants of rewrite rules", Rewrite, f"Numbers of `replicadb rewrite` {FIXED}"),
    ("Constants of the model", Model, f"Numbers of `replicadb score` {FIXED}"),
)


def settings_page() -> str:
    """Every setting with its default, unit and source, as Markdown."""
    parts = ["# Settings", f"{MADE_BY} Sources are sections of the paper, or of the method."]
    for title, kind, about in SECTIONS:
        rows = [
            (
                f"`{item.name}`",
                f"`{item.default}`",
                _unit(item.name, item.metadata["unit"]),
                plain(item.metadata["source"]),
            )
            for item in fields(kind)
        ]
        head = ("setting", "default", "unit or choices", "meaning and source")
        parts += [f"## {title}", paragraph(about), table(head, rows)]
    return "\n\n".join(parts) + "\n"


def _unit(name: str, unit: str) -> str:
    if name in CHOICES:
        return ", ".join(f"`{choice}`" for choice in CHOICES[name])
    return unit or "-"
