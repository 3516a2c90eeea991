"""Tables of texts: wide where they fit, else row by row with nothing cut off."""

from __future__ import annotations

import pytest

from replicadb.cli import grid as grids

HEAD = ["method", "AUC", "95 %", "blank", "what it is"]
ROWS = [["ours", "0.99", "0.98-1.00", "", "the default"], ["other", "0.50", "", "", "a coin"]]
WIDE = """\
method   AUC       95 %  what it is
------  ----  ---------  ----------
ours    0.99  0.98-1.00  the default
other   0.50             a coin"""
TALL = """\
method      ours
AUC         0.99
95 %        0.98-1.00
what it is  the default

method      other
AUC         0.50
what it is  a coin"""


@pytest.mark.parametrize(("width", "shown"), [(36, WIDE), (35, TALL)])
def test_a_grid_goes_row_by_row_where_it_does_not_fit(monkeypatch, width, shown):
    monkeypatch.setattr(grids, "terminal_width", lambda: width)
    assert grids.grid(HEAD, ROWS, left=(0, 4)) == shown


def test_aligned_rows_go_row_by_row_where_they_do_not_fit(monkeypatch):
    table = [("", "precision"), ("minhash", "0.900"), ("mwo", "")]
    assert grids.aligned(table) == "         precision\nminhash      0.900\nmwo"
    monkeypatch.setattr(grids, "terminal_width", lambda: 17)
    assert grids.aligned(table) == "           minhash\nprecision  0.900\n\n           mwo"
