"""A crawl of many pairs of hosts, of which the one goes for the other: what they have, case by
case. The name of a case names its hosts.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path

from conftest import sha1

Captures = list[tuple[str, str, str, int]]
"""Host, path, content and year."""
Case = Callable[[str, str], Captures]
"""What a host that goes and the one that is kept have."""
CASES: list[Case] = []
IN_ONE_FILE: list[Case] = []
"""Those of CASES whose captures of all years are in one file; of the others each year has its own.
"""


def case(captures: Case) -> Case:
    """Two hosts of the crawl, named after the function."""
    CASES.append(captures)
    return captures


def case_in_one_file(captures: Case) -> Case:
    IN_ONE_FILE.append(captures)
    return case(captures)


def names(of: Case) -> tuple[str, str]:
    name = of.__name__.replace("_", "-")
    return f"copy-{name}.net", f"kept-{name}.com"


def both(copy: str, kept: str, n: int = 12) -> Captures:
    """Pages that two hosts have at the same paths."""
    return [(host, f"/d/{k}", f"d{k}", 2024) for host in (copy, kept) for k in range(n)]


def load(web, files: dict[str, Captures], site: str = "host") -> None:
    """Load files, and detect."""
    for name, captures in files.items():
        rows = [f'"http://{h}{p}","{c}",{y}0101000000' for h, p, c, y in captures]
        Path(name).write_text("url,digest,timestamp\n" + "\n".join(rows))
    web.load(*files, site=site)
    web.detect()


def by_year(captures: Captures) -> dict[str, Captures]:
    """By the name of a file what it is to have."""
    years = sorted({year for *_, year in captures})
    return {f"{year}.csv": [row for row in captures if row[3] == year] for year in years}


def md5(content: str) -> str:
    return hashlib.md5(content.encode()).hexdigest()


@case
def four_logins(copy, kept):
    """Four pages want a login."""
    there = [(copy, f"/login/{n}", "login required", 2024) for n in range(4)]
    return [*both(copy, kept), *there, (kept, "/account", "login required", 2024)]


@case
def four_errors(copy, kept):
    """The kept host has an error page at four URLs."""
    there = [(kept, f"/login/{n}", "login required", 2024) for n in range(4)]
    return [*both(copy, kept), *there, (copy, "/account", "login required", 2024)]


@case
def all_in_clusters(copy, kept):
    pages = [(host, f"/{p}", sha1(p), 2024) for host in (copy, kept) for p in "abc"]
    return [*pages, (copy, "/x", sha1("x"), 2024)]


@case
def two_kinds(copy, kept):
    return [
        *((host, f"/{p}", sha1(p), 2024) for host in (copy, kept) for p in "abcdef"),
        (copy, "/a", md5("a"), 2020),
        (copy, "/b", "", 2021),
        (copy, "/f", md5("older"), 2020),
        (kept, "/f", md5("another"), 2020),
        (copy, "/x", md5("x"), 2024),
        (copy, "/y", md5("y"), 2024),
        (kept, "/y", sha1("y"), 2024),
        (copy, "/z", "", 2024),
    ]


@case
def one_key(copy, kept):
    return [
        *both(copy, kept),
        *((host, "/Top", "top", 2024) for host in (copy, kept)),
        (copy, "/top/", "of the copy alone", 2024),
        *((host, "/Q?b=1&a=2", "q", 2024) for host in (copy, kept)),
        (copy, "/q?a=2&b=1&sid=0123456789abcdef", "of the copy alone, too", 2024),
        *((host, "/x", "x", 2024) for host in (copy, kept)),
        *((host, "/X", "X", 2024) for host in (copy, kept)),  # one key there, too
        (copy, "/%7Euser", "one", 2024),
        (copy, "/~user", "two", 2024),
        (kept, "/one", "one", 2024),
        (kept, "/two", "two", 2024),
    ]


@case
def key_of_a_picture(copy, kept):
    paths = [*(f"/{n}" for n in range(12)), "/4.png/"]
    pages = [(host, path, f"c{path}", 2024) for host in (copy, kept) for path in paths]
    return [*pages, (copy, "/4.png", "other", 2024)]


@case
def many_keys(copy, kept):
    forms = (
        "/{}",
        "/{}/",
        "//{}",
        "/{}?",
        "/{}?x=1&y=2",
        "/{}?y=2&x=1",
        "/{}?PHPSESSID=" + "0" * 32,
    )
    names = ("Ab", "aB", "a%2fb", "%41b", "a;b", "caf%C3%A9", "%ff")
    rows = [
        (host, form.format(name), f"{(n + (host == copy) * (n % 3 == 0)) % 20}", 2024)
        for n, (form, name) in enumerate(itertools.product(forms, names))
        for host in (copy, kept)
    ]
    return [*both(copy, kept), *rows]


@case
def own_pages(copy, kept):
    own = [(copy, f"/own/{n}", f"own {n}", 2024) for n in range(3)]
    twice = [(kept, path, "login required", 2024) for path in ("/login", "/enter")]
    return [*both(copy, kept), *own, *twice, (copy, "/account", "login required", 2024)]


@case
def another_copy(copy, kept):
    return [*both(copy, kept), ("g.org", "/d/0", "d0", 2024)]


@case
def two_schemes(copy, kept):
    pages = both(copy, kept)
    return [*pages, *((f"{host}:8080", p, c, y) for host, p, c, y in pages if host == copy)]


@case
def older_captures(copy, kept):
    """A news page that is a soft 404 now; pages that moved, and that stand at several paths."""
    older = [(copy, "/d/0", "news of 2015", 2015), (copy, "/d/1", "d1", 2015)]
    older += [(copy, "/d/3", "old", 2015), (kept, "/d/4", "old", 2015)]
    there = [(host, "/d/2", "d2 of 2015", 2015) for host in (copy, kept)]
    moved = [(copy, "/old", "moved", 2024), (kept, "/new", "moved", 2024)]
    gone = [(host, f"/gone/{n}", "gone", 2024) for host in (copy, kept) for n in range(3)]
    return [*both(copy, kept), *older, *there, *moved, *gone, (copy, "/gone/9", "gone", 2024)]


@case_in_one_file
def older_in_one_file(copy, kept):
    return older_captures(copy, kept)


@case
def in_a_folder(copy, kept):
    inside = [(kept, f"/pub/copy/d/{n}", f"d{n}", 2024) for n in range(12)]
    own = [(kept, f"/own/{n}", f"own{n}", 2024) for n in range(9)]
    return [*both(copy, kept)[:12], *inside, *own]


def moved(copy: str, kept: str, n: int) -> Captures:
    """Twelve pages at the same paths, and so many at others."""
    there = [
        (h, f"{at}/{k}", f"e{k}", 2024) for h, at in ((copy, "/e"), (kept, "/f")) for k in range(n)
    ]
    return [*both(copy, kept), *there]


@case
def half_moved(copy, kept):
    return moved(copy, kept, 12)


@case
def most_moved(copy, kept):
    return moved(copy, kept, 13)


STAY = ("www.a.org", "www2.a.org", "b.org", "wwwx.c.org", "sub.c.org", "www.e.org")
GO = ("www3.a.org", "www-42.b.org", "www3.c.org", "d.org")


@case
def names_that_fold(_, kept):
    pages = [(host, f"/{n}", f"{host}{n}", 2024) for host in STAY for n in range(3)]
    return [*pages, *((host, "/d/1", "d1", 2024) for host in (*GO, kept))]


APART = {"www.{}": "{}", "www.x.org": "{}", "www2.x.org": "y.org", "www.z.org": "{}", "z.org": "{}"}
"""Names that go, by the one that is kept for each."""


@case
def names_that_go_apart(_, kept):
    go = (host.format(kept) for host in APART)
    return [(host, "/d/1", "d1", 2024) for host in (*go, kept, "y.org")]


ODD = ["my_shop.example.com", "-a.example.com", "b-.example.com", "x--y.example.com"]


@case
def no_match_patterns(_, kept):
    return [(host, f"/{n}", f"d{n}", 2024) for host in (*ODD, kept) for n in range(3)]
