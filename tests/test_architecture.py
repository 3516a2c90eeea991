"""The house stands as docs/internals.md draws it: rooms on floors, files that are read in one
sitting, SQL that says what it does, and no mention of what is not there.
"""

from __future__ import annotations

import ast
import gc
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from replicadb.detection.pipeline import STAGES
from replicadb.store.statements import LISTS, read, statements

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "replicadb"
MODULES = sorted(PACKAGE.rglob("*.py"))
PYTHON = [
    path
    for folder in ("replicadb", "tests", "benchmarks", "training")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
SQL = sorted((ROOT / "sql").rglob("*.sql"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
READMES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "sql").rglob("*.md"))]
LINE, FILE, FUNCTION = 100, 400, 60
MACRO = re.compile(r"^CREATE (?:OR REPLACE )?(?:TEMP )?MACRO ([\w.]+)\(", re.M)
TITLE = "a title, an empty comment line, then the definition"


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every statement of a file, those inside others too."""
    found: list[ast.AST] = [*parsed(path).body]
    for node in found:
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, part, ())
    return tuple(found)


@pytest.fixture(scope="module", autouse=True)
def _trees():
    """All files as trees are some 900,000 objects, which the garbage collector would look
    through again and again; they go with the last test.
    """
    gc.disable()
    yield
    for kept in (text_of, parsed, nodes):
        kept.cache_clear()
    gc.enable()


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_contracts_of_the_floors_hold(monkeypatch, capsys):
    cli = pytest.importorskip("importlinter.cli")
    monkeypatch.chdir(ROOT)
    assert cli.lint_imports() == 0, capsys.readouterr().out


def test_version_py_alone_holds_the_version():
    holders = [path for path in MODULES if re.search(r"^__version__ *=", text_of(path), re.M)]
    assert holders == [PACKAGE / "version.py"]


def test_nobody_below_the_entry_imports_the_package_itself():
    """It would tie every room to the topmost."""
    entry = {PACKAGE / "cli", PACKAGE / "__main__.py"}
    for path in MODULES:
        if entry.isdisjoint({path, *path.parents}):
            names = {
                alias.name
                for node in nodes(path)
                if isinstance(node, ast.Import)
                for alias in node.names
            }
            assert "replicadb" not in names, name_of(path)


def test_imports_are_absolute():
    for path in MODULES:
        for node in nodes(path):
            assert not (isinstance(node, ast.ImportFrom) and node.level), name_of(path)


def test_no_two_files_of_the_package_share_a_stem():
    stems = Counter(path.stem for path in MODULES if path.stem != "__init__")
    assert [stem for stem, n in stems.items() if n > 1] == []


def test_a_file_is_read_in_one_sitting_and_a_function_on_one_screen():
    for path in [*PYTHON, *SQL]:
        lines = len(text_of(path).splitlines())
        assert lines <= FILE, name_of(path)
    for path in PYTHON:
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                assert lines <= FUNCTION, f"{name_of(path)}: {node.name} has {lines} lines"


def test_a_module_opens_with_what_it_is_for():
    assert [name_of(path) for path in MODULES if not ast.get_docstring(parsed(path))] == []


@pytest.mark.parametrize("paths", [PYTHON, SQL], ids=["python", "sql"])
def test_a_line_has_a_hundred_characters_at_most(paths):
    """Texts for people are wrapped, too; what is not to be broken says so: noqa."""
    long = [
        f"{name_of(path)}:{number}"
        for path in paths
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if len(line) > LINE and "noqa: E501" not in line
    ]
    assert long == []


@pytest.mark.parametrize("path", SQL, ids=name_of)
def test_an_sql_file_says_what_it_does(path):
    text = text_of(path)
    header = text.partition("-- name:")[0]
    assert re.match(r"-- [A-Z].{10,}\n(?:-- \S.*\n)?--\n-- \S", header), TITLE
    assert all(line.startswith("--") for line in header.splitlines() if line.strip())
    stem = path.relative_to(ROOT / "sql").with_suffix("").as_posix()
    assert set(read(stem).header) == set(LISTS), "-- reads:, -- writes:, -- parameters:"
    assert statements(stem)


def test_sql_is_in_folders_by_stage_and_each_number_stands_once():
    numbers = Counter((path.parent.name, path.name[:2]) for path in SQL)
    assert [key for key, n in numbers.items() if n > 1] == []
    assert all(re.fullmatch(r"\d\d_[a-z_]+\.sql", path.name) for path in SQL)
    assert all(path.parent.parent == ROOT / "sql" for path in SQL)
    folders = {path.parent for path in SQL}
    assert [folder.name for folder in folders if not (folder / "README.md").is_file()] == []


def test_no_two_macros_have_one_name():
    """A connection keeps them: what a list defines would be there in the next detection."""
    made = Counter(name for path in SQL for name in re.findall(MACRO, text_of(path)))
    assert len(made) > 20 and [name for name, n in made.items() if n > 1] == []


def test_parameters_of_tests_are_the_same_in_every_process():
    """pytest-xdist gives up where two processes collect other names; gzip writes the time."""
    made = [
        f"{path.name}:{call.lineno}"
        for path in PYTHON
        if path.is_relative_to(ROOT / "tests")
        for node in parsed(path).body
        for part in (
            [node] if isinstance(node, ast.Assign) else getattr(node, "decorator_list", [])
        )
        for call in ast.walk(part)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "gzip.compress"
        and "mtime" not in [keyword.arg for keyword in call.keywords]
    ]
    assert not made, f"of which second is it? name mtime=0: {made}"


def test_a_stage_its_file_its_function_its_sql_and_its_tests_bear_one_name():
    for stage in STAGES:
        name = stage.name[3:]
        assert stage.run.__name__ == name
        assert stage.run.__module__ == f"replicadb.detection.{name}"
        (sql,) = (ROOT / "sql" / "detect").glob(f"[0-9][0-9]_{name}.sql")
        assert f'"detect/{sql.stem}"' in (PACKAGE / "detection" / f"{name}.py").read_text("utf-8")
        assert (ROOT / "tests" / "detection" / f"test_{name}.py").is_file()


def test_temporary_tables_end_with_their_block():
    """``db.temporary()`` drops them: sql/ does not, and no list of their names is kept."""
    dropping = [name_of(path) for path in SQL if re.search(r"^\s*DROP ", text_of(path), re.M)]
    assert dropping == []
    lists = [name_of(path) for path in MODULES if re.search(r"^TEMPORARY\b", text_of(path), re.M)]
    assert lists == []


@cache
def anchors(page: Path) -> set[str]:
    """What a link may lead to in a page: explicit anchors, and headings as MkDocs spells them."""
    found = set()
    for heading in re.findall(r"^#+ +(.+)$", text_of(page), re.M):
        explicit = re.search(r"\{ *#([\w-]+) *\}", heading)
        plain = re.sub(r"[^\w\s-]", "", re.sub(r"\{.*\}", "", heading)).strip().lower()
        found.add(explicit[1] if explicit else re.sub(r"[\s]+", "-", plain))
    return found


MENTIONED = re.compile(
    r"(?<![\w./-])((?:replicadb|sql|docs|tests|benchmarks|training)/[\w./-]*?"
    r"\w(?:\.(?:py|sql|md|json|ipynb|sh|svg))?)"
    r"(?:#([a-z0-9-]+))?(?![\w/*<{-])"
)


EXAMPLES = {"docs/method", "replicadb/readers/har.py"}
"""A prefix of links, and the file that a worked change of docs/internals.md would add."""


def mentions() -> list[tuple[str, str, str]]:
    """(where, path, anchor) of every path of the project that a file mentions."""
    found = []
    for path in [*PYTHON, *SQL, *PAGES, *sorted((ROOT / "sql").rglob("*.md"))]:
        for number, line in enumerate(text_of(path).splitlines(), 1):
            for target, anchor in MENTIONED.findall(line):
                if target not in EXAMPLES:
                    found.append((f"{name_of(path)}:{number}", target, anchor))
    return found


def test_every_file_and_anchor_that_is_mentioned_exists():
    missing = []
    for where, target, anchor in mentions():
        path = ROOT / target
        if not path.suffix:
            there = (
                path.is_dir()
                or path.with_suffix(".sql").is_file()
                or path.with_suffix(".py").is_file()
            )
        else:
            there = path.is_file()
        if not there:
            missing.append(f"{where}: {target}")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            missing.append(f"{where}: {target}#{anchor}")
    assert missing == []


WALKED = re.compile(r"`([a-z_]+/[\w/]+\.(?:py|sql))`: ((?:`[\w.]+`(?:, )?)+)")
"""A file and what stands in it, as the walks of docs/internals.md write it."""
BARE = re.compile(r"(?<![\w./-])(\w+\.(?:py|sql))\b")
ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?([^`]+)`")


@cache
def names_in(path: Path) -> frozenset[str]:
    """What a file defines or imports; members of a class with and without its name before them."""
    if path.suffix == ".sql":
        return frozenset(re.findall(r"^-- name: *(\w+)", text_of(path), re.M))
    found: set[str] = set()
    for node in nodes(path):
        found |= names_of(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for part in node.body for name in names_of(part)}
    return frozenset(found)


def names_of(node: ast.AST) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return set()


def docstrings(path: Path) -> list[tuple[int, str]]:
    """(line, text) of every text that stands for itself: of modules, classes, functions, names."""
    return [
        (node.lineno, node.value.value)
        for node in nodes(path)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]


@cache
def dotted(module: Path) -> str:
    return ".".join(module.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def resolves(role: str, path: Path) -> bool:
    """Whether the target of a role is a name of its own file, or of the module that it names."""
    if role in names_in(path):
        return True
    head, _, last = role.rpartition(".")
    for module in MODULES:
        known = (dotted(module), module.stem)
        if role in known or (head in known and last in names_in(module)):
            return True
    return head in names_in(path) and any(role in names_in(module) for module in MODULES)


def test_a_walk_names_what_stands_in_the_file():
    walked = [
        (page, path, name)
        for page in [*PAGES, *READMES]
        for path, names in WALKED.findall(" ".join(text_of(page).split()))
        for name in re.findall(r"[\w.]+", names)
    ]
    assert len(walked) > 40
    missing = [
        f"{name_of(page)}: {path}: {name}"
        for page, path, name in walked
        if path not in EXAMPLES and name not in names_in(ROOT / path)
    ]
    assert missing == []


def test_docstrings_name_files_and_functions_that_are_there():
    files = {path.name for path in [*PYTHON, *SQL]}
    missing = []
    for path in PYTHON:
        text = text_of(path)
        if not (BARE.search(text) or ROLE.search(text)):
            continue
        for line, text in docstrings(path):
            gone = [name for name in BARE.findall(text) if name not in files]
            gone += [role for role in ROLE.findall(text) if not resolves(role, path)]
            missing += [f"{name_of(path)}:{line}: {name}" for name in gone]
    for path in SQL:
        gone = set(BARE.findall(text_of(path))) - files
        missing += [f"{name_of(path)}: {name}" for name in gone]
    assert missing == []


OF_OTHERS = {"C_A", "HTTP_HOST", "_byte_agreement", "byte_agreement", "n_same_size"}
"""Names in documents that are another tool's, or of the worked change that nobody made."""


