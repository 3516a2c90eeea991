-- Links as written on a page, brought to where they lead.
--
-- A target is an absolute URL without fragment. A text that starts with ! is none, and the rest of
-- it says why. Relative links are put together here; the dot segments that are left are resolved by
-- the WHATWG parser (replicadb/load/odd_urls.py).
-- Source: RFC 3986, section 5.2; WHATWG URL Standard, section 4.4. NULL: the link has no text.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: folder_above
-- A folder in normal form, n folders up; the root is above itself.
CREATE OR REPLACE TEMP MACRO folder_above(folder, n) AS
    array_to_string(
        string_split(folder, '/')[1:greatest(len(string_split(folder, '/')) - 1 - n, 1)], '/')
    || '/';

-- name: link_target
-- h is the link, without blanks around it and fragment, on a page whose base is origin || own;
-- own has no query, and folder is own up to its last slash.
CREATE OR REPLACE TEMP MACRO link_target(h, origin, folder, own, max_bytes) AS CASE
    WHEN h IS NULL THEN '!no text'
    WHEN strlen(h) > max_bytes THEN '!URL too long'
    WHEN starts_with(h, 'https://') OR starts_with(h, 'http://') THEN h
    WHEN h = '' THEN '!its own page'
    WHEN h[1] IN ('/', '\') THEN CASE
        WHEN h[2] IN ('/', '\') THEN split_part(origin, '/', 1) || '//' || h[3:]
        ELSE origin || h END
    WHEN starts_with(h, '?') THEN origin || own || h
    WHEN h[1] IN ('[', ']', '{', '}', '<', '>', '"', '''') THEN '!no URL'
    WHEN contains(h, ':') AND regexp_matches(h, '^[a-zA-Z][a-zA-Z0-9+.-]*:') THEN CASE
        WHEN regexp_matches(h, '^(?i:https?):')
             AND (lower(split_part(h, ':', 1)) <> split_part(origin, ':', 1)
                  OR regexp_matches(h, '^[a-zA-Z]+:[/\\][/\\]'))
        THEN h
        WHEN regexp_full_match(h, '(?i:https?):') THEN '!its own page'
        WHEN regexp_matches(h, '^(?i:https?):[/\\]') THEN origin || h[strpos(h, ':') + 1:]
        WHEN regexp_matches(h, '^(?i:https?):\?') THEN origin || own || h[strpos(h, ':') + 1:]
        WHEN regexp_matches(h, '^(?i:https?):') THEN origin || folder || h[strpos(h, ':') + 1:]
        WHEN lower(split_part(h, ':', 1)) IN (
            'mailto', 'javascript', 'data', 'tel', 'ftp', 'file', 'about', 'blob', 'sms', 'irc',
            'whatsapp', 'android-app')
        THEN '!scheme ' || lower(split_part(h, ':', 1))
        ELSE '!another scheme' END
    WHEN starts_with(h, '../') THEN
        origin
        || folder_above(folder, strlen(regexp_extract(h, '^(?:\.\./)+')) // 3)
        || regexp_replace(h, '^(?:\.\./)+', '')
    WHEN starts_with(h, './') THEN origin || folder || h[3:]
    ELSE origin || folder || h END;

-- name: bare
-- Without the blanks that HTML allows around a URL.
CREATE OR REPLACE TEMP MACRO bare(h) AS trim(h, E' \t\n\r\f');

-- name: without_fragment
CREATE OR REPLACE TEMP MACRO without_fragment(h) AS split_part(bare(h), '#', 1);

-- name: link_cell
-- A table's cell with the links of a page: a JSON list of strings or objects, a list as Python
-- writes it, or texts divided by blanks or bars. A number (a count of links, say), a JSON list of
-- no texts and other JSON hold none.
CREATE OR REPLACE TEMP MACRO link_cell(cell) AS CASE
    WHEN cell IS NULL OR bare(cell) IN ('', '[]', '-', 'null', 'None', 'NULL', 'nan') THEN NULL
    WHEN regexp_matches(cell, '^\s*[\[{]') AND json_valid(cell) THEN CASE
        WHEN json_type(cell) <> 'ARRAY' OR json_type(cell, '$[0]') NOT IN ('VARCHAR', 'OBJECT')
        THEN ['[']
        WHEN contains(cell, '{')
        THEN list_transform(json_transform(cell, '["JSON"]'), lambda j: CASE json_type(j)
            WHEN 'OBJECT'
            THEN coalesce(j ->> 'url', j ->> 'href', j ->> 'link', j ->> 'target', j ->> 'to')
            ELSE j ->> '$' END)
        ELSE json_transform(cell, '["VARCHAR"]') END
    WHEN regexp_matches(cell, '^\s*\[')
    THEN regexp_split_to_array(
        regexp_replace(bare(cell), '^\[\s*[''"]?|[''"]?\s*\]$', '', 'g'),
        '[''"]?\s*,\s*[''"]')
    ELSE list_transform(
        regexp_split_to_array(
            regexp_replace(bare(cell), '[,;]\s*(https?://)', ' \1', 'g'), '[\s|]+'),
        lambda t: CASE
            WHEN regexp_matches(t, '[/.]') AND NOT regexp_full_match(t, '[0-9.]+') THEN t
            ELSE '[' END) END;
