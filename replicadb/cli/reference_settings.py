"""The page of settings: each one's default, unit and source, from its dataclass's metadata."""

from __future__ import annotations

from dataclasses import fields

from replicadb.cli.markdown import MADE_BY, paragraph, plain, table
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.settings import CHOICES, Constants, Settings
from replicadb.stage_constants import (
    Aliases,
    Copies,
    Drops,
    EvenStrength,
    Kinds,
    Labels,
    Model,
    PageMethods,
    PagePairs,
    Rewrite,
)

FILE = """\
## A file of settings

Commands read `replicadb.toml` in the working directory, or the file that `--config FILE` names,
before or after the command. An option goes before the file, the file before the default.

```toml
threads = 2                 # above the tables: memory_limit, threads, quiet

[detect]                    # a table is a command, a key is one of its options
max_wrong = 0.01
path_max_hosts = 50         # of detect also the settings below that have no option

[export]
max-drop-share = 0.2

[rewrite.learn]
epsilon = 0.01

[drops]                     # numbers of the sections Constants of drops, labels and copies
least_probability = 0.9
```

An unknown table or key, and a value that cannot be meant, stop every command with one line that
names the file, the key and the nearest name. A setting of the file that does nothing beside the
others (`max_wrong` under `--method paper`) is passed over; given by hand it is refused. Commands
say on standard error what of the file they go by; `info DB` says all of it, and what the last
detection had instead; `info DB --settings` lists every setting with its value and where it is
from. `--files` and `--write` of `sql`, `--browser`, `--force`, `--config` and `--progress` are only
given by hand, since the file may lie in anybody's folder. The other constants are in no file: the
prior was taught with those of method robust. Python reads no file; it takes keywords.

Work of more than two seconds shows a line on a terminal: what is done, how much of it, the rate and
the time left of the step that is named last. In a pipe nothing is shown, but with
`--progress always` a line every ten seconds. There is no colour anywhere, with or without
`NO_COLOR`."""
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
    ("Constants of kinds", Kinds, f"Numbers of what a pair looks like {FIXED}"),
    ("Constants of calibration", EvenStrength, f"Numbers of the curve {FIXED}"),
    ("Constants of labels", Labels, f"Numbers of what people decided {FIXED}"),
    ("Constants of aliases", Aliases, f"Numbers of `aliases` and `families` {FIXED}"),
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
    parts = ["# Settings", f"{MADE_BY} Sources are sections of the paper, or of the method.", FILE]
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
