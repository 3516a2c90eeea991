"""Rewrite rules in the database: learned, kept, applied to its URLs.

Invariant: rules and the forms that they give are written in one transaction, with the key of
the data that they were learned from; rows come back as the rules that went in.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal

import pyarrow as pa

from replicadb.changeable import plain_number
from replicadb.errors import DataError
from replicadb.rewrite import rule_learning as learning
from replicadb.rewrite.rewrite_rules import Rule, RuleSet
from replicadb.rewrite.url_forms import CANONICAL_URLS, SHARED_FORMS, Forms
from replicadb.store import run_log
from replicadb.store.arrow import put_values
from replicadb.store.database import Database
from replicadb.store.statements import statements

COLUMNS = (
    "kind",
    "host",
    "section",
    "name",
    "value",
    "position",
    "support",
    "matches",
    "errors",
    "test_matches",
    "test_errors",
    "hosts",
)


def learn(
    db: Database,
    epsilon: float = 0.0,
    min_support: int = 2,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Learn rules and store them with the canonical form of every URL.

    Args:
        epsilon, min_support, say: as :func:`replicadb.rewrite.rule_learning.learn` has them.

    Returns:
        rules, urls, rewritten, forms, saved (URLs less forms), wrong (URLs whose form stands for
        other content, too), test_matches, test_errors, seconds.

    Raises:
        UsageError: a threshold that cannot be meant. DataError: nothing to learn from.
    """
    epsilon, min_support = plain_number(epsilon), plain_number(min_support)
    started = time.time()
    with db.temporary():
        # outside the transaction, which would hold every temporary table until its end
        rules = learning.learn(db, epsilon, min_support, say)
        with db.transaction():
            keep(db, rules, current=True)
            counts = saved(db)
    counts = (
        {"rules": len(rules.rules)}
        | counts
        | {
            name: sum(getattr(rule, name) for rule in rules.rules)
            for name in ("test_matches", "test_errors")
        }
    )
    run_log.record(
        db, "rewrite learn", started, {"epsilon": epsilon, "min_support": min_support}, counts
    )
    return counts | {"seconds": time.time() - started}


def keep(db: Database, rules: RuleSet, current: bool = False) -> None:
    """Put rules in place of those that are there, and rewrite every URL; inside a transaction and
    ``with db.temporary():``. ``current``: as :func:`write_forms` has it.
    """
    db.renew("rewrite_rules", "rewrites")
    rows = [
        {"rule_id": number, "context": rule.context, "rule": str(rule), **asdict(rule)}
        for number, rule in enumerate(rules.rules, 1)
    ]
    if rows:
        with db.registered("learned", pa.Table.from_pylist(rows)):
            db.execute("INSERT INTO rewrite_rules BY NAME FROM learned")
    write_forms(db, rules, "rewrites", current)
    about = json.dumps(dict(rules.about))
    put_values(db, "meta", {"rewrite.about": about, "rewrite.sources": _sources(db)})


def write_forms(
    db: Database, rules: RuleSet, table: Literal["rewrites", "reduced_forms"], current: bool = False
) -> None:
    """The canonical form of every URL that rules change: into ``rewrites``, or a temporary table
    made anew (url_id, canonical); inside ``with db.temporary():``.

    Args:
        current: the rules have just been learned, all of them, so that their forms are there
            already.
    """
    if not current:
        Forms(db).give(rules.rules)
    for name in ("canonical_forms", table):
        db.run(CANONICAL_URLS, only=name)


def saved(db: Database) -> dict[str, int]:
    """What the stored rules, whose forms have just been given, save: urls, rewritten, forms, saved,
    wrong.
    """
    for name in ("sites", "all_to_check", "shared_forms"):
        db.run(SHARED_FORMS, only=name)
    urls, rewritten, saved, wrong = db.rows(statements(SHARED_FORMS)["saved"])[0]
    return {
        "urls": urls,
        "rewritten": rewritten,
        "forms": urls - saved,
        "saved": saved,
        "wrong": wrong,
    }


def rules_of(db: Database) -> RuleSet:
    """The rules that are stored.

    Raises:
        DataError: none were learned yet.
    """
    about = db.value("SELECT value FROM meta WHERE key = 'rewrite.about'")
    if about is None:
        raise DataError(
            f"{db.path}: no rewrite rules in it yet; learn them first: replicadb rewrite learn"
            f" {db.path}"
        )
    rows = db.rows(f"SELECT {', '.join(COLUMNS)} FROM rewrite_rules ORDER BY rule_id")
    return RuleSet(
        tuple(Rule(**dict(zip(COLUMNS, row, strict=True))) for row in rows),
        tuple(json.loads(about).items()),
    )


def reduction(db: Database) -> dict[str, int] | None:
    """What detect's flags, the stored rules and both together remove of the duplicate URLs (the
    paper's Table 3 without labels); None: no rules.

    Returns:
        duplicate_urls, intra, inter, both_kinds, removed_with_hosts, removed_by_rules,
        wrong_by_rules, removed_by_both.
    """
    if db.value("SELECT count(*) FROM meta WHERE key = 'rewrite.about'") == 0:
        return None
    with db.temporary():
        db.execute("CREATE OR REPLACE TEMP TABLE reduced_forms AS FROM rewrites")
        db.execute("CREATE OR REPLACE TEMP VIEW compared_urls AS FROM page_urls")  # rules' alone
        db.run("evaluate/10_reduction", only="url_reduction")
        cursor = db.execute(statements("evaluate/10_reduction")["summary"])
        return dict(
            zip([column[0] for column in cursor.description], cursor.fetchall()[0], strict=True)
        )


def stale(db: Database) -> bool:
    """Whether loads came or went since the rules were learned."""
    return bool(db.value("SELECT value FROM meta WHERE key = 'rewrite.sources'") != _sources(db))


def _sources(db: Database) -> str:
    return json.dumps(db.rows("SELECT source_id, sha256 FROM sources ORDER BY source_id"))
