"""The copies of one host: by how sure, where, and who was first."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest

import replicadb
from replicadb.cli.copies_text import copies_text
from replicadb.detection import notes
from replicadb.errors import DataError
from replicadb.explanation import copies
from replicadb.settings import Settings
from tests.explanation import clones
from tests.explanation.clones import CLONE, PORTAL, SHOP

MAILS = {
    "m1": ([("one", "info@one-m1.test"), ("two", "info@one-m1.test")], ("copy", "original")),
    "m2": ([("two", "shop@mail.one-m2.test")], ("copy", "original")),
    "m3": ([("one", "a@two-m3.test"), ("two", "a@one-m3.test")], (None, None)),
    "m4": (
        [("two", "info@one-m4.test.mail.example"), ("two", "info@stone-m4.test")],
        (None, None),
    ),
}
"""By pair of hosts: who gives which mail address, and which way each copies the other then."""
FORMS = {
    "k1": "/~hacked/kit/p/{}",
    "k2": "/~hacked/kit/{}",
    "k3": "/~hacked/kit/p{}.php",
    "k4": "/p/{}",
}
"""By brand: the paths at which a site of three hundred others has thirteen of its forty pages."""


def others() -> list[dict]:
    """Pairs of hosts beside the clones: those of MAILS and FORMS, a soft 404 at every URL of both,
    one that is linked, two with pictures, and two that share one picture alone.
    """
    rows = [
        {"url": f"http://fan{n}.example/", "digest": f"f{n}", "links": ["http://old.example/"]}
        for n in range(5)
    ]
    rows += [
        {"url": f"http://{host}/{n}{ending}", "digest": f"x{n}{ending}", "mime": mime}
        for host in ("a.com", "b.org")
        for n in range(5)
        for ending, mime in (("", "text/html"), (".png", "image/png"), (".js", "text/javascript"))
    ]
    rows += [
        {"url": f"http://{host}/{folder}{n}", "digest": "a" * 40}
        for host, folder in (("one.example", ""), ("two.example", "x/"))
        for n in range(300)
    ]
    rows += [{"url": f"http://bank.example/{n or ''}", "digest": f"bank{n}"} for n in range(30)]
    rows += [{"url": f"http://b{n}nk.example/", "digest": "bank0"} for n in range(12)]
    rows += [{"url": "http://other.example/", "digest": "other"}]
    rows += [{"url": "http://other.example/login", "digest": "bank0"}]
    rows += [
        {"url": f"http://{host}/{n}", "digest": f"old{n}", "timestamp": f"20260{day}01000000"}
        for host, day in (("old.example", 1), ("new.example", 3))
        for n in range(20)
    ]
    rows += [
        {"url": f"http://{host}/{host}{n}", "digest": f"{host} {n}", "timestamp": f"20{year}0101"}
        for host, year in (("elder.example", 20), ("young.example", 24))
        for n in range(8)
    ]
    rows += [
        {"url": f"http://{host}/logo.png", "digest": "logo", "timestamp": "20240101"}
        for host in ("elder.example", "young.example")
    ]
    rows += [{"url": "http://admirer.example/", "links": ["http://elder.example/elder.example1"]}]
    rows += [
        {"url": f"http://www.{name}-{pair}.test/{n}", "digest": f"{pair}d{n}"}
        for pair in MAILS
        for name in ("one", "two")
        for n in range(20)
    ]
    for key, form in FORMS.items():
        brand, uni = f"https://brand-{key}.example", f"https://uni-{key}.example"
        rows += [{"url": f"{brand}/p/{n}", "digest": f"b{key}{n}"} for n in range(40)]
        rows += [{"url": f"{uni}{form.format(n)}", "digest": f"b{key}{n}"} for n in range(13)]
        rows += [{"url": f"{uni}/own/{n}", "digest": f"u{key}{n}"} for n in range(300)]
    return rows


@pytest.fixture(scope="module")
def detected_once(tmp_path_factory):
    """The clones and all others, detected once; closed, so copy it before you open it to write."""
    folder = tmp_path_factory.mktemp("clones")
    with replicadb.open(folder / "web.duckdb", threads=1) as opened:
        opened.load(clones.write(folder, clones.pages()))
        opened.load(
            clones.write(folder, [*others(), *clones.of_schemes()], "others.jsonl"), links=True
        )
        for name, rows in clones.captured().items():
            opened.load(clones.write(folder, rows, name), label=name)
        for pair, (mails, _) in MAILS.items():
            for name, mail in mails:
                opened.database.execute(
                    "INSERT INTO internal.identifiers (host_id, kind, value, pages)"
                    " SELECT host_id, 'mail', $mail, 1 FROM hosts WHERE host = $host",
                    {"mail": mail, "host": f"www.{name}-{pair}.test"},
                )
        for pair in (("old.test", "new.test"), ("one.test", "two.test")):
            opened.decide(*pair, True)
        opened.detect(keep="oldest", min_probability=0.5)
    return folder / "web.duckdb"


@pytest.fixture(scope="module")
def web(detected_once):
    """That database, to read."""
    with replicadb.open(detected_once, threads=1, read_only=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def found(web):
    return web.copies_of(SHOP)


@pytest.fixture(scope="module")
def of_each(web):
    """What is found of many hosts, by their names: the same as one by one, which is tried below."""
    asked = ["bank.example", CLONE, "old.example", "new.example"]
    asked += [f"www.{name}-{pair}.test" for pair in MAILS for name in ("one", "two")]
    asked += [f"brand-{key}.example" for key in FORMS]
    return {found["host"]: found for found in copies.copies_of(web.database, asked)}


@pytest.fixture(scope="module")
def every_of(web):
    """The same of some hosts, with what is hardly a copy."""
    asked = ["brand-k4.example", "bank.example", SHOP, "one.example", "a.com", "young.example"]
    every = copies.copies_of(web.database, asked, unlikely=True)
    return {found["host"]: found for found in every}


def of(found, host):
    (copy,) = [copy for copy in found["copies"] if copy["host"] == host]
    return copy


@pytest.mark.parametrize("spelling", ["HTTPS://Shop.example/p/1", "hxxps://shop[.]example/p"])
def test_a_host_is_found_by_any_spelling(web, found, spelling):
    assert web.copies_of(spelling) == found


ASKED = [SHOP, "www.two-m1.test", "one.example", "a.com", "old.example", CLONE]


@pytest.fixture(scope="module")
def one_by_one(web):
    return [web.copies_of(name, unlikely=True) for name in ASKED]


@pytest.mark.parametrize("most", [{}, {"most_hosts": 2}, {"most_candidates": 3}])
def test_many_hosts_at_once_are_told_as_one_by_one(web, one_by_one, monkeypatch, most):
    """In parts of any size, in the order in which they were asked about."""
    monkeypatch.setattr(copies, "COPIES", dataclasses.replace(copies.COPIES, most_found=9, **most))
    assert list(copies.copies_of(web.database, [*ASKED, ASKED[0]], unlikely=True)) == one_by_one


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


def test_of_hosts_with_files_alone_no_number_of_pages_is_a_ground(web):
    (copy,) = web.copies_of("one.test", unlikely=True)["copies"]
    assert (copy["host"], copy["pages"], copy["grounds"]) == ("two.test", 0, [])
    assert copy["standing"] == "known" and copy["why"] == "9 contents of files in common"


def test_the_first_of_the_captures_of_a_url_says_since_when_a_host_is_there(web):
    """Whatever of them is kept."""
    flagged = web.sql("SELECT host, canonical_host, kept_because FROM flagged_hosts").rows()
    assert ("new.test", "old.test", "it was captured first") in flagged
    found = web.copies_of("old.test", unlikely=True)
    (copy,) = found["copies"]
    assert copy["grounds"] == ["first captured 2022-01-01, yours 2019-01-01"]
    assert found["earlier_unknown"] is None


def test_what_is_known_of_earlier_captures_goes_with_their_load(detected_once, tmp_path):
    earlier = "SELECT DISTINCT host FROM earlier_captures JOIN hosts USING (host_id) ORDER BY host"
    with replicadb.open(shutil.copy(detected_once, tmp_path), threads=1) as opened:
        assert opened.database.rows(earlier) == [("new.test",), ("old.test",)]
        opened.unload("old.jsonl")
        assert opened.database.rows(earlier) == [("new.test",)]


@pytest.mark.slow
def test_files_of_which_nothing_older_is_known_are_named(detected_once, cli, tmp_path):
    """An older version loaded them: hosts may have been captured earlier than is known."""
    keep = Settings(keep="oldest")
    with replicadb.open(shutil.copy(detected_once, tmp_path), threads=1) as opened:
        assert not notes._which_is_oldest(opened.database, keep)
        opened.database.execute(
            "DELETE FROM internal.earlier_captures WHERE source_id IN (SELECT source_id FROM"
            " sources WHERE source LIKE '%old.jsonl')"
        )
        (note,) = notes._which_is_oldest(opened.database, keep)
        assert note.startswith("--keep oldest: an older replicadb loaded 1 file, such as ")
        assert "old.jsonl: what a newer capture of the same file replaced is not known" in note
        assert not notes._which_is_oldest(opened.database, Settings())
        found = opened.copies_of("new.test", unlikely=True)["earlier_unknown"]
        assert found["files"] == 1 and found["example"].endswith("old.jsonl")
        assert opened.copies_of("one.test")["earlier_unknown"] is None
    assert note.removeprefix("--keep oldest: ") in cli("copies-of", "web.duckdb", "old.test").out


def test_how_much_is_known_of_each_is_said_and_decides_nothing(every_of):
    """Either can have been crawled deeper."""
    copy = of(every_of["brand-k4.example"], "uni-k4.example")
    assert copy["grounds"] == ["313 pages known of it, 40 of yours"] and copy["direction"] is None


def test_the_other_way_round_it_is_the_original(of_each):
    copy = of(of_each[CLONE], SHOP)
    assert copy["direction"] == "original" and copy["folder"] is None


def test_a_kit_in_a_folder_is_found_where_the_pair_is_unlikely(found):
    copy = of(found, PORTAL)
    assert copy["probability"] < 0.2 and copy["standing"] == "kit"
    assert (copy["folder"], copy["in_folder"]) == ("/~kit", 9)
    assert copy["direction"] is None, "time alone decides nothing"


def test_who_shows_its_home_page_is_listed_however_unlikely(of_each, every_of):
    found = of_each["bank.example"]
    assert {copy["standing"] for copy in found["copies"]} == {"home page"}
    assert {copy["host"] for copy in found["copies"]} == {f"b{n}nk.example" for n in range(12)}
    (why,) = {copy["why"] for copy in found["copies"]}
    assert why == "1 of 30 pages of yours, the home page"
    assert of(every_of["bank.example"], "other.example")["standing"] == "unlikely"


def test_one_page_of_common_software_is_no_copy(every_of, found):
    assert not any("garden" in copy["host"] for copy in found["copies"])
    everything = every_of[SHOP]["copies"]
    assert {copy["standing"] for copy in everything if "garden" in copy["host"]} == {"unlikely"}
    assert len(everything) == 14


def test_contents_at_many_urls_are_compared_in_part(every_of):
    """A soft 404 at every URL of both sites: counted, and no folder is made of it."""
    copy = of(every_of["one.example"], "two.example")
    assert (copy["own_pages"], copy["its_pages"], copy["folder"]) == (300, 300, None)


def test_hosts_that_link_decide_with_time_where_they_agree(of_each):
    ours = of_each["old.example"]
    (copy,) = ours["copies"]
    (theirs,) = of_each["new.example"]["copies"]
    assert ours["linked_from"] == 5 and copy["direction"] == "copy"
    assert theirs["direction"] == "original" and len(theirs["grounds"]) == 2


@pytest.mark.parametrize("pair", MAILS)
def test_who_gives_the_other_s_mail_address_is_the_copy(of_each, pair):
    directions = MAILS[pair][1]
    (copy,) = of_each[f"www.one-{pair}.test"]["copies"]
    (original,) = of_each[f"www.two-{pair}.test"]["copies"]
    assert (copy["direction"], original["direction"]) == directions
    said = ["its pages give mail addresses at your domain"] if directions[0] else []
    assert said == [g for g in copy["grounds"] if directions[0]]


def test_method_paper_has_no_probability(by_paper):
    found = by_paper.copies_of("a-books.com", unlikely=True)
    assert len(found["copies"]) > 1
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


def test_pictures_and_the_like_are_no_pages(every_of):
    found = every_of["a.com"]
    copy = of(found, "b.org")
    assert (found["pages"], copy["pages"], copy["own_pages"]) == (5,) * 3


def test_who_came_first_is_no_question_where_only_a_picture_is_shared(every_of):
    """Of a host that is hardly a copy nothing is said of who copied whom."""
    found = every_of["young.example"]
    (copy,) = found["copies"]
    assert (copy["host"], copy["standing"]) == ("elder.example", "unlikely")
    assert copy["why"] == "1 content of files in common"
    assert copy["grounds"] == [
        "first captured 2020-01-01, yours 2024-01-01",
        "1 host links to it, 0 to yours",
    ]
    assert copy["direction"] is None
    lines = copies_text(found, 10).splitlines()
    assert lines[2] == "not likely, but something is shared (1)"
    assert [line.split("  ")[1] for line in lines[3:4]] == ["elder.example"]
    assert lines[4:] == ["      1 content of files in common"]


@pytest.mark.parametrize("brand", ["k1", "k2", "k3"])
def test_a_kit_is_told_under_whatever_names_its_pages_stand(of_each, brand):
    (found,) = of_each[f"brand-{brand}.example"]["copies"]
    assert (found["host"], found["in_folder"]) == (f"uni-{brand}.example", 13)
    assert found["folder"] in ("/~hacked/kit", "/~hacked/kit/p")


def test_pages_at_the_same_paths_are_in_no_folder(of_each):
    assert of_each["brand-k4.example"]["copies"] == []


@pytest.fixture(scope="module")
def of_store(web):
    """What ``copies-of`` says of the store, by copy."""
    return {copy["host"]: copy for copy in web.copies_of("store.example")["copies"]}


def test_pages_by_http_and_by_https_are_each_counted_where_the_copy_has_them(of_store):
    whole = of_store["whole.example"]
    assert (whole["own_pages"], whole["at_same_paths"]) == (40, 40)
    assert "40 of 40 pages of yours, at the same paths" in whole["why"]
    for host, folder in (("kit.example", "/wp/x"), ("renamed.example", "/wp/z")):
        copy = of_store[host]
        assert (copy["own_pages"], copy["in_folder"], copy["folder"]) == (20, 20, folder)
        assert f"20 of 40 pages of yours, 20 of them in its folder {folder}" in copy["why"]


def test_who_was_hacked_is_not_blocked_for_a_kit_of_pages_by_http_and_by_https(
    web, of_store, tmp_path
):
    web.export_copies(tmp_path / "hosts", "store.example", name="hosts", min_probability=0.0)
    blocked = (tmp_path / "hosts").read_text()
    assert {host for host, copy in of_store.items() if copy["folder_alone"]} == {
        "kit.example",
        "renamed.example",
    }
    assert "whole.example" in blocked
    assert "kit.example" not in blocked and "renamed.example" not in blocked
