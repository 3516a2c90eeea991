"""The lists that other tools take, a row each: what goes into it and where its form is documented.

Invariant: a list says a host name only as that very host. A name that a form cannot say (``needs``)
is left out and reported, since a list that is obeyed must not reach further than meant.
"""

from __future__ import annotations

from typing import NamedTuple

NAME = "Copies of websites found by replicadb"


class ListFormat(NamedTuple):
    """A form of list."""

    name: str
    """As ``export --as`` takes it."""
    documented: str
    """Where the tool's makers describe the form."""
    needs: str = "plain"
    """Which names it can say: plain, named (no address), key (of which no host stays), alone (the
    same, of any characters), annotated (the same, but all are said), folded (which HTTrack takes
    for no host that goes elsewhere), printable or any (sql/export/10_dropped_names.sql).
    """
    says_kept: bool = False
    """Whether it also says the name of the kept host, which must have such a name then. An
    explanation behind a name does not count.
    """
    same_paths: bool = False
    """Whether it sends a host's paths to the same paths of the kept one. Then it has no host whose
    pages stand at other paths there.
    """
    keeps_port: bool = False
    """Whether it sends a port to the same port of the kept host, rather than to its scheme's."""
    blocks: bool = False
    """Whether what it names is not seen any more."""
    stem: str = "20_list_lines"
    """The file of sql/export that has its statement."""
    is_table: bool = False
    """Whether its rows have columns rather than being lines."""
    of_pages: bool = False
    """Whether its rows are pages, each with the one of its content."""
    by_key: bool = False
    """Whether its pages are known there by keys that several URLs may have."""
    called: tuple[str, ...] = ()
    """Other names that people try for it, those of tools among them."""
    head: tuple[str, ...] = ()
    """Lines before, which the tool takes for comments or for the list's own data."""
    tail: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The statement of its rows."""
        return self.name.replace("-", "_")


TABLES = "30_list_tables"
FORMATS = (
    ListFormat(
        "nutch-host",
        "https://github.com/apache/nutch/tree/master/src/plugin/urlnormalizer-host",
        says_kept=True,
        same_paths=True,
        keeps_port=True,
        called=("nutch",),
        head=(f"# {NAME}",),
    ),
    ListFormat(
        "nutch-regex",
        "https://github.com/apache/nutch/blob/master/conf/regex-normalize.xml.template",
        needs="printable",
        says_kept=True,
        same_paths=True,
        keeps_port=True,
        head=('<?xml version="1.0" encoding="UTF-8"?>', "<regex-normalize>"),
        tail=("</regex-normalize>",),
    ),
    ListFormat(
        "httrack",
        "https://github.com/xroche/httrack/pull/1156",
        needs="folded",
        says_kept=True,
        same_paths=True,
    ),
    ListFormat(
        "httrack-filter",
        "https://www.httrack.com/html/filters.html",
    ),
    ListFormat(
        "redirect-map-nginx",
        "https://nginx.org/en/docs/http/ngx_http_map_module.html",
        says_kept=True,
        same_paths=True,
        called=("nginx",),
        head=(f"# {NAME}",),
    ),
    ListFormat(
        "redirect-map-apache",
        "https://httpd.apache.org/docs/current/rewrite/rewritemap.html#txt",
        says_kept=True,
        same_paths=True,
        called=("apache", "httpd"),
        head=(f"# {NAME}",),
    ),
    ListFormat(
        "surt",
        "https://heritrix.readthedocs.io/en/latest/bean-reference.html",
        called=("heritrix",),
        head=(f"# {NAME}",),
    ),
    ListFormat(
        "pywb",
        "https://pywb.readthedocs.io/en/latest/manual/access-control.html",
        needs="key",
        called=("wayback",),
    ),
    ListFormat(
        "outbackcdx",
        "https://github.com/nla/outbackcdx#canonicalisation-aliases",
        needs="alone",
        stem=TABLES,
        of_pages=True,
        by_key=True,
        called=("cdx",),
    ),
    ListFormat(
        "ublock",
        "https://github.com/gorhill/uBlock/wiki/Static-filter-syntax",
        blocks=True,
        called=("adguard", "adblock", "brave"),
        head=(f"! Title: {NAME}",),
    ),
    ListFormat(
        "ublacklist",
        "https://ublacklist.github.io/docs/advanced-features",
        blocks=True,
        head=("---", f"name: {NAME}", "---"),
    ),
    ListFormat(
        "hosts",
        "https://man7.org/linux/man-pages/man5/hosts.5.html",
        needs="named",
        blocks=True,
        called=("pihole", "pi-hole", "dnsmasq"),
        head=(f"# {NAME}",),
    ),
    ListFormat(
        "cc-annotation",
        "https://github.com/commoncrawl/cc-index-annotations/blob/main/docs/yaml-reference.md",
        needs="annotated",
        says_kept=True,
        stem=TABLES,
        is_table=True,
        called=("commoncrawl",),
    ),
    ListFormat(
        "urls",
        "https://duckdb.org/docs/stable/sql/query_syntax/from.html",
        needs="any",
        stem=TABLES,
        is_table=True,
        of_pages=True,
    ),
)
BY_NAME = {format.name: format for format in FORMATS}
MEANT = {name: format.name for format in FORMATS for name in format.called}
NAMES = ", ".join(BY_NAME)
JOIN = """# For annotate.py of commoncrawl/cc-index-annotations, with a left and an action YAML.
# replica_drop: every host name of the key is a copy of replica_canonical and can go.
table:
  source:
    url: {url}
    format: {source}
right_columns:
  - replica_canonical
  - replica_group
  - replica_probability
  - replica_drop
join_columns:
  - surt_host_name
"""
"""The YAML that joins a cc-annotation; ``url`` is a JSON text, which YAML takes as it is."""
SOURCES = {
    "parquet": "parquet",
    "csv": 'csv\n    options:\n      header: true\n      delim: ","',
}
"""Formats of a cc-annotation, and what its YAML says of each; keys have commas, so nobody is to
guess what sets columns apart.
"""
