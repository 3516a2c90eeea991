-- Asked hosts: names in any spelling, many at once, as hosts are named here.
--
-- asked_forms has a row for each form that a name may have, the likeliest with the lowest place.
-- Source: docs/how-to/clone-hunter.md.
-- NULL = none.
--
-- reads: asked_forms (given, place, form), hosts
-- writes: none
-- parameters: none

-- name: found
SELECT f.given, min_by(h.host, f.place) AS host
FROM asked_forms AS f
JOIN hosts AS h ON h.host = f.form
GROUP BY f.given;
