"""The same candidates as ``replicadb detect`` makes, with nine of their columns, by a bare
hand-written DuckDB script; and what each takes.

The nine are the paper's five features and four pieces of robust's evidence, each of which needs a
join of its own: pages in common by idf (``evidence``), their share (``containment``), equal
paths (``agreement``) and equal ends of paths (``tail_overlap``). The script is frozen: it does not
follow new evidence, so that its time stays a measure of the machine; obvious replicas are those of
today, since it compares them.

Nothing of replicadb is used to make them, and no pair is left out (no cap). What detect does
besides is not done: 18 more pieces of evidence, scores, ranking, groups, spilling in slices. All of
that is in favour of the bare script. Weights are doubles, not scaled integers, so sums agree within
rounding.

    python -m benchmarks.speed.bare [CRAWL.parquet]

loads the crawl, detects, runs the script as a process of its own and compares both tables.
``python benchmarks/speed/bare.py --make DB OUT`` is the script alone: DB is a loaded database
(hosts, origins, urls, host_ips).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np

if TYPE_CHECKING:
    from benchmarks.measure import Usage

COLUMNS = (
    "ndist",
    "nmatch",
    "ip4",
    "ip3",
    "fullpath",
    "evidence",
    "containment",
    "agreement",
    "tail_overlap",
)
"""What is made of a pair, beside its hosts, its label and what it shares."""
PAGE_TYPES = (
    "mime IS NULL OR mime IN ('text/html', 'application/xhtml+xml', 'text/plain', 'text/markdown',"
    " 'application/pdf')"
)
FEW = 100
"""Paths and ends of paths of more hosts say nothing."""

URLS = f"""
CREATE MACRO uncounted(t) AS  -- the end of a path with its numbers alike
    CASE WHEN regexp_full_match(t, '[^0-9]*([0-9][^0-9]*){{1,4}}')
    THEN regexp_replace(t, '\\b[0-9]+\\b', '0', 'g') ELSE t END;
CREATE MACRO segment_of(p) AS
    CASE WHEN ends_with(p, '/') THEN split_part(p, '/', -2) || '/' ELSE split_part(p, '/', -1) END;
CREATE MACRO tail_of(p) AS uncounted(segment_of(p));
CREATE MACRO number_of(s) AS  -- hash() alone makes thousands of structured paths equal
    hash(s, reverse(s), 'abc' || s);
CREATE TABLE host AS
    SELECT row_number() OVER (ORDER BY host)::INTEGER AS id, host_id, host, name, suffix
    FROM web.hosts;
SET VARIABLE own = (SELECT 1 + ln(count(*)) FROM host);
CREATE TABLE url AS  -- strings as numbers, but for the path
    SELECT h.id, path, number_of(path) AS p,
        CASE WHEN fingerprint IS NOT NULL
            THEN hash(fingerprint_kind, number_of(fingerprint)) END AS content,
        {PAGE_TYPES} AS page, fetched_at, fingerprint_kind || ':' || fingerprint AS print
    FROM web.internal.urls JOIN host AS h USING (host_id);
"""

CONTENTS = """
CREATE TABLE member AS  -- contents that come twice, by host
    SELECT content, id, min(path) AS path, count(*) FILTER (page) AS n_pages
    FROM url
    WHERE content IN (
        SELECT content FROM url WHERE content IS NOT NULL GROUP BY content HAVING count(*) > 1)
    GROUP BY content, id;
CREATE TABLE cluster AS
    SELECT content, count(*) AS n_hosts, getvariable('own') - ln(count(*)) AS weight,
        sum(n_pages) > 0 AS page
    FROM member GROUP BY content;
CREATE TABLE key AS
    SELECT content, id, page, CASE WHEN page THEN weight ELSE 0 END AS weight,
        number_of(path) AS path
    FROM member JOIN cluster USING (content) WHERE n_hosts > 1;
"""

PATHS = f"""
CREATE TABLE place AS  -- a row a host and path, with the newest known content
    SELECT id, p, any_value(path) AS path, bool_or(page) AS page,
        arg_max(content, (coalesce(fetched_at, 'epoch'), print))
            FILTER (content IS NOT NULL) AS content
    FROM url
    SEMI JOIN (
        SELECT host_id FROM web.internal.origins GROUP BY ALL HAVING count(*) > 1
    ) AS several ON several.host_id = (SELECT host_id FROM host WHERE host.id = url.id)
    GROUP BY id, p;
