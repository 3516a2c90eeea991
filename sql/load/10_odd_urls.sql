-- Odd URLs: those of a source that only a WHATWG parser can take apart.
--
-- Distinct ones only (replicadb/load/odd_urls.py). What the parser says of them is the temporary
-- table odd_parsed; every URL that is not in there is ordinary (functions/20_urls).
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
