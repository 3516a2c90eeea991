"""Sections of the seed papers that code, SQL and documents cite are there in the papers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READ = ("replicadb/**/*.py", "sql/**/*.sql", "docs/*.md", "tests/**/*.py", "training/**/*.py")
"""Generated references repeat the code."""
PAPER = "1 2 3 3.1 3.2 3.3 3.4 3.5 4 4.1 4.1.1 4.1.2 4.1.3 4.2 4.2.1 4.2.2 4.2.3 5"
THESIS = (
    "1 1.1 1.2 1.3 2 2.1 2.1.1 2.1.2 2.2 2.2.1 2.2.2 2.2.3 2.3 2.3.1 2.3.2 2.3.3 2.4 2.5"
    " 3 3.1 3.2 3.3 3.3.1 3.3.2 3.3.3 3.3.4 4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 5"
)
SIGNALS = "1 2 3 3.1 3.2 3.2.1 3.2.2 4 5 5.1 5.2 5.3 6"
OVERLAP = "1 2 3 3.1 3.1.1 3.1.2 3.1.3 3.1.4 4 4.1 4.2 4.3 5"
PROJECTION = "1 2 2.1 2.2 3 4"
SECTIONS = (  # how a text is called, its seed file, its sections
    (r"(?<!HM )(?<!MWO )(?<!signals )(?<!rewrite )(?<!2003 )\b[Pp]aper", "000", PAPER),
    (r"[Tt]hesis", "004", THESIS),
    (r"(?:Huffman et al\.|signals)", "001", SIGNALS),
    (r"(?:Das et al\.|Vijayaraghavan|MWO paper|MWO)", "002", OVERLAP),
    (r"(?:RP \+ HM paper|RP \+ HM|hyperlink map)", "003", PROJECTION),
)
NUMBER = r"(\d+(?:\.\d+)*)"


def cited(name: str) -> list[tuple[str, str]]:
    """(file, section) wherever a text's name comes right before a section."""
    between = r"['\u2019]?s?,?(?: \(\w*,? ?\d{4}\)| \d{4})?,?\s+(?:sections?\s|\u00a7)\s*"
    pattern = re.compile(rf"{name}{between}{NUMBER}(?:(?:,| and| to)\s\u00a7?{NUMBER})?")
    found = []
    for files in READ:
        for path in ROOT.glob(files):
            for match in pattern.finditer(path.read_text("utf-8")):
                found += [(path.name, section) for section in match.groups() if section]
    return found


@pytest.mark.parametrize(("name", "seed", "sections"), SECTIONS, ids=[s[1] for s in SECTIONS])
def test_cited_sections_are_in_the_paper(name, seed, sections):
    found = cited(name)
    assert found, "the pattern finds what is there"
    assert [(file, section) for file, section in found if section not in sections.split()] == []


@pytest.mark.parametrize(("name", "seed", "sections"), SECTIONS, ids=[s[1] for s in SECTIONS])
def test_the_lists_are_those_of_the_texts(shared, name, seed, sections):
    paths = list((shared / "seeds").glob(f"{seed}_*.txt"))
    if not paths:
        pytest.skip("no ../shared/seeds here")
    text = paths[0].read_text("utf-8")
    for section in sections.split():
        assert re.search(rf"(?m)^\W*(?:Cap\u00edtulo )?{re.escape(section)}\.?\W", text), section
