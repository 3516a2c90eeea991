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


def test_rows_of_table_3_add_up_as_the_paper_s_do(result):
    for rows, slack in ((published.TABLE_3, 3e-4), (_rows(result, "3"), 1e-6)):
        total = rows["duplicate URLs"][0]
        for i in range(4):
            inter, both = rows["inter-site URLs"][i], rows["inter- and intra-site URLs"][i]
            if i != 1 or slack < 1e-4:  # printed .0791 for 555,880 of 6,948,501
                assert rows["RR inter"][i] == pytest.approx(inter / total, abs=slack)
            for epsilon in ("0.0", "0.1"):
                rules = rows[f"intra-site, rewrite rules, epsilon {epsilon}"][0]
                twice = rows[f"inter and intra, rewrite rules, epsilon {epsilon}"][i]
                assert rows[f"RR inter + intra, epsilon {epsilon}"][i] == pytest.approx(
                    (inter + rules - twice) / total, abs=slack
                )
                assert rows[f"RR intra, epsilon {epsilon}"][0] == pytest.approx(
                    rules / total, abs=slack
                )
            if i == 0:
                intra = rows["intra-site URLs"][0]
                assert rows["RR intra"][0] == pytest.approx(intra / total, abs=slack)
                assert rows["RR inter + intra"][0] == pytest.approx(
                    (inter + intra - both) / total, abs=slack
                )


def _rows(result, number):
    return {row[0]: row[1:] for row in result["tables"][number]["rows"]}


def test_every_table_says_how_it_was_folded(result):
    for number in ("2", "3", "4", "5", "4.1"):
        note = result["tables"][number]["note"]
        assert "earned from all candidates" in note or "all candidates, no folds" in note, number


def test_what_was_published_behind_the_figures_is_in_the_result(shared, result):
    text = "".join(
        path.read_text("utf-8") for path in (shared / "seeds").glob("000_*.txt")
    ).replace(",", "")
    if not text:
        pytest.skip("no ../shared/seeds here")
    published = result["published"]
    three, four = published["figure_3"], published["figure_4"]
    for value in (
        three["hosts"],
        three["sharing_hosts"],
        *three["duplicates"].values(),
        *four["mean_urls"].values(),
        four["replicated_hosts"],
    ):
        assert str(value) in text
    assert published["auc"]["paper"] == 0.995 and published["rr"]["paper"][1] == {
        "fpr": 0.001,
        "rr": 0.1245,
    }
