"""Campaigns: promises of docs/method.md tried many times by chance, outside of the tests.

Each takes ``--trials`` or ``--minutes`` and ``--seed`` and prints a line of figures and a line for
each trial that failed; exit code 1 where one did. docs/reliability.md has the figures of the last.
"""
