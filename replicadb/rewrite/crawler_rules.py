"""Rules as files that crawlers take: Nutch's regex normaliser, Heritrix' canonicalisation rules,
and JSON of our own.

Invariant: a pattern does to a URL what :class:`replicadb.rewrite.Rewriter` does with the
same rule, as far as a regular expression can say it; rules that none can say (parameters in order,
segments in order, lower case) are left out and counted. Patterns keep to what Java and Python
share. Nutch: conf/regex-normalize.xml (RegexURLNormalizer); Heritrix 3:
org.archive.modules.canonicalize.RegexRule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from replicadb.errors import UsageError
from replicadb.export.file_formats import refuse_no_text, stream_to, unpacked_name
from replicadb.rewrite.rewrite_rules import KINDS, Rule, RuleSet
from replicadb.store.atomic_file import atomic_write

FORMATS = ("json", "nutch", "heritrix")
JAVA_TYPES = {
    "digits": "[0-9]{4,}",
    "hex": "(?=[^/]*[0-9])(?=[^/]*[a-f])[0-9a-f]{8,}",
    "token": "(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{8,}",
    "session": r"\([A-Za-z]\([A-Za-z0-9]+\)\)",
}


TURNS = {kind: turn for turn, kind in enumerate(KINDS)}


class Pattern(NamedTuple):
    """A regular expression over whole URLs, and what takes its place; groups as $1, a dollar or
    backslash that is meant as such with a backslash before it.
    """

    pattern: str
    substitution: str


def write(rules: RuleSet, out: str | Path, format: str | None = None) -> tuple[int, int]:
    """Write rules to a file; ``-`` is standard output.

    Args:
        format: one of FORMATS; None goes by the ending (.json, .xml is nutch; .gz behind it
            packs the file).

    Returns:
        How many rules are in the file, and how many no pattern can say.

    Raises:
        UsageError: an unknown format. DataError: the file cannot be written.
    """
    chosen = format or {".json": "json", ".xml": "nutch"}.get(
        unpacked_name(out).suffix.lower(), "json" if str(out) == "-" else ""
    )
    if chosen not in FORMATS:
        raise UsageError(f"rules are exported as {', '.join(FORMATS)}; say which with --format")
    refuse_no_text(out, chosen)
    patterns = [found for rule in in_turn(rules.rules) if (found := patterns_of(rule))]
    text = (
        rules.text()
        if chosen == "json"
        else {"nutch": _nutch, "heritrix": _heritrix}[chosen](
            [p for several in patterns for p in several]
        )
    )
    if str(out) == "-":
        import sys

        sys.stdout.write(text)
    else:
        with atomic_write(out) as part, stream_to(part, out) as stream:
            stream.write(text.encode())
    kept = sum(chosen == "json" or rule.kind in MAKERS for rule in rules.rules)
    return kept, len(rules.rules) - kept


def in_turn(rules: Iterable[Rule]) -> list[Rule]:
    """Rules in the order in which a crawler that goes through them once has to apply them, as
    Rewriter does: by kind, a host's own before those of any host. What leads from www.NAME to NAME
    comes after the rules of www.NAME, and before those of NAME; rules of any host come again then.
    """
    rules = list(rules)
    prefixed = {rule.host: _www_labels(rule.host) for rule in rules if rule.kind == "www"}
    turns: list[Rule] = []
    for labels in range(max(prefixed.values(), default=0), -1, -1):
        here = [r for r in rules if r.host is None or prefixed.get(r.host, 0) == labels]
        turns += sorted(
            here,
            key=lambda rule: (
                rule.kind == "www",
                TURNS[rule.kind],
                rule.host is None,
                rule.section is not None,
            ),
        )
    return turns


def _www_labels(host: str | None) -> int:
    """How many www. a host begins with."""
    return len((re.match(r"(?:www\.)*", host or "") or "")[0]) // 4


def patterns_of(rule: Rule) -> list[Pattern]:
    """A rule as patterns; [] where no regular expression can say it.

    A context of a section is the first segment: ``/section`` followed by ``/``, ``?`` or the end.
    """
    make = MAKERS.get(rule.kind)
    if make is None:
        return []
    guard = "" if rule.section is None else f"(?=/{re.escape(rule.section)}(?:[/?#]|$))"
    return make(rule, _origin(rule) + guard, re.escape(rule.name))


def _host(rule: Rule) -> str:
    return re.escape(rule.host) if rule.host else "[^/?#]+"


def _as_is(text: str) -> str:
    """A text as a substitution of Java has it, where $9 would be a group."""
    return re.sub(r"[\\$]", r"\\\g<0>", text)


def _origin(rule: Rule) -> str:
    """Scheme and host of what the rule is for, a group."""
    return f"^(https?://{_host(rule)})"


# -- a function for each kind: of the rule, of how its patterns begin (the origin, and a look ahead
# -- at the section), and of its name as an expression


def _scheme(rule: Rule, head: str, name: str) -> list[Pattern]:
    return [Pattern(f"^http://({_host(rule)})(?=/)", "https://$1")]


def _www(rule: Rule, head: str, name: str) -> list[Pattern]:
    host = re.escape((rule.host or "")[4:])
    return [Pattern(rf"^(https?)://www\.({host})(?=/)", "$1://$2")]


def _param(rule: Rule, head: str, name: str) -> list[Pattern]:
    if rule.kind == "param":
        item = rf"{name}(?:=[^&#]*)?(?=[&#]|$)"
    elif rule.value:
        item = rf"{name}={re.escape(rule.value)}(?=[&#]|$)"
    else:
        item = rf"{name}=?(?=[&#]|$)"
    return [
        Pattern(rf"{head}([^?#]*\?)(?:{item}&)+", "$1$2"),
        Pattern(rf"{head}([^?#]*\?[^#]*?)(?:&{item})+", "$1$2"),
        Pattern(rf"{head}([^?#]*)\?{item}(?=#|$)", "$1$2"),
    ]


def _slash(rule: Rule, head: str, name: str) -> list[Pattern]:
    return [
        Pattern(rf"{head}(/[^?#]*?[^/?#])/+(?=[?#]|$)", "$1$2"),
        Pattern(rf"{head}//+(?=[?#]|$)", "$1/"),
    ]


def _index(rule: Rule, head: str, name: str) -> list[Pattern]:
    return [Pattern(rf"{head}(/(?:[^?#]*/)?){name}(?=[?#]|$)", "$1$2")]


def _extension(rule: Rule, head: str, name: str) -> list[Pattern]:
    ending = f".{_as_is(rule.value)}" if rule.value else ""
    return [Pattern(rf"{head}(/[^?#]*[^/?#])\.{name}(?=[?#]|$)", f"$1$2{ending}")]


def _suffix(rule: Rule, head: str, name: str) -> list[Pattern]:
    return [Pattern(rf"{head}(/(?:[^?#]*/)?[^/?#]+?){name}(\.[^./?#]*)?(?=[?#]|$)", "$1$2$3")]


def _matrix(rule: Rule, head: str, name: str) -> list[Pattern]:
    return [Pattern(rf"{head}([^?#]*?)(?:;{name}=[^/;?#]*)+", "$1$2")]


def _upto(rule: Rule) -> str:
    """The segments before that of the rule, a group."""
    return rf"((?:/[^/?#]*){{{max(rule.position - 1, 0)}}})"


def _segment(rule: Rule, head: str, name: str) -> list[Pattern]:
    what = name if rule.kind == "segment" else JAVA_TYPES[rule.name]
    return [Pattern(rf"{head}{_upto(rule)}(?:/{what})+(?=/)", "$1$2")]


def _replace(rule: Rule, head: str, name: str) -> list[Pattern]:
    return [Pattern(rf"{head}{_upto(rule)}/{name}(?=[/?#]|$)", f"$1$2/{_as_is(rule.value)}")]


def _to_path(rule: Rule, head: str, name: str) -> list[Pattern]:
    """Not where the parameter stands twice."""
    twice = rf"(?:[^#]*&)?{name}(?:=[^#&]*)?&(?:[^#]*&)?{name}(?:[=&#]|$)"
    item = rf"{name}=([^&#/?%;\s]+)(?=[&#]|$)"
    path = rf"{head}([^?#]*?)/*\?(?!{twice})"
    return [
        Pattern(rf"{path}{item}(?=#|$)", "$1$2/$3"),
        Pattern(rf"{path}{item}&", "$1$2/$3?"),
        Pattern(rf"{path}((?:[^#&]*&)*?[^#&]*)&{item}", "$1$2/$4?$3"),
    ]


MAKERS: dict[str, Callable[[Rule, str, str], list[Pattern]]] = {
    "scheme": _scheme,
    "www": _www,
    "param": _param,
    "param_is": _param,
    "slash": _slash,
    "index": _index,
    "extension": _extension,
    "suffix": _suffix,
    "matrix": _matrix,
    "segment": _segment,
    "segment_like": _segment,
    "replace": _replace,
    "to_path": _to_path,
}
"""By kind of rule; no pattern can say the others."""


def _nutch(patterns: list[Pattern]) -> str:
    rules = "".join(
        f"<regex>\n  <pattern>{escape(p.pattern)}</pattern>\n "
        f" <substitution>{escape(p.substitution)}</substitution>\n</regex>\n"
        for p in patterns
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<regex-normalize>\n{rules}</regex-normalize>\n'


def _heritrix(patterns: list[Pattern]) -> str:
    """Beans for canonicalizationPolicy.rules; Heritrix wants the whole URL matched, and groups as
    ${1}.
    """

    def bean(p: Pattern) -> str:
        tail = len(re.findall(r"(?<!\\)\((?!\?)", p.pattern)) + 1
        whole, form = (
            f"{p.pattern}(.*)$",
            re.sub(r"(?<!\\)\$(\d)", r"${\1}", p.substitution) + f"${{{tail}}}",
        )
        return (
            '    <bean class="org.archive.modules.canonicalize.RegexRule">\n      <property'
            f' name="regex" value={quoteattr(whole)}/>\n      <property name="format"'
            f" value={quoteattr(form)}/>\n    </bean>\n"
        )

    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<beans'
        ' xmlns="http://www.springframework.org/schema/beans">\n  <util:list id="rules"'
        ' xmlns:util="http://www.springframework.org/schema/util">\n'
        + "".join(map(bean, patterns))
        + "  </util:list>\n</beans>\n"
    )
