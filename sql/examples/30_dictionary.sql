-- Dictionary: what every table, view, macro and column of the file means, with its type.
--
-- Tables that are not meant for people stand in the schema internal. The schema is part of a name,
-- but for main.
-- NULL column_name = the row is of a table, view or macro; type = NULL there.
--
-- reads: descriptions, duckdb_columns
-- writes: none
-- parameters: internals

-- name: dictionary
SELECT
    d.kind,
    if(d.schema_name = 'main', '', d.schema_name || '.') || d.name AS name,
    d.column_name,
    c.data_type AS type,
    d.comment
FROM descriptions AS d
LEFT JOIN duckdb_columns() AS c
    ON c.schema_name = d.schema_name
    AND c.table_name = d.name
    AND c.column_name = d.column_name
    AND c.database_name = current_database()
WHERE $internals OR d.schema_name <> 'internal'
ORDER BY d.schema_name <> 'main', d.schema_name, d.name, d.column_name IS NOT NULL, c.column_index;
