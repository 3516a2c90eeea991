-- Texts of the pages that a review shows, where they were loaded (load --content).
--
-- Source: docs/drops.md#review.
-- NULL = none.
--
-- reads: shown_urls (url), urls, origins, hosts, texts_of_urls
-- writes: none
-- parameters: a, b, longest

-- name: shown_texts
SELECT DISTINCT ON (s.url)
    s.url,
    left(coalesce(nullif(c.main_text, ''), c.text), $longest) AS text
FROM urls AS u
JOIN hosts AS h USING (host_id)
JOIN origins AS o USING (origin_id)
JOIN shown_urls AS s ON s.url = o.origin || u.path
JOIN texts_of_urls AS c USING (url_id)
WHERE h.host IN ($a, $b)
ORDER BY s.url;
