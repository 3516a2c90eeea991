"""Groups as small graphs: which host is kept, which are dropped, how strongly they are tied.

Invariant: a host stands in a picture by number and below it by name; a picture's texts are set
through the XML writer, never pasted.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from replicadb.report import table_html
from replicadb.report.safe_text import NOTHING, clean, count, esc, plural, rate

Row = dict[str, Any]
SHOWN = 12
"""Graphs that are seen without opening anything."""
EDGES = 120
"""Of a graph; the strongest, the bridges and those of the kept host."""
WIDTH, MARGIN = 320, 20
HEIGHTS = ((2, 70), (4, 160), (1_000, 250))
"""Of a picture of so many hosts at most."""
STYLES = {
    "keep": {"fill": "var(--s0)", "stroke": "var(--s0)"},
    "drop": {"fill": "var(--paper)", "stroke": "var(--s2)"},
    "outside": {"fill": "var(--paper)", "stroke": "var(--s5)", "stroke-dasharray": "3 2"},
}
LINES = ("var(--axis)", "var(--ink2)")
"""Of any two, and of one with the kept host."""
INK = {"keep": "var(--paper)", "drop": "var(--ink)", "outside": "var(--ink)"}
KEY = (
    '<p class="note"><span class="key b">●</span> kept, <span class="key o">○</span> dropped,'
    ' <span class="key">◌</span> outside of the group but flagged as a copy of a member. A line is'
    " a flagged pair, the wider the stronger; drawn stronger: with the kept host."
    ' <span class="key w">Amber</span>: a host or a pair'
    " that alone holds two halves together; look at those first.</p>\n"
)


def groups_section(groups: Row) -> str:
    """The graphs, those that something alone holds together first, and all groups in a table."""
    drawn = sorted(groups["drawn"], key=lambda group: not group["bridges"])
    if not drawn:
        return "<p>There is no group: nothing is to be dropped.</p>\n"
    held = sum(bool(group["bridges"]) for group in drawn)
    figures = [_figure(group) for group in drawn]
    largest = "The only group is" if len(drawn) == 1 else f"The {len(drawn)} largest groups are"
    hang = "hangs" if held == 1 else "hang"
    said = f"<p>{largest} drawn; <b>{held}</b> {hang} on one host or one pair alone.</p>\n"
    more = f'<div class="panels small">{"".join(figures[SHOWN:])}</div>' if figures[SHOWN:] else ""
    return (
        f'{said}{KEY}<div class="panels small">{"".join(figures[:SHOWN])}</div>\n'
        + table_html.details(f"{plural(len(figures[SHOWN:]), 'more group')} as graphs", more)
        + table_html.details("All groups", _listed(groups["listed"]))
    )


def _listed(groups: list[Row]) -> str:
    return table_html.table(
        "Groups, the largest first" + (f" ({len(groups):,} of them)" if len(groups) > 20 else ""),
        ["kept host", "hosts", "URLs"],
        [
            [f"<bdi>{esc(one['canonical_host'])}</bdi>", count(one["hosts"]), count(one["urls"])]
            for one in groups
        ],
        kind="facts",
    )


def _figure(group: Row) -> str:
    nodes, names = group["nodes"], [node["host"] for node in group["nodes"]]
    inside = sum(node["part"] != "outside" for node in nodes)
    left_out = group["hosts"] - inside
    bridges = "".join(
        f'<p class="bridge">{_bridge(one, names, left_out > 0)}</p>' for one in group["bridges"]
    )
    items = "".join(f"<li>{_member(node)}</li>" for node in nodes)
    more = f"<p>{plural(left_out, 'more host')} of the group.</p>" if left_out else ""
    return (
        f"<figure><h3><bdi>{esc(group['canonical_host'])}</bdi></h3>{_drawing(group)}"
        f"<figcaption>{plural(group['hosts'], 'host')}, {plural(group['urls'], 'URL')}"
        f"{f'; {count(inside)} of the hosts are drawn, with' if left_out else ','}"
        f" {plural(len(group['edges']), 'flagged pair')}{_left_out(group)}.{bridges}"
        f"<details><summary>the hosts by number</summary><ol>{items}</ol>{more}</details>"
        "</figcaption></figure>\n"
    )


def _edge_bridges(group: Row) -> list[list[int]]:
    return [sorted(one["nodes"]) for one in group["bridges"] if len(one["nodes"]) == 2]


def _shown_edges(group: Row) -> list[Row]:
    bridges = _edge_bridges(group)
    return [
        edge
        for place, edge in enumerate(group["edges"])  # the strongest first
        if place < EDGES or 0 in edge["ends"] or sorted(edge["ends"]) in bridges
    ]


def _left_out(group: Row) -> str:
    shown = len(_shown_edges(group))
    if shown == len(group["edges"]):
        return ""
    return f"; drawn are {count(shown)}, those of the kept host and the strongest"


def _bridge(bridge: Row, names: list[str], in_part: bool) -> str:
    """What it holds together; ``in_part`` where only some hosts of the group are drawn, since those
    that are not may tie the parts, too.
    """
    parts = " and ".join(count(size) for size in bridge["parts"][:4])
    hosts_drawn = "hosts drawn" if in_part else "hosts"
    hosts = [f"{at + 1} <bdi>{esc(names[at])}</bdi>" for at in bridge["nodes"]]
    if len(hosts) == 1:
        return f"Without {hosts[0]} it falls into parts of {parts} {hosts_drawn}."
    return f"{hosts[0]} and {hosts[1]} alone tie parts of {parts} {hosts_drawn}."


def stand(row: Row) -> str:
    """How many of a host's pages stand at the kept host, too; of how many nobody knows."""
    if row["pages"] is None:
        return NOTHING
    known = f"{count(row['elsewhere'])} of {count(row['pages'])}"
    return f"{known} ({count(row['not_compared'])} not known)" if row["not_compared"] else known


