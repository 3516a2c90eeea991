"""What every campaign does: options, trials until their number or the time is up, figures.

Invariant: a trial is drawn from the seed and its number alone, so that ``--only N`` does it
again.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable

Trial = Callable[[random.Random], str]
"""One trial by chance: what happened, in a word or two; raises Failed where a promise is broken."""
LONGEST = 2000
"""Characters of a message: some hold a whole input, which ``--only N`` makes again."""


class Failed(Exception):
    """A promise was broken; the message says how."""


def options(description: str, trials: int) -> argparse.ArgumentParser:
    """The options of every campaign."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--trials", type=int, default=trials)
    parser.add_argument("--minutes", type=float, help="stop after so many, whatever the trials")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the trial of that number alone")
    return parser


def cpu_seconds() -> float:
    """What this process and those that it waited for have used."""
    return sum(os.times()[:4])


def run(name: str, trial: Trial, chosen: argparse.Namespace) -> int:
    """Run a campaign and print its figures; the exit code."""
    started, used, found, failed = time.monotonic(), cpu_seconds(), Counter[str](), []
    longest = (0.0, 0)
    numbers = range(chosen.trials) if chosen.only is None else [chosen.only]
    for number in numbers:
        if chosen.minutes and time.monotonic() - started > 60 * chosen.minutes:
            break
        begun = cpu_seconds()
        try:
            found[trial(random.Random(f"{name} {chosen.seed} {number}"))] += 1
        except Failed as error:
            failed.append(number)
            print(f"trial {number}: {error!s:.{LONGEST}}", file=sys.stderr, flush=True)
        longest = max(longest, (cpu_seconds() - begun, number))
    minutes = (time.monotonic() - started) / 60
    kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(found.items()))
    total = sum(found.values()) + len(failed)
    print(
        f"{name}: seed {chosen.seed}, {total:,} trials in {minutes:.1f} min and"
        f" {cpu_seconds() - used:,.0f} s of CPU, {longest[0]:.1f} s the longest ({longest[1]});"
        f" failed {len(failed)}; {kinds}",
        flush=True,
    )
    return 1 if failed else 0
