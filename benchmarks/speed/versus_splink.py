"""Our whole detect against splink 5, which is handed the very same pairs with the same feature
values as columns.

Invariant: splink neither looks for pairs nor compares strings. It gets the candidates of
``detect`` with their feature values, whose comparison levels are conditions on those values; runs
EM (u is what the candidates show, as splink's sampling would have it; m and the share of matches
are free) and predicts every pair; reading the pairs, EM and predict are inside its time, finding
pairs and features is not. Detect's time is all of it, from URLs to groups. splink runs with the
paper's five features, with five and the content evidence, and with all evidence; each in three
ways: as it stands when nothing is said (EM goes over every pair); with EM on distinct patterns; and
with the levels put where its own comparison vectors would stand, which spares it every join and no
user could do without reading its source. Its decision is probability 0.5 or more, and ours is shown
at that, too. Freeing u fails in splink 5.0.0 where all pairs of a level are matches (u = 0 is
refused).

Two crawls of about 1,000,000 pairs: one in the paper's proportions of hosts, URLs and pairs, and
one of eight times as many URLs (profile parked), which detect has to go through and splink never
sees.

Run ``python -m benchmarks.speed.versus_splink [--quick]``. splink goes into a virtual environment
of its own in the folder of the benchmarks' data, made when it is not there, and is no dependency of
replicadb. Source: Fellegi and Sunter (1969); splink (Linacre et al., 2022).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

VERSION = "5.0.0"
FIVE = ("ndist", "nmatch", "ip4", "ip3", "fullpath")
CONTENT = (*FIVE, "containment", "resemblance", "agreement", "alignment", "tail_overlap", "reach")
TOPS = [0.003, 0.01, 0.03, 0.1, 0.3]
"""Shares of the pairs, from the top, at which levels of evidence begin (at the nearest of our
bins); more levels make EM underflow.
"""
WAYS = ("EM over pairs", "EM on patterns", "levels put inside")
VARIANTS = ("five features", "five and content", "all evidence")
UNDERFLOW = 3
"""Exit code where an m of splink's falls below what it takes, as on some small crawls."""
MARK = "half of the time of splink with EM on patterns, less memory, better precision and recall"


def score(pairs: str, out: str, variant: str, way: str) -> None:
    """What the process of splink does: feature values of each pair in, probability of each pair out
    (Parquet).
    """
    import duckdb
    from splink import DuckDBAPI

    con = duckdb.connect()
    cuts = json.loads(Path(pairs).with_suffix(".json").read_text())
    names = {VARIANTS[0]: FIVE, VARIANTS[1]: CONTENT, VARIANTS[2]: cuts}[variant]
    levels = {name: _levels(con, pairs, name, cuts[name]) for name in names}
    levels = {
        name: found for name, found in levels.items() if len(found) > 1
    }  # the others tell nothing
    run = _inside if way == WAYS[2] else _by_interface
    try:
        predicted, share, passes = run(
            con, DuckDBAPI(connection=con), pairs, levels, way == WAYS[1]
        )
    except ValueError as error:
        if "below the minimum allowed value" not in str(error):
            raise
        raise SystemExit(UNDERFLOW) from None
    con.execute(f"COPY ({predicted}) TO '{out}' (FORMAT parquet)")
    print(
        f"splink, {variant}, {way}: {passes} passes, share of matches {share:.4f}", file=sys.stderr
    )


def _levels(con, pairs: str, name: str, cuts: list[float]) -> list[tuple[str, int]]:
    """Conditions on a feature's value in the order in which splink asks them, the likest first,
    with how many pairs each is the first to hold for.
    """
    asked = (
        [f"{{x}} <= {cut!r}" for cut in cuts]
        if name == "ndist"
        else [f"{{x}} > {cut!r}" for cut in reversed(cuts)]
    )
    first = " ".join(
        f"WHEN {condition.format(x=name)} THEN {i}" for i, condition in enumerate(asked)
    )
    found = con.execute(
        f"SELECT CASE {first} ELSE {len(asked)} END AS i, count(*) FROM '{pairs}' WHERE {name} IS"
        " NOT NULL GROUP BY i ORDER BY i"
    ).fetchall()
    levels = [((*asked, "")[i], n) for i, n in found]
    return [*levels[:-1], ("", levels[-1][1])] if levels else []