INSERT INTO place
    SELECT id, p, path, page, content FROM url ANTI JOIN (SELECT DISTINCT id FROM place) USING (id);
CREATE TABLE df AS SELECT p, count(*) AS df FROM place GROUP BY p HAVING count(*) > 1;
SET VARIABLE maxdf = (SELECT coalesce(max(df), 1) FROM df WHERE df <= {FEW});
CREATE TABLE common_path AS
    SELECT p, id, (1 + ln(getvariable('maxdf') / df)) ** 2 AS weight2, page, path = '/' AS home,
        content
    FROM place JOIN df USING (p) WHERE df <= {FEW};
CREATE TABLE tail AS
    SELECT DISTINCT number_of(tail_of(path)) AS tail, id FROM place WHERE page AND path <> '/';
CREATE TABLE tail_df AS SELECT tail, count(*) AS df FROM tail GROUP BY tail;
CREATE TABLE common_tail AS
    SELECT tail, id, getvariable('own') - ln(df) AS weight
    FROM tail JOIN tail_df USING (tail) WHERE df BETWEEN 2 AND {FEW};
"""

HOSTS = f"""
CREATE TABLE address AS  -- a number: how many hosts have it, and which it is
    WITH known AS (
        SELECT DISTINCT id, ip, net FROM web.internal.host_ips JOIN host USING (host_id)),
    ips AS (
        SELECT ip, count(DISTINCT id) << 32 | row_number() OVER (ORDER BY ip) AS code
        FROM known GROUP BY ip),
    nets AS (
        SELECT net, count(DISTINCT id) << 32 | row_number() OVER (ORDER BY net) AS code
        FROM known GROUP BY net)
    SELECT id, list(DISTINCT ips.code) AS ips, list(DISTINCT nets.code) AS nets
    FROM known JOIN ips USING (ip) JOIN nets USING (net) GROUP BY id;
CREATE TABLE side AS  -- all that a pair needs of a host
    WITH contents AS (
        SELECT id, sum(weight) FILTER (page) AS weight, sum(n_pages) AS pages
        FROM member JOIN cluster USING (content) GROUP BY id),
    pages AS (SELECT id, count(content) FILTER (page) AS n FROM url GROUP BY id),
    known AS (SELECT id, count(*) AS n FROM place SEMI JOIN df USING (p) GROUP BY id),
    common AS (SELECT id, sum(weight2) AS weight, bool_or(home) AS home
        FROM common_path GROUP BY id),
    places AS (SELECT id, count(*) AS n, max(content) FILTER (path = '/') AS root
        FROM place GROUP BY id),
    tails AS (
        SELECT id, sum(getvariable('own') - ln(df)) AS weight
        FROM tail JOIN tail_df USING (tail) WHERE df <= {FEW} GROUP BY id)
    SELECT h.id, h.host_id, h.suffix, www.id AS www_of,
        min(h.id) OVER (PARTITION BY regexp_replace(h.name, '^www\\.', '')) AS name,
        h.name IS NULL AS nameless,
        coalesce(c.weight, 0) + (u.n - coalesce(c.pages, 0)) * getvariable('own') AS weight,
        coalesce(s.weight, 0)
            + (p.n - coalesce(d.n, 0)) * (1 + ln(getvariable('maxdf'))) ** 2 AS path_weight,
        coalesce(t.weight, 0) AS tails,
        CASE WHEN NOT coalesce(s.home, false) THEN p.root END AS root,
        ips, nets, CASE WHEN len(ips) = 1 THEN ips[1] END AS ip,
        CASE WHEN len(nets) = 1 THEN nets[1] END AS net
    FROM host AS h JOIN pages AS u USING (id) JOIN places AS p USING (id)
    LEFT JOIN contents AS c USING (id) LEFT JOIN known AS d USING (id)
    LEFT JOIN common AS s USING (id) LEFT JOIN tails AS t USING (id)
    LEFT JOIN address USING (id) LEFT JOIN host AS www ON h.host = 'www.' || www.host;
"""

PAIRS = """
CREATE TABLE pair AS
    SELECT x.id AS a, y.id AS b, count(*)::INTEGER AS shared, sum(x.weight) AS weight,
        count(*) FILTER (x.page AND x.path = y.path) AS same_path
    FROM key AS x JOIN key AS y ON x.content = y.content AND x.id < y.id GROUP BY x.id, y.id;
