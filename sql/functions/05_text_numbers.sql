-- Texts as numbers: what every connection knows.
--
-- DuckDB 2.0's hash() gives 26,800 of the two million paths /article.php?a=N&b=M the number of another; its md5_number_lower()
-- goes by way of text and takes four times as long as this.

-- name: hash64
-- A half of a text's MD5: the same in every version, and in Python (replicadb/web/digests.py). NULL of NULL.
CREATE OR REPLACE TEMP MACRO hash64(s) AS (md5_number(s) >> 64)::UBIGINT;
