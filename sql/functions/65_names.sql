-- Names: those that stand above the name of a host.
--
-- Source: docs/drops.md#families, docs/drops.md#wildcards.
-- NULL of NULL.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: names_above
-- b.c and c of a.b.c.
CREATE OR REPLACE TEMP MACRO names_above(name) AS list_transform(
    range(2, len(string_split(name, '.')) + 1),
    lambda i: array_to_string(string_split(name, '.')[i:], '.')
);
