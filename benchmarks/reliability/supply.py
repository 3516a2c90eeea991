"""What comes along: the licences of all that users install with replicadb, and whether any of the
locked versions has a known vulnerability.

Invariant: licences are read from what is installed, and need no network. A vulnerability is
a failure. That the index does not answer is none; a line says so.

Run ``python -m benchmarks.reliability.supply``, or ``nox -s supply``.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from email.message import Message
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import cast

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCK = Path(__file__).parents[2] / "constraints.txt"
EXTRAS = ("evaluate", "report", "review", "links", "pages", "render")
"""Those for users; compare, test and dev are for who works on it."""
ALLOWED = (
    *("MIT", "MIT-CMU", "MIT-0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "Zlib"),
    *("Apache", "Apache-2.0", "MPL-2.0", "PSF-2.0", "Python-2.0", "CC0-1.0", "Unlicense"),
)
"""Licences that Apache-2.0 may be used with unchanged."""
SPELT = {
    "apache": "Apache-2.0",
    "bsd": "BSD",
    "mit": "MIT",
    "mozilla public license 2.0": "MPL-2.0",
    "python software foundation": "PSF-2.0",
    "isc": "ISC",
    "zlib": "Zlib",
    "unlicense": "Unlicense",
}
"""How names of licences begin that are no SPDX expression, in lower case."""
PATIENCE = 300  # seconds


def come_along() -> dict[str, Message]:
    """Metadata by name of all that is installed of what replicadb and its extras need."""
    found: dict[str, Message] = {}
    waiting = [("replicadb", EXTRAS)]
    while waiting:
        name, extras = waiting.pop()
        metadata = cast(Message, distribution(name).metadata)
        found[canonicalize_name(name)] = metadata
        for text in metadata.get_all("Requires-Dist") or []:
            needed = Requirement(text)
            wanted = [{"extra": extra} for extra in extras or ("",)]
            if needed.marker and not any(needed.marker.evaluate(given) for given in wanted):
                continue
            if canonicalize_name(needed.name) not in found:
                waiting.append((needed.name, tuple(needed.extras)))
    return found


def licence(metadata: Message) -> str:
    """What a package says of its licence: an SPDX expression if it has one, else its classifiers,
    else its own words.
    """
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [
        re.sub(r" \([^)]*\)$", "", text.rsplit(" :: ", 1)[1])
        for text in metadata.get_all("Classifier") or []
        if text.startswith("License :: ") and text != "License :: OSI Approved"
    ]
    return " AND ".join(classifiers) or str(metadata.get("License") or "").strip()


def is_allowed(text: str) -> bool:
    """Whether a licence may come along: of ``OR`` one is enough, of ``AND`` all are needed."""
    words = {"(": "(", ")": ")", " AND ": " and ", " OR ": " or "}
    parts = re.split(r"(\(|\)| AND | OR )", text.strip())
    truth = "".join(words.get(part) or str(_is_allowed(part)) for part in parts if part.strip())
    try:
        return bool(eval(truth))  # nothing but True, False, and, or and brackets
    except SyntaxError:
        return False


def _is_allowed(one: str) -> bool:
    plain = one.split(" WITH ")[0].strip()
    begins = plain.lower().removeprefix("the ").split("\n")[0]
    return next((spdx for name, spdx in SPELT.items() if begins.startswith(name)), plain) in ALLOWED


def licences() -> list[str]:
    """Check all; those that may not come along, with what they say."""
    try:
        packages = come_along()
    except PackageNotFoundError as error:
        raise SystemExit(
            f"supply: {error} is not installed; pip install -e '.[test,dev]'"
        ) from None
    refused = [
        f"{name}: {licence(metadata)[:60] or 'says nothing'}"
        for name, metadata in sorted(packages.items())
        if not is_allowed(licence(metadata))
    ]
    print(f"licences: {len(packages)} packages; not allowed: {', '.join(refused) or 'none'}")
    return refused


def audited(lines: list[str]) -> list[dict[str, object]]:
    """What pip-audit finds of pinned versions; a package that nobody answered for has a
    ``skip_reason``. Nothing at all where it cannot ask.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as pins:
        pins.write("\n".join(lines) + "\n")
        pins.flush()
        words = ["--requirement", pins.name, "--no-deps", "--disable-pip", "--format", "json"]
        try:
            ended = subprocess.run(
                [sys.executable, "-m", "pip_audit", *words, "--progress-spinner", "off"],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
            found: list[dict[str, object]] = json.loads(ended.stdout)["dependencies"]
        except (ValueError, KeyError, OSError, subprocess.TimeoutExpired):
            return []
    return found


def vulnerabilities() -> list[str]:
    """Ask of the locked versions, of one first; those with a known vulnerability, and which."""
    if importlib.util.find_spec("pip_audit") is None:
        print("vulnerabilities: not known: pip-audit is not installed")
        return []
    pins = [line for line in LOCK.read_text().splitlines() if re.match(r"[\w.-]+==", line)]
    first = audited(pins[:1])
    if not first or "skip_reason" in first[0]:
        print(f"vulnerabilities: not known: the package index here answers for none ({pins[0]})")
        return []
    found = audited(pins)
    silent = [str(one["name"]) for one in found if "skip_reason" in one]
    known = [
        f"{one['name']} {one['version']}: {', '.join(hole['id'] for hole in holes)}"
        for one in found
        if (holes := cast(list[dict[str, str]], one.get("vulns")))
    ]
    answered = f"{len(found) - len(silent)} of {len(pins)} packages answered for"
    print(f"vulnerabilities: {answered}; known: {'; '.join(known) or 'none'}")
    return known


def main() -> int:
    return 1 if licences() + vulnerabilities() else 0


if __name__ == "__main__":
    sys.exit(main())
