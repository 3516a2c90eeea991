"""The copies of one host: by how sure, where, and who was first."""

from __future__ import annotations

import json

import pytest
from conftest import rest_slow

import replicadb
from replicadb.errors import DataError
from tests.explanation import clones
from tests.explanation.clones import CLONE, PORTAL, SHOP


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    with replicadb.open(":memory:") as opened:
        opened.load(clones.write(tmp_path_factory.mktemp("clones"), clones.pages()))
        opened.detect()
        yield opened


@pytest.fixture(scope="module")
def found(web):
    return web.copies_of(SHOP)


def of(found, host):
    (copy,) = [copy for copy in found["copies"] if copy["host"] == host]
    return copy


@pytest.mark.parametrize(
    "spelling",
    rest_slow(["HTTPS://Shop.example/p/1", "hxxps://shop[.]example/p", SHOP, "shop.example."]),
)
def test_a_host_is_found_by_any_spelling(web, found, spelling):
    assert web.copies_of(spelling) == found


def test_each_number_is_that_of_the_ranking(web, found):
    assert (found["host"], found["pages"], found["candidates"]) == (SHOP, 25, 14)
    rows = web.sql(
        "SELECT rank, probability, kind FROM replicas WHERE host_a = ? AND host_b = ?",
        [CLONE, SHOP],
    ).row(0)
    copy = of(found, CLONE)
    assert (copy["rank"], copy["probability"], copy["kind"]) == rows
    assert [copy["standing"] for copy in found["copies"]] == ["known", "kit"]


def test_a_copy_says_where_the_pages_are_and_who_was_first(found):
    copy = of(found, CLONE)
    assert copy["own_pages"] == copy["its_pages"] == copy["in_folder"] == 20
    assert (copy["folder"], copy["at_same_paths"]) == ("/store", 0)
    assert copy["direction"] == "copy"
    assert copy["grounds"] == [
        "20 of its canonical links and redirects lead to yours",
        "first captured 2026-01-09, yours 2026-01-01",
    ]


def test_the_other_way_round_it_is_the_original(web):
    copy = of(web.copies_of(CLONE), SHOP)
    assert copy["direction"] == "original" and copy["folder"] is None


def test_a_kit_in_a_folder_is_found_where_the_pair_is_unlikely(found):
    copy = of(found, PORTAL)
    assert copy["probability"] < 0.2 and copy["standing"] == "kit"
    assert (copy["folder"], copy["in_folder"]) == ("/~kit", 9)
    assert copy["direction"] is None, "time alone decides nothing"


def test_one_page_of_common_software_is_no_copy(web, found):
    assert not any("garden" in copy["host"] for copy in found["copies"])
    everything = web.copies_of(SHOP, unlikely=True)["copies"]
    assert {copy["standing"] for copy in everything if "garden" in copy["host"]} == {"unlikely"}
    assert len(everything) == 14


@pytest.mark.slow
def test_contents_at_many_urls_are_compared_in_part(web, tmp_path):
    """A soft 404 at every URL of both sites: counted, and no folder is made of it."""
    rows = [
        {"url": f"http://{host}/{folder}{n}", "digest": "a" * 40}
        for host, folder in (("one.example", ""), ("two.example", "x/"))
        for n in range(300)
    ]
    with replicadb.open(":memory:") as other:
        other.load(clones.write(tmp_path, rows))
        other.detect()
        copy = of(other.copies_of("one.example", unlikely=True), "two.example")
    assert (copy["own_pages"], copy["its_pages"], copy["folder"]) == (300, 300, None)


@pytest.mark.slow
def test_hosts_that_link_decide_with_time_where_they_agree(tmp_path):
    rows = [
        {"url": f"http://{host}/{n}", "digest": f"d{n}", "timestamp": f"20260{day}01000000"}
        for host, day in (("old.example", 1), ("new.example", 3))
        for n in range(20)
    ]
    rows += [
        {"url": f"http://fan{n}.example/", "digest": f"f{n}", "links": ["http://old.example/"]}
        for n in range(5)
    ]
    with replicadb.open(":memory:") as web:
        web.load(clones.write(tmp_path, rows), links=True)
        web.detect()
        ours = web.copies_of("old.example")
        (copy,) = ours["copies"]
        (theirs,) = web.copies_of("new.example")["copies"]
    assert ours["linked_from"] == 5 and copy["direction"] == "copy"
    assert theirs["direction"] == "original" and len(theirs["grounds"]) == 2


