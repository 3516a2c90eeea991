"""What a list of drops takes of loads and languages is counted as it is of the crawl."""

from __future__ import annotations

import pyarrow as pa

from replicadb.export.drop_guard import drop_shares


def shares_of(web, assets: bool) -> dict[tuple[str, str], dict]:
    """Of a list that drops a.com for b.org, by part and name."""
    dropped = {"host": ["a.com"], "canonical_host": ["b.org"], "probability": [1.0]}
    table = drop_shares(web.database, pa.table(dropped), assets).table
    return {(row["part"], row["name"]): row for row in table.to_pylist()}


def test_without_other_files_a_load_has_the_pages_that_the_crawl_has(web, write):
    files = [f"http://{h}/{n}.png,image/png,{h}{n}" for h in ("a.com", "b.org") for n in range(3)]
    pages = [f"http://{h}/{n},text/html,{n}" for h in ("a.com", "b.org") for n in range(4)]
    again = "http://a.com/0,text/html,new\nhttp://a.com/0.png,image/png,new\n"
    header = "url,mime,digest\n"
    web.load(write("1.csv", header + "\n".join([*files, *pages])), label="one")
    web.load(write("2.csv", header + again), label="two")
    for assets, of_crawl, of_again in ((False, (8, 4), 1), (True, (14, 7), 2)):
        shares = shares_of(web, assets)
        for part, urls in (
            (("crawl", "all"), of_crawl),
            (("load", "one"), of_crawl),
            (("load", "two"), (of_again, of_again)),
        ):
            assert (shares[part]["urls"], shares[part]["dropped_urls"]) == urls


def test_the_language_of_a_page_that_came_in_several_loads_is_its_newest(web, write):
    """Five pages in German, three of which came again, twice, in French; and five in German."""
    for day, pages, language in ((1, 5, "de"), (2, 3, "fr"), (3, 3, "fr")):
        rows = [f"http://a.com/{n},202001{day:02}000000,{language},{n}" for n in range(pages)]
        rows += [f"http://b.org/{n},20200101000000,de,b{n}" for n in range(5)]
        text = "url,timestamp,language,digest\n" + "\n".join(rows)
        web.load(write(f"{day}.csv", text), label=str(day))
    # by file a.com would have five pages in German and six in French
    shares = shares_of(web, False)
    assert ("language", "fr") in shares
    web.load(
        write("4.csv", f"url,timestamp,language,digest\n{'http://a.com/0,20200104000000,de,0'}\n")
    )
    assert ("language", "fr") not in shares_of(web, False), "three of its five pages are German"
