-- Asked hosts: names in any spelling, many at once, as hosts are named here.
--
-- asked_forms has a row for each form that a name may have, the likeliest with the lowest place.
-- Source: docs/how-to/clone-hunter.md.
-- NULL = none.
--
-- reads: asked_forms (given, place, form), hosts, urls, superseded, sources, loads
-- writes: none
-- parameters: hosts, reference

-- name: found
SELECT f.given, min_by(h.host, f.place) AS host
FROM asked_forms AS f
JOIN hosts AS h ON h.host = f.form
GROUP BY f.given;

-- name: of_reference
-- Those of the hosts that have a page of the reference load, also where a newer load fetched it
-- again.
SELECT DISTINCT h.host
FROM (
    FROM urls SELECT host_id, source_id
    UNION ALL
    FROM superseded SELECT host_id, source_id
) AS c
JOIN sources AS s USING (source_id)
JOIN loads AS l USING (load_id)
JOIN hosts AS h USING (host_id)
WHERE l.name = $reference AND list_contains($hosts::VARCHAR[], h.host);
