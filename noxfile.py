"""Tasks: ``nox`` runs what .ci/run runs beside the tests; ``nox -s test`` the tests.

Sessions run in the environment that nox stands in: ``pip install -e ".[test,dev]"`` first.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "sql", "types", "docs", "supply"]
LOCK, SBOM = "constraints.txt", "dist/replicadb.cdx.json"
PYTHON = ("replicadb", "tests", "benchmarks", "training", "noxfile.py")


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff's rules and layout, and the layers that a room may import."""
    session.run("ruff", "check", *PYTHON)
    session.run("ruff", "format", "--check", *PYTHON)
    session.run("lint-imports", silent=True)


@nox.session
def sql(session: nox.Session) -> None:
    """Every file of sql/ parses, no line is too long, no CTE is unused."""
    session.run("sqlfluff", "lint", "--processes", "2", "--disable-progress-bar", "sql")


@nox.session
def types(session: nox.Session) -> None:
    """mypy, strict where pyproject.toml says that a room is."""
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """The site, with every link and anchor checked."""
    session.run("mkdocs", "build", "--strict", "--quiet", "--site-dir", session.create_tmp())


@nox.session
def test(session: nox.Session) -> None:
    """Every test; arguments are pytest's."""
    session.run("python", "-m", "pytest", "-m", "slow or not slow", *session.posargs)


@nox.session(venv_backend="venv")
def lowest(session: nox.Session) -> None:
    """The quick tests with the lowest versions that pyproject.toml allows."""
    session.install("uv")
    session.run("uv", "pip", "install", "--resolution", "lowest-direct", "-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(venv_backend="venv", python=["3.11", "3.12", "3.13", "3.14"])
def pythons(session: nox.Session) -> None:
    """The quick tests with each Python that is installed; the lock is that of 3.11."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def supply(session: nox.Session) -> None:
    """Licences of what comes along, and known vulnerabilities where the package index answers."""
    session.run("python", "-m", "benchmarks.reliability.supply")


@nox.session(venv_backend="venv")
def sbom(session: nox.Session) -> None:
    """What users install, in the locked versions, as CycloneDX: dist/replicadb.cdx.json."""
    session.install("-c", LOCK, ".[evaluate,report,review,links,pages,render]")
    Path("dist").mkdir(exist_ok=True)
    python = str(Path(session.bin) / "python")
    wanted = ("--pyproject", "pyproject.toml", "--output-reproducible", "-o", SBOM, python)
    session.run("cyclonedx-py", "environment", *wanted, external=True)


@nox.session
def campaigns(session: nox.Session) -> None:
    """A share of docs/reliability.md's campaigns, ten minutes at most: fuzz and bulk, trial by
    trial the same each time. ``-- --seed 37``: others; ``-- --minutes 20``: longer.
    """
    for name, trials, minutes in (("fuzz", 25_000, 8), ("bulk", 100, 2)):
        bounds = ("--seed", "36", "--trials", str(trials), "--minutes", str(minutes))
        session.run("python", "-m", f"benchmarks.reliability.{name}", *bounds, *session.posargs)


@nox.session
def kills(session: nox.Session) -> None:
    """A share of crash and disk, some five minutes. Which write is the hundredth hangs on DuckDB's
    threads, so a trial is not the same twice.
    """
    if not shutil.which("cc"):
        session.skip("what fails a disk is compiled: it needs a C compiler")
    for name, *more in (("crash", "--exactly"), ("disk",)):
        bounds = ("--seed", "36", "--trials", "60", "--minutes", "10")
        session.run("python", "-m", f"benchmarks.reliability.{name}", *bounds, *more)


@nox.session
def wheel(session: nox.Session) -> None:
    """Wheel and sdist, each installed elsewhere, make the demo."""
    made = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "build", "--quiet", "--outdir", str(made / "dist"))
    for kind in ("*.whl", "*.tar.gz"):
        (built,) = (made / "dist").glob(kind)
        home = made / f"from-{built.name}"
        session.run("python", "-m", "venv", "--clear", str(home))
        session.run(f"{home}/bin/pip", "install", "--quiet", str(built), external=True)
        session.chdir(home)
        session.run(f"{home}/bin/replicadb", "demo", "--quiet", external=True, silent=True)
        session.run(f"{home}/bin/replicadb", "info", "replicadb-demo/demo.duckdb", external=True)
