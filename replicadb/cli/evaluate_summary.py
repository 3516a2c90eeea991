"""What an evaluation says first: the answer in a few lines, then what was compared.

Invariant: every sentence follows from the result alone; an interval is a 95 % interval of
bootstrap resamples; a figure that is not defined is left out.
"""

from __future__ import annotations

from typing import Any

from replicadb.counted import counted


def main_rate(methods: list[dict[str, Any]], part: str) -> tuple[str | None, str]:
    """The false-positive rate that methods are compared at, and what its column is called: 0.001,
    or None (above all others) where the others are too few to measure that.
    """
    measured = any(method[part]["tpr"]["0.001"] is not None for method in methods if method["all"])
    return ("0.001", "TPR .001") if measured else (None, "TPR 0")


def at_rate(figures: dict[str, Any], rate: str | None) -> tuple[float | None, list[float] | None]:
    """The true-positive rate there, and its interval. None is the rate above all others."""
    spread = figures["intervals"] or {}
    if rate is None:
        return figures["above_all"], spread.get("above_all")
    return figures["tpr"][rate], (spread.get("tpr") or {}).get(rate)


def summary(result: dict[str, Any]) -> str:
    """The best method without labels, robust's ranking and decision, and candidate recall."""
    shown, data = [m for m in result["methods"] if m["all"]], result["data"]
    part = "non_obvious" if data["non_obvious_replicas"] else "all"
    lines = [*_best(shown, part, data), *_robust(shown, part, data), *_flags(shown, data)]
    lines += drop_list_lines(result)
    lines.append(
        "candidate recall"
        f" {share(data['candidate_recall'])}{interval(data['candidate_recall_interval'])}:"
        f" {data['gold_candidates']:,} of the gold's {counted(data['gold_replicas'], 'replica')}"
        f" {'is a candidate pair' if data['gold_candidates'] == 1 else 'are candidate pairs'}"
    )
    return "In short\n" + "\n".join(f"- {line}" for line in lines)


def _best(shown: list[dict[str, Any]], part: str, data: dict[str, Any]) -> list[str]:
    rate, _ = main_rate(shown, part)

    def place(method: dict[str, Any]) -> tuple[float, float]:
        at, precision = at_rate(method[part], rate)[0], method[part]["average_precision"]
        return (-1.0 if at is None else at), (-1.0 if precision is None else precision)

    free = sorted(
        (m for m in shown if not m["needs_gold"]), key=place, reverse=True
    )  # stable: ties in the result's order
    if not free or len(shown) == 1:
        return []
    found = at_rate(free[0][part], rate)[0]
    if found is None:
        return [_no_rate(part, data)]
    if not found:
        return [f"no method without labels finds any of {_replicas(part, data)} {_where(rate)}"]
    line = f"best without labels: {free[0]['name']}, which {_finds(free[0], part, rate, data)}"
    return [
        line
        + (f"; next {free[1]['name']}, {_figure(free[1], part, rate)}" if len(free) > 1 else "")
    ]


def _finds(method: dict[str, Any], part: str, rate: str | None, data: dict[str, Any]) -> str:
    """How many of the replicas a method finds, and where."""
    return f"finds {_figure(method, part, rate)} of {_replicas(part, data)} {_where(rate)}"


def _where(rate: str | None) -> str:
    return f"at a false-positive rate of {rate}" if rate else "above every non-replica"


def _no_rate(part: str, data: dict[str, Any]) -> str:
    replicas = _replicas(part, data)
    return f"no rate of {replicas} is defined: there is nothing but replicas to compare"


def _replicas(part: str, data: dict[str, Any]) -> str:
    if part == "non_obvious":
        return counted(data["non_obvious_replicas"], "non-obvious replica")
    return f"{counted(data['evaluated_replicas'], 'replica')}, all obvious"