def _settings(levels: dict[str, list[tuple[str, int]]], link_type: str):
    from splink import SettingsCreator, block_on

    return SettingsCreator(
        link_type=link_type,
        blocking_rules_to_generate_predictions=[block_on("unique_id")],
        probability_two_random_records_match=0.01,
        retain_matching_columns=False,
        comparisons=[_comparison(name, found) for name, found in levels.items()],
    )


def _by_interface(con, api, pairs: str, levels: dict, patterns: bool) -> tuple[str, float, int]:
    """Each pair a record of two tables, linked by its number, its feature values the record's
    columns.
    """
    from splink import Linker, block_on

    con.execute(
        f"CREATE TABLE numbered AS SELECT row_number() OVER () AS unique_id, * FROM '{pairs}'"
    )
    for side in ("side_a", "side_b"):
        con.execute(f"CREATE VIEW {side} AS SELECT unique_id, {', '.join(levels)} FROM numbered")
    linker = Linker(
        [api.register(side, dataset_display_name=side) for side in ("side_a", "side_b")],
        _settings(levels, "link_only"),
        log_level=None,
    )
    session = linker.training.estimate_parameters_using_expectation_maximisation(
        block_on("unique_id"),
        **({"estimate_without_term_frequencies": True} if patterns else {}),
        populate_probability_two_random_records_match_from_trained_values=True,
    )
    predicted = linker.inference.predict().physical_name
    return (
        (
            "SELECT a_id, b_id, match_weight AS score, match_probability AS probability FROM"
            f" {predicted} JOIN numbered ON unique_id = unique_id_l"
        ),
        linker._settings_obj.core_model_settings.probability_two_random_records_match,
        len(session._core_model_settings_history) - 1,
    )


def _inside(con, api, pairs: str, levels: dict, patterns: bool) -> tuple[str, float, int]:
    """Levels given as the comparison vectors that splink would have made of records: no joins; EM
    is on patterns.
    """
    from splink import Linker
    from splink.internals.blocking import BlockingRule
    from splink.internals.em_training_session import EMTrainingSession
    from splink.internals.pipeline import CTEPipeline
    from splink.internals.predict import predict_from_comparison_vectors_sqls_using_settings

    def gamma(name: str, found: list) -> str:
        whens = " ".join(
            f"WHEN {asked.format(x=name)} THEN {len(found) - 1 - i}"
            for i, (asked, _) in enumerate(found[:-1])
        )
        return f"CASE WHEN {name} IS NULL THEN -1 {whens} ELSE 0 END::TINYINT AS gamma_{name}"

    gammas = (gamma(name, found) for name, found in levels.items())
    con.execute(
        "CREATE TABLE vectors AS SELECT a_id AS unique_id_l, b_id AS unique_id_r, '0' AS"
        f" match_key, {', '.join(gammas)} FROM '{pairs}'"
    )
    con.execute(
        "CREATE TABLE nodes AS SELECT 0 AS unique_id,"
        f" {', '.join(f'0 AS {name}' for name in levels)}"
    )
    linker = Linker(api.register("nodes"), _settings(levels, "dedupe_only"), log_level=None)
    model, vectors = (
        linker._settings_obj,
        api.table_to_splink_dataframe("__splink__df_comparison_vectors", "vectors"),
    )
    session = EMTrainingSession(
        linker,
        db_api=api,
        blocking_rule_for_training=BlockingRule("1 = 1", "duckdb"),
        core_model_settings=model.core_model_settings,
        training_settings=model.training_settings,
        unique_id_input_columns=model.column_info_settings.unique_id_input_columns,
        estimate_without_term_frequencies=True,
        fix_u_probabilities=True,
    )
    model.core_model_settings = session._train(vectors)
    linker._em_training_sessions.append(session)
    linker._populate_m_u_from_trained_values()
    share = session.core_model_settings.probability_two_random_records_match
    model.core_model_settings.probability_two_random_records_match = share
    pipeline = CTEPipeline([vectors])
    pipeline.enqueue_list_of_sqls(predict_from_comparison_vectors_sqls_using_settings(model))
    predicted = api.sql_pipeline_to_splink_dataframe(pipeline).physical_name
    return (
        (
            "SELECT unique_id_l AS a_id, unique_id_r AS b_id, match_weight AS score,"
            f" match_probability AS probability FROM {predicted}"
        ),
        share,
        len(session._core_model_settings_history) - 1,
    )


