"""What comes along: its licences, and what is said of known vulnerabilities."""

from __future__ import annotations

from email.message import Message

import pytest

from benchmarks.reliability import supply


def metadata(**fields):
    """A package's."""
    found = Message()
    for name, values in fields.items():
        for value in values:
            found[name.replace("_", "-")] = value
    return found


@pytest.mark.parametrize(
    "text",
    [
        "MIT",
        "MIT License",
        "The Unlicense",
        "Apache Software License 2.0",
        "GPL-3.0-only OR MIT",
        "(MIT OR GPL-3.0-only) AND BSD-3-Clause",
        "Apache-2.0 WITH LLVM-exception",
        "ISC License",
    ],
)
def test_may_come_along(text):
    assert supply.is_allowed(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "(MIT OR Zlib) AND GPL-3.0-only",
        "GNU Lesser General Public License v3",
        "Proprietary",
        "MIT AND (",
    ],
)
def test_may_not_come_along(text):
    assert not supply.is_allowed(text)


def test_a_licence_is_an_expression_or_classifiers_or_words():
    classified = ("License :: OSI Approved", "License :: OSI Approved :: ISC License (ISCL)")
    assert supply.licence(metadata(License_Expression=["MIT"], License=["x"])) == "MIT"
    assert supply.licence(metadata(Classifier=classified, License=["x"])) == "ISC License"
    assert supply.licence(metadata(License=["BSD"])) == "BSD"


def test_all_that_users_install_is_looked_at():
    found = supply.come_along()
    assert {"replicadb", "duckdb", "polars", "scikit-learn", "playwright", "uvicorn"} <= set(found)
    assert "pytest" not in found and not supply.licences()


def test_a_package_that_may_not_come_along_is_a_failure(monkeypatch, capsys):
    bad = {"odd": metadata(License=["GPL-3.0-only"]), "silent": metadata()}
    monkeypatch.setattr(supply, "come_along", lambda: bad)
    monkeypatch.setattr(supply, "vulnerabilities", lambda: [])
    assert supply.main() == 1
    assert "odd: GPL-3.0-only, silent: says nothing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answers", "known", "said"),
    [
        ([], 0, "not known"),
        ([{"name": "a", "skip_reason": "not found"}], 0, "not known"),
        (
            [{"name": "a", "version": "1", "vulns": []}],
            0,
            "1 of 2 packages answered for; known: no",
        ),
        ([{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}], 1, "a 1: CVE-1"),
    ],
)
def test_a_vulnerability_is_a_failure_and_silence_is_told(
    monkeypatch, capsys, tmp_path, answers, known, said
):
    lock = tmp_path / "constraints.txt"
    lock.write_text("# the lock\na==1\nb==2\n")
    monkeypatch.setattr(supply, "LOCK", lock)
    monkeypatch.setattr(supply, "audited", lambda lines: answers)
    monkeypatch.setattr(supply.importlib.util, "find_spec", lambda name: object())
    assert len(supply.vulnerabilities()) == known
    assert said in capsys.readouterr().out
