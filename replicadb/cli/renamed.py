"""Old spellings of options, which are understood for one more version, with a note.

Invariant: each word means one thing in all commands. ``--method`` is how replicas are decided,
``--page-method`` how pages are compared, ``--threshold`` the least score of two pages.
"""

from __future__ import annotations

from collections.abc import Callable

OPTIONS = {
    "detect": {"--threshold": "--alpha"},
    "fingerprint": {"--method": "--page-method"},
    "similar": {"--method": "--page-method"},
}
"""By command: what an option was called, and what it is called."""
VALUES = {"detect": {"--evidence": {"content": "all", "paths": "five"}}}
"""By command and option: what a value was called, and what it is called."""


def modern(command: str, arguments: list[str], say: Callable[[str], None]) -> list[str]:
    """The arguments of a command with today's spellings; each old one is reported."""
    options, values = OPTIONS.get(command, {}), VALUES.get(command, {})
    found: list[str] = []
    for at, argument in enumerate(arguments):
        if "--" in arguments[:at]:
            found += arguments[at:]
            break
        name, equals, value = argument.partition("=")
        if name in options:
            say(f"note: {name} of {command} is called {options[name]} now")
            name = options[name]
        of = values.get(name if equals else found[-1] if found else "", {})
        old = value if equals else argument
        if old in of:
            of_name = name if equals else found[-1]
            say(f"note: {of_name} {old} is called {of_name} {of[old]} now")
            name, value = (name, of[old]) if equals else (of[old], "")
        found.append(f"{name}{equals}{value}")
    return found
