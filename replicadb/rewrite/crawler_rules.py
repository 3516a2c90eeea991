"""Rules as files that crawlers take: Nutch's regex normaliser, Heritrix' canonicalisation rules,
and JSON of our own.

Always true here: a pattern does to a URL what :class:`Rewriter` does with the same rule, as far as
a regular expression can say it; rules that none can say (parameters in order, segments in order,
lower case) are left out and counted. Patterns keep to what Java and Python share. Nutch:
conf/regex-normalize.xml (RegexURLNormalizer); Heritrix 3:
org.archive.modules.canonicalize.RegexRule.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from replicadb.errors import UsageError
from replicadb.rewrite.rewrite_rules import Rule, RuleSet
from replicadb.store.atomic_file import whole

FORMATS = ("json", "nutch", "heritrix")
JAVA_TYPES = {
    "digits": "[0-9]{4,}",
    "hex": "(?=[^/]*[0-9])(?=[^/]*[a-f])[0-9a-f]{8,}",
    "token": "(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{8,}",
    "session": r"\([A-Za-z]\([A-Za-z0-9]+\)\)",
}


class Pattern(NamedTuple):
    """A regular expression over whole URLs, and what takes its place; groups as $1."""

    pattern: str
    substitution: str


def write(rules: RuleSet, out: str | Path, format: str | None = None) -> tuple[int, int]:
    """Write rules to a file; ``-`` is standard output.

    Args:
        format: one of FORMATS; None goes by the ending (.json, .xml is nutch).

    Returns:
        How many rules are in the file, and how many no pattern can say.

    Raises:
        UsageError: an unknown format. DataError: the file cannot be written.
    """
    chosen = format or {".json": "json", ".xml": "nutch"}.get(
        Path(out).suffix.lower(), "json" if str(out) == "-" else ""
    )
    if chosen not in FORMATS:
        raise UsageError(f"rules are exported as {', '.join(FORMATS)}; say which with --format")
    patterns = [found for rule in rules.rules if (found := patterns_of(rule))]
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
        with whole(out) as part:
            Path(part).write_text(text, "utf-8")
    kept = len(rules.rules) if chosen == "json" else len(patterns)
    return kept, len(rules.rules) - kept


def patterns_of(rule: Rule) -> list[Pattern]:
    """A rule as patterns; [] where no regular expression can say it.

    A context of a section is the first segment: ``/section`` followed by ``/``, ``?`` or the end.
    """
    host = re.escape(rule.host) if rule.host else "[^/?#]+"
    head = f"^(https?://{host})"
    guard = "" if rule.section is None else f"(?=/{re.escape(rule.section)}(?:[/?#]|$))"
    name, value = re.escape(rule.name), re.escape(rule.value)
    upto = rf"((?:/[^/?#]*){{{max(rule.position - 1, 0)}}})"
    if rule.kind == "scheme":
        return [Pattern(f"^http://({host})(?=/)", "https://$1")]
    if rule.kind == "www":
        return [Pattern(f"^(https?)://www\\.({re.escape((rule.host or '')[4:])})(?=/)", "$1://$2")]
    if rule.kind in ("param", "param_is"):
        item = (
            rf"{name}(?:=[^&#]*)?(?=[&#]|$)"
            if rule.kind == "param"
            else rf"{name}={value}(?=[&#]|$)"
            if rule.value
            else rf"{name}=?(?=[&#]|$)"
        )
        return [
            Pattern(rf"{head}{guard}([^?#]*\?(?:[^#]*&)?){item}&?", "$1$2"),
            Pattern(rf"{head}{guard}([^?#]*)\?(?=#|$)", "$1$2"),
            Pattern(rf"{head}{guard}([^?#]*\?[^#]*)&(?=#|$)", "$1$2"),
        ]
    if rule.kind == "slash":
        return [
            Pattern(rf"{head}{guard}(/[^?#]*?[^/?#])/+(?=[?#]|$)", "$1$2"),
            Pattern(rf"{head}{guard}//+(?=[?#]|$)", "$1/"),
        ]
    if rule.kind == "index":
        return [Pattern(rf"{head}{guard}(/(?:[^?#]*/)?){name}(?=[?#]|$)", "$1$2")]
    if rule.kind == "extension":
        return [
            Pattern(
                rf"{head}{guard}(/[^?#]*[^/?#])\.{name}(?=[?#]|$)",
                "$1$2" + (f".{rule.value}" if rule.value else ""),
            )
        ]
    if rule.kind == "suffix":
        return [
            Pattern(rf"{head}{guard}(/(?:[^?#]*/)?[^/?#]+?){name}(\.[^./?#]*)?(?=[?#]|$)", "$1$2$3")
        ]
    if rule.kind == "matrix":
        return [Pattern(rf"{head}{guard}([^?#]*?);{name}=[^/;?#]*", "$1$2")]
    if rule.kind in ("segment", "segment_like"):
        what = name if rule.kind == "segment" else JAVA_TYPES[rule.name]
        return [Pattern(rf"{head}{guard}{upto}/{what}(?=/)", "$1$2")]
    if rule.kind == "replace":
        return [Pattern(rf"{head}{guard}{upto}/{name}(?=[/?#]|$)", f"$1$2/{rule.value}")]
    if rule.kind == "to_path":
        return [
            Pattern(
                rf"{head}{guard}([^?#]*?)/*\?(?!(?:[^#]*&)?{name}(?:=[^#&]*)?&(?:[^#]*&)?{name}(?:[=&#]|$))((?:[^#&]*&)*?){name}=([^&#/?%;\s]+)(?=[&#]|$)&?",
                "$1$2/$4?$3",
            ),
            Pattern(rf"{head}([^?#]*)\?(?=#|$)", "$1$2"),
            Pattern(rf"{head}([^?#]*\?[^#]*)&(?=#|$)", "$1$2"),
        ]
    return []


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
            re.sub(r"\$(\d)", r"${\1}", p.substitution) + f"${{{tail}}}",
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
