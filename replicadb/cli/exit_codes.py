"""Exit codes: few, and the same for every command."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the command leaves with; documented in ``replicadb --help``."""

    DONE = 0
    DATA = 1
    USAGE = 2
    LIMIT = 3
    LOCKED = 4
    INTERRUPTED = 130
