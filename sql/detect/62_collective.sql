-- Partners: what the company that two hosts keep says of them.
--
-- Being a replica is transitive: copies of one site are copies of each other. So two hosts that are both probably replicas of the same others
-- are likelier to be replicas of each other, and two that are replicas of different others are less likely to. A host's partners are the
-- hosts that it is probably a replica of, by what is known of each pair so far; each counts by its probability. Reads the temporary table
-- possible (pair = a number of its own, a_id, b_id; weight = probability in thousandths, 0 where too slight to count), and drops it.
-- Sums are over integers. A host of more than $most_partners is looked at through a sample of them, the same for all hosts.

-- name: partner_lists
CREATE OR REPLACE TEMP TABLE partner_lists AS
WITH sides AS (
    SELECT a_id AS host, b_id AS partner, weight FROM possible WHERE weight > 0
    UNION ALL
    SELECT b_id, a_id, weight FROM possible WHERE weight > 0
)
SELECT s.host, s.partner, s.weight, sum(s.weight) OVER (PARTITION BY s.host) AS total, count(*) OVER (PARTITION BY s.host) AS n,
       row_number() OVER (PARTITION BY s.host ORDER BY hash(r.host_rank), r.host_rank) AS place
FROM sides AS s JOIN host_stats AS r ON r.host_id = s.partner;

-- name: partner_sums
CREATE OR REPLACE TEMP TABLE partner_sums AS
SELECT host, any_value(total)::DOUBLE AS total, least(any_value(n), $most_partners) / any_value(n) AS seen FROM partner_lists GROUP BY host;

-- name: common_partners
CREATE OR REPLACE TEMP TABLE common_partners AS
SELECT p.pair, count(*)::DOUBLE AS n, sum(x.weight * y.weight)::BIGINT AS products, sum(x.weight)::DOUBLE AS left_sum, sum(y.weight)::DOUBLE AS right_sum,
       sum(x.weight * x.weight)::DOUBLE AS left_squares, sum(y.weight * y.weight)::DOUBLE AS right_squares
FROM possible AS p
JOIN (FROM partner_lists WHERE place <= $most_partners) AS x ON x.host = p.a_id
JOIN (FROM partner_lists WHERE place <= $most_partners) AS y ON y.host = p.b_id AND y.partner = x.partner
GROUP BY p.pair;

-- name: partnered
-- common: expected number of hosts that both are replicas of; overlap: its share of the hosts that either is one of, and of one more, so that a
-- single partner in common says less than twenty (NULL: neither has a partner but the other). correlation: of what the partners that both have
-- count for with the one and with the other (NULL: with either they all count alike): two farms that share a page or two are partners of each
-- other, too, but each host is sure of those that the other doubts.
CREATE OR REPLACE TEMP TABLE partnered AS
WITH counted AS (
    SELECT p.pair, (coalesce(x.total, 0) - p.weight) / 1000 AS left_partners,
           (coalesce(y.total, 0) - p.weight) / 1000 AS right_partners,
           coalesce(c.products / 1e6 / least(x.seen, y.seen), 0) AS found, c.n * c.products - c.left_sum * c.right_sum AS together,
           (c.n * c.left_squares - c.left_sum ** 2) * (c.n * c.right_squares - c.right_sum ** 2) AS spread
    FROM possible AS p
    LEFT JOIN partner_sums AS x ON x.host = p.a_id
    LEFT JOIN partner_sums AS y ON y.host = p.b_id
    LEFT JOIN common_partners AS c ON c.pair = p.pair
),
bounded AS (
    SELECT *, least(found, left_partners, right_partners) AS common FROM counted
)
SELECT pair, common::FLOAT AS common,
       CASE WHEN left_partners > 0 OR right_partners > 0 THEN common / (left_partners + right_partners - common + 1) END::FLOAT AS overlap,
       CASE WHEN spread > 0 THEN together / sqrt(spread) END::FLOAT AS correlation
FROM bounded;

-- name: cleanup_lists
DROP TABLE partner_lists;
-- name: cleanup_sums
DROP TABLE partner_sums;
-- name: cleanup_common
DROP TABLE common_partners;
-- name: cleanup_possible
DROP TABLE possible;