def _robust(shown: list[dict[str, Any]], part: str, data: dict[str, Any]) -> list[str]:
    by_name, (rate, _) = {method["name"]: method for method in shown}, main_rate(shown, part)
    if "robust" not in by_name:
        return []
    robust = by_name["robust"]
    quality = (
        f"AUC {share(robust[part]['auc'])}, average precision"
        f" {share(robust[part]['average_precision'])}"
    )
    if len(shown) == 1:  # no line before says of what, and where
        if at_rate(robust[part], rate)[0] is None:
            return [_no_rate(part, data), f"robust's ranking: {quality}"]
        return [f"robust {_finds(robust, part, rate, data)}; {quality}"]
    line = (
        f"robust's ranking of these: {_figure(robust, part, rate)}"
        f" {'at that rate' if rate else 'above all others'}, {quality}"
    )
    beside = [
        f"{name} {share(at_rate(by_name[name][part], rate)[0], 3)}"
        for name in ("paper", "normpaths", "booster")
        if name in by_name
    ]
    return [
        line
        + (
            f"; beside it {', '.join(beside)}"
            + (" (a ceiling: it learns from the gold)" if "booster" in by_name else "")
            if beside
            else ""
        )
    ]


def worst_errors(result: dict[str, Any]) -> str:
    """The worst errors of the method that decides, as URLs to open; '' where none decides."""
    method = _decides([m for m in result["methods"] if m["all"]])
    lines = ["Worst errors"]
    if method is None:
        return ""
    for found in method["worst_errors"]:
        chance = found["probability"]
        facts = [
            f"{found['host_a']} and {found['host_b']}",
            *([f"probability {share(chance, 3)}"] if chance is not None else []),
            f"{counted(found['shared'], 'content')} in common",
            *([f"gold: {found['gold']}"] if found["gold"] else []),
        ]
        lines.append(f"- {found['error']}: {', '.join(facts)}")
        lines += [f"    {found[url]}" for url in ("url_a", "url_b") if found[url]]
    if len(lines) == 1:
        lines.append(f"- none: {method['name']} decides every pair compared as the gold does")
    return "\n".join(lines)


