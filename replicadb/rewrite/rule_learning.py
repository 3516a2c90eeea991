"""Learning rewrite rules from dup-clusters: candidates from pairs, tried on every URL, kept by
support and error.

Invariant: all counting over URLs is SQL over whole tables (sql/rewrite/20_rewritable_hosts
to sql/rewrite/60_kept_rules), pairs are limited by fan-out; a rule is kept when at least
``min_support`` contents speak for it and at most ``epsilon`` of its matches against it; ten-fold
cross-validation over contents says how wrong it is on those that it was not learned from. Rounds:
what a rule makes equal lets the next round see what differs besides. Source: Dasgupta et al.
(2008), sections 3 and 4, by docs/method.md#rewrite-rules; contexts by host and first segment,
widened across hosts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from replicadb.changeable import is_number
from replicadb.counted import counted
from replicadb.errors import DataError, UsageError
from replicadb.page_constants import REWRITE
from replicadb.rewrite.rewrite_rules import Key, Rule, RuleSet, problem_of
from replicadb.rewrite.url_forms import TABLES, Forms, agreeing, without_needless
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.under_way import each
from replicadb.version import __version__

KEPT_RULES = "rewrite/60_kept_rules"
TOGETHER = "params"
"""The kind of a candidate that is several rules for parameters: their names, joined by &."""
Say = Callable[[str], None]


def learn(
    db: Database, epsilon: float = 0.0, min_support: int = 2, say: Say | None = None
) -> RuleSet:
    """Learn the rules of every host of the database. The temporary tables of their forms (TABLES of
    :mod:`replicadb.rewrite.url_forms`) stay.

    Args:
        epsilon: share of a rule's matches that may have another content, 0 to 1.
        min_support: different contents that must speak for a rule; three times as many where it
            changes parts of the path or the host; a content that stands at ``many_values`` values
            of a parameter, and without it, counts for two.
        say: called with what each round found.

    Returns:
        The rules, those of any host first, then by host; with what was counted in the clusters
        learned from and held out.

    Raises:
        UsageError: an epsilon or support that cannot be meant. DataError: no URL with content is
            loaded.
    """
    numbers = is_number(epsilon) and is_number(min_support)
    if not (numbers and 0 <= epsilon < 1 and min_support >= 1):
        raise UsageError(
            f"epsilon lies between 0 and 1 and min_support is 1 or more, not {epsilon!r} and"
            f" {min_support!r}"
        )
    if not db.value("SELECT count(*) FROM page_urls WHERE fingerprint IS NOT NULL"):
        raise DataError(
            f"{db.path}: no URL with a fingerprint in it, so none is known to be a duplicate; load"
            " a crawl with content digests"
        )
    with db.temporary(keep=TABLES):
        forms = Forms(db)
        pool = agreeing(forms, _rounds(forms, epsilon, min_support, say), epsilon)
        if hosts := _host_rules(db, epsilon, min_support):
            agreeing(forms, pool | {rule.key: rule for rule in hosts}, epsilon, again=True)
    about = {
        "replicadb": __version__,
        "epsilon": epsilon,
        "min_support": min_support,
        "urls": db.value("SELECT count(*) FROM page_urls"),
    }
    return RuleSet(forms.rules, tuple(about.items()))


def _rounds(forms: Forms, epsilon: float, min_support: int, say: Say | None) -> dict[Key, Rule]:
    """Every rule that a round found, by key; also those that another one makes needless, since that
    may have to go.
    """
    pool: dict[Key, Rule] = {}
    with forms.db.temporary():
        forms.db.run("rewrite/20_rewritable_hosts")
        for number in each("learning", range(1, REWRITE.most_rounds + 1), "rounds at most"):
            kept, candidates = _round(forms.db, epsilon, min_support)
            found = {rule.key: rule for rule in kept}
            rules = without_needless((found | pool).values())
            fresh = sum(rule.key not in pool for rule in rules)
            pool = found | pool
            if say:
                tried, new = counted(candidates, "candidate"), counted(fresh, "new rule")
                say(f"round {number}: {tried}, {new}")
            if not fresh:
                break
            forms.give(rules)
    return pool


def candidate_round(db: Database, epsilon: float, min_support: int) -> None:
    """Make the temporary tables of a round: URLs in their form so far, candidates, the forms that
    these would give, and what speaks for them.
    """
    parameters: dict[str, Any] = {
        "epsilon": epsilon,
        "min_support": min_support,
        **asdict(REWRITE),
    }
    for stem in (
        "30_url_parts",
        "40_rewrite_candidates",
        "50_rewrite_forms",
        "55_rewrite_support",
    ):
        db.run(f"rewrite/{stem}", parameters)


def _round(db: Database, epsilon: float, min_support: int) -> tuple[list[Rule], int]:
    """The rules that a round keeps, and how many candidates it tried."""
    counted: dict[int, dict[str | None, tuple[int, ...]]] = {}
    with db.temporary():
        candidate_round(db, epsilon, min_support)
        for candidate, section, anywhere, *counts in db.rows(
            statements(KEPT_RULES)["kept_contexts"],
            {"min_support": min_support, "epsilon": epsilon},
        ):
            counted.setdefault(candidate, {})[None if anywhere else section] = tuple(counts)
        tried = db.rows(statements(KEPT_RULES)["tried_candidates"])
    rules: list[Rule] = []
    for candidate, host, place, kind, name, value, position in sorted(tried, key=_fewest_first):
        several, min_hosts = kind == TOGETHER, REWRITE.min_hosts if place == 0 else 1
        names = name.split("&") if several else [name]
        if several and _some_go(set(names), host, rules):
            continue
        for one in names:
            bare = Rule("param" if several else kind, host, None, one, value, position)
            if problem_of(bare) is None:
                rules += _contexts(bare, counted.get(candidate, {}), min_hosts)
    return rules, len(tried)


def _fewest_first(tried: tuple[Any, ...]) -> int:
    """A candidate's place: those for several parameters behind all others, by their number."""
    *_, kind, name, _, _ = tried
    return int(name.count("&")) if kind == TOGETHER else 0