def _comparison(name: str, levels: list[tuple[str, int]]) -> dict:
    """The levels that occur, the likest first; m starts at about a half for that, and halves from
    each to the next.
    """
    total, start = sum(n for _, n in levels), [0.5**i for i in range(len(levels))]
    return {
        "output_column_name": name,
        "comparison_levels": [
            {
                "sql_condition": f"{name}_l IS NULL",
                "label_for_charts": "unknown",
                "is_null_level": True,
            },
            *(
                {
                    "sql_condition": asked.format(x=f"{name}_l") or "ELSE",
                    "label_for_charts": asked.format(x=name) or "else",
                    "u_probability": n / total,
                    "m_probability": m / sum(start),
                }
                for (asked, n), m in zip(levels, start, strict=True)
            ),
        ],
    }


def values_of(database: Path, out: Path) -> None:
    """Every candidate of a finished detection with its feature values (Parquet); beside it where
    each feature's levels begin (JSON).
    """
    from benchmarks.measure import reading

    with reading(database) as con:
        share = (
            "sum(candidates) OVER (PARTITION BY feature ORDER BY bin DESC) / sum(candidates) OVER"
            " (PARTITION BY feature)"
        )
        cuts = dict(
            con.execute(f"""SELECT feature, list(DISTINCT low ORDER BY low) FROM (
                SELECT feature, top, arg_min(low, abs(ln(share / top))) AS low
                FROM (SELECT feature, low, {share} AS share FROM evidence_weights WHERE bin > 0)
                CROSS JOIN unnest({TOPS}) AS t(top)
                WHERE low > '-inf' AND share > 0 GROUP BY feature, top)
            GROUP BY feature ORDER BY feature""").fetchall()
        )
        for (
            name
        ) in FIVE:  # five of equal frequency, and zero's own, as detect --method paper cuts them
            fifths = con.execute(
                f"SELECT quantile_disc({name}::DOUBLE, [0.2, 0.4, 0.6, 0.8]) FROM pair_features"
                f" WHERE {name} > 0"
            ).fetchall()
            cuts[name] = sorted({0.0, *(fifths[0][0] or [])})
        con.execute(
            f"COPY (SELECT a_id, b_id, {', '.join(f'{name}::DOUBLE AS {name}' for name in cuts)}"
            f" FROM pair_features) TO '{out}' (FORMAT parquet)"
        )
    out.with_suffix(".json").write_text(json.dumps(cuts))


