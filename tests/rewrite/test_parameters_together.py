"""Parameters that stand together on every URL, as utm_source and utm_medium: none of them alone
makes two URLs one.
"""

from __future__ import annotations

from tests.rewrite.crawls import PAGES, loaded, pages, rules_of, with_and_without


def learned(web, write, rows) -> set[tuple[str, str | None, str, int]]:
    rules = rules_of(loaded(web, write, rows)).rules
    return {(rule.kind, rule.host, rule.name, rule.support) for rule in rules}


def test_parameters_that_always_stand_together_go_together(web, write):
    """No rule was learned of them."""
    rows = with_and_without("a.example", pages("p"), "?ua=1&ub=2")
    rows += with_and_without("a.example", pages("q", 2), "?uc=1")
    n = len(PAGES)
    assert learned(web, write, rows) == {
        ("param", "a.example", "ua", n),
        ("param", "a.example", "ub", n),
        ("param", "a.example", "uc", 2),
    }


def test_what_goes_alone_speaks_for_itself(web, write):
    rows = with_and_without("a.example", pages("p"), "?xa=1&xb=2")
    rows += [(f"http://a.example/p{i}?xa=1", f"a.example/p{i}") for i in range(3)]
    assert learned(web, write, rows) == {
        ("param", "a.example", "xa", 3),
        ("param", "a.example", "xb", 3),
    }


def test_parameters_of_which_one_matters_or_few_pages_speak_stay(web, write):
    rows = with_and_without("matter.example", pages("p"), "?va=1&vb=2")
    rows += [("http://matter.example/p3?va=1", "apart")]
    rows += with_and_without("few.example", pages("p", 5), "?wa=1&wb=2")
    assert learned(web, write, rows) == set()


def test_three_hosts_speak_for_any(web, write):
    rows = [
        row
        for name in "abc"
        for row in with_and_without(f"{name}.example", pages(name), "?sa=1&sb=2&sc=3")
    ]
    n = 3 * len(PAGES)
    assert learned(web, write, rows) == {("param", None, name, n) for name in ("sa", "sb", "sc")}