def _some_go(names: set[str], host: str | None, rules: list[Rule]) -> bool:
    """Whether some of these parameters go without the others: then the next round sees what is
    left, and what speaks for that.
    """
    return any(
        rule.kind == "param" and rule.name in names and rule.host in (host, None) for rule in rules
    )


def _contexts(rule: Rule, kept: dict[str | None, tuple[int, ...]], min_hosts: int) -> list[Rule]:
    """The rule for all of its host, or, where it errs there, for those sections in which it does
    not.
    """
    sections: list[str | None] = [None] if None in kept else []
    if rule.host is not None and not sections:
        sections += sorted(section for section in kept if section is not None)
    found = []
    for section in sections:
        matches, errors, support, hosts, test_matches, test_errors = kept[section]
        if hosts >= min_hosts:
            found.append(
                replace(
                    rule,
                    section=section,
                    support=support,
                    matches=matches,
                    errors=errors,
                    test_matches=test_matches,
                    test_errors=test_errors,
                    hosts=hosts,
                )
            )
    return found


def _host_rules(db: Database, epsilon: float, min_support: int) -> list[Rule]:
    """Rules on scheme and host name: what stands at equal paths there."""
    thresholds = {"epsilon": epsilon, "min_support": min_support}
    for name in ("host_support", "whole_host_support"):
        db.run(KEPT_RULES, thresholds, only=name)
    return [
        Rule(
            kind,
            host=host,
            support=support,
            matches=matches,
            errors=errors,
            test_matches=test_matches,
            test_errors=test_errors,
        )
        for kind, host, matches, errors, support, test_matches, test_errors in db.rows(
            statements(KEPT_RULES)["kept_host_rules"], thresholds
        )
    ]