CREATE TABLE by_path AS
    SELECT a, b, sum(x.weight2) AS weight2,
        count(*) FILTER (x.page AND y.page AND x.content <> y.content) AS unequal
    FROM common_path AS x JOIN common_path AS y ON x.p = y.p AND x.id < y.id
    JOIN pair ON a = x.id AND b = y.id GROUP BY a, b;
CREATE TABLE by_tail AS
    SELECT a, b, sum(x.weight) AS weight
    FROM common_tail AS x JOIN common_tail AS y ON x.tail = y.tail AND x.id < y.id
    JOIN pair ON a = x.id AND b = y.id GROUP BY a, b;
"""


def _address(one: str, many: str) -> str:
    return f"""
    CASE WHEN x.{one} IS NOT NULL AND y.{one} IS NOT NULL
        THEN CASE WHEN x.{one} = y.{one} THEN 1.0::DOUBLE / ((x.{one} >> 32) - 1) ELSE 0 END
        WHEN x.{many} IS NOT NULL AND y.{many} IS NOT NULL
        THEN coalesce(1.0::DOUBLE / ((list_min(list_filter(
            x.{many}, lambda g: list_contains(y.{many}, g))) >> 32) - 1), 0)
    END::FLOAT"""


FEATURES = f"""
CREATE TABLE pair_features AS
SELECT x.host_id AS a_id, y.host_id AS b_id,
    coalesce(x.www_of = b OR y.www_of = a OR (
        NOT x.nameless AND NOT y.nameless AND x.name = y.name AND x.suffix <> y.suffix
    ), false)::TINYINT AS label,
    shared,
    alike.ndist,
    alike.nmatch,
    {_address("ip", "ips")} AS ip4,
    {_address("net", "nets")} AS ip3,
    coalesce(p.weight2 / nullif(sqrt(x.path_weight * y.path_weight), 0), 0)::FLOAT AS fullpath,
    (pair.weight / (own - ln(2)))::FLOAT AS evidence,
    (pair.weight / (least(x.weight, y.weight) + own))::FLOAT AS containment,
    ((same_path + 1) / (same_path + coalesce(unequal, 0)
        + coalesce(x.root <> y.root, false)::INTEGER + 2))::FLOAT AS agreement,
    coalesce(t.weight / (least(x.tails, y.tails) + own), 0)::FLOAT AS tail_overlap