def _member(node: Row) -> str:
    facts = [plural(node["urls"], "URL")]
    if node["part"] == "keep":
        facts.insert(0, "<b>kept</b>")
    elif node["part"] == "drop":
        facts.insert(0, "dropped")
        if node["kept_because"]:
            facts.append(f"the kept one goes before: {esc(node['kept_because'])}")
        if node["pages"] is not None:
            facts.append(f"{stand(node)} pages there, too")
    elif node["held_back"]:
        facts.insert(0, f"stays: {esc(node['held_back'])}")
    elif node["canonical_host"] not in (None, node["host"]):
        facts.insert(0, f"dropped for <bdi>{esc(node['canonical_host'])}</bdi>")
    else:
        facts.insert(0, "stays")
    return f"<bdi>{esc(node['host'])}</bdi>: {', '.join(facts)}"


def _drawing(group: Row) -> str:
    nodes = group["nodes"]
    height = next(high for most, high in HEIGHTS if len(nodes) <= most)
    root = ElementTree.Element(
        "svg",
        {
            "viewBox": f"0 0 {WIDTH} {height}",
            "width": str(WIDTH),
            "height": str(height),
            "role": "img",
            "aria-label": clean(
                f"The group of {group['canonical_host']}: {len(nodes)} hosts,"
                f" {len(group['edges'])} flagged pairs; all of them stand below.",
                2000,
            ),
        },
    )
    at = [
        (
            round(MARGIN + node["x"] * (WIDTH - 2 * MARGIN), 1),
            round(MARGIN + node["y"] * (height - 2 * MARGIN), 1),
        )
        for node in nodes
    ]
    _draw_edges(root, group, at)
    alone = {one["nodes"][0] for one in group["bridges"] if len(one["nodes"]) == 1}
    for number, (node, (x, y)) in enumerate(zip(nodes, at, strict=True)):
        style = STYLES[node["part"]] | ({"stroke": "var(--warn)"} if number in alone else {})
        mark = {"cx": f"{x}", "cy": f"{y}", "r": "9", "stroke-width": "2.5"} | style
        words = {"keep": "kept", "drop": "dropped", "outside": "outside"}[node["part"]]
        mark["data-tip"] = clean(f"{number + 1} {node['host']}: {words}")
        ElementTree.SubElement(root, "circle", mark)
        label = {"x": f"{x}", "y": f"{y + 3.5}", "text-anchor": "middle", "font-size": "10"}
        ElementTree.SubElement(root, "text", label | {"fill": INK[node["part"]]}).text = str(
            number + 1
        )
    return ElementTree.tostring(root, encoding="unicode")


def _draw_edges(root: ElementTree.Element, group: Row, at: list[tuple[float, float]]) -> None:
    edges = group["edges"]
    shown, bridges = _shown_edges(group), _edge_bridges(group)
    known = [edge["strength"] for edge in edges if edge["strength"] is not None]
    low, high = (f(known, default=0.0) for f in (min, max))
    wide = 3.0 if len(shown) <= 40 else 1.4
    for edge in shown[::-1]:
        a, b = edge["ends"]
        strength = edge["strength"]
        weight = (strength - low) / (high - low) if high > low and strength is not None else 1.0
        said = "decided" if strength is None else f"strength {strength:.2f}"
        held = sorted(edge["ends"]) in bridges
        likely = "" if edge["probability"] is None else f", probability {rate(edge['probability'])}"
        ElementTree.SubElement(
            root,
            "line",
            {
                "x1": f"{at[a][0]}",
                "y1": f"{at[a][1]}",
                "x2": f"{at[b][0]}",
                "y2": f"{at[b][1]}",
                "stroke": "var(--warn)" if held else LINES[0 in edge["ends"]],
                "stroke-width": f"{0.7 + wide * weight + held:.1f}",
                "data-tip": f"{a + 1} and {b + 1}: {said}{likely}",
            },
        )
