"""Lists that put one name for another say no port: where the kept host answers there at all.

One crawl has the hosts of all cases, each case under a name of its own.
"""

from __future__ import annotations

import pytest

import replicadb
from tests.export.hosts_to_drop import members_of

SAID = "the kept host answers at another port, which the list does not say"
ALL = ("nutch-host", "nutch-regex", "httrack", "redirect-map-nginx", "redirect-map-apache")
NUTCH, OTHERS = ALL[:2], ALL[2:]
CASES = [
    (["http://{}.kept:8080"], ["http://{}.copy", "http://{}.copy:8080"], NUTCH),
    (["http://{}.kept:8080"], ["http://{}.copy"], ()),
    (["http://{}.kept:8080"], ["http://{}.copy:9090"], ()),
    (["http://{}.kept", "http://{}.kept:8080"], ["http://{}.copy:9090"], OTHERS),
    (["http://{}.kept"], ["http://{}.copy:8080"], OTHERS),
    (["http://{}.kept"], ["http://{}.copy", "http://{}.copy:8080"], ALL),
    (["https://{}.kept"], ["http://{}.copy"], ALL),
    (["http://[2001:db8::1]:8080"], ["http://[2001:db8::2]"], ()),
    (["http://[2001:db8::3]"], ["http://{}.copy"], ("nutch-regex",)),
    (["http://{}.kept"], [f"http://{{}}.copy{port}" for port in ("", ":8080", ":9090")], OTHERS),
]
"""Origins of the kept host and of the dropped one, and the lists that have the dropped one."""


def name_of(origin: str, case: int) -> str:
    name = origin.format(f"c{case}").split("//")[1]
    return name.removesuffix(":8080").removesuffix(":9090")


@pytest.fixture(scope="module")
def listed(tmp_path_factory, leave_out_stages):
    """By list the names that it has, and why others are left out."""
    folder = tmp_path_factory.mktemp("ports")
    rows = ["url,digest"] + [f"http://o{k}.org/{n},other {k} {n}" for k in range(9) for n in "abc"]
    for case, (kept, dropped, _) in enumerate(CASES):
        for origins in (kept, dropped):
            at = [origins[n % len(origins)].format(f"c{case}") for n in range(40)]
            rows += [f"{origin}/{case}/{n},page {case} {n}" for n, origin in enumerate(at)]
    (folder / "crawl.csv").write_text("\n".join(rows))
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "crawl.csv")
        with pytest.MonkeyPatch.context() as patch:
            leave_out_stages(patch)
            web.detect()
        pairs = ((name_of(d[0], n), name_of(k[0], n)) for n, (k, d, _) in enumerate(CASES))
        members_of(web, dict(pairs))
        assert web.export(folder / "drop.csv", "hosts") == len(CASES)
        made = {}
        for name in ALL:
            left_out = web.export_list(folder / "list", name).left_out
            made[name] = (folder / "list").read_text(), left_out
    return made


@pytest.mark.parametrize("case", range(len(CASES)))
def test_no_list_sends_to_a_port_where_the_kept_host_is_not(listed, case):
    _, dropped, wanted = CASES[case]
    name = name_of(dropped[0], case)
    found = {of for of, (text, _) in listed.items() if name in text.replace("\\", "")}
    assert found == set(wanted)


def test_that_the_list_does_not_say_the_port_is_said(listed):
    """Of the first three cases; Nutch's lists have the first, and miss the two after them; of
    an address, where a list can say one; and of the last, a third of which is at a port in common.
    """
    said = {name: left_out[SAID][0] for name, (_, left_out) in listed.items()}
    assert said == dict.fromkeys(OTHERS, 3) | {"nutch-host": 5, "nutch-regex": 6}
