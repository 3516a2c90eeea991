"""The forms that rules give the URLs of a database, and rules that err together.

Invariant: URLs are read some at a time, and only those that a rule which came or went may
change; what the rules of a site give together errs no more often than each of them may alone, or
rules go until it does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pyarrow as pa

from replicadb.page_constants import REWRITE
from replicadb.rewrite.apply import Rewriter
from replicadb.rewrite.rewrite_rules import Key, Rule, RuleSet, type_of
from replicadb.store.database import Database
from replicadb.store.statements import statements

TABLES = ("authorities", "rewritten", "host_changes")
"""Temporary tables that hold the forms."""
CANONICAL_URLS = "rewrite/70_canonical_urls"
SHARED_FORMS = "rewrite/80_shared_forms"
BATCH = 500_000  # URLs rewritten at a time
TOP = 2**63 - 1  # above every url_id
NOTHING = r"^\b$"  # no text has a word's edge and no character
WORDS = {
    "scheme": NOTHING,
    "www": NOTHING,
    "slash": r"/(?:\?|$)",
    "order": r"\?.*&",
    "case": r"[A-Z]|[^\x00-\x7f]",
    "matrix": ";{}=",
    "index": r"/{}(?:\?|$)",
    "extension": r"\.{}(?:\?|$)",
    "suffix": "{}",
    "segment": "/{}/",
    "replace": "/{}",
    "to_path": "[?&]{}=",
    "param": "[?&]{}(?:[=&]|$)",
    "param_is": "[?&]{}(?:[=&]|$)",
}
"""What a path has that a rule may change, by kind; other kinds may change any."""
MANY = {"param": r"\?", "param_is": r"\?", "to_path": r"\?", "matrix": ";"}
ASKED_BY_QUERY = ("param", "param_is", "to_path", "order")
"""Kinds that do something only where the query, which no other kind changes, has what they ask for
as it was loaded.
"""
NAMING = ("extension", "suffix", "replace", "matrix", "segment", "segment_like", "to_path")
"""Kinds after which a path may have a name that it had not as it was loaded."""
Parts = tuple[str, str, str]
"""Scheme, authority and path of a URL."""
MOST_WORDS = 300
"""Names of a kind in one pattern; where there are more, MANY stands for all of them."""


def pattern_of(rules: Iterable[Rule]) -> str | None:
    """A regular expression (RE2) that finds every path which rules of any host may change; None:
    there is no such rule.
    """
    words: dict[str, set[str]] = {}
    for rule in rules:
        if rule.host is None:
            words.setdefault(rule.kind, set()).add(
                WORDS.get(rule.kind, "").replace("{}", re.escape(rule.name))
            )
    found = sorted(
        {
            word
            for kind, several in words.items()
            for word in (several if len(several) <= MOST_WORDS else {MANY.get(kind, "")})
        }
    )
    return "|".join(found) if found else None


class Forms:
    """The canonical forms of all URLs of a database, as rules come and go.

    They lie in the temporary tables ``rewritten`` (url_id, path: the canonical path with its query,
    of every URL that the rules change) and ``host_changes`` (origin_id, origin: scheme and host
    where rules change them); ``reformed`` (origin_id) has the origins whose forms the last
    :meth:`give` changed; all at first. Beside them: ``authorities`` of
    sql/rewrite/10_first_forms. The caller's ``with db.temporary():`` ends them.
    """

    def __init__(self, db: Database) -> None:
        self.db = db
        self.rules: tuple[Rule, ...] = ()
        db.run("rewrite/10_first_forms")

    def give(self, rules: Iterable[Rule]) -> None:
        """Give every URL the form that these rules, in the order of their places, give it.

        Time: a pass over the URLs in SQL, and the rewriter on those of hosts whose own rules came
            or went, or with what such rules of any host ask for.
        """
        before, self.rules = self.rules, tuple(sorted(rules, key=lambda rule: rule.place))
        known, wanted = {rule.key for rule in before}, {rule.key for rule in self.rules}
        changed = [
            rule for rule in before + self.rules if (rule.key in known) != (rule.key in wanted)
        ]
        rewriter = Rewriter(RuleSet(self.rules))
        self.db.run(CANONICAL_URLS, only="none_reformed")
        self._give_origins(rewriter)
        every = before + self.rules
        self._name_hosts("ruled", every, {rule.host for rule in changed if rule.host})
        self._name_hosts(
            "moving", every, {rule.host for rule in every if rule.host and rule.kind == "to_path"}
        )
        by_form = any(rule.host is None and rule.kind not in ASKED_BY_QUERY for rule in changed)
        moves = any(rule.host is None and rule.kind == "to_path" for rule in every)
        self.db.run(
            CANONICAL_URLS,
            {"pattern": pattern_of(changed), "by_form": by_form, "moves": moves},
            only="may_change",
        )
        starts = self.db.column(statements(CANONICAL_URLS)["batches"], {"batch": BATCH})
        for low, high in pairwise([*starts, TOP]):
            self._give_batch(rewriter, low, high)

    def _name_hosts(
        self, table: Literal["ruled", "moving"], rules: Iterable[Rule], hosts: set[str]
    ) -> None:
        """A temporary table of hosts, with those that rules www lead from to one of them."""
        leading = {rule.host for rule in rules if rule.host and rule.kind == "www"}
        while more := {host for host in leading - hosts if host.removeprefix("www.") in hosts}:
            hosts = hosts | more
        with self.db.registered(
            "named_hosts", pa.table({"authority": pa.array(sorted(hosts), pa.string())})
        ):
            self.db.run(CANONICAL_URLS, only=table)

    def _give_batch(self, rewriter: Rewriter, low: int, high: int) -> None:
        import pyarrow.compute as pc  # 0.06 s that most commands need not spend

        batch = self.db.arrow(statements(CANONICAL_URLS)["batch"], {"low": low, "high": high})
        new = pa.array(
            map(rewriter.path, batch["authority"].to_pylist(), batch["path"].to_pylist()),
            pa.string(),
        )
        changed = batch.append_column("new", new).filter(pc.not_equal(batch["form"], new))
        if changed.num_rows:
            with self.db.registered("changed", changed):
                for name in ("reformed_by_batch", "forms_before", "forms_now"):
                    self.db.run(CANONICAL_URLS, only=name)

    def _give_origins(self, rewriter: Rewriter) -> None:
        origins = self.db.rows(
            "SELECT DISTINCT origin_id, scheme, authority FROM authorities ORDER BY ALL"
        )
        changed = [
            (number, new)
            for number, scheme, authority in origins
            if (new := rewriter.origin(scheme, authority)) != f"{scheme}://{authority}"
        ]
        rows = pa.table(
            {
                "origin_id": pa.array([n for n, _ in changed], pa.int32()),
                "origin": pa.array([o for _, o in changed], pa.string()),
            }
        )
        with self.db.registered("changed_origins", rows):
            for name in ("reformed_origins", "host_changes"):
                self.db.run(CANONICAL_URLS, only=name)

    def check(self, everything: bool) -> None:
        """Make the temporary table ``shared_forms`` of the sites whose forms the last :meth:`give`
        changed and those found mixed before, or of all that are changed at all.
        """
        for name in ("sites", "all_to_check" if everything else "to_check", "shared_forms"):
            self.db.run(SHARED_FORMS, only=name)


def without_needless(rules: Collection[Rule]) -> list[Rule]:
    """Rules without those that another one makes needless: of any host, of the whole host, of any
    value or of a type.
    """
    keys = {rule.key for rule in rules}

    def covered(rule: Rule) -> bool:
        kinds = [(rule.kind, rule.name, rule.value, rule.position)]
        if rule.kind == "param_is":
            kinds.append(("param", rule.name, "", 0))
        if rule.kind == "segment" and (kind := type_of(rule.name)):
            kinds.append(("segment_like", kind, "", rule.position))
        if rule.kind == "replace" and (kind := type_of(rule.name)) and kind == type_of(rule.value):
            kinds.append(("segment_like", kind, "", rule.position))
        wider = {
            (kind, host, section, name, value, position)
            for kind, name, value, position in kinds
            for host in (rule.host, None)
            for section in (rule.section, None)
        }
        return bool((wider - {rule.key}) & keys)

    return [rule for rule in rules if not covered(rule)]


def agreeing(
    forms: Forms, pool: dict[Key, Rule], epsilon: float, again: bool = False
) -> dict[Key, Rule]:
    """Give forms by rules that err no more together than each may alone: of those that give a site
    its mixed forms the weakest goes, again and again.

    Args:
        pool: rules by key, also those that others make needless: they come back where the others
            go.
        again: the forms so far were left by this function, so that only sites with other ones need
            a look.

    Returns:
        The pool without those that went; ``forms.rules`` are those of it that are not needless.
    """
    turn = 0
    while True:
        forms.give(without_needless(pool.values()))
        forms.check(everything=turn == 0 and not again)
        for name in ("mixed_sites", "mixed_origins"):
            forms.db.run(SHARED_FORMS, {"epsilon": epsilon}, only=name)
        mixed: dict[int, list[Parts]] = {}
        for site, scheme, authority, path in forms.db.rows(
            statements(SHARED_FORMS)["mixed_urls"], {"most": REWRITE.most_blamed}
        ):
            mixed.setdefault(site, []).append((scheme, authority, path))
        dropped = {
            rule.key
            for rule in _to_drop(
                forms.rules, list(mixed.values()), all_of_them=turn >= REWRITE.most_dropped
            )
        } & pool.keys()
        if not dropped:
            return pool
        pool = {key: rule for key, rule in pool.items() if key not in dropped}
        turn += 1


def _to_drop(rules: Iterable[Rule], sites: list[list[Parts]], all_of_them: bool) -> list[Rule]:
    """Of the rules to blame at each site, by its URLs, the weakest, or all."""
    by_host: dict[str | None, list[Rule]] = {}
    for rule in rules:
        by_host.setdefault(rule.host, []).append(rule)
    found = []
    for urls in sites:
        names = {authority for _, authority, _ in urls}
        while more := {name.removeprefix("www.") for name in names} - names:
            names |= more
        hosts = sorted(names)
        near = [rule for host in (None, *hosts) for rule in by_host.get(host, [])]
        blamed = sorted(
            _blamed(near, urls),
            key=lambda rule: (rule.host is None, rule.support, rule.section is None, str(rule.key)),
        )
        for rule in blamed if all_of_them else blamed[:1]:
            found += (
                [rule] if rule.host else [rule, *(replace(rule, host=host) for host in hosts)]
            )  # what it makes needless there errs as well
    return found


def _blamed(rules: list[Rule], urls: list[Parts]) -> list[Rule]:
    """Those rules without which one of the URLs would have another form; where none alone is to
    blame, all that may do something there.
    """

    def forms(several: list[Rule]) -> list[tuple[str, str]]:
        rewriter = Rewriter(RuleSet(tuple(several)))
        return [
            (rewriter.origin(scheme, authority), rewriter.path(authority, path))
            for scheme, authority, path in urls
        ]

    text = " ".join(path for *_, path in urls).lower()
    near = [rule for rule in rules if rule.kind == "segment_like" or rule.name.lower() in text]
    if any(rule.kind in NAMING for rule in near):
        near = [
            rule for rule in rules if rule.kind not in ASKED_BY_QUERY or rule.name.lower() in text
        ]
    given = forms(near)
    alone = [
        rule for rule in near if forms([other for other in near if other is not rule]) != given
    ]
    return alone or (near if forms([]) != given else [])
