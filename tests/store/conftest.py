"""A detection as older versions laid it out, made once each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import replicadb
from benchmarks.reliability.older_files import lay_out


@pytest.fixture(scope="session")
def laid_out(detected, tmp_path_factory):
    """The file of ``detected`` as a version had it; copy it before you change it."""
    made: dict[int, Path] = {}

    def of(version: int) -> Path:
        if version not in made:
            made[version] = tmp_path_factory.mktemp("laid_out") / f"{version}.duckdb"
            shutil.copy(detected, made[version])
            lay_out(made[version], version)
        return made[version]

    return of


@pytest.fixture
def older(laid_out, tmp_path) -> Path:
    """A file of schema 9, with a detection."""
    return Path(shutil.copy(laid_out(9), tmp_path / "older.duckdb"))


@pytest.fixture(scope="session")
def of_oldest(laid_out, tmp_path_factory) -> Path:
    """That of version 9, which had everything in ``main``, upgraded; do not change it."""
    path = Path(shutil.copy(laid_out(9), tmp_path_factory.mktemp("upgraded") / "older.duckdb"))
    with pytest.warns(UserWarning, match="detect again"):
        replicadb.open(path).close()
    return path
