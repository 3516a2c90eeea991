"""Training on labelled pairs, and the multiple-signal paper's tables and figures from one's own
labels.

Invariant: every figure is out of fold (Table 5: on another file, of which pairs that taught are
counted); folds and seeds are the same for every set of signals; the quoted F is the mean of the two
classifiers' median F. Source: Huffman et al. (SIGIR 2007), section 5, Tables 2 to 5, Figures 1 to
3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.arrays import Floats, Ints
from replicadb.errors import DataError
from replicadb.learning import cross_validation
from replicadb.learning.star_clusters import components as connected
from replicadb.page_pairs import published_signals
from replicadb.page_pairs.page_classifier import Classifier, fit
from replicadb.page_pairs.page_validation import (
    LEARNERS,
    Labelled,
    Options,
    Say,
    Validator,
    rounded,
)
from replicadb.page_pairs.pair_list import Pairs, page_ids, pair_numbers
from replicadb.page_pairs.signals import BODY, OF_URLS, SIGNALS, expand


def labelled(pairs: Pairs, found: dict[str, Floats], path: str) -> Labelled:
    """The pairs that teach: labelled one way or the other, both pages known.

    Raises:
        DataError: no labels, or none of a kind left.
    """
    if pairs.label is None:
        raise DataError(f"{path}: no labels in it; add a column label with duplicate and not")
    used = (pairs.label >= 0) & (pairs.a_id >= 0) & (pairs.b_id >= 0)
    labels = pairs.label[used] == 1
    if not labels.any() or labels.all():
        raise DataError(
            f"{path}: of {len(pairs):,} pairs {int(used.sum()):,} are labelled and of pages in the"
            f" database, {int(labels.sum()):,} of them duplicates; both kinds are needed"
            + (
                ": load the pages into this database: replicadb load DB SOURCE --content"
                if pairs.unknown
                else ""
            )
        )
    return Labelled(
        {name: values[used] for name, values in found.items()},
        labels,
        components(pairs.a_id[used], pairs.b_id[used]),
        pair_numbers(pairs.a_id[used], pairs.b_id[used]),
        int((~used).sum()),
        page_ids(pairs.a_id[used], pairs.b_id[used]),
    )


def components(a: Ints, b: Ints) -> Ints:
    """A number for each pair, (n,), the same for pairs whose pages hang together: from 0 by
    first appearance. O(n log n), a few rounds.

    Numbered by the pairs' order and not by the pages' ids, since folds are dealt by these numbers:
    a database loaded in another order has other ids, and shall have the same folds.
    """
    _, at = np.unique(np.concatenate([a, b]), return_inverse=True)
    x, y = at.reshape(2, -1)
    label = connected(x, y, int(at.max(initial=-1)) + 1)
    _, first, which = np.unique(label[x], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which.reshape(-1)]


def train(
    data: Labelled,
    engine: str,
    options: Options,
    say: Say = lambda line: None,
    tables: bool = False,
    tests: dict[str, Labelled] | None = None,
) -> tuple[Classifier, dict[str, Any]]:
    """Learn from labelled pairs.

    Args:
        engine: what the compression distances were made with.
        say: called with which set of signals is being validated.
        tables: also the paper's tables and figures, which takes ten times as long.
        tests: other labelled pairs by name, for Table 5.

    Returns:
        The classifier of all pairs, learned with the seed of median F; and the result as JSON can
        hold it.

    Raises:
        UsageError: no such group. DataError: none of the signals is known of any pair.
    """
    wanted, groups = _groups(options.groups, data.signals, say)
    names = tuple(name for name in expand(groups) if name in data.signals)
    validator = Validator(data, options, say)
    chosen = validator.of(names)
    result: dict[str, Any] = {
        "pairs": len(data.labels),
        "duplicates": int(data.labels.sum()),
        "left_out": data.left_out,
        "engine": engine,
        "groups": groups,
        "signals": list(names),
        "missing_signals": [name for name in expand(wanted) if name not in names],
        "folds": options.folds,
        "seeds": options.seeds,
        "seed": options.seed,
        "split": validator.split,
        "largest_component": round(validator.largest_share, 4),
        **{k: chosen[k] for k in (*LEARNERS, "f", "f_by_seed")},
    }
    seed = chosen["ripper"]["seed"] if chosen["ripper"] else options.seed
    named = ("pairs", "duplicates", "groups", "folds", "seeds", "split", *LEARNERS, "f")
    about = {name: result[name] for name in named} | {"seed": seed}
    classifier = fit(data.values(names), data.labels, names, engine, seed, about)
    result["rules"], result["tree_leaves"] = classifier.text(), classifier.tree.size()
    if tests:
        result["table_5"] = _table_5(classifier, data, tests, say)
    if tables:
        result |= make_tables(validator, names)
    return classifier, result


def _table_5(
    classifier: Classifier, data: Labelled, tests: dict[str, Labelled], say: Say
) -> list[dict[str, Any]]:
    """A row for each other file; how many of its pairs taught is said."""
    rows = []
    for name, other in tests.items():
        row = {"test": name, **tested(classifier, other), "taught": other.in_common(data)}
        if row["taught"]:
            say(
                f"note: {row['taught']:,} of {row['pairs']:,} pairs of {name} taught, too, so that"
                " they are judged better than new pairs would be"
            )
        rows.append(row)
    return rows


def _groups(chosen: str, signals: tuple[str, ...], say: Say) -> tuple[str, str]:
    """The groups wanted, and those of them of which some pair has a value."""
    if chosen != "auto":
        return chosen, _known_groups(chosen, signals, say)
    wanted = "F,R,RS,X" if "rendered_snippet_mcd" in signals else "F,R,FS,X"
    return wanted, _known_groups(wanted, signals, lambda line: None)


def _known_groups(groups: str, signals: tuple[str, ...], say: Say) -> str:
    """Those of some groups or signals, by commas, of which some pair has a value; what is left out
    is said.

    Raises:
        UsageError: no such group. DataError: none is left.
    """
    expand(groups)
    parts = [part.strip() for part in groups.split(",") if part.strip()]
    known = [part for part in parts if set(expand(part)) & set(signals)]
    if not known:
        raise DataError(
            f"none of the signals of {groups} is known of these pairs; load the pages with"
            " --content (R, RS: render them, FS, RS: give queries)"
        )
    for part in (part for part in parts if part not in known):
        say(
            f"note: {part} is left out: no pair has a value of it (R, RS: render the pages; FS, RS:"
            " give queries)"
        )
    return ",".join(known)


def tested(classifier: Classifier, other: Labelled) -> dict[str, Any]:
    """Table 5: how a classifier does on pairs that it has not seen."""
    values = classifier.values(other.found)
    found: dict[str, Any] = {"pairs": len(other.labels), "duplicates": int(other.labels.sum())}
    scores = {
        "ripper": cross_validation.score(classifier.rules.predict(values), other.labels),
        "tree": cross_validation.score(classifier.tree.predict(values), other.labels),
    }
    both = cross_validation.score(classifier.classify(other.found)["duplicate"], other.labels)
    return (
        found
        | {name: rounded(s) for name, s in scores.items()}
        | {"f": round(float(np.mean([s.f for s in scores.values()])), 4), "both": rounded(both)}
    )


def make_tables(validator: Validator, chosen: tuple[str, ...]) -> dict[str, Any]:
    """Tables 2 to 4 and the numbers of Figures 1 to 3."""
    has = validator.data.signals

    def of(groups: str) -> dict[str, Any] | None:
        names = tuple(name for name in expand(groups) if name in has)
        return (
            validator.of(names)
            if names and all(set(expand(part)) & set(has) for part in groups.split(","))
            else None
        )

    table_2 = [
        {
            "name": name,
            **validator.of((name,), available=True),
            "published": published_signals.TABLE_2.get(name),
        }
        for name in SIGNALS
        if name in has and name not in OF_URLS
    ]
    table_2.sort(key=lambda row: (-(row["f"] or 0), row["name"]))
    table_3 = [
        {"name": name, **found, "published": published_signals.TABLE_3[name]}
        for name in published_signals.TABLE_3
        if name != "human" and (found := of(name))
    ]
    table_4 = [
        {
            "name": name,
            "f": found["f"],
            "f_with_fs": (of(f"{name},FS") or {}).get("f"),
            "published": published_signals.TABLE_4[name],
        }
        for name in published_signals.TABLE_4
        if (found := of(name))
    ]
    used = [name for name in ("F,R,RS", "F,R", "F") if of(name)]
    drawn = tuple(name for name in expand(used[0]) if name in has) if used else chosen
    probability = validator.curves[drawn]
    return {
        "table_2": table_2,
        "table_3": [*table_3, {"name": "human", "published": published_signals.TABLE_3["human"]}],
        "table_4": table_4,
        "figure_2": {
            "signals": list(drawn),
            "f": validator.of(drawn)["f"],
            "points": [
                [round(float(v), 5) for v in row]
                for row in cross_validation.curve(probability, validator.data.labels)
            ],
        },
        "figure_3": figure_3(validator),
    }


COST_ORDER = (
    ("same_domain", "same_title"),
    ("body_length",),
    ("simhash",),
    ("tfidf",),
    ("snippet_mcd",),
    ("mcd",),
    ("rendered_same_title",),
    *((f"rendered_{name}",) for name in BODY[1:4]),
    ("rendered_snippet_mcd",),
    ("rendered_mcd",),
)
"""Figure 3: signals by rising cost (Huffman et al. 2007, section 5.3): what is read off, one number
a page, lists, compression; then all that needs a browser.
"""


def figure_3(validator: Validator) -> list[dict[str, Any]]:
    """F as signals are added by rising cost, with the quartiles over the seeds."""
    names: tuple[str, ...] = ()
    rows = []
    for added in COST_ORDER:
        new = tuple(name for name in added if name in validator.data.signals)
        if not new:
            continue
        names += new
        found = validator.of(names)
        low, high = (
            np.quantile(found["f_by_seed"], [0.25, 0.75]) if found["f_by_seed"] else (None, None)
        )
        rows.append(
            {
                "added": list(new),
                "f": found["f"],
                "low": low and round(float(low), 4),
                "high": high and round(float(high), 4),
            }
        )
    return rows
