"""Tests mirror the package: a folder is a room, a name is a module's, or says what a whole room is
tried with; and each module's name leads to its tests.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
FILES = sorted(TESTS.rglob("test_*.py"))
MODULES = [
    path
    for path in sorted((ROOT / "replicadb").rglob("*.py"))
    if path.stem not in ("__init__", "__main__")
]
LINES = 400
ASIDE = {
    # promises of the whole house
    "": "architecture citations constants_in_docs determinism injection injection_commands mirror"
    " notebook possessive_patterns public_api sessions worked_changes",
    "cli": "cli cli_stopped disk_errors",
    # kinds of crawls, and promises of a whole detection
    "detection": "assets branch_names country_sites edition_names farms languages later_failures"
    " lost_texts odd_crawls path_hashes profile reference_load runs shapes slices stopped"
    " thin_crawls worked_example wildcard_drops",
    "evaluation": "evaluate_command methods",
    "explanation": "at_size links_of_files",
    "export": "counted_shares export kept_names kept_pages kept_ports least_probability lost_urls"
    " real_tools",
    "host_names": "titles_and_links",
    "learning": "additive_tables",
    # what sources hold
    "load": "content_tables hostile_links link_columns loaded_titles recorded_forms resolved_links"
    " small_sources",
    "readers": "broken_tables crawler_exports foreign_files linear_time odd_records real_archives",
    "report": "crawl_in_browser figures in_browser",
    "review_page": "in_browser",
    "rewrite": "docs parameters_together",
    # what a person meets who opens the file
    "store": "descriptions queries views",
    "synthetic": "hard pieces profile_paper url_gold versions",
    "web": "hostile_pages",
}
"""By room, the names that are no module's: of what the whole room is tried with."""


def room_of(path: Path, base: Path) -> str:
    return path.relative_to(base).parts[0] if path.parent != base else ""


@cache
def subjects(room: str) -> set[str]:
    """What files of a folder of tests may be named after: the modules of its room; of benchmarks
    and training, their files and folders.
    """
    if room in ("benchmarks", "training"):
        return {
            part.stem for part in (ROOT / room).rglob("*") if part.suffix in (".py", ".json", "")
        }
    return {path.stem for path in MODULES if room_of(path, ROOT / "replicadb") == room}


def does_nothing(path: Path) -> bool:
    """A module of names and types, without a function: what it holds is tried where it is used."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return not any(
        isinstance(node, functions) for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


def tried_too(path: Path) -> list[str]:
    """The modules that the first words of a file of tests name beside its own."""
    text = " ".join(path.read_text("utf-8").split('"""', 2)[1].split())
    found = re.search(r"Tries ([\w, ]+), too\.$", text)
    return re.split(r", | and ", found[1]) if found else []


def test_a_folder_is_a_room_and_a_name_a_module_s_or_in_the_list():
    named_otherwise = Counter(
        (room, name)
        for path in FILES
        for room, name in [(room_of(path, TESTS), path.stem.removeprefix("test_"))]
        if name not in subjects(room)
    )
    listed = Counter((room, name) for room, names in ASIDE.items() for name in names.split())
    assert named_otherwise == listed


def test_each_module_s_name_leads_to_its_tests():
    names = Counter(name for path in FILES for name in tried_too(path))
    names += Counter({path.stem.removeprefix("test_"): 1 for path in FILES})
    untried = [path for path in MODULES if path.stem not in names]
    assert [path.stem for path in untried if not does_nothing(path)] == []
    stems = {path.stem for path in MODULES}
    assert [name for path in FILES for name in tried_too(path) if name not in stems] == []


def test_files_of_tests_are_read_in_one_sitting_too():
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in TESTS.rglob("*.py")}
    assert [name for name, n in lines.items() if n > LINES] == []
