"""The page of settings: each one's default, unit and source, from its dataclass's metadata."""

from __future__ import annotations

from dataclasses import fields

from replicadb.cli.markdown import MADE_BY, paragraph, plain, table
from replicadb.constant_tables import FIXED, TABLES
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.page_constants import PageMethods, PagePairs, Rewrite
from replicadb.settings import CHOICES, Constants, Settings
from replicadb.stage_constants import Aliases, Calibration, Copies, Drops, Kinds, Labels, Model

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

[robust]                    # numbers of the sections Constants below, by the name in brackets
least_flag = 0.7

[drops]
least_probability = 0.9
```

An unknown table or key, and a value that cannot be meant, stop every command with one line that
names the file, the key and the nearest name. A setting of the file that does nothing beside the
others (`max_wrong` under `--method paper`) is passed over; given by hand it is refused. Commands
say on standard error what of the file they go by; `info DB` says all of it, and what the last
detection had instead; `info DB --settings` lists every setting with its value and where it is
from. `--files` and `--write` of `sql`, `--browser`, `--force`, `--config` and `--progress` are only
given by hand, since the file may lie in anybody's folder. Python reads no file; it takes keywords.

Of the constants below those of page methods, of the model, and those marked *fixed* are in no file:
what was learned, the prior or a classifier, goes by them, and thresholds of page methods are
options. Others change what a detection gives and not what it was measured with: the figures of
these pages are of the defaults.

Work of more than two seconds shows a line on a terminal: what is done, how much of it, the rate and
the time left of the step that is named last. In a pipe nothing is shown, but with
`--progress always` a line every ten seconds. There is no colour anywhere, with or without
`NO_COLOR`."""
DECIDE = "that decide, where no option says another."
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
        "`[robust]`: numbers of method robust that decide, where no option says another. With the"
        " fixed ones the prior was learned.",
    ),
    ("Constants of drops", Drops, f"`[drops]`: numbers of the hosts to drop {DECIDE}"),
    ("Constants of kinds", Kinds, f"`[kinds]`: numbers of what a pair looks like {DECIDE}"),
    ("Constants of calibration", Calibration, f"`[calibration]`: numbers of the curve {DECIDE}"),
    ("Constants of labels", Labels, f"`[labels]`: numbers of what people decided {DECIDE}"),
    (
        "Constants of aliases",
        Aliases,
        f"`[names]`: numbers of `aliases`, `families` and `wildcards` {DECIDE}",
    ),
    ("Constants of copies", Copies, f"`[copies]`: numbers of `copies-of` and `recheck` {DECIDE}"),
    ("Constants of page methods", PageMethods, f"Numbers of page methods {DECIDE}"),
    (
        "Constants of page pairs",
        PagePairs,
        f"`[page_pairs]`: numbers of the classifier for pairs of pages {DECIDE}",
    ),
    (
        "Constants of rewrite rules",
        Rewrite,
        f"`[rewriting]`: numbers of `replicadb rewrite` {DECIDE}",
    ),
    ("Constants of the model", Model, f"Numbers of `replicadb score` {DECIDE}"),
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
                ("*fixed*; " if item.name in _fixed(kind) else "") + plain(item.metadata["source"]),
            )
            for item in fields(kind)
        ]
        head = ("setting", "default", "unit or choices", "meaning and source")
        parts += [f"## {title}", paragraph(about), table(head, rows)]
    return "\n\n".join(parts) + "\n"


def _fixed(kind: type) -> tuple[str, ...]:
    """Those that no file of settings changes, where others of them it does."""
    return next(
        (FIXED.get(name, ()) for name, table in TABLES.items() if isinstance(table, kind)), ()
    )


def _unit(name: str, unit: str) -> str:
    if name in CHOICES:
        return ", ".join(f"`{choice}`" for choice in CHOICES[name])
    return unit or "-"
