"""The papers' tables: rows of figures, intervals of the same shape, what was published."""

from __future__ import annotations

from replicadb.evaluation import published_figures
from replicadb.evaluation.table_shape import Figure, table, with_intervals


def test_figures_become_values_and_intervals_of_one_shape():
    rows = [
        ["paper", Figure(0.9, [0.8, 1.0]), Figure(None, None)],
        ["thesis", Figure(0.7, None), 12],
    ]
    made = with_intervals("Table 2", ["method", "AUC", "n"], rows, [["paper", 0.95, None]], "Here.")
    assert made["rows"] == [["paper", 0.9, None], ["thesis", 0.7, 12]]
    assert made["intervals"] == [[None, [0.8, 1.0], None], [None, None, None]]
    assert made["columns"] == ["method", "AUC", "n"] and made["title"] == "Table 2"


def test_a_table_names_where_its_published_rows_are_from():
    rows = [["a step", 0.5]]
    made = table("Table 5", ["step", "seconds"], rows, [["a step", 0.3]], "Of one pair.")
    assert made["rows"] == rows and made["published"] == [["a step", 0.3]]
    assert made["source"] == published_figures.SOURCE and made["note"] == "Of one pair."
    assert "intervals" not in made
