"""Rewriting: a set of rules compiled by host, and the canonical form of a URL.

Invariant: ``canonical(canonical(u)) == canonical(u)``; a URL that no rule is for comes back
as it was, byte for byte. No library is imported beside the standard one, so a crawler that has this
package and a file of rules starts at once. Time: linear in the URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from replicadb.page_constants import REWRITE
from replicadb.rewrite.rewrite_rules import KINDS, TYPES, Rule, RuleSet

Change = dict[str | None, list[Rule]]  # section (None: any) to rules of a kind
Step = Callable[[str], str]  # from path to path
USUAL_PORTS = {"http": ":80", "https": ":443"}


class _Layer:
    """Rules of one host, or those of any host, by kind: made once, whatever number of plans they
    stand in.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.https = self.bare_host = False
        self.kinds: dict[str, Change] = {}  # but those on scheme and host
        for rule in rules:
            if rule.kind == "scheme":
                self.https = True
            elif rule.kind == "www":
                self.bare_host = True
            else:
                self.kinds.setdefault(rule.kind, {}).setdefault(rule.section, []).append(rule)
        self.steps = {kind: self._steps(kind) for kind in self.kinds if kind in STEPS}
        self.drop: dict[str | None, dict[str, set[str] | None]] = {}
        for kind in ("param_is", "param"):  # the latter wins: any value
            for section, several in self.kinds.get(kind, {}).items():
                names = self.drop.setdefault(section, {})
                for rule in several:
                    if kind == "param":
                        names[rule.name] = None
                    elif (values := names.setdefault(rule.name, set())) is not None:
                        values.add(rule.value)
        self.moves = self.kinds.get("to_path", {})
        self.order = self.kinds.get("order", {})

    def _steps(self, kind: str) -> tuple[list[Step], dict[str, list[Step]]]:
        """Those of any section, and those of one."""
        step, rules = STEPS[kind], self.kinds[kind]
        of_one = {
            section: [step(rule) for rule in several]
            for section, several in rules.items()
            if section is not None
        }
        return [step(rule) for rule in rules.get(None, [])], of_one


class _Plan:
    """What is done to the URLs of one host: a layer of its own and the one of any host, or one of
    them.
    """

    def __init__(self, *layers: _Layer) -> None:
        self.https = any(layer.https for layer in layers)
        self.bare_host = any(layer.bare_host for layer in layers)
        self.stem_steps = [
            layer.steps[kind] for kind in KINDS for layer in layers if kind in layer.steps
        ]
        self.drops = [layer.drop for layer in layers if layer.drop]
        self.moves = [layer.moves for layer in layers if layer.moves]
        self.orders = [layer.order for layer in layers if layer.order]
        self.queries = bool(self.drops or self.moves or self.orders)


class Rewriter:
    """A set of rules, ready to be applied.

    Args:
        rules: what ``replicadb rewrite learn`` found, or :meth:`RuleSet.load` read.
    """

    def __init__(self, rules: RuleSet) -> None:
        own: dict[str, list[Rule]] = {}
        general: list[Rule] = []
        for rule in rules.validated().rules:
            (general if rule.host is None else own.setdefault(rule.host.lower(), [])).append(rule)
        anywhere = [_Layer(general)] if general else []
        self._general = _Plan(*anywhere) if anywhere else None
        self._plans = {host: _Plan(_Layer(several), *anywhere) for host, several in own.items()}

    def canonical(self, url: str) -> str:
        """The one form of a URL; the URL itself where no rule is for it (or where it is no URL with
        a host). Rules of a host are for it in capitals, too, and with the usual port. A fragment
        stays as it is.
        """
        url, mark, fragment = url.partition("#")
        return self._canonical(url) + mark + fragment

    def _canonical(self, url: str) -> str:
        """The same of a URL without fragment."""
        scheme, mark, rest = url.partition("://")
        if not mark:
            return url
        cut = rest.find("/")
        host = rest[:cut] if cut >= 0 else rest
        plan = self._plans.get(host)
        if cut >= 0 and (plan is None or scheme not in USUAL_PORTS):
            normal = _normal_origin(scheme, host)
            if normal != (scheme, host) and normal[1] in self._plans:
                return self._canonical(f"{normal[0]}://{normal[1]}{rest[cut:]}")
        plan = plan or self._general
        if plan is None or cut < 0:
            return url
        path = rewritten(plan, rest[cut:])
        if plan.bare_host and host[:4] == "www.":
            return self._canonical(
                f"{'https' if plan.https and scheme == 'http' else scheme}://{host[4:]}{path}"
            )
        if plan.https and scheme == "http":
            return f"https://{host}{path}"
        return url if path == rest[cut:] else f"{scheme}://{host}{path}"

    def origin(self, scheme: str, host: str) -> str:
        """Scheme and host after the rules on them."""
        plan = self._plans.get(host, self._general)
        if plan is None:
            return f"{scheme}://{host}"
        scheme = "https" if plan.https and scheme == "http" else scheme
        if plan.bare_host and host[:4] == "www.":
            return self.origin(scheme, host[4:])
        return f"{scheme}://{host}"

    def path(self, host: str, path: str) -> str:
        """The canonical form of a path with its query, on a host."""
        plan = self._plans.get(host, self._general)
        if plan is None:
            return path
        path = rewritten(plan, path)
        return self.path(host[4:], path) if plan.bare_host and host[:4] == "www." else path


def _normal_origin(scheme: str, host: str) -> tuple[str, str]:
    """Scheme and host as rules have them: in lower case, without the port that the scheme means."""
    scheme, host = scheme.lower(), host.lower()
    return scheme, host.removesuffix(USUAL_PORTS[scheme]) if scheme in USUAL_PORTS else host


