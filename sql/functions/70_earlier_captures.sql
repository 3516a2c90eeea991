-- Earlier captures: files of which those are not known.
--
-- A file that was loaded before schema 33 has nothing in earlier_captures, though it may have URLs
-- several times. So pages of it may have been other ones, and hosts may be older than is known.
-- Source: docs/drops.md#host-to-keep.
-- NULL does not occur.
--
-- reads: sources, urls, superseded, earlier_captures
-- writes: none
-- parameters: none

-- name: files_without_earlier
-- Files that have more captures than are stored, of which nothing is in earlier_captures.
CREATE OR REPLACE TEMP MACRO files_without_earlier() AS TABLE
WITH doubtful AS (
    SELECT source_id, source, kept + replaced AS captures
    FROM sources
    WHERE
        replaced > 0
        AND source_id NOT IN (SELECT e.source_id FROM earlier_captures AS e)
),
stored AS (
    SELECT source_id, count(*) AS n
    FROM (
        SELECT source_id FROM urls
        UNION ALL
        SELECT source_id FROM superseded
    )
    WHERE source_id IN (SELECT d.source_id FROM doubtful AS d)
    GROUP BY source_id
)
SELECT d.source_id, d.source
FROM doubtful AS d
JOIN stored AS s USING (source_id)
WHERE d.captures > s.n;
