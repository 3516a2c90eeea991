-- Odd URLs: those of a source that only a WHATWG parser can take apart.
--
-- Each distinct one is parsed once (replicadb/load/odd_urls.py). The temporary table odd_parsed has
-- what the parser says of it. Every URL that is not in that table is ordinary
-- (sql/functions/20_urls).
-- Source: WHATWG URL Standard, section 4. NULL url: the reader found none.
--
-- reads: staged
-- writes: none
-- parameters: max_bytes

-- name: odd_urls
SELECT DISTINCT url
FROM staged
WHERE problem IS NULL
  AND url IS NOT NULL
  AND NOT needs_no_parser(url, $max_bytes);
