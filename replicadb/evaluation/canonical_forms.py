"""One form for each URL: learned rules beside what crawlers use today, judged on the same URLs.

Invariant: every method is a function from URL to form, and all are judged by the same
statements (sql/evaluate/20_canonical.sql); a method that fails on a URL leaves it as it is. Rules
are judged twice: on the contents they were learned from, and, by five-fold cross-validation, on
contents that they were not learned from (each URL is judged once, under the rules learned without
its content). Compared with: w3lib (Scrapy's canonicalisation), courlan (trafilatura's), surt (the
Internet Archive's), and a list of known tracking parameters.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from replicadb.errors import DataError, UsageError
from replicadb.evaluation.rule_reduction import EPSILONS
from replicadb.rewrite import Rewriter, RuleSet, rule_learning
from replicadb.store.arrow import batches, reader_of
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.store.quoting import file_name
from replicadb.store.statements import statements

SQL = "evaluate/20_canonical"
BATCH = 50_000
TRACKING = re.compile(
    r"(?:utm_[a-z_]+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|"
    r"mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|mkt_tok|pk_[a-z]+|mtm_[a-z]+|"
    r"piwik_[a-z]+|vero_id|oly_(?:anon|enc)_id|s_cid|icid|ncid|cmpid|wt_mc|ref_src|spm|scm|zanpid|"
    r"phpsessid|jsessionid|aspsessionid[a-z]*|cfid|cftoken|sid|sessionid)",
    re.I,
)
"""Names of parameters that lists of known tracking and session parameters have."""
Form = Callable[[str], str | None]


@dataclass
class FormOutcome:
    """How one method did."""

    method: str
    version: str
    rewritten: int = 0
    """URLs that it changes."""
    removed: int = 0
    """Duplicate URLs that go: another URL of their host and form, with their content, is kept."""
    wrong: int = 0
    """URLs that go though the one of their host and form that is kept has other content."""
    joined: int = 0
    """URLs that go since one of another host has their form and their content."""
    wrongly_joined: int = 0
    """URLs that go since one of another host has their form, and has other content."""
    failed: int = 0
    """URLs that it raised an error on."""
    seconds: float = 0.0
    """Of the processor, for the function alone."""
    rules: int | None = None
    planted: dict[str, list[int]] = field(default_factory=dict)
    """kind to (planted, removed), where gold is given."""

    def add(self, other: FormOutcome) -> None:
        """Add what another part of the URLs gave."""
        for name in (
            "rewritten",
            "removed",
            "wrong",
            "joined",
            "wrongly_joined",
            "failed",
            "seconds",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for kind, counts in other.planted.items():
            self.planted[kind] = [
                a + b for a, b in zip(self.planted.get(kind, (0, 0)), counts, strict=True)
            ]


def compare(
    db: Database,
    gold: str | Path | None = None,
    folds: int = 5,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Judge every method at hand on the URLs of a database, which stays as it is (temporary tables
    only).

    Args:
        gold: url_gold.csv of a generated crawl (further_url, duplicate_of, kind).
        folds: of the cross-validation of learned rules; 1 leaves it out.
        say: called with the step that begins.

    Returns:
        urls, duplicates (that could go), planted, missing (libraries that are not installed),
        methods: rows of :class:`FormOutcome` with share (removed / duplicates), error (wrong / all
        that go within hosts), planted_share and urls_per_second.

    Raises:
        UsageError: folds below 1. DataError: nothing to learn from, or a gold file that is none.
    """
    if folds < 1:
        raise UsageError(f"folds are 1 or more, not {folds}")
    say = say or (lambda line: None)
    with db.transaction(), db.temporary():
        db.run(SQL, only="fold_of")
        if gold is not None:
            _read_gold(db, gold)
        urls, duplicates = db.rows(statements(SQL)["duplicate_urls"])[0]
        found = []
        for epsilon in EPSILONS:
            say(f"rules, epsilon {epsilon}")
            rules = rule_learning.learn(db, epsilon)
            name = f"rules, epsilon {epsilon}"
            found.append(_judged(db, name, "", Rewriter(rules).canonical, gold is not None))
            found[-1].rules = len(rules.rules)
            if folds > 1:
                found.append(_unseen(db, epsilon, folds, gold is not None, say))
        others, missing = known_methods()
        for name, (library, form) in others.items():
            say(name)
            found.append(_judged(db, name, library, form, gold is not None))
        planted = db.value("SELECT count(*) FROM planted_urls") if gold is not None else None
    return {
        "urls": urls,
        "duplicates": duplicates,
        "planted": planted,
        "missing": missing,
        "methods": [_row(outcome, urls, duplicates) for outcome in found],
    }


def known_methods() -> tuple[dict[str, tuple[str, Form]], list[str]]:
    """What crawlers use today: name to (library with its version, function); and names of libraries
    that are not installed.
    """
    found: dict[str, tuple[str, Form]] = {
        "known tracking and session parameters": ("a list of our own", without_tracking)
    }
    missing = []
    for library, load in (("w3lib", _w3lib), ("courlan", _courlan), ("surt", _surt)):
        try:
            found |= {
                name: (f"{library} {version(library)}", form) for name, form in load().items()
            }
        except ImportError:
            missing.append(library)
    return found, missing


