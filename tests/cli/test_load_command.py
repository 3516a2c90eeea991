"""What ``replicadb load`` says: which column became what, what a dry run would do, why nothing was
kept.
"""

from __future__ import annotations

from pathlib import Path

import pytest

CSV = "Page URL,Digest,colour\nhttp://a.com/,x1,red\nhttp://a.com/robots.txt,x2,red\n"


@pytest.mark.slow
def test_load_says_which_column_became_what_once_for_tables_alike(cli, write):
    for name in ("1.csv", "2.csv", "3.csv"):
        write(name, CSV.replace("a.com", name))
    told = cli("load", "web.duckdb", "1.csv", "2.csv", "3.csv").err.splitlines()
    assert told[0] == (
        "1.csv and 2 more: columns: Page URL as url, Digest as fingerprint by name;"
        " not used: colour"
    )
    assert told[-1] == (
        "machine files left out, which are no pages: robots.txt 3 (--machine-files keeps them)"
    )


@pytest.mark.slow
def test_a_dry_run_says_what_a_load_would_and_changes_nothing(cli, write):
    write("a.csv", CSV)
    dry = cli("load", "web.duckdb", "a.csv", "--dry-run")
    assert dry.code == 0 and "read 2 = kept 1" in dry.err and not Path("web.duckdb").exists()
    assert dry.err.splitlines()[-1] == "dry run: nothing was changed"
    cli("load", "web.duckdb", "a.csv")
    write("b.csv", CSV.replace("a.com", "b.com"))
    cli("load", "web.duckdb", "b.csv", "--dry-run", "--label", "b")
    for table in ("loads", "sources", "urls", "hosts", "runs"):
        assert (
            cli("sql", "web.duckdb", f"SELECT count(*) FROM {table}", "-f", "csv").out.split()[1]
            == "1"
        )


def test_a_role_without_a_name_is_switched_off(cli, write):
    write("a.csv", "url,text\nhttp://a.com/,hello\n")
    told = cli("load", "web.duckdb", "a.csv", "--column", "content=").err
    assert "columns: url by name; not used: text" in told
    refused = cli("load", "web.duckdb", "a.csv", "--column", "content")
    assert refused.code == 2 and "is not ROLE=NAME" in refused.err


@pytest.mark.slow
def test_where_nothing_is_kept_the_commonest_reasons_are_told_and_the_exit_code_is_1(cli, write):
    rows = ["url,status,mime", "ftp://a.com/,200,text/html", "mailto:x,,", "http://a.com/1,404,"]
    rows += [f"http://b.com/{n}.png,200,image/png" for n in range(9)]
    rows += ["http://c.com/,200,text/html", "http://a.com/2,404,"]
    write("a.csv", "\n".join(rows))
    write("excluded.txt", "c.com")
    told = cli("load", "web.duckdb", "a.csv", "--exclude-hosts", "excluded.txt", "--pages-only")
    assert told.code == 1 and told.err.splitlines()[-4:] == [
        "nothing was kept; the commonest reasons:",
        "  9 skipped: type image/png, such as 'http://b.com/0.png'",
        "  2 skipped: status 404, such as 'http://a.com/1'",
        "  1 rejected: scheme ftp is not http or https, such as 'ftp://a.com/'",
    ]
    assert cli("load", "web.duckdb", "a.csv").code == 0  # known


@pytest.mark.slow
def test_where_little_is_kept_reasons_are_told_too(cli, write):
    rows = ["url,mime", "http://a.com/,", *(f"http://b.com/{n},image/png" for n in range(10))]
    write("a.csv", "\n".join(rows))
    told = cli("load", "web.duckdb", "a.csv", "--pages-only")
    assert told.code == 0 and "little was kept; the commonest reasons:" in told.err
    write("b.csv", "\n".join(rows[:-1]))
    told = cli("load", "web.duckdb", "b.csv", "--label", "b", "--pages-only")
    assert "reasons" not in told.err
