"""Stage 60: whatever the method, each candidate gets its place once; without any, nothing."""

from __future__ import annotations

from .crawls import METHODS, csv_of, opened

OF_ROBUST = "SELECT count(*) FROM settings WHERE starts_with(name, 'log_odds_')"


@METHODS
def test_each_candidate_has_one_place(lasting, method):
    found = lasting.detect(method=method)
    n = lasting.database.value("SELECT count(*) FROM pair_features")
    assert found.counts["candidate_pairs"] == n > 1
    assert lasting.replicas()["rank"].to_list() == list(range(1, n + 1))
    assert (lasting.database.value(OF_ROBUST) > 0) == (method == "robust")


@METHODS
def test_without_a_candidate_there_is_no_place(tmp_path, method):
    apart = csv_of([("http://a.com/", "", "01"), ("http://b.com/", "", "02")])
    with opened(tmp_path, apart) as web:
        assert web.detect(method=method).counts["candidate_pairs"] == 0
        assert web.database.value("SELECT count(*) FROM ranking") == 0
        assert web.database.value(OF_ROBUST) == 0
