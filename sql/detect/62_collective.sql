-- Relational evidence: what the neighbours of two hosts say of them.
--
-- Being a replica is transitive: copies of one site are copies of each other. So two hosts that are
-- both probably replicas of the same others are likelier to be replicas of each other, and two that
-- are replicas of different others are less likely to. A host's neighbours are the hosts that it is
-- probably a replica of, by what is known of each pair so far; each counts by its probability.
-- The temporary table possible has the pairs: pair = a number of its own, a_id, b_id, weight = the
-- probability in thousandths, 0 where it is too slight to count. Sums are over whole numbers. Of a
-- host with more than $max_neighbours neighbours a sample is read, the same for all hosts. Shared
-- neighbours are counted slice by slice, for the pairs numbered from $low to below $high, so that
-- memory is bounded.
-- Source: docs/robust.md#collective.
-- NULL overlap = neither host has a neighbour but the other; NULL correlation = with either host
-- the shared neighbours all weigh alike.
--
-- reads: possible, host_stats, neighbours, neighbour_sums, common_neighbours
-- writes: neighbours, neighbour_sums, common_neighbours, relational_evidence
-- parameters: max_neighbours, low, high

-- name: neighbours
CREATE OR REPLACE TEMP TABLE neighbours AS
WITH ends AS (
    SELECT a_id AS host, b_id AS neighbour, weight FROM possible WHERE weight > 0
    UNION ALL
    SELECT b_id, a_id, weight FROM possible WHERE weight > 0
)
SELECT
    s.host,
    s.neighbour,
    s.weight,
    sum(s.weight) OVER (PARTITION BY s.host) AS total,
    count(*) OVER (PARTITION BY s.host) AS n,
    row_number() OVER (PARTITION BY s.host ORDER BY hash(r.host_rank), r.host_rank) AS number
FROM ends AS s
JOIN host_stats AS r ON r.host_id = s.neighbour;

-- name: neighbour_sums
CREATE OR REPLACE TEMP TABLE neighbour_sums AS
SELECT
    host,
    any_value(total)::DOUBLE AS total,
    least(any_value(n), $max_neighbours) / any_value(n) AS seen
FROM neighbours
GROUP BY host;

-- name: common_neighbours
CREATE OR REPLACE TEMP TABLE common_neighbours AS
WITH sample AS NOT MATERIALIZED (
    FROM neighbours WHERE number <= $max_neighbours
)
SELECT
    p.pair,
    count(*)::DOUBLE AS n,
    sum(x.weight * y.weight)::BIGINT AS products,
    sum(x.weight)::DOUBLE AS left_sum,
    sum(y.weight)::DOUBLE AS right_sum,
    sum(x.weight * x.weight)::DOUBLE AS left_squares,
    sum(y.weight * y.weight)::DOUBLE AS right_squares
FROM possible AS p
JOIN sample AS x ON x.host = p.a_id
JOIN sample AS y ON y.host = p.b_id AND y.neighbour = x.neighbour
WHERE p.pair >= $low AND p.pair < $high
GROUP BY p.pair;

-- name: relational_evidence
-- common: expected number of hosts that both are replicas of.
-- overlap: its share of the hosts that either is one of, and of one more, so that a single shared
-- neighbour says less than twenty.
-- correlation: of what the shared neighbours count for with the one and with the other. Two farms
-- that share a page or two are neighbours of each other, too, but each host is sure of those that
-- the other doubts.
CREATE OR REPLACE TEMP TABLE relational_evidence AS
WITH counted AS (
    SELECT
        p.pair,
        (coalesce(x.total, 0) - p.weight) / 1000 AS left_neighbours,
        (coalesce(y.total, 0) - p.weight) / 1000 AS right_neighbours,
        coalesce(c.products / 1e6 / least(x.seen, y.seen), 0) AS found,
        c.n * c.products - c.left_sum * c.right_sum AS together,
        (c.n * c.left_squares - c.left_sum ** 2)
            * (c.n * c.right_squares - c.right_sum ** 2) AS spread
    FROM possible AS p
    LEFT JOIN neighbour_sums AS x ON x.host = p.a_id
    LEFT JOIN neighbour_sums AS y ON y.host = p.b_id
    LEFT JOIN common_neighbours AS c ON c.pair = p.pair
    WHERE p.pair >= $low AND p.pair < $high
),
bounded AS (
    SELECT *, least(found, left_neighbours, right_neighbours) AS common FROM counted
)
SELECT
    pair,
    common::FLOAT AS common,
    CASE
        WHEN left_neighbours > 0 OR right_neighbours > 0
        THEN common / (left_neighbours + right_neighbours - common + 1)
    END::FLOAT AS overlap,
    CASE WHEN spread > 0 THEN together / sqrt(spread) END::FLOAT AS correlation
FROM bounded;
