-- Crawl order: what would have been fetched, had hosts been dropped after some of their URLs.
--
-- A crawler that knows replicas drops a host once it has seen some of its URLs. The URLs of a host
-- are fetched in the order of their times, where the crawl tells those apart; else the shortest
-- paths come first. An unfetched URL is lost when no fetched URL has its content.
-- Source: docs/method.md#crawl-order.
-- NULL: a URL without a fingerprint has no content; unfetched it counts as neither lost nor found.
--
-- reads: whole_urls, urls, dropped (host_id: the hosts that are dropped)
-- writes: urls
-- parameters: most (URLs of a host that are fetched), by_time (whether times tell an order)

-- name: first_urls
CREATE TABLE internal.urls AS
SELECT *
FROM whole_urls
QUALIFY row_number() OVER (
    PARTITION BY host_id
    ORDER BY CASE WHEN $by_time THEN fetched_at END NULLS LAST, length(path), path, url_id
) <= $most;

-- name: unfetched
-- One row: URLs that are not fetched, and those of them whose content nothing fetched has.
WITH not_fetched AS (
    SELECT url_id, fingerprint_kind, fingerprint
    FROM whole_urls
    SEMI JOIN dropped USING (host_id)
    ANTI JOIN urls USING (url_id)
),
fetched AS (
    SELECT fingerprint_kind, fingerprint FROM whole_urls ANTI JOIN not_fetched USING (url_id)
)
SELECT
    (SELECT count(*) FROM not_fetched) AS urls,
    (
        SELECT count(*) FROM not_fetched ANTI JOIN fetched USING (fingerprint_kind, fingerprint)
        WHERE fingerprint IS NOT NULL
    ) AS lost;
