"""The language of a page and of a host, as detection has them."""

from __future__ import annotations

import pytest

from replicadb.store.database import Database
from replicadb.web.main_language import (
    NO_LANGUAGE,
    THREE_LETTERS,
    MainLanguage,
    language_code,
    main_language,
    number_of,
)

CODES = ("de", "aa", "zz", "deu", "aaa", "zzz", *sorted(NO_LANGUAGE))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("de", "de"),
        (" DE-at", "de"),
        ("deu_Latn", "deu"),
        ("eng,deu", "eng"),
        ("[eng_Latn, deu_Latn]", "eng"),
        ('["de"]', "de"),
        ("__label__en", "en"),
        ("[__label__en]", "en"),
        ("german", None),
        ("und", None),
        ("", None),
        (None, None),
    ],
)
def test_a_code_is_read_as_load_reads_it(text, code, tmp_path):
    assert language_code(text) == code
    with Database(str(tmp_path / "web.duckdb")) as db, db.temporary():
        db.execute("CREATE TEMP TABLE staged AS SELECT 1 AS position, ? AS language", [text])
        db.run("load/55_identifiers", only="found_identifiers")
        db.run("load/55_identifiers", only="told_languages")
        found = db.column("SELECT value FROM found_identifiers")
    assert found in ([code] if code else [], ["und"])


def test_numbers_are_those_of_sql_and_no_two_are_equal(tmp_path):
    with Database(str(tmp_path / "web.duckdb")) as db:
        query = "SELECT language_number(unnest($codes))"
        found = db.column(query, {"codes": [*CODES, "d", "DE", "d3", "germ"]})
    expected = [None if code in NO_LANGUAGE else number_of(code) for code in CODES]
    assert found == [*expected, *[None] * 4]
    known = [number for number in expected if number]
    assert len(set(known)) == len(known) == 6
    assert [number < THREE_LETTERS for number in known] == [True] * 3 + [False] * 3


def test_the_main_language_is_that_of_most_pages():
    assert main_language(["de", None, "fr", "de"]) == MainLanguage(number_of("de"), 2, 3)
    assert main_language(["de", "fr"]).number == number_of("fr")
    assert main_language([None]) == main_language([]) == MainLanguage(0, 0, 0)
