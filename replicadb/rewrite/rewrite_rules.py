"""Rewrite rules: context -> transformation, with what is known of each; and files of them.

A URL is a function from keys to values: scheme, host, segments of the path by position, its last
segment's extension, parameters by name. A rule's context is a host (None: any) and the path's first
segment (None: any), and what the transformation needs to be there. Its transformation deletes a
key, gives it a constant, or another key's value (docs/method.md#rewrite-rules; Dasgupta et al.
2008, section 3).

Invariant: every kind of rule makes (http before https, capitals, length, parameters out of
order, text) smaller in that order, so that no set of rules can go round in a loop;
:func:`RuleSet.validated` refuses what would not.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from replicadb.errors import DataError
from replicadb.given_file import given_json
from replicadb.settings import HOST_MAX_BYTES, URL_MAX_BYTES
from replicadb.store.atomic_file import atomic_write

FORMAT = 1
PORT_BYTES = 6  # of a host with its port
KINDS: dict[str, str] = {
    "scheme": "http -> https",
    "www": "host www.NAME -> NAME",
    "case": "path in lower case",
    "matrix": "delete ;NAME=... in the path",
    "segment": "delete segment POSITION, NAME",
    "segment_like": "delete segment POSITION where it is of type NAME",
    "replace": "segment POSITION: NAME -> VALUE",
    "swap": "segments POSITION and POSITION + 1 in the order of their names",
    "suffix": "delete NAME at the end of the last segment (before its extension)",
    "extension": "extension NAME -> VALUE (or none)",
    "index": "delete last segment NAME",
    "slash": "delete slashes at the end of the path",
    "to_path": "parameter NAME becomes the last segment",
    "param": "delete parameter NAME",
    "param_is": "delete parameter NAME where it is VALUE",
    "order": "parameters in the order of their names",
}
"""Every kind of transformation. Those on the path and its parameters stand in the order in which
they are applied.
"""

TYPES: dict[str, str] = {
    "digits": r"[0-9]{4,}",
    "hex": r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{8,}",
    "token": r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_-]{8,}",
    "session": r"\([A-Za-z]\([A-Za-z0-9]+\)\)",
}
"""Types of segments, the narrowest first: what values of a wildcard look like."""


Key = tuple[str, str | None, str | None, str, str, int]
"""Kind, host, section, name, value and position of a rule."""


@dataclass(frozen=True)
class Rule:
    """One rule, and what was counted when it was learned."""

    kind: str
    """One of KINDS."""
    host: str | None = None
    """Host (with its port, where it has one) whose URLs it is for; None: any."""
    section: str | None = None
    """First segment of the path; None: any."""
    name: str = ""
    value: str = ""
    position: int = 0
    """Of a segment, from 1."""
    support: int = 0
    """Different contents that it brings together, in the clusters that it was learned from."""
    matches: int = 0
    """URLs there that it rewrites to a form that another known URL has, or is rewritten to."""
    errors: int = 0
    """Those of them whose content differs from that of the other."""
    test_matches: int = 0
    test_errors: int = 0
    """The same in the clusters that were held out."""
    hosts: int = 1
    """Hosts in which it was seen."""

    @property
    def key(self) -> Key:
        """What the rule says, without what was counted."""
        return (self.kind, self.host, self.section, self.name, self.value, self.position)

    @property
    def place(self) -> tuple[bool, str, str, str, str, str, int]:
        """Where it stands in a list of rules, which is the order in which rules of one kind are
        applied: those of any host first, then by host.
        """
        return (
            self.host is not None,
            self.host or "",
            self.kind,
            self.section or "",
            self.name,
            self.value,
            self.position,
        )

    def __str__(self) -> str:
        what = KINDS[self.kind]
        if self.kind == "extension":
            what = what.replace(" (or none)", "")
        what = (
            what.replace("NAME", (self.host or "")[4:] if self.kind == "www" else self.name)
            .replace("VALUE", self.value or "none")
            .replace("POSITION + 1", str(self.position + 1))
        )
        return what.replace("POSITION", str(self.position))

    @property
    def context(self) -> str:
        """Where it holds, as a person reads it."""
        return (self.host or "*") + ("/*" if self.section is None else f"/{self.section}")


def problem_of(rule: Rule) -> str | None:
    """Why a rule cannot be: unknown, without what it needs, or one that would make a URL larger or
    all URLs one.
    """
    if problem := _type_problem(rule) or _bound_problem(rule):
        return problem
    if rule.kind not in KINDS:
        return f"no such kind of rule: {rule.kind!r}"
    if (
        rule.kind
        in (
            "matrix",
            "segment",
            "segment_like",
            "replace",
            "suffix",
            "extension",
            "to_path",
            "index",
            "param",
            "param_is",
        )
        and not rule.name
    ):
        return f"{rule.kind}: no name"
    if rule.kind in ("segment", "segment_like", "replace", "swap") and rule.position < 1:
        return f"{rule.kind}: positions count from 1"
    if rule.kind == "segment_like" and rule.name not in TYPES:
        return f"segment_like: no such type {rule.name!r}"
    if rule.kind == "segment_like" and rule.host is None:
        return (
            "segment_like: on any host it would make one URL of all whose segment is a number or"
            " key; name a host"
        )
    if rule.kind == "suffix" and rule.name[0].isalnum():
        return (
            f"suffix: {rule.name!r} begins with a letter or digit, which ends words of any page; it"
            " must begin with a mark, as -print does"
        )
    if rule.kind == "matrix" and set(rule.name) & set("/;=?"):
        return f"matrix: {rule.name!r} is no name of one parameter"
    if rule.kind in ("param", "param_is", "to_path") and set(rule.name) & set("&="):
        return f"{rule.kind}: {rule.name!r} is no name of one parameter"
    if rule.kind in ("replace", "extension") and (len(rule.value), rule.value) >= (
        len(rule.name),
        rule.name,
    ):
        return f"{rule.kind}: {rule.value!r} is no smaller than {rule.name!r}"
    if rule.kind == "www" and not (rule.host or "").startswith("www."):
        return "www: a host that does not begin with www."
    if rule.kind in ("segment", "replace", "suffix", "extension", "index") and (
        "/" in rule.name + rule.value or "?" in rule.name + rule.value
    ):
        return f"{rule.kind}: more than one segment"
    return None


def _type_problem(rule: Rule) -> str | None:
    """A field of a rule that is no text or number as it must be."""
    for name, of, empty in (
        ("kind", str, False),
        ("host", str, True),
        ("section", str, True),
        ("name", str, False),
        ("value", str, False),
    ):
        if not (isinstance(getattr(rule, name), of) or (empty and getattr(rule, name) is None)):
            return f"{name} is no text: {getattr(rule, name)!r}"
    return None if type(rule.position) is int else f"position is no whole number: {rule.position!r}"


def _bound_problem(rule: Rule) -> str | None:
    """A host, a section, a segment or a position that no URL has."""
    if set(rule.section or "") & set("/?"):
        return f"{rule.kind}: section {rule.section!r} is more than the first segment"
    if rule.kind == "replace" and rule.value in (".", ".."):
        return f"replace: {rule.value!r} means another folder, and stands in no URL"
    host = (rule.host or "").encode("utf-8", "replace")
    if len(host) > HOST_MAX_BYTES + PORT_BYTES:
        return f"{rule.kind}: a host longer than {HOST_MAX_BYTES} bytes"
    if rule.position > URL_MAX_BYTES:
        return f"{rule.kind}: no URL has {rule.position:,} segments"
    return None


@dataclass(frozen=True)
class RuleSet:
    """Rules that belong together, and how they came about."""

    rules: tuple[Rule, ...] = ()
    about: tuple[tuple[str, Any], ...] = ()
    """How they were learned: epsilon, min_support, URLs, version ..."""

    def validated(self) -> RuleSet:
        """Itself, if every rule can be.

        Raises:
            DataError: the first rule that cannot.
        """
        for number, rule in enumerate(self.rules, 1):
            if problem := problem_of(rule):
                raise DataError(f"rule {number}: {problem}")
        return self

    def text(self) -> str:
        """The rules as JSON, one a line."""
        lines = ",\n".join(
            "  " + json.dumps(_bare(rule), ensure_ascii=False) for rule in self.rules
        )
        head = json.dumps(
            {"replicadb_rewrite_rules": FORMAT, "about": dict(self.about)}, ensure_ascii=False
        )
        return f'{head[:-1]}, "rules": [\n{lines}\n]}}\n'

    def save(self, path: str | Path) -> None:
        """Write :meth:`text` to a file, whole or not at all.

        Raises:
            DataError: the file cannot be written.
        """
        with atomic_write(path) as part:
            Path(part).write_text(self.text(), "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> RuleSet:
        """Read what :meth:`save` wrote.

        Raises:
            DataError: no such file, no file of rules, or a rule in it that cannot be.
        """
        try:
            data = given_json(path)
            if data["replicadb_rewrite_rules"] != FORMAT:
                raise DataError(
                    f"{path}: rules in format {data['replicadb_rewrite_rules']}, this replicadb"
                    f" reads {FORMAT}"
                )
            known = {item.name for item in fields(Rule)}
            rules = tuple(
                Rule(**{k: v for k, v in row.items() if k in known}) for row in data["rules"]
            )
            return cls(rules, tuple(data.get("about", {}).items())).validated()
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"{path}: no file of rewrite rules; make one with: replicadb rewrite export DB"
                " rules.json"
            ) from error


def _bare(rule: Rule) -> dict[str, Any]:
    """A rule without what is as by default."""
    plain = asdict(Rule(rule.kind))
    return {
        name: value
        for name, value in asdict(rule).items()
        if name == "kind" or value != plain[name]
    }


def type_of(segment: str) -> str | None:
    """The narrowest type that a segment has; None: a word, say."""
    return next((name for name, pattern in TYPES.items() if re.fullmatch(pattern, segment)), None)
