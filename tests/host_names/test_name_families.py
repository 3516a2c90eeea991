"""Families by pattern: against a slow reference, as lists that tools read, and by the command.

Tries families_command and family_lists, too.
"""

from __future__ import annotations

import contextlib
import json
import random
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

import pyarrow as pa
import pytest

import replicadb
from replicadb.errors import UsageError
from replicadb.host_names import family_lists
from replicadb.host_names.name_families import Family
from replicadb.learning.intervals import wilson
from replicadb.web.digests import hash64
from tests.cli.conftest import kept_open
from tests.conftest import rest_slow


def crawl() -> str:
    """Mirrors of a site below its name, some of them deeper, with two of other content; a farm
    whose original is elsewhere; people who share a domain and nothing else.
    """
    rows = ["url,digest,title,length"]

    def site(host: str, key: str, n: int = 8) -> None:
        rows.extend(f"https://{host}/p{i},{key}{i},{key} {i},{900 + 37 * i}" for i in range(n))

    for host in ("example.org", *(f"m{n}.example.org" for n in range(10))):
        site(host, "ex")
    for n in range(4):
        site(f"m{n}.eu.example.org", "ex")
    rows.extend(f"https://{www}example.org/logo.png,logo,,99" for www in ("", "m0."))  # no page
    site("blog.example.org", "blog")
    site("www.orig.net", "orig")
    for n in range(12):
        site(f"c{n}.farm.info", "orig")
    site("www.farm.info", "farm")
    for n in range(9):
        site(f"u{n}.people.com", f"user{n}_", 3)
    for n in range(12):
        site(f"own{n}.com", f"own{n}_", 3)
    return "\n".join(rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """w.duckdb of ``crawl``, detected, kept open; do not change it."""
    made = tmp_path_factory.mktemp("families")
    (made / "c.csv").write_text(crawl())
    with replicadb.open(made / "w.duckdb", threads=1) as web:
        web.load(made / "c.csv")
        web.detect()
    with kept_open(made / "w.duckdb"):
        yield made


@pytest.fixture(scope="module")
def found(folder):
    with replicadb.open(folder / "w.duckdb", read_only=True) as web:
        return web.families()


@pytest.mark.slow
def test_a_rule_for_all_hosts_below_a_name_with_its_exceptions(found):
    first, second = found.rules
    assert (first.pattern, first.keep) == ("*.example.org", "example.org")
    assert (first.hosts, first.copies, first.exceptions) == (15, 14, ["blog.example.org"])
    assert (second.pattern, second.keep) == ("*.farm.info", "www.orig.net")
    assert (second.hosts, second.copies, second.exceptions) == (13, 12, ["www.farm.info"])
    assert first.pages == 14 * 8 and first.expected_wrong < 0.1


def test_the_error_is_that_of_hosts_held_out(found):
    assert found.held_out == sum(rule.held_out for rule in found.rules)
    row = found.table().to_pylist()[0]
    assert row["error"] == row["wrong"] / row["held_out"]
    assert row["error_at_most"] == wilson(row["wrong"], row["held_out"])[1] > row["error"]


def reference(hosts: dict[str, str | None], least: int, most: float) -> dict:
    """By name: the kept host, exceptions, hosts held out and wrong; one rule after the other."""

    folds = 5

    def learned(below: str, held: int):
        below_it = [h for h in hosts if h.endswith(f".{below}") and hash64(h) % folds != held]
        counts = Counter(hosts[h] for h in below_it if hosts[h])
        if not counts:
            return None
        keep = min(counts, key=lambda k: (-counts[k], list(hosts).index(k)))
        others = [h for h in below_it if h != keep]
        enough = counts[keep] >= least and counts[keep] >= (1 - most) * len(others)
        return keep if enough else None

    names = {".".join(h.split(".")[i:]) for h in hosts for i in range(1, h.count("."))}
    rules = {}
    for below in names:
        tried = wrong = 0
        for fold in range(folds):
            if keep := learned(below, fold):
                held = [h for h in hosts if h.endswith(f".{below}") and hash64(h) % folds == fold]
                held = [h for h in held if h != keep]
                tried += len(held)
                wrong += sum(hosts[h] != keep for h in held)
        if keep := learned(below, folds):
            stay = sorted(h for h in hosts if h.endswith(f".{below}") and hosts[h] != keep)
            rules[f"*.{below}"] = (keep, stay, tried, wrong)

    def copies(name: str, also_bare: bool) -> set[str]:
        bare = {name[2:]} if also_bare else set()
        known = {h for h in hosts if h.endswith(name[1:])} | bare & hosts.keys()
        return {h for h in known if hosts[h] == rules[name][0]}

    def is_below(name: str, wider: str) -> bool:
        return name != wider and name.endswith(wider[1:])

    narrow = {
        wider
        for wider in rules
        if not any(
            is_below(name, wider)
            and rules[name][0] == rules[wider][0]
            and copies(name, also_bare=True) == copies(wider, also_bare=False)
            for name in rules
        )
    }
    return {name: rules[name] for name in narrow if not any(is_below(name, w) for w in narrow)}


@contextlib.contextmanager
def grouped(hosts: dict[str, str | None]) -> Iterator[replicadb.ReplicaDB]:
    """A database of these hosts, each with the host that it is a copy of."""
    with replicadb.open(":memory:", threads=1) as web:
        db = web.database
        db.execute("INSERT INTO stages BY NAME SELECT '70_replica_groups' AS stage")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('site', 'host')")
        ids = {name: n for n, name in enumerate(hosts)}
        given = pa.table(
            {
                "host_id": pa.array(ids.values()),
                "host": pa.array(ids),
                "domain": pa.array(".".join(name.split(".")[-2:]) for name in ids),
                "canonical_id": pa.array(ids.get(keep) for keep in hosts.values()),
            }
        )
        with db.registered("given", given):
            db.execute("INSERT INTO hosts BY NAME SELECT * EXCLUDE (canonical_id) FROM given")
            db.execute(
                "INSERT INTO members BY NAME SELECT host_id, canonical_id, 0.99 AS probability"
                " FROM given WHERE canonical_id IS NOT NULL"
            )
        yield web


@pytest.mark.parametrize("seed", rest_slow(range(3)))
def test_it_is_what_one_rule_after_the_other_gives(seed):
    draw = random.Random(seed)
    names = {"top.net", "other.net"}
    for domain in ("a.org", "b.org", "c.org"):
        names |= {f"h{n}.{draw.choice(['', 'eu.', 'x.eu.'])}{domain}" for n in range(30)}
        names.add(f"eu.{domain}")
    kept = ["other.net", "top.net", *(f"eu.{x}.org" for x in "abc")]
    hosts: dict[str, str | None] = {}
    for name in sorted(names):
        own = draw.random() < {"a": 0.05, "b": 0.15, "c": 0.6}.get(name[-5], 1)
        favourite = "top.net" if name[-5] != "a" else "eu.a.org"
        hosts[name] = None if own or name in kept else favourite
    with grouped(hosts) as web:
        rules = web.families(min_hosts=4, max_error=0.2).rules
    expected = reference(hosts, 4, 0.2)
    assert (
        expected
        and {
            rule.pattern: (rule.keep, rule.exceptions, rule.held_out, rule.wrong) for rule in rules
        }
        == expected
    )


def test_as_many_may_be_no_copies_as_the_share_allows():
    """Of a hundred hosts 45, whatever 1 - .45 is in binary."""
    hosts = {f"h{n}.wild.com": "keep.org" if n < 55 else None for n in range(100)}
    with grouped({**hosts, "keep.org": None}) as web:
        (rule,) = web.families(max_error=0.45).rules
        assert (rule.pattern, rule.copies, len(rule.exceptions)) == ("*.wild.com", 55, 45)
        assert not web.families(max_error=0.449).rules


def at_ports() -> Iterator[tuple[str, str]]:
    """URLs and contents of sites whose copies answer where the kept host does, but for two; that
    are kept at another port; and that have copies at another port.
    """
    for key, kept, port, odd in (
        ("one", "", "", 2),
        ("two", ":81", "", 0),
        ("three", "", ":81", 0),
    ):
        hosts = [(f"www.{key}.org", kept), *((f"m{n}.{key}.org", port) for n in range(25))]
        hosts += [(f"odd{n}.{key}.org", ":8080") for n in range(odd)]
        for host, at in hosts:
            yield from ((f"http://{host}{at}/{n}", f"{key}.org{n}") for n in range(8))
    yield from ((f"http://www.one.org:82/{n}", f"one.org{n}") for n in range(8))  # is no harm


@pytest.fixture(scope="module")
def patterns(tmp_path_factory):
    """A database, kept open, of three sites with copies below wild.DOMAIN, of the second at that
    name, too, of the third elsewhere; of ex.org, of which www3 is a copy and www2 is none; and of
    the three that ``at_ports`` has.
    """
    folder = tmp_path_factory.mktemp("patterns")
    rows = ["url,digest,title,length"]

    def site(host: str, key: str) -> None:
        rows.extend(f"https://{host}/{key}{n},{key}{n},{key} {n},{900 + 37 * n}" for n in range(8))

    for key, copies in {"one": (), "two": ("wild.two.com",), "three": ("other.three.com",)}.items():
        for host in (f"www.{key}.com", *(f"u{n}.wild.{key}.com" for n in range(12)), *copies):
            site(host, key)
        site(f"blog.{key}.com", f"blog-{key}")
    for host in ("ex.org", "www3.ex.org", *(f"m{n}.ex.org" for n in range(25))):
        site(host, "ex")
    site("www2.ex.org", "www2-ex")
    rows += [f"https://s{k}.net/p{n},s{k}-{n},S{k} {n},500" for k in range(12) for n in range(4)]
    rows += [f"{url},{key},," for url, key in at_ports()]
    (folder / "c.csv").write_text("\n".join(rows))
    with replicadb.open(folder / "w.duckdb", threads=1) as web:
        web.load(folder / "c.csv")
        for key in ("one", "two", "three"):
            web.pin(f"www.{key}.org", "keep")
        web.detect()
    with kept_open(folder / "w.duckdb") as path:
        yield path


def test_of_two_patterns_that_cover_the_same_copies_the_narrower(patterns):
    """Lists give its own name, too."""
    with replicadb.open(patterns, read_only=True) as web:
        rules = web.families(max_error=0.2).rules
    found = {rule.pattern: rule.bare_is_copy for rule in rules if rule.pattern.endswith(".com")}
    assert found == {"*.wild.one.com": False, "*.wild.two.com": True, "*.three.com": False}


def nutch(text: str, host: str) -> str:
    """HostURLNormalizer: the exact name, else ``*.`` and its endings, the shortest first."""
    rules = dict(line.split(" ") for line in text.splitlines() if not line.startswith("#"))
    labels = host.split(".")
    endings = [f"*.{'.'.join(labels[i:])}" for i in range(len(labels) - 1, 0, -1)]
    return next((rules[name] for name in (host, *endings) if name in rules), host)


def httrack(text: str, host: str) -> str:
    """The last rule whose glob matches, until none does or it is the host itself."""
    rules = [rule.split("=") for rule in shlex.split(text)[1::2]]
    while True:
        to = [keep for glob, keep in rules if fnmatchcase(host, glob)][-1:] or [host]
        if to == [host]:
            return host
        (host,) = to


def ublock(text: str, host: str) -> bool:
    parser = pytest.importorskip("adblockparser")
    rules = parser.AdblockRules(text.splitlines(), supported_options=["document"])
    return rules.should_block(f"https://{host}/p1", {"document": True})


FATES = {
    "m3.example.org": "example.org",
    "m3.eu.example.org": "example.org",
    "new.example.org": "example.org",
    "example.org": "example.org",
    "blog.example.org": "blog.example.org",
    "myexample.org": "myexample.org",
    "c1.farm.info": "www.orig.net",
    "www.farm.info": "www.farm.info",
    "farm.info": "farm.info",
    "www.orig.net": "www.orig.net",
}


@pytest.mark.slow
def test_tools_take_copies_for_the_kept_host_and_leave_all_else(cli, folder):
    lists = {
        name: cli("families", folder / "w.duckdb", "--as", name, "-q").out
        for name in family_lists.NAMES
    }
    for host, fate in FATES.items():
        assert nutch(lists["nutch-host"], host) == fate, host
        assert httrack(lists["httrack"], host) == fate, host
        assert ublock(lists["ublock"], host) == (fate != host), host


def family(**changed) -> Family:
    given = Family("*.x.org", "y.org", 5, 5, 0, 0, None, 9, [], bare_is_copy=False)
    return replace(given, **changed)


def test_the_bare_name_goes_where_it_is_a_copy_and_odd_names_are_left_out():
    bare = family(bare_is_copy=True)
    for name, said in (("nutch-host", "x.org y.org"), ("httrack", '--host-alias "x.org=y.org"')):
        assert said in family_lists.lines([bare], name)["line"].to_pylist()
        assert said not in family_lists.lines([family()], name)["line"].to_pylist()
    filters = family_lists.lines([bare], "ublock")["line"].to_pylist()
    assert filters[-1] == "||x.org^$document"
    odd = family(exceptions=["a*b.x.org"])
    assert family_lists.why_not(odd, "httrack") and not len(family_lists.lines([odd], "httrack"))
    with pytest.raises(UsageError, match=r"'ublok' \(did you mean 'ublock'"):
        family_lists.lines([bare], "ublok")


def test_httrack_gets_no_family_whose_names_it_would_take_for_each_other(cli, patterns):
    """www3 goes for the bare name, www2 is another site, and HTTrack folds all three by itself."""
    with replicadb.open(patterns, read_only=True) as web:
        (rule,) = (rule for rule in web.families().rules if rule.pattern == "*.ex.org")
    assert rule.exceptions == ["www2.ex.org"] and rule.www_apart
    answer = cli("families", patterns, "--as", "httrack")
    assert (
        "ex.org" not in answer.out
        and (
            "left out, 1 family: names that the tool would take for others, such as below *.ex.org"
        )
        in answer.err
    )
    assert "*.ex.org ex.org" in cli("families", patterns, "--as", "nutch-host").out


@pytest.mark.slow
def test_no_list_sends_a_family_to_a_port_where_the_kept_host_is_not(cli, patterns):
    """Nutch keeps a URL's port, HTTrack takes the scheme's."""
    said = "left out, {}: the kept host answers at another port, which the list does not say"
    rules = cli("families", patterns, "--as", "nutch-host")
    assert said.format("2 families") in rules.err
    lines = [line for line in rules.out.splitlines() if line[0] != "#"]
    assert [line for line in lines if "one.org" in line] == [
        "*.one.org www.one.org",
        *(f"{host}.one.org {host}.one.org" for host in ("odd0", "odd1", "www")),
    ]
    assert "two.org" not in rules.out and "three.org" not in rules.out
    aliases = cli("families", patterns, "--as", "httrack")
    assert said.format("1 family") + ", such as below *.two.org" in aliases.err
    assert "*.three.org=www.three.org" in aliases.out and "*.one.org=www.one.org" in aliases.out
    assert "left out" not in cli("families", patterns, "--as", "ublock").err


@pytest.mark.slow
def test_a_rule_of_too_few_hosts_is_called_untested_and_has_no_error(found):
    rule = next(rule for rule in found.rules if rule.held_out)
    (tested,) = [line for line in family_lists._ublock(rule) if line.startswith("! ")]
    assert "untested" not in tested and "of others (95 %)" in tested
    bare = replace(rule, held_out=0, wrong=0)
    (line,) = [line for line in family_lists._ublock(bare) if line.startswith("! ")]
    assert line.endswith("untested: without one of them too few are left to find it")


def test_the_command_tells_cost_rules_and_error(cli, folder, tmp_path):
    db = folder / "w.duckdb"
    answer = cli("families", db)
    assert answer.code == 0 and answer.out.splitlines()[2].startswith("*.example.org  example.org")
    assert answer.err.startswith("38 hosts below their registered names; 42 places to look\n")
    assert "2 families: 26 copies, 2 exceptions\nheld out: " in answer.err
    one = json.loads(cli("families", db, "--host", "WWW.farm.info", "--json", "-q").out)
    assert [rule["exceptions"] for rule in one["families"]] == [["www.farm.info"]]
    said = cli("families", db, "--host", "www.farm.info").err
    assert "\n1 family: 12 copies, 1 exception\n" in said
    assert "nearest names: www.farm.info" in cli("families", db, "--host", "ww.farm.info").err
    assert "no family: below no name" in cli("families", db, "--min-hosts", 20).err
    cli("families", db, tmp_path / "f.csv", "-q")
    assert (tmp_path / "f.csv").read_text().startswith("pattern,keep,hosts,copies,exceptions,")


@pytest.mark.slow
def test_bad_input_is_one_line(cli, folder, crawled):
    assert cli("families", folder / "w.duckdb", "--max-error", 1.5).code == 2
    assert cli("families", folder / "w.duckdb", "--as", "squid").code == 2
    answer = cli("families", crawled)
    assert answer.code == 1 and "find them first: replicadb detect" in answer.err
