"""The house stands as docs/method.md#stages draws it: imports point down, SQL files say what they
are, nothing grows too long.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "replicadb"
SQL = sorted((ROOT / "sql").glob("*.sql"))
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))

EVERYTHING = {
    "cli",
    "fingerprints",
    "api",
    "model",
    "names",
    "pairs",
    "compared",
    "kept",
    "profile",
    "load",
    "pipeline",
    "scoring",
    "ranking",
    "export",
    "runs",
    "hostlists",
    "readers",
    "learning",
    "evaluation",
    "pages",
    "rewrite",
    "report",
    "database",
    "settings",
    "errors",
    "whole",
    "replicadb",
}
BELOW_PIPELINE = {
    "pipeline",
    "fingerprints",
    "pages",
    "scoring",
    "evidence",
    "partners",
    "frames",
    "ranking",
    "names",
    "pairs",
    "compared",
    "kept",
    "profile",
    "runs",
    "learning",
    "database",
    "settings",
    "errors",
    "replicadb",
}
MAY_IMPORT = {
    "cli": EVERYTHING,
    "__main__": {"cli"},
    "replicadb": {"api", "model"},
    "api": EVERYTHING - {"cli"},
    "load": {
        "hostlists",
        "readers",
        "pages",
        "runs",
        "database",
        "settings",
        "errors",
        "replicadb",
    },
    "hostlists": {"readers", "database", "settings", "errors", "replicadb"},
    "pipeline": BELOW_PIPELINE,
    "scoring": BELOW_PIPELINE - {"pipeline", "ranking"},
    "evidence": BELOW_PIPELINE - {"pipeline", "ranking", "scoring"},
    "partners": {"learning", "database"},
    "fingerprints": {"pages", "frames", "runs", "database", "settings", "errors", "replicadb"},
    "frames": {"database"},
    "ranking": BELOW_PIPELINE - {"pipeline"},
    "names": {"database", "settings", "errors"},
    "profile": set(),
    "pairs": {"compared", "kept", "names", "database", "settings", "errors"},
    "compared": {"database", "errors"},
    "kept": {"compared", "database", "settings", "replicadb"},
    "export": {"database", "settings", "errors", "whole", "replicadb"},
    "report": {"database", "settings", "errors", "whole", "replicadb"},
    "runs": {"database", "replicadb"},
    "readers": {"readers", "frames", "pages", "database", "settings", "errors", "replicadb"},
    "evaluation": {
        "evaluation",
        "kept",
        "ranking",
        "fingerprints",
        "rewrite",
        "pages",
        "evidence",
        "learning",
        "pipeline",
        "scoring",
        "report",
        "api",
        "database",
        "settings",
        "errors",
        "replicadb",
    },
    "learning": {"learning", "errors"},
    "model": {
        "compared",
        "model",
        "partners",
        "learning",
        "readers",
        "database",
        "settings",
        "errors",
        "whole",
        "replicadb",
    },
    "pages": {
        "pages",
        "readers",
        "learning",
        "frames",
        "database",
        "settings",
        "errors",
        "whole",
        "replicadb",
    },
    "rewrite": {"rewrite", "runs", "database", "errors", "whole", "replicadb"},
    "database": {"settings", "errors", "replicadb"},
    "settings": {"errors"},
    "errors": set(),
    "whole": {"errors"},
}
"""What each room may import of the project; ``replicadb`` is the package itself, for
its version.
"""


def room(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else "replicadb"


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "replicadb" if first == "__init__" else first


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path: Path) -> set[str]:
    """The rooms that a module imports from, anywhere in it."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {
                room(alias.name) for alias in node.names if alias.name.split(".")[0] == "replicadb"
            }
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] == "replicadb"
        ):
            found |= {
                room(f"{node.module}.{alias.name}")
                if node.module == "replicadb"
                else room(node.module)
                for alias in node.names
            }
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.add("a relative import")
    return found - {"__version__", "open", "ReplicaDB"}


def test_a_room_imports_only_what_lies_below_it():
    for path in MODULES:
        here = room_of(path)
        assert here in MAY_IMPORT, (
            f"a new room {here}: say in this test and in the README what it may import"
        )
        assert imports(path) - {here} <= MAY_IMPORT[here], path


def test_nothing_but_the_entry_points_imports_the_command_line():
    assert {room_of(path) for path in MODULES if "cli" in imports(path)} <= {"cli", "__main__"}


def test_learning_is_pure():
    heavy = {"duckdb", "polars", "pyarrow", "typer", "rich"}
    for path in (PACKAGE / "learning").glob("*.py"):
        names = {
            alias.name.split(".")[0]
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        assert not names & heavy, path.name


def test_a_file_is_read_in_one_sitting_and_a_function_on_one_screen():
    for path in MODULES:
        assert len(path.read_text("utf-8").splitlines()) <= 700, path
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno - node.lineno < 120, (
                    f"{path}: {node.name} has {node.end_lineno - node.lineno + 1} lines"
                )


def test_a_module_opens_with_what_it_is_for():
    assert [path for path in MODULES if not ast.get_docstring(parsed(path))] == []


def test_an_sql_file_opens_with_its_title_and_every_statement_has_a_name():
    for path in SQL:
        text = path.read_text("utf-8")
        header = text.partition("-- name:")[0]
        assert re.match(r"-- [A-Z].{15,}\n--\n-- \S", header), (
            f"{path}: a title line, an empty comment line, then the definition"
        )
        assert all(line.startswith("--") for line in header.splitlines() if line.strip()), path
        names = re.findall(r"^-- name: *([a-z0-9_]+) *$", text, re.M)
        assert names and len(names) == len(set(names)), path


def test_an_sql_file_is_numbered_as_it_runs():
    assert [path for path in SQL if not re.fullmatch(r"\d\d_[a-z_]+\.sql", path.name)] == []
