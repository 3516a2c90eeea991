"""docs/rewrite.md says what is so: every kind of rule and command is in it, and its code runs."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

from replicadb.rewrite import Rule, RuleSet
from replicadb.rewrite.rewrite_rules import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "rewrite.md").read_text("utf-8")


def test_every_kind_of_rule_is_explained():
    assert set(re.findall(r"\| `([a-z_]+)` \|", PAGE)) == set(KINDS)


def test_commands_on_the_page_are_there(cli):
    for command in set(re.findall(r"^replicadb rewrite ([a-z]+)", PAGE, re.M)):
        assert cli("rewrite", command, "--help").code == 0


def test_the_scrapy_class_sees_canonical_urls(tmp_path, monkeypatch):
    class Request:
        def __init__(self, url):
            self.url = url

        def replace(self, url):
            return Request(url)

    for name in ("scrapy", "scrapy.utils", "scrapy.utils.request"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["scrapy.utils.request"].fingerprint = lambda request: request.url.encode()
    monkeypatch.chdir(tmp_path)
    RuleSet((Rule("param", name="sid"),)).save("rules.json")
    code = re.search(r"```python\n(.+?)```", PAGE, re.S)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    there: dict = {}
    exec(code, there)
    assert (
        there["CanonicalUrls"]().fingerprint(Request("http://a.example/x?sid=1"))
        == b"http://a.example/x"
    )
