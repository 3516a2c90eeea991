-- Parts of a path: what the stages below compare.
--
-- A path is what follows the origin, with its query string; it begins with a slash.

-- name: segment_of
-- The last segment of a path with its query; with the slash behind it, where it ends in one.
CREATE OR REPLACE TEMP MACRO segment_of(path) AS CASE WHEN ends_with(path, '/') THEN split_part(path, '/', -2) || '/' ELSE split_part(path, '/', -1) END;

-- name: without_count
CREATE OR REPLACE TEMP MACRO without_count(segment) AS
    CASE WHEN regexp_full_match(segment, '[^0-9]*([0-9][^0-9]*){1,4}') THEN regexp_replace(segment, '\b[0-9]+\b', '0', 'g') ELSE segment END;

-- name: tail_of
-- The last segment without small numbers, which every site that counts has (3.html, ?id=12, page-2), so that to share one says little: of up to
-- four digits in all, each number that stands by itself is a 0. Longer ones say which page it is, and so do numbers in a word
-- (thinkpython2013.html). Which pages are compared with each other is told by the whole segment.
CREATE OR REPLACE TEMP MACRO tail_of(path) AS without_count(segment_of(path));

-- name: section_of
-- The first segment of a path that has two or more, else nothing.
CREATE OR REPLACE TEMP MACRO section_of(path) AS regexp_extract(path, '^/([^/]*)/', 1);