def without_tracking(url: str) -> str:
    """A URL without the parameters of TRACKING."""
    stem, mark, query = url.partition("?")
    if not mark:
        return url
    items = [item for item in query.split("&") if not TRACKING.fullmatch(item.partition("=")[0])]
    return f"{stem}?{'&'.join(items)}" if items else stem


def _w3lib() -> dict[str, Form]:
    from w3lib.url import canonicalize_url

    return {"w3lib canonicalize_url": canonicalize_url}


def _courlan() -> dict[str, Form]:
    from courlan import clean_url, normalize_url

    return {
        "courlan clean_url": clean_url,
        "courlan normalize_url, strict": lambda url: normalize_url(
            url, strict=True, trailing_slash=False
        ),
    }


def _surt() -> dict[str, Form]:
    from surt import surt

    return {"SURT (Internet Archive)": surt}


def _unseen(
    db: Database, epsilon: float, folds: int, planted: bool, say: Callable[[str], None]
) -> FormOutcome:
    whole = FormOutcome(f"rules, epsilon {epsilon}, on unseen contents", f"{folds} folds")
    for fold in range(folds):
        say(f"rules, epsilon {epsilon}, learned without fold {fold + 1} of {folds}")
        with db.temporary():
            db.run(SQL, {"fold": fold, "folds": folds}, only="learned_from")
            try:
                rules = rule_learning.learn(db, epsilon)
            except DataError:  # all contents are of this fold
                rules = RuleSet()
        whole.add(_judged(db, whole.method, "", Rewriter(rules).canonical, planted, fold, folds))
    return whole


def _judged(
    db: Database,
    name: str,
    library: str,
    form: Form,
    planted: bool,
    fold: int | None = None,
    folds: int = 1,
) -> FormOutcome:
    """Give every URL its form and count; with fold only the URLs of its contents count."""
    outcome = FormOutcome(name, library)
    db.run(SQL, only="given_forms")
    for ids, known in _batches(db):
        started = time.thread_time()
        forms = list(map(careful_form(form, outcome), known))
        outcome.seconds += time.thread_time() - started
        changed = [i for i, new in enumerate(forms) if new != known[i]]
        rows = pa.table(
            {
                "url_id": pa.array([ids[i] for i in changed], pa.int64()),
                "form": pa.array([forms[i] for i in changed], pa.string()),
            }
        )
        with db.registered("changed", rows):
            db.execute("INSERT INTO given_forms FROM changed")
    db.run(SQL, {"fold": fold, "folds": folds}, only="placed_urls")
    (
        outcome.rewritten,
        outcome.removed,
        outcome.wrong,
        outcome.joined,
        outcome.wrongly_joined,
    ) = db.rows(statements(SQL)["form_outcome"])[0]
    if planted:
        outcome.planted = {
            kind: [n, gone] for kind, n, gone in db.rows(statements(SQL)["planted_removed"])
        }
    return outcome


ODD_URL_ERRORS = (ValueError, TypeError, LookupError, AttributeError)
"""What the libraries raise on odd URLs."""


def careful_form(form: Form, outcome: FormOutcome) -> Callable[[str], str]:
    def careful(url: str) -> str:
        try:
            new = form(url) or url
            return new if new.isascii() else new.encode("utf-8", "replace").decode()
        except ODD_URL_ERRORS:
            outcome.failed += 1
            return url

    return careful


def _batches(db: Database) -> Iterator[tuple[list[int], list[str]]]:
    with db.cursor() as other:
        urls = other.sql(
            "SELECT u.url_id, o.origin || u.path AS url FROM page_urls AS u JOIN origins AS o USING"
            " (origin_id)"
        )
        for batch in batches(reader_of(urls, BATCH)):
            yield batch.column(0).to_pylist(), batch.column(1).to_pylist()


def _read_gold(db: Database, gold: str | Path) -> None:
    import duckdb

    try:
        db.execute(
            "CREATE OR REPLACE TEMP TABLE gold_urls AS SELECT further_url, duplicate_of, kind FROM"
            " read_csv($file, header = true, all_varchar = true)",
            {"file": file_name(gold)},
        )
    except duckdb.Error as error:
        raise DataError(
            f"{gold}: no gold of URLs (columns further_url, duplicate_of, kind):"
            f" {first_line(error)}"
        ) from error
    db.run(SQL, only="planted_urls")
    if not db.value("SELECT count(*) FROM planted_urls"):
        raise DataError(
            f"{gold}: none of its URLs is in the database with the content of the URL that it"
            " repeats; give the url_gold.csv of this crawl"
        )


def _row(outcome: FormOutcome, urls: int, duplicates: int) -> dict[str, Any]:
    planted, gone = (sum(counts[i] for counts in outcome.planted.values()) for i in (0, 1))
    return asdict(outcome) | {
        "share": round(outcome.removed / duplicates, 4) if duplicates else None,
        "error": (
            round(outcome.wrong / (outcome.removed + outcome.wrong), 6)
            if outcome.removed + outcome.wrong
            else None
        ),
        "planted_share": round(gone / planted, 4) if planted else None,
        "urls_per_second": (
            round(urls / outcome.seconds)
            if outcome.seconds and "unseen" not in outcome.method
            else None
        ),
    }