def test_names_in_documents_are_names_in_code():
    """Those in backticks that can be nothing else, as they have an underscore."""
    code = [*PYTHON, *SQL, *(ROOT / "benchmarks").rglob("*.c"), ROOT / "pyproject.toml"]
    known = {word for path in code for word in re.findall(r"[A-Za-z_]\w*", text_of(path))}
    known |= {path.stem for path in code}
    missing = [
        f"{name_of(page)}: {name}"
        for page in [*PAGES, *READMES]
        for name in re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", text_of(page))
        if "_" in name and not set(name.split(".")) - {"py", "sql", ""} <= known | OF_OTHERS
    ]
    assert missing == []


def test_nothing_cites_a_document_that_readers_do_not_have():
    words = re.compile(r"\b(METHOD|DESIGN|HOUSE|CALIBRATION)\b(?: (?:§|section)|\.md|,? promise)")
    cited = [
        f"{name_of(path)}:{number}"
        for path in [*PYTHON, *SQL, *PAGES]
        if path != Path(__file__)
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if words.search(line)
    ]
    assert cited == []


SECTIONS = {
    "paper": "1 2 3 3.1 3.2 3.3 3.4 3.5 4 4.1 4.1.1 4.1.2 4.1.3 4.2 4.2.1 4.2.2 4.2.3 5",
    "thesis": (
        "1 2 2.3 2.3.1 2.3.2 2.3.3 2.4 2.5 3 3.1 3.2 3.3 3.3.1 3.3.2 3.3.3 3.3.4 4.1 4.2 4.3 4.4"
        " 4.5 4.6 4.7 5"
    ),
    "signals": "1 2 3 3.1 3.2 3.2.1 3.2.2 4 5 5.1 5.2 5.3 6",
    "MWO": "1 2 3 3.1 3.1.1 3.1.2 3.1.3 3.1.4 4 4.1 4.2 4.3 5",
    "RP + HM": "1 2 2.1 2.2 3 4",
}
"""The numbered headings of the source papers (page files call the signals paper "the paper")."""


def test_sections_that_are_cited_exist():
    cited = re.compile(
        r"(paper|thesis|signals|MWO|RP \+ HM)[^.|\n]{0,25}?(?:§|[Ss]ections? )([0-9][0-9.]*)"
    )
    odd = []
    for path in [
        *ROOT.glob("replicadb/**/*.py"),
        *ROOT.glob("sql/**/*.sql"),
        *ROOT.glob("docs/*.md"),
    ]:
        known = set(SECTIONS["signals" if "page_pairs" in path.parts else "paper"].split())
        for which, section in cited.findall(text_of(path)):
            theirs = known if which == "paper" else set(SECTIONS[which].split())
            if section.rstrip(".") not in theirs:
                odd.append((str(path.relative_to(ROOT)), which, section))
    assert not odd
