"""Kills at random moments, over every command that writes: does the work go on afterwards, and come
to the same bytes as undisturbed?

Always true here: a trial starts from the database as it stood before a step and ends that step: at
a moment drawn from the time that it takes, or, where there is a C compiler, before or in the middle
of an operation on the disk; then it gives the same command again and compares all that is stored
and exported with the undisturbed run. Every thirtieth trial goes on to the last step.

Run ``python -m benchmarks.reliability.crash [--trials 1000] [--minutes 10] [--seed 1]``.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.reliability import campaign, disk_faults, steps
from benchmarks.reliability.campaign import Failed
from benchmarks.reliability.steps import STEPS, Undisturbed

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def trial(known: Undisturbed, draw: random.Random) -> str:
    """End one step somewhere, go on, compare."""
    step = draw.choice([n for n, (command, _) in enumerate(STEPS) if command != "upgrade"])
    to_the_end = draw.random() < 1 / 30
    with tempfile.TemporaryDirectory(prefix="crash-", dir=steps.base()) as name:
        folder = Path(name)
        known.set_up(step, folder)
        if known.operations[step] and draw.random() < 0.6:
            mode = draw.choice(("kill", "torn"))
            at = draw.randint(1, known.operations[step])
            where = f"operation {at} of {known.operations[step]}"
            end = steps.ended(
                steps.begin(known, folder, step, mode, at, draw.getrandbits(31)), folder
            )
            what, how = mode, end.code
        else:
            what = draw.choice(SIGNALS)
            share = draw.uniform(0, 1)
            where = f"{share:.2f} of its time"
            process = steps.begin(known, folder, step)
            time.sleep(share * known.seconds[step])
            os.kill(process, what)
            end = steps.ended(process, folder)
            what, how = signal.Signals(what).name, end.code
        for last in range(step, len(STEPS) if to_the_end else step + 1):
            if how or last != step:  # what ended well is compared as it is
                steps.finish(known, folder, last)
            if differ := steps.differing(known, folder, last, last == step):
                raise Failed(
                    f"{what} at {where} of {STEPS[step][0]!r} (step {step}): after"
                    f" {STEPS[last][0]!r} differ: {', '.join(differ)}"
                )
    if how == 0:
        return "after the end"
    return f"ended by {what}"


def main() -> int:
    parser = campaign.options(__doc__ or "", 1000)
    chosen = parser.parse_args()
    if disk_faults.available():
        disk_faults.begin_again_with_faults()
    with tempfile.TemporaryDirectory(prefix="undisturbed-", dir=steps.base()) as folder:
        known = steps.undisturbed(Path(folder), disk_faults.available())
        return campaign.run("crash", lambda draw: trial(known, draw), chosen)


if __name__ == "__main__":
    sys.exit(main())
