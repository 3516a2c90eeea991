"""The questions that ``replicadb sql --example`` answers: their names, texts and variables.

Invariant: what is printed runs in any DuckDB shell, ``SET VARIABLE`` included.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.store.quoting import literal
from replicadb.store.site_spellings import known_host
from replicadb.store.statements import statements

if TYPE_CHECKING:
    import pyarrow as pa

    from replicadb.store.database import Database

HOSTS = ("host", "other")
"""The variables that are hosts; where they are not set, those of the likeliest pair."""
LIKELIEST = "SELECT host, copy FROM copies WHERE rank = 1 ORDER BY host LIMIT 1"
LIKELIEST_OF = "SELECT host, copy FROM copies WHERE host = ? ORDER BY rank LIMIT 1"
"""Two statements: one with a condition for both would join every pair that there is."""


class Example(NamedTuple):
    """A question and its query."""

    name: str
    question: str
    query: str

    @property
    def hosts(self) -> list[str]:
        """The variables that it reads, in order."""
        return [name for name in HOSTS if f"getvariable('{name}')" in self.query]


def examples() -> dict[str, Example]:
    """All of them by name, in their order."""
    found = {}
    for stem in ("examples/10_questions", "examples/20_older_shells"):
        for key, statement in statements(stem).items():
            question, _, query = statement.partition("\n")
            name = key.replace("_", "-")
            found[name] = Example(name, question.removeprefix("-- "), query)
    return found


def listing() -> str:
    """A line an example: its name, what it asks, what it takes."""
    rows = list(examples().values())
    width = max(len(row.name) for row in rows)
    lines = (
        f"{row.name:<{width}}  {row.question}{''.join(f' --set {name}=HOST' for name in row.hosts)}"
        for row in rows
    )
    return "\n".join(lines)


def listed_table() -> pa.Table:
    """The same as a table: name, question, variables (those that are hosts)."""
    import pyarrow as pa

    rows = examples().values()
    return pa.table(
        {
            "name": [row.name for row in rows],
            "question": [row.question for row in rows],
            "variables": [" ".join(row.hosts) for row in rows],
        }
    )


def text_of(
    db: Database,
    name: str,
    given: dict[str, str],
    say: Callable[[str], None] = lambda line: None,
) -> str:
    """The statements of an example, its variables first.

    Args:
        given: variables by name; hosts in any spelling.
        say: takes a line that names the hosts that nobody gave.

    Raises:
        UsageError: no such example, or a variable that it does not read. DataError: an unknown
            host, with the nearest names.
    """
    example = examples().get(name)
    if example is None:
        meant = f"{name!r}{did_you_mean(name, examples())}"
        raise UsageError(f"no example is called {meant}; choose one of: {', '.join(examples())}")
    if odd := sorted(given.keys() - example.hosts):
        takes = ", ".join(example.hosts) or "none"
        raise UsageError(f"{name} has no variable {odd[0]!r}; it takes: {takes}")
    values = {key: known_host(db, value) for key, value in given.items()}
    if len(values) < len(example.hosts):
        values = _likeliest(db, values) | values
        say(_answered_for(example, values, given))
    sets = [f"SET VARIABLE {key} = {literal(values[key])};" for key in example.hosts]
    return "\n".join([*sets, example.query])


def _answered_for(example: Example, values: dict[str, str], given: dict[str, str]) -> str:
    """Whom it answers for, and how somebody else is asked for."""
    whom = " and ".join(values[name] for name in example.hosts)
    free = [f"--set {name}=NAME" for name in example.hosts if name not in given]
    other = "asks for another" if len(free) == 1 else "ask for others"
    return f"for {whom}; {' '.join(free)} {other}"


def variables(given: list[str]) -> dict[str, str]:
    """What ``--set NAME=VALUE`` says.

    Raises:
        UsageError: it is not of that form, or a name stands twice.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            raise UsageError(f"--set takes NAME=VALUE, as host=shop.example, not {text!r}")
        if name in found:
            raise UsageError(f"--set {name} stands twice")
        found[name] = value
    return found


def with_variables(statement: str, given: dict[str, str]) -> str:
    """Somebody's own statement after its variables, which are texts."""
    sets = [f"SET VARIABLE {name} = {literal(value)};" for name, value in given.items()]
    return "\n".join([*sets, statement])


def _likeliest(db: Database, given: dict[str, str]) -> dict[str, str]:
    """Hosts to show an example with: the likeliest pair, of a host where one is given."""
    (host,) = given.values() or (None,)
    rows = db.rows(LIKELIEST_OF if host else LIKELIEST, [host] if host else None)
    if not rows:
        whose = f" of {host}" if host else ""
        raise UsageError(f"no pair{whose} to show it with; name the hosts: --set host=HOST")
    pair = rows[0]
    return dict(zip(HOSTS, pair if "other" not in given else pair[::-1], strict=True))
