"""Every published number stands in the paper's text."""

from __future__ import annotations

import pytest

from replicadb.evaluation import published_figures as published

pytestmark = pytest.mark.slow


def test_published_figures_are_the_papers(shared):
    """Every number of the transcription stands in the paper's text."""
    papers = list((shared / "seeds").glob("000_*.txt"))
    if not papers:
        pytest.skip("no ../shared/seeds here")
    text = papers[0].read_text("utf-8").replace(",", "")
    for table in (published.TABLE_2, published.TABLE_3, published.TABLE_4):
        for value in (v for row in table.values() for v in row if v is not None):
            assert (f"{value}" if isinstance(value, int) else f"{value:.4f}") in text
    for value in published.TABLE_5.values():
        assert str(value) in text
    thesis = next((shared / "seeds").glob("004_*.txt")).read_text("utf-8")
    for name, row in published.THESIS_TABLE_4_2.items():
        line = "\t".join(f"{value:.4f}" for value in row)
        assert f"{name.replace('–', 'Todas')}</i>\t{line}" in thesis, name
    for value in published.THESIS_AUC.values():
        assert f"{value:.4f}" in thesis
    for i, line in enumerate(("PU", "NU")):
        assert (
            f"{line}\t" + "\t".join(f"{row[i]:.4f}" for row in published.THESIS_TABLE_4_1.values())
            in thesis
        )