FROM (SELECT *, alike(a, b) AS alike FROM pair) AS pair
JOIN side AS x ON x.id = a JOIN side AS y ON y.id = b
LEFT JOIN by_path AS p USING (a, b) LEFT JOIN by_tail AS t USING (a, b)
CROSS JOIN (SELECT getvariable('own') AS own);
"""


def make(database: Path, out: Path) -> None:
    """The script: COLUMNS of all pairs of hosts in ``database`` that share content, as table
    pair_features of ``out``.
    """
    with duckdb.connect(str(out)) as con:
        con.execute(f"SET preserve_insertion_order = false; ATTACH '{database}' AS web (READ_ONLY)")
        for statement in (URLS, CONTENTS, PATHS, HOSTS):
            con.execute(statement)
        con.create_function(
            "alike",
            _names(con),
            ["INTEGER", "INTEGER"],
            "STRUCT(ndist UTINYINT, nmatch FLOAT)",
            type="arrow",
        )
        for statement in (PAIRS, FEATURES):
            con.execute(statement)


def _names(con: duckdb.DuckDBPyConnection):
    """Edit distance and cosine of name terms, on vectors of pairs: rapidfuzz (3 to 5 times as fast
    as DuckDB's levenshtein) and NumPy.
    """
    import pyarrow as pa
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    hosts = con.execute("SELECT id, host FROM host ORDER BY id").fetchnumpy()
    names = np.concatenate([[""], hosts["host"].astype(object)])
    found = con.execute(
        """WITH t AS (SELECT DISTINCT id, unnest(string_split(host, '.')) AS term FROM host),
        w AS (SELECT term, row_number() OVER () AS number,
            round((ln(greatest(length(term), 1)) / (1 + ln(count(*)))) ** 2 * 1048576) AS weight2
            FROM t GROUP BY term)
        SELECT id, row_number() OVER (PARTITION BY id) - 1 AS place, number, weight2
        FROM t JOIN w USING (term)"""
    ).fetchnumpy()
    terms = np.full((len(names), int(found["place"].max()) + 1), -1, np.int32)
    weight2 = np.zeros(terms.shape)
    terms[found["id"], found["place"]] = found["number"]
    weight2[found["id"], found["place"]] = found["weight2"]
    norm = np.sqrt(weight2.sum(1))

    def alike(a, b):
        a, b = a.to_numpy(), b.to_numpy()
        distance = cpdist(names[a], names[b], scorer=Levenshtein.distance, dtype=np.uint8)
        mine, others = terms[a], terms[b]
        shared = sum(
            (mine[:, k : k + 1] == others).any(1) * weight2[a, k] for k in range(terms.shape[1])
        )
        norms = norm[a] * norm[b]
        cosine = np.divide(shared, norms, out=np.zeros(len(a)), where=norms > 0).astype(np.float32)
        return pa.StructArray.from_arrays(
            [pa.array(distance), pa.array(cosine)], ["ndist", "nmatch"]
        )

    return alike


def compare(detected: Path, made: Path) -> list[str]:
    """The columns of the bare script's table in which detect's differs, in number, number of NULLs
    or sum beyond rounding; none when all is well.
    """
    sums = []
    for path, table in ((detected, "internal.pair_features"), (made, "pair_features")):
        with duckdb.connect(str(path), read_only=True) as con:
            names = [row[0] for row in con.execute(f"DESCRIBE {table}").fetchall()]
            asked = ", ".join(f"count({n}), sum({n}::DOUBLE)" for n in names)
            row = con.execute(f"SELECT count(*), {asked} FROM {table}").fetchall()[0]
        found = zip(row[1::2], row[2::2], strict=True)
        sums.append(
            {"pairs": (row[0], 0.0)}
            | {name: (n, total or 0.0) for name, (n, total) in zip(names, found, strict=True)}
        )
    return [
        f"{name}: {sums[0][name]} in detect, {there} in the bare script"
        for name, there in sums[1].items()
        if sums[0].get(name, (-1, 0))[0] != there[0]
        or abs(sums[0][name][1] - there[1]) > 1e-5 * max(abs(there[1]), 1)
    ]


HEADER = [
    "",
    "candidate pairs",
    "wall s",
    "CPU s",
    "peak MB",
    "file MB",
    "of the bare script's time",
    "mark",
]


def against(database: Path, detect: Usage, out: Path) -> str:
    """Run the script on a database that ``detect`` is done with, compare, and return the Markdown
    table; ``out`` is removed again.

    Raises:
        SystemExit: they do not make the same table.
    """
    from benchmarks.measure import cells, markdown, python

    try:
        out.unlink(missing_ok=True)
        bare = python(__file__, "--make", database, out)
        differ = compare(database, out)
        if differ:
            raise SystemExit("the bare script and detect differ: " + "; ".join(differ))
        with duckdb.connect(str(out), read_only=True) as con:
            pairs = con.execute("SELECT count(*) FROM pair_features").fetchall()[0][0]
        made = cells(bare, out)
    finally:
        out.unlink(missing_ok=True)
    rows = [
        ["bare script: candidates, nine columns", f"{pairs:,}", *made, "", ""],
        [
            "detect: all stages",
            f"{pairs:,}",
            *cells(detect, database),
            f"{detect.wall / bare.wall:.2f}",
            "1.5",
        ],
    ]
    return markdown(HEADER, rows)


def main(crawl: Path, scratch: Path) -> str:
    """Load, detect, bare script: the Markdown table."""
    from benchmarks.measure import NO_LIMITS, replicadb

    database = scratch / "bare-web.duckdb"
    database.unlink(missing_ok=True)
    replicadb("load", database, crawl, "--quiet")
    table = against(
        database, replicadb("detect", database, "--quiet", *NO_LIMITS), scratch / "bare-out.duckdb"
    )
    database.unlink()
    return table


if __name__ == "__main__":
    if "--make" in sys.argv:
        make(Path(sys.argv[-2]), Path(sys.argv[-1]))
    else:
        from benchmarks import inputs

        given = [a for a in sys.argv[1:] if not a.startswith("-")]
        inputs.ROOT.mkdir(parents=True, exist_ok=True)
        print(
            main(
                Path(given[0]) if given else inputs.made("crawl", 2_000, None, "parked"),
                inputs.ROOT,
            )
        )
