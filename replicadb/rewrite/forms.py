"""The forms that rules give the URLs of a database, and rules that err together.

Always true here: URLs are read some at a time, and only those that a rule may change; what the rules of a host give together errs no more often
than each of them may alone, or rules go until it does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyarrow as pa

from replicadb.database import Database, statements
from replicadb.rewrite.apply import Rewriter
from replicadb.rewrite.rules import Rule, RuleSet

BATCH = 250_000  # URLs rewritten at a time
MOST_DROPPED = 20  # times that sites may lose a rule because it errs with others; then all that are left of theirs go
MOST_BLAMED = 60  # URLs of a site that rules are blamed by
NOTHING = r"^\b$"  # no text has a word's edge and no character
WORDS = {"scheme": NOTHING, "www": NOTHING, "slash": r"/(?:\?|$)", "order": r"\?.*&", "case": r"[A-Z]|[^\x00-\x7f]", "matrix": ";{}=", "index": r"/{}(?:\?|$)",
         "extension": r"\.{}(?:\?|$)", "suffix": "{}", "segment": "/{}/", "replace": "/{}", "to_path": "[?&]{}=", "param": "[?&]{}(?:[=&]|$)", "param_is": "[?&]{}(?:[=&]|$)"}
"""What a path has that a rule may change, by kind; other kinds may change any."""
MANY = {"param": r"\?", "param_is": r"\?", "to_path": r"\?", "matrix": ";"}
MOST_WORDS = 300
"""Names of a kind in one pattern; where there are more, MANY stands for all of them."""


def pattern_of(rules: Iterable[Rule]) -> str:
    """A regular expression (RE2) that finds every path which rules of any host may change."""
    words: dict[str, set[str]] = {}
    for rule in rules:
        if rule.host is None:
            words.setdefault(rule.kind, set()).add(WORDS.get(rule.kind, "").replace("{}", re.escape(rule.name)))
    found = sorted({word for kind, several in words.items() for word in (several if len(several) <= MOST_WORDS else {MANY.get(kind, "")})})
    return "|".join(found) if found else NOTHING


def rewrite_all(db: Database, rules: RuleSet) -> None:
    """Make the temporary table ``rewritten`` (url_id, path): the canonical path of every URL that the rules change, query included; and
    ``host_changes`` (origin_id, origin): scheme and host where rules change them.

    Time: one pass over the URLs in SQL, and the rewriter on those of hosts with rules of their own or with what rules of any host ask for.
    """
    rewriter = Rewriter(rules)
    _change_hosts(db, rewriter)
    db.execute("CREATE OR REPLACE TEMP TABLE rewritten (url_id BIGINT, path VARCHAR)")
    if not rules.rules:
        return
    own = {rule.host for rule in rules.rules if rule.host}
    own |= {f"www.{host}" for host in own}  # a rule www leads to those of the host without
    with db.handed("ruled_hosts", pa.table({"authority": pa.array(sorted(own), pa.string())})):
        db.execute("CREATE OR REPLACE TEMP TABLE ruled AS FROM ruled_hosts")
    low, high = db.rows("SELECT coalesce(min(url_id), 0), coalesce(max(url_id), -1) FROM urls")[0]
    for start in range(low, high + 1, BATCH):
        batch = db.arrow(statements("63_canonical_urls")["may_change"], {"low": start, "high": start + BATCH, "pattern": pattern_of(rules.rules)})
        ids, names, paths = (batch.column(i).to_pylist() for i in range(3))
        new = list(map(rewriter.path, names, paths))
        changed = [i for i, path in enumerate(new) if path != paths[i]]
        if changed:
            rows = pa.table({"url_id": pa.array([ids[i] for i in changed], pa.int64()), "path": pa.array([new[i] for i in changed], pa.string())})
            with db.handed("changed", rows):
                db.execute("INSERT INTO rewritten FROM changed")


def _change_hosts(db: Database, rewriter: Rewriter) -> None:
    origins = db.rows("SELECT DISTINCT origin_id, scheme, authority FROM authorities ORDER BY ALL")
    changed = [(number, new) for number, scheme, authority in origins if (new := rewriter.origin(scheme, authority)) != f"{scheme}://{authority}"]
    rows = pa.table({"origin_id": pa.array([n for n, _ in changed], pa.int32()), "origin": pa.array([o for _, o in changed], pa.string())})
    with db.handed("changed_origins", rows):
        db.execute("CREATE OR REPLACE TEMP TABLE host_changes AS FROM changed_origins")


def agreeing(db: Database, rules: list[Rule], epsilon: float, current: bool = False) -> list[Rule]:
    """Rules that err no more together than each may alone: of those that give a site its mixed forms the weakest goes, again and again.

    Args:
        current: the temporary tables of :func:`rewrite_all` are those of these rules.

    Returns:
        The rules left; the temporary tables of :func:`rewrite_all` are theirs.
    """
    for turn in range(MOST_DROPPED + 1):
        if turn or not current:
            rewrite_all(db, RuleSet(tuple(rules)))
        for name in ("shared_forms", "mixed_sites"):
            db.run("63_canonical_urls", {"epsilon": epsilon}, only=name)
        mixed: dict[str, list[tuple[str, str]]] = {}
        for site, authority, path in db.rows(statements("63_canonical_urls")["mixed_urls"], {"most": MOST_BLAMED}):
            mixed.setdefault(site, []).append((authority, path))
        if not mixed:
            return rules
        dropped: set[tuple] = set()
        for urls in mixed.values():
            blamed = sorted(_blamed(rules, urls), key=lambda rule: (rule.host is None, rule.support, rule.section is None, str(rule.key)))
            dropped |= {rule.key for rule in (blamed if turn == MOST_DROPPED else blamed[:1])}
        rules = [rule for rule in rules if rule.key not in dropped]
    rewrite_all(db, RuleSet(tuple(rules)))
    return rules


def _blamed(rules: list[Rule], urls: list[tuple[str, str]]) -> list[Rule]:
    """Those rules without which one of the URLs (authority and path) would have another form; all that are for their hosts where none alone is to blame."""
    hosts = {authority for authority, _ in urls}
    hosts |= {authority.removeprefix("www.") for authority in hosts}
    near = [rule for rule in rules if rule.host is None or rule.host in hosts]

    def forms(several: list[Rule]) -> list[tuple[str, str]]:
        rewriter = Rewriter(RuleSet(tuple(several)))
        return [(rewriter.origin("http", authority), rewriter.path(authority, path)) for authority, path in urls]

    all_of_them = forms(near)
    return [rule for rule in near if forms([other for other in near if other is not rule]) != all_of_them] or near
