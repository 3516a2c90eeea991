"""Queries of ``replicadb export``: flagged hosts, pairs and groups, each in a total order."""

from __future__ import annotations

from replicadb.changeable import is_number
from replicadb.errors import UsageError, need_count
from replicadb.likely_meant import did_you_mean

QUERIES = {
    "hosts": "SELECT * FROM flagged_hosts",
    "pairs": """
        SELECT
            host_a,
            host_b,
            probability,
            flagged,
            * EXCLUDE (host_a, host_b, probability, flagged)
        FROM replicas""",
    "groups": "SELECT * FROM replica_groups",
}
AS_TEXT = "SELECT * REPLACE (array_to_string(members, ' ') AS members) FROM replica_groups"
"""Groups where a format has no lists."""
WITH_LISTS = ("json", "jsonl", "parquet")
"""Formats that have them."""
ORDERS = {"hosts": "rank", "pairs": "rank", "groups": "hosts DESC, canonical_host"}
SCORES = {"hosts": "score", "pairs": "score", "groups": "min_score"}


def export_query(
    what: str,
    top: int | None,
    min_score: float | None,
    unflagged: bool,
    min_probability: float | None,
    format: str = "csv",
) -> tuple[str, dict[str, float]]:
    """The query behind ``export`` and its parameters; of a format with lists members are one.

    Raises:
        UsageError: an unknown ``what``, a negative ``top``, ``unflagged`` without pairs, or a
            probability that is none.
    """
    if what not in QUERIES:
        raise UsageError(
            f"cannot export {what!r}{did_you_mean(what, QUERIES)}; choose one of:"
            f" {', '.join(QUERIES)}"
        )
    if unflagged and what != "pairs":
        raise UsageError("--all goes with --what pairs: groups and hosts are made of flagged pairs")
    if top is not None:
        top = need_count("--top", top)
    likely = min_probability is None or (is_number(min_probability) and 0 <= min_probability <= 1)
    if not likely:
        raise UsageError(f"--min-probability must be from 0 to 1, not {min_probability!r}")
    if min_score is not None and not (is_number(min_score) and min_score == min_score):
        raise UsageError(f"--min-score must be a number, not {min_score!r}")
    conditions: list[str] = []
    parameters: dict[str, float] = {}
    if what == "pairs" and not unflagged:
        conditions.append("flagged")
    if min_probability is not None:
        conditions.append("probability >= $min_probability")
        parameters["min_probability"] = float(min_probability)
    if min_score is not None:
        conditions.append(f"{SCORES[what]} >= $min_score")
        parameters["min_score"] = float(min_score)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    if top is not None:
        parameters["top"] = top
    limit = " LIMIT $top" if top is not None else ""
    plain = AS_TEXT if what == "groups" and format not in WITH_LISTS else QUERIES[what]
    return f"{plain}{where} ORDER BY {ORDERS[what]}{limit}", parameters