@pytest.mark.parametrize(
    ("mails", "directions"),
    rest_slow(
        [
            ([("one", "info@one.test"), ("two", "info@one.test")], ("copy", "original")),
            ([("two", "shop@mail.one.test")], ("copy", "original")),
            ([("one", "a@two.test"), ("two", "a@one.test")], (None, None)),
            ([("two", "info@one.test.mail.example"), ("two", "info@stone.test")], (None, None)),
        ]
    ),
)
def test_who_gives_the_other_s_mail_address_is_the_copy(tmp_path, mails, directions):
    rows = [
        {"url": f"http://www.{name}.test/{n}", "digest": f"d{n}"}
        for name in ("one", "two")
        for n in range(20)
    ]
    with replicadb.open(":memory:") as web:
        web.load(clones.write(tmp_path, rows))
        for name, mail in mails:
            web.database.execute(
                "INSERT INTO internal.identifiers (host_id, kind, value, pages)"
                " SELECT host_id, 'mail', $mail, 1 FROM hosts WHERE host = $host",
                {"mail": mail, "host": f"www.{name}.test"},
            )
        web.detect()
        (copy,) = web.copies_of("www.one.test")["copies"]
        (original,) = web.copies_of("www.two.test")["copies"]
    assert (copy["direction"], original["direction"]) == directions
    said = ["its pages give mail addresses at your domain"] if directions[0] else []
    assert said == [g for g in copy["grounds"] if directions[0]]


def test_method_paper_has_no_probability(detected):
    with replicadb.open(detected, read_only=True) as web:
        found = web.copies_of("example.com", unlikely=True)
    assert {copy["standing"] for copy in found["copies"]} <= {"known", "kit", "unlikely"}
    assert all(copy["probability"] is None for copy in found["copies"])


def test_an_unknown_host_and_no_detection_are_told(web, crawled):
    with pytest.raises(DataError, match=r"no host shopp\.example here; the nearest names: shop\."):
        web.copies_of("shopp.example")
    with (
        replicadb.open(crawled, read_only=True) as early,
        pytest.raises(DataError, match="no replicas in it yet; find them first"),
    ):
        early.copies_of("example.com")


def test_it_is_json(found):
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.slow
def test_pictures_and_the_like_are_no_pages(tmp_path):
    rows = [
        f"http://{host}/{n}{ending},x{n}{ending},{mime}"
        for host in ("a.com", "b.org")
        for n in range(5)
        for ending, mime in (("", "text/html"), (".png", "image/png"), (".js", "text/javascript"))
    ]
    (tmp_path / "crawl.csv").write_text("\n".join(["url,digest,mime", *rows]))
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.csv")
        web.detect()
        found = web.copies_of("a.com", unlikely=True)
    assert (found["pages"], of(found, "b.org")["pages"], of(found, "b.org")["own_pages"]) == (
        5,
    ) * 3


@pytest.mark.slow
@pytest.mark.parametrize("form", ["/~hacked/kit/p/{}", "/~hacked/kit/{}", "/~hacked/kit/p{}.php"])
def test_a_kit_is_told_under_whatever_names_its_pages_stand(tmp_path, form):
    (found,) = copies_of_a_brand(tmp_path, form)
    assert (found["host"], found["in_folder"]) == ("uni.example", 13)
    assert found["folder"] in ("/~hacked/kit", "/~hacked/kit/p")


@pytest.mark.slow
def test_pages_at_the_same_paths_are_in_no_folder(tmp_path):
    assert copies_of_a_brand(tmp_path, "/p/{}") == []


def copies_of_a_brand(folder, form: str) -> list[dict]:
    """Of forty pages; a site of three hundred others has thirteen of them at paths of that form."""
    rows = [{"url": f"https://brand.example/p/{n}", "digest": f"b{n}"} for n in range(40)]
    rows += [{"url": f"https://uni.example{form.format(n)}", "digest": f"b{n}"} for n in range(13)]
    rows += [{"url": f"https://uni.example/own/{n}", "digest": f"u{n}"} for n in range(300)]
    with replicadb.open(":memory:") as web:
        web.load(clones.write(folder, rows))
        web.detect()
        return web.copies_of("brand.example")["copies"]
