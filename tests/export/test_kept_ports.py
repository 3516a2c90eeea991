"""Lists that put one name for another say no port: where the kept host answers there at all."""

from __future__ import annotations

import pytest
from conftest import rest_slow

import replicadb

SAID = "the kept host answers at another port, which the list does not say"
ALL = ("nutch-host", "nutch-regex", "httrack", "redirect-map-nginx", "redirect-map-apache")
NUTCH, OTHERS = ALL[:2], ALL[2:]
CASES = [
    (["http://kept.example:8080"], ["http://copy.example", "http://copy.example:8080"], NUTCH),
    (["http://kept.example:8080"], ["http://copy.example"], ()),
    (["http://kept.example:8080"], ["http://copy.example:9090"], ()),
    (["http://kept.example", "http://kept.example:8080"], ["http://copy.example:9090"], OTHERS),
    (["http://kept.example"], ["http://copy.example:8080"], OTHERS),
    (["http://kept.example"], ["http://copy.example", "http://copy.example:8080"], ALL),
    (["https://kept.example"], ["http://copy.example"], ALL),
    (["http://[2001:db8::1]:8080"], ["http://[2001:db8::2]"], ()),
    (["http://[2001:db8::1]"], ["http://copy.example"], ("nutch-regex",)),
]
"""Origins of the kept host and of the dropped one, and the lists that have the dropped one."""


@pytest.mark.parametrize(
    ("kept", "dropped", "listed"),
    rest_slow(CASES),
)
def test_no_list_sends_to_a_port_where_the_kept_host_is_not(write, tmp_path, kept, dropped, listed):
    pages = [
        f"{origin}/p/{n},page {n}"
        for origins in (kept, dropped)
        for n in range(40)
        for origin in origins[n % len(origins) :][:1]
    ]
    others = [f"http://o{k}.example/{n},other {k} {n}" for k in range(4) for n in range(9)]
    with replicadb.open(":memory:") as web:
        web.load(write("crawl.csv", "\n".join(["url,digest", *pages, *others])))
        host = kept[0].split("//")[1].removesuffix(":8080")
        web.pin(host, "keep")
        web.detect(min_probability=0.1)
        assert web.export(tmp_path / "drop.csv", "hosts") == 1
        made = {name: web.export_list(tmp_path / "list", name) for name in ALL}
    assert tuple(name for name in ALL if made[name].hosts) == listed
    if not host.startswith("["):
        assert {SAID} == {why for one in made.values() for why in one.left_out} or listed == ALL
