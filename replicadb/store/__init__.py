"""The one DuckDB file: connection, schema, statements, temporary tables, the log of runs."""
