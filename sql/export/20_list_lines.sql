-- List lines: a list of host names as each tool reads it, a column `line`.
--
-- A name that could mean something else to the tool is escaped here, or is not in `listed`. `plain`
-- names have only a-z, 0-9, hyphen, underscore and dots; `printable` names have no blank.
-- Source of each form: replicadb/export/list_formats.py.
--
-- reads: listed, origins
-- writes: none
-- parameters: none

-- name: evidence_line
-- One line of evidence of a dropped name; nothing in it is from the crawl but plain names and IPv6
-- addresses.
CREATE OR REPLACE TEMP MACRO evidence_line(name, keep_name, why, probability) AS
    concat_ws(
        ', ',
        name || ' copies ' || CASE
            WHEN plain_name(keep_name) OR regexp_full_match(keep_name, '\[[0-9a-f:.]+\]')
                THEN keep_name
            ELSE 'a host of an odd name'
        END,
        nullif(why, ''),
        CASE
            WHEN probability >= 0.99995 THEN 'probability above 0.9999'
            ELSE printf('probability %.4f', probability)
        END
    );

-- name: escaped_pattern
-- A text as a regular expression that means itself, in Java and elsewhere.
CREATE OR REPLACE TEMP MACRO escaped_pattern(t) AS
    regexp_replace(t, '([^A-Za-z0-9_-])', '\\\1', 'g');

-- name: escaped_xml
CREATE OR REPLACE TEMP MACRO escaped_xml(t) AS
    replace(replace(replace(t, '&', '&amp;'), '<', '&lt;'), '>', '&gt;');

-- name: nutch_host
SELECT name || ' ' || keep_name AS line FROM listed ORDER BY name;

-- name: nutch_regex
-- In a substitution of Java a dollar begins a group, a backslash takes its meaning away.
SELECT
    '<regex>' || chr(10)
    || '  <pattern>'
    || escaped_xml('^(https?://)' || escaped_pattern(name) || '(?=[:/?#]|$)')
    || '</pattern>' || chr(10)
    || '  <substitution>'
    || escaped_xml('$1' || regexp_replace(keep_name, '([\\$])', '\\\1', 'g'))
    || '</substitution>' || chr(10)
    || '</regex>' AS line
FROM listed
ORDER BY name;

-- name: httrack
SELECT '--host-alias "' || name || '=' || keep_name || '"' AS line FROM listed ORDER BY name;

-- name: httrack_filter
-- A filter is for the whole of a URL without its scheme: with no port and with any.
SELECT '-' || name || unnest(['/*', ':*']) AS line FROM listed ORDER BY line;

-- name: redirect_map_nginx
-- A source that is a word of the map itself bears a backslash.
SELECT
    if(name IN ('default', 'hostnames', 'include', 'volatile'), '\', '')
    || name || ' ' || keep_name || ';' AS line
FROM listed
ORDER BY name;

-- name: redirect_map_apache
SELECT name || ' ' || keep_name AS line FROM listed ORDER BY name;

-- name: surt
-- With no port and with any; an address is not turned round.
SELECT '+http://(' || host || unnest([')', ':']) AS line
FROM (
    SELECT if(
        address, name, array_to_string(list_reverse(string_split(name, '.')), ',') || ','
    ) AS host
    FROM listed
)
ORDER BY line;

-- name: pywb
-- With no port and with each that is known, which is part of a key. In reverse byte order, as the
-- access lists of pywb are searched.
WITH ports AS (
    SELECT name, '' AS port FROM listed
    UNION
    SELECT l.name, regexp_extract(o.origin, ':[0-9]+$')
    FROM listed AS l
    JOIN origins AS o ON o.host_name = l.name
)
SELECT
    surt_name(name) || port || ')/ - {"access": "exclude", "url": "http://'
    || min(name) || port || '/"}' AS line
FROM ports
GROUP BY surt_name(name), port
ORDER BY line DESC;

-- name: ublock
-- A pattern that begins with the scheme takes that very host, none below it.
SELECT unnest([
    '! ' || evidence_line(name, keep_site, why, probability),
    '|http://' || name || '^$document',
    '|https://' || name || '^$document'
]) AS line
FROM (SELECT * FROM listed ORDER BY name);

-- name: ublacklist
-- A match pattern has no underscore, and no hyphen at the end of a label: such a name is an
-- expression. Source: uBlacklist, ruleset.grammar.
SELECT
    CASE
        WHEN regexp_full_match(name, '[a-z0-9](-*[a-z0-9])*(\.[a-z0-9](-*[a-z0-9])*)*')
            THEN '*://' || name || '/*'
        ELSE '/^https?:\/\/' || replace(name, '.', '\.') || '(:[0-9]+)?\//'
    END || ' # ' || evidence_line(name, keep_site, why, probability) AS line
FROM listed
ORDER BY name;

-- name: hosts
SELECT '0.0.0.0 ' || name AS line FROM listed ORDER BY name;
