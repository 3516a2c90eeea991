"""Kills at random moments, over every command that writes: does the work go on afterwards, and come
to the same bytes as undisturbed?

Invariant: a trial starts from the database as it stood before a step and kills that step: at
a moment drawn from the time that it takes, or, where there is a C compiler, before or in the middle
of an operation on the disk. The command is given again, and killed again, one to four times. Then
it runs to its end, and all that is stored and exported is compared with the undisturbed run. Every
thirtieth trial goes on to the last step. Where a database was detected before, a detection that is
killed leaves the earlier result; every second trial exports it to see that.

Run ``python -m benchmarks.reliability.crash [--trials 1000] [--minutes 10] [--seed 1]
[--exactly] [--command sql]``; with ``--exactly`` it ends processes at operations on the disk alone,
not by the clock, so that a trial is the same whatever else the machine does.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.reliability import campaign, disk_faults, material, steps
from benchmarks.reliability.campaign import Failed
from benchmarks.reliability.steps import DONE_BEFORE, STEPS, Ended, Undisturbed

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
BY_SIGNAL = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, 130, 143}
"""Exit codes of a process that a signal ended."""
MOST = 4
"""Kills in a trial."""
DETECTED = "detect DB --name first"
"""From this step on something was found before; an upgrade forgets it."""


class Crash:
    """Trials over steps; ``kills`` counts processes that a signal ended, by how, ``commands`` by
    what they did.
    """

    def __init__(
        self, known: Undisturbed, exactly: bool = False, command: str | None = None
    ) -> None:
        self.known, self.exactly = known, exactly
        self.kills: Counter[str] = Counter()
        self.commands: Counter[str] = Counter()
        self.steps = steps.chosen(command)

    def trial(self, draw: random.Random) -> str:
        """End one step somewhere, maybe several times; go on, compare."""
        step, kills = draw.choice(self.steps), draw.randint(1, MOST)
        to_the_end, told = draw.random() < 1 / 30, []
        with tempfile.TemporaryDirectory(prefix="crash-", dir=steps.base()) as name:
            folder = Path(name)
            self.known.set_up(step, folder)
            for _ in range(kills):
                where, done = self._kill(folder, step, draw)
                told.append(where)
                if done:
                    break
            try:
                if not done and draw.random() < 0.5:
                    self._answers_as_before(folder, step)
                self._go_on(folder, step, done, to_the_end)
            except Failed as error:
                raise Failed(f"{STEPS[step][0]!r}, {'; '.join(told)}: {error}") from error
        return f"{len(told) - done} kills"

    def _kill(self, folder: Path, step: int, draw: random.Random) -> tuple[str, bool]:
        """End the step somewhere: where, and whether it was done before."""
        operations = self.known.operations[step]
        if operations and (self.exactly or draw.random() < 0.6):
            what, at = draw.choice(("kill", "torn")), draw.randint(1, operations)
            where = f"{what} at operation {at} of {operations}"
            process = steps.begin(self.known, folder, step, what, at, draw.getrandbits(31))
        else:
            number, share = draw.choice(SIGNALS), draw.uniform(0, 1)
            what = signal.Signals(number).name
            where = f"{what} at {share:.2f} of its time"
            process = steps.begin(self.known, folder, step)
            time.sleep(share * self.known.seconds[step])
            os.kill(process, number)
        end = steps.ended(process, folder)
        done = _done(end, f"{STEPS[step][0]!r}, {where}")
        self.kills[what] += not done
        self.commands[f"{step:2} {STEPS[step][0]}"] += not done
        return where, done

    def _answers_as_before(self, folder: Path, step: int) -> None:
        """Compare what a detection that was ended has left with what was before it, or with what
        comes of it where its commit was done.

        Raises:
            Failed: another list is exported.
        """
        words = [command for command, _ in STEPS]
        if words.index(DETECTED) < step < words.index("upgrade") and "detect" in words[step]:
            found = steps.digest(folder, step)
            before, after = (
                material.differing(found, {name: known[name] for name in material.EXPORTS})
                for known in (self.known.after[step - 1], self.known.after[step])
            )
            if before and after:  # else it was ended before its commit, or behind it
                raise Failed(f"exported as before is no more: {', '.join(before)}")

    def _go_on(self, folder: Path, step: int, done: bool, to_the_end: bool) -> None:
        """Do the step, and maybe all after it, and compare; what ended well is compared as it is.

        Raises:
            Failed: a command fails, or comes to other bytes.
        """
        for last in range(step, len(STEPS) if to_the_end else step + 1):
            if last != step or not done:
                steps.finish(self.known, folder, last)
            if differ := steps.differing(self.known, folder, last, last == step):
                raise Failed(f"after {STEPS[last][0]!r} (step {last}) differ: {', '.join(differ)}")


def _done(end: Ended, what: str) -> bool:
    """Whether a command came to its end.

    Raises:
        Failed: neither its end nor a signal ended it.
    """
    if end.code in BY_SIGNAL:
        return False
    if end.code and not any(text in end.err for text in DONE_BEFORE):
        raise Failed(f"{what}: exit code {end.code}: {end.err[-300:]}")
    return True


def main() -> int:
    parser = campaign.options(__doc__ or "", 1000)
    parser.add_argument("--exactly", action="store_true", help="no kills by the clock")
    parser.add_argument("--command", help="in steps whose command begins so alone: sql upgrades")
    chosen = parser.parse_args()
    if disk_faults.available():
        disk_faults.begin_again_with_faults()
    elif chosen.exactly:
        print("crash: --exactly needs Linux and a C compiler (cc)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="undisturbed-", dir=steps.base()) as folder:
        known = steps.undisturbed(Path(folder), disk_faults.available())
        crash = Crash(known, chosen.exactly, chosen.command)
        code = campaign.run("crash", crash.trial, chosen)
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(crash.kills.items()))
        print(f"{sum(crash.kills.values()):,} kills: {kinds}")
        for command, kills in sorted(crash.commands.items()):
            print(f"  {kills:4} in step {command}")
    return code


if __name__ == "__main__":
    sys.exit(main())
