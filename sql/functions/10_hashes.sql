-- Hashes: what detection compares of a URL, as numbers, worked out once, when it is loaded.
--
-- A path is what follows the origin, with its query string; it begins with a slash. NULL of NULL.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: hash64
-- A half of a text's MD5: the same in every version, and in Python (replicadb/web/digests.py).
-- DuckDB 2.0's hash() gives 26,800 of the two million paths /article.php?a=N&b=M the number of
-- another; its md5_number_lower() goes by way of text and takes four times as long as this.
CREATE OR REPLACE TEMP MACRO hash64(s) AS (md5_number(s) >> 64)::UBIGINT;

-- name: segment_of
-- The last segment of a path with its query; with the slash behind it, where it ends in one.
CREATE OR REPLACE TEMP MACRO segment_of(path) AS CASE
    WHEN ends_with(path, '/') THEN split_part(path, '/', -2) || '/'
    ELSE split_part(path, '/', -1)
END;

-- name: without_count
CREATE OR REPLACE TEMP MACRO without_count(segment) AS
    CASE
        WHEN regexp_full_match(segment, '[^0-9]*([0-9][^0-9]*){1,4}')
            THEN regexp_replace(segment, '\b[0-9]+\b', '0', 'g')
        ELSE segment
    END;

-- name: tail_of
-- The last segment without small numbers, which every site that counts has (3.html, ?id=12,
-- page-2), so that to share one says little: of up to four digits in all, each number that stands
-- by itself is a 0. Longer ones say which page it is, and so do numbers in a word
-- (thinkpython2013.html). Which pages are compared with each other is told by the whole segment.
CREATE OR REPLACE TEMP MACRO tail_of(path) AS without_count(segment_of(path));

-- name: section_of
-- The first segment of a path that has two or more, else nothing.
CREATE OR REPLACE TEMP MACRO section_of(path) AS regexp_extract(path, '^/([^/]*)/', 1);

-- name: path_hash
CREATE OR REPLACE TEMP MACRO path_hash(path) AS hash64(path);
-- name: tail_hash
CREATE OR REPLACE TEMP MACRO tail_hash(path) AS hash64(tail_of(path));

-- name: segment_hash
-- The last segment with its small numbers, where it has any.
CREATE OR REPLACE TEMP MACRO segment_hash(path) AS
    CASE WHEN tail_of(path) <> segment_of(path) THEN hash64(segment_of(path)) END;

-- name: section_number
-- One of 64 for the section: how many sections a host has, and in how many of them it shares pages,
-- is counted in 64 bits. Not kept, since DuckDB's hash() may be another in its next version; as
-- good as any within one detection.
CREATE OR REPLACE TEMP MACRO section_number(path) AS (hash(section_of(path)) % 64)::UTINYINT;

-- name: content_hash
CREATE OR REPLACE TEMP MACRO content_hash(kind, fingerprint) AS hash64(kind || ':' || fingerprint);
-- name: language_number
-- An ISO 639 code as a number: of two letters below 729, of three above. NULL of what is no code,
-- or one for an unknown language, several or none (replicadb/web/main_language.py).
CREATE OR REPLACE TEMP MACRO language_number(code) AS
CASE
    WHEN
        regexp_full_match(code, '[a-z]{2,3}')
        AND code NOT IN ('und', 'un', 'unk', 'mul', 'mis', 'zxx', 'xx', 'xxx')
    THEN (
        CASE WHEN length(code) = 3 THEN (ascii(code) - 96) * 729 ELSE 0 END
        + (ascii(code[-2:]) - 96) * 27
        + ascii(code[-1:]) - 96
    )::USMALLINT
END;

-- name: title_hash
CREATE OR REPLACE TEMP MACRO title_hash(title) AS hash64(lower(title));

-- name: titles_alike
-- Of two pages by the hashes of their titles and by the parts that are their own
-- (replicadb/web/own_titles.py); NULL where a title is not known, or nothing but a name.
CREATE OR REPLACE TEMP MACRO titles_alike(one, other, own_parts, other_parts) AS
    CASE WHEN one = other THEN true ELSE list_has_any(own_parts, other_parts) END;