def rewritten(plan: _Plan, path: str) -> str:
    """Path and query after all rules of a plan, again and again until none changes anything; as it
    was where that does not end soon, so that it is a fixed point, too.
    """
    before = path
    for _ in range(REWRITE.most_changes):
        stem, mark, rest = path.partition("?")
        new, query = stem, rest if mark else None
        for anywhere, sections in plan.stem_steps:
            for step in anywhere:
                new = step(new)
            if sections:
                for step in sections.get(section_of(new), ()):
                    new = step(new)
        if query is not None and plan.queries:
            new, query = _query(plan, new, query)
        result = new if query is None else f"{new}?{query}"
        if result == path:
            return path
        path = result
    return before


def section_of(stem: str) -> str:
    """First segment of a path."""
    return stem.split("/", 2)[1] if stem[:1] == "/" else ""


def _rules_for(change: Change, stem: str) -> list[Rule]:
    return change.get(None, []) + (
        change.get(section_of(stem), []) if len(change) > (None in change) else []
    )


def _query(plan: _Plan, stem: str, query: str) -> tuple[str, str | None]:
    """The path and the query after the rules on parameters; None: every parameter is gone, and the
    question mark with them.
    """
    before = query.split("&")
    items = before
    for rule in (
        [rule for moves in plan.moves for rule in _rules_for(moves, stem)] if plan.moves else ()
    ):
        moved = [item for item in items if item.partition("=")[0] == rule.name]
        if len(moved) == 1 and _is_segment(value := moved[0].partition("=")[2]):
            stem = stem.rstrip("/") + "/" + value
            items = [item for item in items if item is not moved[0]]
    for drop in plan.drops:
        if None in drop:
            items = _kept(items, drop[None])
        if len(drop) > (None in drop) and (here := drop.get(section_of(stem))):
            items = _kept(items, here)
    if len(items) > 1 and any(_rules_for(order, stem) for order in plan.orders):
        items = sorted(items)
    return stem, query if items == before else "&".join(items) if items else None


def _kept(items: list[str], known: dict[str, set[str] | None]) -> list[str]:
    """Parameters without those that are known to be without meaning, at any value
    (None) or some.
    """
    kept = []
    for item in items:
        name, _, value = item.partition("=")
        if name not in known or ((values := known[name]) is not None and value not in values):
            kept.append(item)
    return kept


def _is_segment(value: str) -> bool:
    return bool(value) and value not in (".", "..") and not re.search(r"[/?#%;&\s]", value)


# -- steps on the path: each kind makes of a rule a function from path to path


def _case(_: Rule) -> Step:
    return str.lower


def _matrix(rule: Rule) -> Step:
    mark = f";{rule.name}="
    without = re.compile(re.escape(mark) + "[^/;]*").sub
    return lambda stem: without("", stem) if mark in stem else stem


def _segment(rule: Rule) -> Step:
    between, start, name = f"/{rule.name}/", rule.position, rule.name
    return lambda stem: (
        _without_run(stem, start, lambda part: part == name) if between in stem else stem
    )


def _segment_like(rule: Rule) -> Step:
    goes, start = re.compile(TYPES[rule.name]).fullmatch, rule.position
    return lambda stem: _without_run(stem, start, goes)


def _without_run(stem: str, start: int, goes: Callable[[str], object]) -> str:
    """A path without the segments from a position that go, one after the other; the last segment
    stays.
    """
    parts = stem.split("/")
    end = start
    while end < len(parts) - 1 and goes(parts[end]):
        end += 1
    return stem if end == start else "/".join(parts[:start] + parts[end:])


def _replace(rule: Rule) -> Step:
    start, name, value = rule.position, rule.name, rule.value

    def step(stem: str) -> str:
        parts = stem.split("/", start + 1)
        if start < len(parts) and parts[start] == name:
            parts[start] = value
            return "/".join(parts)
        return stem

    return step


def _swap(rule: Rule) -> Step:
    at = rule.position

    def step(stem: str) -> str:
        parts = stem.split("/", at + 2)
        if at + 1 < len(parts) and parts[at] and parts[at + 1] and parts[at] > parts[at + 1]:
            parts[at], parts[at + 1] = parts[at + 1], parts[at]
            return "/".join(parts)
        return stem

    return step


def _suffix(rule: Rule) -> Step:
    ending = rule.name

    def step(stem: str) -> str:
        if ending not in stem:
            return stem
        folder, mark, last = stem.rpartition("/")
        name, dot, extension = last.rpartition(".")
        if not dot:
            name, extension = last, ""
        end = len(name)
        while end > len(ending) and name.endswith(ending, 0, end):
            end -= len(ending)
        return stem if end == len(name) else f"{folder}{mark}{name[:end]}{dot}{extension}"

    return step


def _extension(rule: Rule) -> Step:
    ending, new = "." + rule.name, "." + rule.value if rule.value else ""
    n = len(ending)
    return lambda stem: (
        stem[:-n] + new if stem.endswith(ending) and stem[-n - 1 : -n] not in ("", "/") else stem
    )


def _index(rule: Rule) -> Step:
    ending, n = "/" + rule.name, len(rule.name)
    return lambda stem: stem[:-n] if stem.endswith(ending) else stem


def _slash(_: Rule) -> Step:
    return lambda stem: (stem.rstrip("/") or "/") if stem[-1:] == "/" else stem


STEPS: dict[str, Callable[[Rule], Step]] = {
    "case": _case,
    "matrix": _matrix,
    "segment": _segment,
    "segment_like": _segment_like,
    "replace": _replace,
    "swap": _swap,
    "suffix": _suffix,
    "extension": _extension,
    "index": _index,
    "slash": _slash,
}
"""What each kind of rule on the path does."""
