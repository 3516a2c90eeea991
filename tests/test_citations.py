"""Sections, equations, algorithms, programs and tables that code, SQL and documents cite are there
in the seed papers.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READ = (
    *("replicadb/**/*.py", "sql/**/*.sql", "tests/**/*.py", "training/**/*.py"),
    *("benchmarks/**/*.py", "*.md", "docs/*.md", "docs/decisions/*.md", "docs/how-to/*.md"),
)
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
NUMBERED = {  # of all texts together: what is numbered, how it is cited, its numbers
    "equation": (r"Eqs?\.", "1 2 3 4 5 6 7 8 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 4.1"),
    "algorithm": (r"Algorithms?", "1 2 3 4"),
    "program": (r"Programs?", "1 2 3 4 5"),
    "table": (r"Tables?", "1 2 3 4 5 3.1 4.1 4.2 4.3 4.4 4.5 4.6"),
}
OTHERS = {("beta_binomial.py", "2.9"), ("class_prior.py", "2.9")}
"""Equations of Saerens et al. (2002)."""
NUMBER = r"(\d+(?:\.\d+)*)"


@cache
def texts() -> list[tuple[str, str]]:
    """Each file by its name."""
    return [
        (path.name, path.read_text("utf-8")) for files in READ for path in sorted(ROOT.glob(files))
    ]


def cited(name: str) -> list[tuple[str, str]]:
    """(file, section) wherever a text's name comes right before a section."""
    between = r"['\u2019]?s?,?(?: \(\w*,? ?\d{4}\)| \d{4})?,?\s+(?:sections?\s|\u00a7)\s*"
    pattern = re.compile(rf"{name}{between}{NUMBER}(?:(?:,| and| to)\s\u00a7?{NUMBER})?")
    found = []
    for file, text in texts():
        for match in pattern.finditer(text):
            found += [(file, section) for section in match.groups() if section]
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


@pytest.mark.parametrize("kind", NUMBERED)
def test_cited_equations_algorithms_and_tables_are_in_a_paper(kind):
    name, numbers = NUMBERED[kind]
    pattern = re.compile(rf"\b{name}\s{NUMBER}(?:(?:,| and| to)\s{NUMBER})?")
    found = {
        (file, number)
        for file, text in texts()
        for match in pattern.finditer(text)
        for number in match.groups()
        if number
    }
    assert found, "the pattern finds what is there"
    assert {(file, n) for file, n in found - OTHERS if n not in numbers.split()} == set()


@pytest.mark.parametrize("kind", NUMBERED)
def test_what_is_numbered_is_in_a_text(shared, kind):
    texts = [path.read_text("utf-8") for path in (shared / "seeds").glob("*.txt")]
    if not texts:
        pytest.skip("no ../shared/seeds here")
    words = {
        "equation": r"(?:Equa\S+ |Eq\.? ?\(?|\\tag\{?\s?|\()",
        "algorithm": r"Algorithm ",
        "program": r"Programa ",
        "table": r"(?:Table|Tabela) ",
    }[kind]
    for number in NUMBERED[kind][1].split():
        pattern = rf"(?i){words}{re.escape(number)}(?!\.?\d)"
        assert any(re.search(pattern, text) for text in texts), number


def test_whom_the_method_names_with_a_year_stands_in_its_references():
    pages = (ROOT / "docs" / f"{name}.md" for name in ("drops", "robust", "method"))
    text = " ".join(" ".join(page.read_text("utf-8") for page in pages).split())
    body, references = text.split("## References {")
    name = r"[A-Z][a-zäöüé]+"
    others = rf"(?: et al\.|(?:, {name})* and (?:[A-Z]\.? )?(?:da )?{name})?"
    months = {"November"}
    named = {
        (first, year)
        for first, year in re.findall(rf"\b({name}){others},? \(?((?:19|20)\d\d)\b", body)
        if first not in months
    }
    lines = references.split(" - ")
    assert len(named) > 30
    assert [(a, b) for a, b in named if not any(a in x and f"({b})" in x for x in lines)] == []
