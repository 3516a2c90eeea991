"""Work on what streams by: results come in the order of the items, on several threads, and an error is told where it belongs."""

from __future__ import annotations

import threading
import time
from itertools import count, islice

import pytest

from replicadb.frames import in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_results_come_in_the_order_of_the_items_however_long_each_takes(threads, n):
    def slow_first(i: int) -> int:
        time.sleep(0.002 * (i % 3 == 0))
        return i * i

    assert list(in_order(range(n), slow_first, threads)) == [i * i for i in range(n)]


def test_no_more_items_are_read_ahead_than_there_are_threads_to_work_on_them():
    taken = []
    results = in_order((taken.append(i) or i for i in count()), lambda i: i, 2)
    assert list(islice(results, 4)) == [0, 1, 2, 3]
    assert len(taken) <= 4 + 2
    results.close()


def test_items_are_worked_on_at_the_same_time():
    both = threading.Barrier(2, timeout=10)  # breaks unless two are there at once
    assert list(in_order(range(4), lambda i: both.wait() * 0 + i, 2)) == [0, 1, 2, 3]


def test_an_error_comes_after_the_results_before_it():
    results = in_order([1, 2, 0, 4], lambda i: 12 // i, 2)
    assert [next(results), next(results)] == [12, 6]
    with pytest.raises(ZeroDivisionError):
        next(results)
