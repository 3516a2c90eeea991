"""Hosts that somebody watches or keeps are named where a list would drop them."""

from __future__ import annotations

import shutil

import pytest
from conftest import kept_open

import replicadb
from replicadb.export.own_hosts import OwnHosts

WATCHED = (("clone.org", "www.kept.com"),)
OF_DOMAIN = (("www2.shop.net", "other_site.net"), ("xn--bcher-kva.example", "other_site.net"))
SAID = [
    "1 host that you watch is in this list: clone.org for www.kept.com; to keep one:"
    " replicadb label DB --keep HOST, then detect",
    "2 hosts of domains that you watch or keep are in this list: www2.shop.net for other_site.net,"
    " xn--bcher-kva.example for other_site.net; to keep one: replicadb label DB --keep HOST, then"
    " detect",
]


@pytest.fixture(scope="module")
def own(dropped, tmp_path_factory):
    """That database, with a watched host, two pinned ones that stay, and one that is not loaded."""
    path = shutil.copy(dropped, tmp_path_factory.mktemp("own") / "web.duckdb")
    with replicadb.open(path) as web:
        web.watch("clone.org")
        for host in ("shop.net", "www.kept.com", "gone.xn--bcher-kva.example"):
            web.pin(host, "keep")
    with kept_open(path):
        yield path


def test_nobody_of_ones_own_nothing_said(dropped):
    with replicadb.open(dropped, read_only=True) as web:
        assert web.drop_shares().own == OwnHosts() and OwnHosts().lines() == []


def test_a_list_names_the_hosts_that_somebody_watches_or_keeps(own, tmp_path):
    """kept.com goes for a pinned host of its own domain: nobody need hear of it."""
    with replicadb.open(own, read_only=True) as web:
        found = web.drop_shares()
        assert (found.own.watched, found.own.of_domain) == (WATCHED, OF_DOMAIN)
        assert found.lines()[-2:] == SAID
        made = web.export_list(tmp_path / "list.txt", "httrack-filter")
        assert made.own == found.own and set(SAID) < set(made.lines())
        folded = web.export_list(tmp_path / "list.txt", "httrack").own  # which leaves out www2
        assert folded.of_domain == OF_DOMAIN[1:]
        assert web.export_list(tmp_path / "list.txt", "surt", top=1).own == OwnHosts()


@pytest.mark.parametrize("name", ["ublock", "ublacklist", "hosts"])
def test_a_list_that_shuts_visitors_out_names_the_owners_other_names_too(own, tmp_path, name):
    """kept.com is another name of www.kept.com, which is pinned: a blocker would shut it."""
    with replicadb.open(own, read_only=True) as web:
        found = web.export_list(tmp_path / "list.txt", name).own
    assert found.watched == WATCHED
    assert found.of_domain == (("kept.com", "www.kept.com"), *OF_DOMAIN)


def test_the_command_says_it_and_quiet_does_not(cli, own, tmp_path):
    for options in ((), ("--as", "surt")):
        answer = cli("export", own, tmp_path / "drop.csv", *options)
        assert answer.code == 0 and set(SAID) <= set(answer.err.splitlines())
        assert cli("export", own, tmp_path / "drop.csv", "--quiet", *options).err == ""


def test_of_many_ten_are_named():
    many = tuple((f"h{n}.example", "kept.example") for n in range(12))
    (line,) = OwnHosts(watched=many).lines()
    assert line.startswith("12 hosts that you watch are in this list: h0.example for kept.example")
    assert "h9.example for kept.example and 2 more; to keep one" in line and "h10" not in line
