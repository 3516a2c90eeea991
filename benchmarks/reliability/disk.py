"""The disk below the commands: full from a write on, an error of one write, sync or read, a power
cut that keeps a part of what was not synced, in a command or after it; a disk that becomes
read-only.

Invariant: a trial starts from the database as it stood before a step. A command whose disk
fails ends in one plain line, or, where it does not need what failed, well; afterwards the same
command, on a sound disk, comes to the same bytes as undisturbed. After a power cut what a command
has said to be done is whole, though all is lost that was not synced, names too.

Run ``python -m benchmarks.reliability.disk [--trials 1000] [--minutes 10] [--seed 1]
[--mode full] [--command sql]``. It needs Linux and a C compiler.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from benchmarks.reliability import campaign, disk_faults, steps
from benchmarks.reliability.campaign import Failed
from benchmarks.reliability.steps import STEPS, Ended, Undisturbed

MODES = ("full", "full", "broken", "unreadable", "cut", "cut", "read-only", "off")


def trial(
    known: Undisturbed,
    draw: random.Random,
    modes: tuple[str, ...] = MODES,
    command: str | None = None,
) -> str:
    """One fault under one step, then the step again, and compare."""
    mode = draw.choice(modes)
    most = known.reads if mode == "unreadable" else known.operations
    step = draw.choice([n for n in steps.chosen(command) if most[n]])
    at = 1 if mode == "read-only" and draw.random() < 0.5 else draw.randint(1, most[step])
    what = f"{mode} at {at} of {most[step]} of {STEPS[step][0]!r} (step {step})"
    with tempfile.TemporaryDirectory(prefix="disk-", dir=steps.base()) as name:
        folder = Path(name)
        known.set_up(step, folder)
        seed = draw.getrandbits(31)
        try:
            end = steps.ended(steps.begin(known, folder, step, mode, at, seed), folder)
            if mode != "cut":
                _plainly(end)
            if mode != "off":
                steps.finish(known, folder, step)
            if differ := steps.differing(known, folder, step):
                raise Failed(f"afterwards differ: {', '.join(differ)}")
        except Failed as error:
            raise Failed(f"{what}: {error}") from error
    return f"{mode}: {'done all the same' if end.code == 0 else 'ended'}"


def _plainly(end: Ended) -> None:
    """Raises Failed where a command did not end by itself with lines that a person can read."""
    lines = end.err.splitlines()
    if end.code < 0 or "Traceback" in end.err or (end.code and not lines):
        raise Failed(f"ended with {end.code}: {end.err[-300:]!r}")
    if end.code and not lines[-1].startswith("replicadb: "):
        raise Failed(f"its last line is {lines[-1][:300]!r}")
    if "REPLICADB_DEBUG" in end.err:
        raise Failed(f"an error that nobody expected: {lines[-1][:300]!r}")


def main() -> int:
    parser = campaign.options(__doc__ or "", 1000)
    parser.add_argument("--mode", choices=sorted(set(MODES)), help="faults of one kind alone")
    parser.add_argument("--command", help="in steps whose command begins so alone: sql upgrades")
    chosen = parser.parse_args()
    if not disk_faults.available():
        print("disk: it needs Linux and a C compiler (cc)", file=sys.stderr)
        return 2
    disk_faults.begin_again_with_faults()
    modes = (chosen.mode,) if chosen.mode else MODES
    with tempfile.TemporaryDirectory(prefix="undisturbed-", dir=steps.base()) as folder:
        known = steps.undisturbed(Path(folder), counting=True)
        return campaign.run("disk", lambda draw: trial(known, draw, modes, chosen.command), chosen)


if __name__ == "__main__":
    sys.exit(main())
