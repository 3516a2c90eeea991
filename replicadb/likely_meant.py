"""What was likely meant by a name that is not known: said in every error about one.

Invariant: a suggestion is one of the names that are there, spelled as it is.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

LEAST, MOST = 0.65, 2
"""Likeness from which a name is suggested, 0 to 1, and so many at most."""
FILES = 5_000
"""Of a folder, so many are looked at."""


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """`` (did you mean 'x' or 'y'?)``, or nothing where no known name is like the given one. Case
    does not count.
    """
    by_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(str(given).lower(), by_case, n=MOST, cutoff=LEAST)
    return f" (did you mean {' or '.join(repr(by_case[name]) for name in near)}?)" if near else ""


def did_you_mean_file(path: str | Path) -> str:
    """The same of files in the folder of the path, by their whole path."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            names = sorted(e.name for e in islice(entries, FILES) if e.name != name)
    except OSError:
        return ""
    near = difflib.get_close_matches(name, names, n=MOST, cutoff=0.8)
    paths = (repr(os.path.join(folder, other)) for other in near)
    return f" (did you mean {' or '.join(paths)}?)" if near else ""