def _decides(shown: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The method whose own decision is reported: robust, else paper; None: neither has flags."""
    return next(
        (m for name in ("robust", "paper") for m in shown if m["name"] == name and m["flagged"]),
        None,
    )


def _flags(shown: list[dict[str, Any]], data: dict[str, Any]) -> list[str]:
    method = _decides(shown)
    if method is None:
        return []
    flags = method["flagged"]
    called = "labelled" if data["gold_labelled"] else "compared"
    apart = data["gold_labelled"] or flags["pairs"] < flags["pairs_in_all"]
    labelled = f"{flags['pairs']:,} of them {called} and " if apart else ""
    line = (
        f"{method['name']} flags {counted(flags['pairs_in_all'], 'pair')},"
        f" {labelled}{flags['wrong']:,} wrongly: precision"
        f" {share(flags['precision'], 3)}{interval(flags['intervals']['precision'])}, recall"
        f" {share(flags['recall'], 3)}{interval(flags['intervals']['recall'])} of all"
        f" {counted(data['gold_replicas'], 'replica')} of the gold"
    )
    non_obvious = flags["non_obvious"]
    if data["non_obvious_replicas"]:
        line += (
            f"; of non-obvious ones {share(non_obvious['precision'], 3)} and"
            f" {share(non_obvious['recall'], 3)}"
        )
    return [line, *_reliability(method)]


def drop_list_lines(result: dict[str, Any]) -> list[str]:
    """What the gold says of the hosts to drop, and of those held back."""
    found = result["drop_list"]
    if not found["hosts"] and not found["held"]["hosts"]:
        return []
    line = f"{found['method']} drops {counted(found['hosts'], 'host')}"
    if found["judged"]:
        line += (
            f"; of {found['judged']:,} that the gold judges {share(found['share'], 3)} are replicas"
            " of the host that is kept in their place"
        )
        if found["share_apart"] not in (None, found["share"]):
            line += f" ({share(found['share_apart'], 3)} of replicas and non-replicas alone)"
    line += verdicts(found["by_verdict"])
    held = found["held"]
    if not held["hosts"]:
        return [line]
    return [line, f"it holds back {counted(held['hosts'], 'drop')}{verdicts(held['by_verdict'])}"]


def verdicts(counts: dict[str, int]) -> str:
    """How many of each verdict, after a colon; '' where there is none."""
    return ": " + ", ".join(f"{n:,} {name}" for name, n in counts.items()) if counts else ""


def _reliability(method: dict[str, Any]) -> list[str]:
    """What its probabilities are worth, where it has any."""
    found = method.get("reliability")
    if not found:
        return []
    error, by_chance = found["calibration_error"], found["chance_error"]
    return [
        f"its probabilities expect {counted(round(found['estimated']), 'replica')} among the pairs"
        f" compared, {found['true']:,} {'is' if found['true'] == 1 else 'are'}"
        + (
            f"; between .05 and .95 they are off by {error:.3f} in the mean (expected calibration"
            f" error; {by_chance:.3f} of so few pairs if all were true)"
            if error is not None
            else ""
        )
    ]


def _figure(method: dict[str, Any], part: str, rate: str | None) -> str:
    value, spread = at_rate(method[part], rate)
    return share(value, 3) + interval(spread)


def data_lines(data: dict[str, Any]) -> str:
    """What was compared, and what was left out of it."""
    lines = [
        "What was compared",
        (
            f"{data['database']}: {data['hosts']:,} hosts, {data['urls']:,} URLs, "
            f"{data['candidate_pairs']:,} candidate pairs, "
            f"{data['obvious_replicas']:,} of them obvious replicas by their names"
        ),
        f"gold: {counted(data['gold_replicas'], 'replica')} in"
        f" {counted(data['gold_groups'], 'connected group')}"
        + (", and non-replicas of its own" if data["gold_labelled"] else "")
        + f"; {data['gold_candidates']:,} are candidates, {data['non_obvious_replicas']:,} of these"
        " not obvious",
        f"methods are compared on {data['evaluated_pairs']:,} pairs"
        + (
            " that the gold labels"
            if data["gold_labelled"]
            else ": all candidates" + (" but those that it connects" if data["connected"] else "")
        )
        + f"; {unnamed(data)}",
    ]
    lines += left_aside(data)
    if data["gold_left_out"]:
        lines.append(
            "left out of the gold: "
            + ", ".join(f"{n:,} by {reason}" for reason, n in data["gold_left_out"].items())
        )
    if data["missed_replicas"] or data["missed_others"]:
        lines.append(
            f"of the gold {counted(data['missed_replicas'], 'replica')} and"
            f" {counted(data['missed_others'], 'other')} are no candidates; average precision (AP)"
            " counts them below all others, the other figures of a ranking leave them out"
        )
    return "\n".join([*lines, *(f"note: {note}" for note in data["notes"])])


def unnamed(data: dict[str, Any]) -> str:
    """What becomes of pairs that the gold does not name, and why."""
    if data["gold_labelled"]:
        return (
            "pairs that the gold does not name are not compared, since rows of it are labelled not"
        )
    return (
        "candidates that the gold does not name count as non-replicas, since no row of it is"
        " labelled not"
    )


def left_aside(data: dict[str, Any]) -> list[str]:
    """Unknown hosts of the gold, candidates that it connects, and decisions; a line each."""
    lines = []
    if data["gold_unknown_hosts"]:
        lines.append(
            f"hosts of the gold that are not in the database: {data['gold_unknown_hosts']:,} "
            f"({data['gold_unknown_example']} for one)"
        )
    return lines + [data[name] for name in ("connected", "decisions") if data[name]]


def share(value: float | None, digits: int = 4) -> str:
    """A share; what is not quite 1 never reads as 1."""
    if value is None:
        return "undefined"
    text = f"{value:.{digits}f}"
    return f"{1 - 10**-digits:.{digits}f}" if value < 1 <= float(text) else text


def interval(spread: list[float] | None) -> str:
    """An interval in brackets, '' where there is none."""
    return f" [{share(spread[0], 3)}-{share(spread[1], 3)}]" if spread else ""