def environment(folder: Path) -> Path:
    """The Python of a virtual environment that has splink, made when it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", f"splink=={VERSION}"], check=True
        )
    return python


def judged(database: Path, gold: Path, scores: str) -> tuple[float, float, float, float, float]:
    """Precision and recall of the flags, F1 there, and best F1 over all thresholds (with ties
    together), against planted pairs; recall is of the planted pairs that are candidates.

    ``scores`` is a query of host_a, host_b, score, flagged.
    """
    import numpy as np

    from benchmarks.measure import reading

    with reading(database) as con:
        found = con.execute(
            f"""
            SELECT score, flagged, g.cause IS NOT NULL AS replica FROM ({scores}) AS s
            LEFT JOIN read_csv('{gold}') AS g ON g.host_a = s.host_a AND g.host_b = s.host_b"""
        ).fetchnumpy()
    replica, flagged = found["replica"].astype(bool), found["flagged"].astype(bool)
    hits, all_flagged, all_replicas = (
        (replica & flagged).sum(),
        max(flagged.sum(), 1),
        max(replica.sum(), 1),
    )
    order = np.argsort(-found["score"], kind="stable")
    score, right = found["score"][order], np.cumsum(replica[order])
    ends = np.flatnonzero(np.r_[score[1:] != score[:-1], True])
    best = (2 * right[ends] / (ends + 1 + all_replicas)).max()
    precision, recall = hits / all_flagged, hits / all_replicas
    return precision, recall, 2 * hits / (all_flagged + all_replicas), best, len(replica)


def main(scratch: Path, quick: bool = False) -> str:
    """Returns a Markdown table for each crawl."""
    from benchmarks import inputs

    python = environment(scratch / f"splink-{VERSION}")
    crawls = {"In the paper's proportions": inputs.dense(quick), "Many URLs": inputs.million(quick)}
    return (
        "\n\n".join(f"{name}: {compared(crawl, scratch, python)}" for name, crawl in crawls.items())
        + f"\n\nMark: {MARK}."
    )


def compared(crawl: Path, scratch: Path, python: Path) -> str:
    """What the crawl is, and the Markdown table."""
    from benchmarks.measure import NO_LIMITS, cells, markdown, process, replicadb

    database, pairs, out = (
        scratch / f"versus.{end}" for end in ("duckdb", "levels.parquet", "scores.parquet")
    )
    database.unlink(missing_ok=True)
    replicadb("load", database, crawl, "--quiet")
    ours = replicadb("detect", database, "--quiet", *NO_LIMITS)
    values_of(database, pairs)
    gold = crawl.with_name("gold.csv")
    rows = []
    for name, flagged in (
        ("detect: URLs to groups", "flagged"),
        ("the same, pairs of probability 0.5 or more", "probability >= 0.5"),
    ):
        *quality, n = judged(
            database, gold, f"SELECT host_a, host_b, score, {flagged} AS flagged FROM replicas"
        )
        rows.append([name, f"{n:,}", *cells(ours), *(f"{q:.3f}" for q in quality)])
    for way in WAYS:
        for variant in VARIANTS:
            used = process(
                [python, __file__, "--score", pairs, out, variant, way], refusal=UNDERFLOW
            )
            if used is None:
                rows.append([f"splink {VERSION} {way}: {variant}", "EM underflows", *7 * ["–"]])
                continue
            *quality, n = judged(
                database,
                gold,
                f"""
                SELECT a.host AS host_a, b.host AS host_b, score, probability >= 0.5 AS flagged
                FROM '{out}'
                JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS b ON b.host_id = b_id""",
            )
            rows.append(
                [
                    f"splink {VERSION} {way}: {variant}",
                    f"{n:,}",
                    *cells(used),
                    *(f"{q:.3f}" for q in quality),
                ]
            )
    described = _described(database)
    for path in (database, pairs, pairs.with_suffix(".json"), out):
        path.unlink()
    return (
        described
        + "\n\n"
        + markdown(
            ["", "pairs", "wall s", "CPU s", "peak MB", "precision", "recall", "F1", "best F1"],
            rows,
        )
    )


def _described(database: Path) -> str:
    from benchmarks.measure import reading

    with reading(database) as con:
        hosts, urls, sharing, pairs = con.execute(
            """
            SELECT (SELECT count(*) FROM hosts), (SELECT count(*) FROM urls),
                (SELECT count(*) FROM host_stats WHERE n_shared_clusters > 0),
                (SELECT count(*) FROM pair_features)"""
        ).fetchone()
    return f"{urls:,} URLs of {hosts:,} hosts, {sharing:,} of which share content, {pairs:,} pairs."


if __name__ == "__main__":
    if "--score" in sys.argv:
        score(*sys.argv[-4:])
    else:
        from benchmarks import inputs

        inputs.help_or_go_on(__doc__)
        inputs.ROOT.mkdir(parents=True, exist_ok=True)
        print(main(inputs.ROOT, "--quick" in sys.argv))
