-- Identifiers: what pages say of who runs them, by host.
--
-- They are found page by page while the source is read (replicadb/web/site_identifiers.py). Here
-- they are summed up by host. Of a URL that the source has several times the newest capture counts
-- that is no revisit, as with its links. Where another source has a newer one, both are kept.
--
-- reads: found_identifiers, staged, captures, current_origins, older_captures
-- writes: found_identifiers, identifiers, page_languages
-- parameters: source_id, site, most

-- name: found_identifiers
CREATE OR REPLACE TEMP TABLE found_identifiers (position BIGINT, kind VARCHAR, value VARCHAR);

-- name: told_languages
-- Of several the first: "eng,deu", "de-AT", a list's [eng_Latn, deu_Latn], fastText's __label__en.
INSERT INTO found_identifiers
SELECT
    position,
    'language' AS kind,
    lower(regexp_extract(
        language, '^[ \t["'']*(?:__label__)?([A-Za-z]{2,3})([^A-Za-z]|$)', 1
    )) AS value
FROM staged
WHERE language IS NOT NULL AND value <> '';

-- name: insert_identifiers
-- Of a host, $most values of a kind: those on the most pages.
INSERT INTO identifiers
SELECT $source_id, o.host_id, f.kind, f.value, count(*)::INTEGER AS pages
FROM found_identifiers AS f
JOIN captures AS c USING (position)
JOIN current_origins AS o
    ON o.origin = c.origin
        || site_segment($site, substr(c.full_url, strlen(c.origin) + 1))
WHERE c.outcome IS NULL
  AND f.position NOT IN (
      FROM older_captures
      SELECT position
      WHERE NOT newer_is_stored AND speaks_for IS NULL)
GROUP BY o.host_id, f.kind, f.value
QUALIFY row_number() OVER (
    PARTITION BY o.host_id, f.kind ORDER BY count(*) DESC, f.value) <= $most;

-- name: insert_languages
-- Of each capture, where it says several the first by its letters. url_id: 05_rows.
INSERT INTO page_languages
SELECT
    $source_id,
    getvariable('last_url')::BIGINT + coalesce(o.speaks_for, f.position) AS url_id,
    min(f.value)
FROM found_identifiers AS f
JOIN captures AS c USING (position)
LEFT JOIN older_captures AS o USING (position)
WHERE
    f.kind = 'language'
    AND language_number(f.value) IS NOT NULL
    AND c.outcome IS NULL
    AND (o.position IS NULL OR o.newer_is_stored OR o.speaks_for IS NOT NULL)
GROUP BY url_id;
