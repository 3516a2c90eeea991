"""Charts as static SVG inside the page: Vega-Lite draws them when the report is written, not when
it is read.

Why static: the page then needs no library of a megabyte, works where scripts are forbidden (mail,
artefact viewers, a strict content security policy), prints as it looks, and is the same bytes each
time. What a reader would miss is kept: each mark carries its numbers in ``data-tip`` (a few lines
of script show them), each series is a class of its own (check boxes hide it, in CSS alone), and
colours are CSS variables (light, dark, print).

Invariant: no text reaches the SVG unescaped (it is parsed and written again as XML), no two
charts share an id.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from replicadb.errors import UsageError
from replicadb.report.safe_text import clean

VEGA_LITE = "5.20"
"""The version that draws; pinned, so that an update of the library does not change the page."""

WIDTH, HEIGHT = 250, 190
"""Of one panel in pixels, axes not counted: three abreast on a desk, one on a phone."""

FONT = "Liberation Sans, Arimo, Arial, Helvetica, sans-serif"
"""The first comes with vl-convert and measures as Arial does, so the layout is the same on any
machine.
"""

CONFIG = {
    "font": FONT,
    "background": None,
    "aria": False,
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink2)",
        "titleColor": "var(--ink)",
        "gridColor": "var(--grid)",
        "domainColor": "var(--axis)",
        "tickColor": "var(--axis)",
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 6,
        "tickSize": 4,
        "labelFlush": False,
        "labelOverlap": True,
    },
    "line": {"strokeWidth": 2, "strokeJoin": "round"},
}

_SVG = "{http://www.w3.org/2000/svg}"
_KEPT = {
    "d",
    "transform",
    "x",
    "y",
    "x1",
    "x2",
    "y1",
    "y2",
    "width",
    "height",
    "viewBox",
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-opacity",
    "opacity",
    "text-anchor",
    "font-size",
    "font-style",
    "class",
    "clip-path",
    "id",
    "data-tip",
}
_GEOMETRY = {"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"}


def library() -> Any:
    """vl-convert, imported when first needed.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise UsageError(
            "the report's charts need a library that is not installed: pip install"
            " 'replicadb[report]'"
        ) from error
    return vl_convert


def axis(title: str, **more: Any) -> dict[str, Any]:
    """A Vega-Lite axis; ``title`` is plain text."""
    return {"title": clean(title), "aria": False} | more


PLAIN = "datum.value < 1000 ? toString(datum.value) : format(datum.value, '~s')"
"""Labels of a logarithmic axis: 0.001, 1, 100, 10k."""


def log_scale(low: float, high: float, title: str) -> dict[str, Any]:
    """Scale and axis of a logarithmic channel, ticks at the powers of ten.

    Args:
        low, high: the data's bounds, above 0; the domain is widened to a little beyond.
    """
    powers = [10.0**k for k in range(-12, 16) if low * 0.999 <= 10.0**k <= high * 1.001]
    if len(powers) < 2:  # less than a decade: its bounds say more
        powers = sorted({*powers, low, high})
    return {
        "type": "quantitative",
        "scale": {"type": "log", "domain": [low, high], "nice": False, "clamp": True},
        "axis": axis(
            title,
            values=powers,
            labelExpr=PLAIN,
            labelOverlap="greedy" if len(powers) > 2 else False,
        ),
    }


def linear_scale(low: float, high: float, title: str, format: str = "~g") -> dict[str, Any]:
    """Scale and axis of a linear channel."""
    return {
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False, "clamp": True, "zero": False},
        "axis": axis(title, format=format, tickCount=5),
    }


def layer(
    name: str,
    mark: dict[str, Any],
    values: list[dict[str, Any]],
    x: dict[str, Any],
    y: dict[str, Any],
    tips: bool = False,
    **channels: Any,
) -> dict[str, Any]:
    """One layer: a mark over values with the fields x and y (and tip, where ``tips``); ``name``
    becomes its class.
    """
    encoding = {"x": x | {"field": "x"}, "y": y | {"field": "y"}} | channels
    if tips:
        encoding["description"] = {"field": "tip"}
    return {
        "name": name,
        "data": {"values": values},
        "mark": mark | {"aria": tips},
        "encoding": encoding,
    }


def hover_points(
    name: str, values: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any], color: str
) -> dict[str, Any]:
    """Points that are seen only under the pointer, where they show their numbers."""
    return layer(
        name,
        {"type": "point", "filled": True, "size": 70, "color": color, "opacity": 0},
        values,
        x,
        y,
        tips=True,
    )


def draw(
    layers: list[dict[str, Any]], number: int, title: str, width: int = WIDTH, height: int = HEIGHT
) -> str:
    """One chart as an ``<svg>`` element.

    Args:
        layers: Vega-Lite layers; at least one.
        number: of the chart in the page; makes its ids its own.
        title: what a person who cannot see it reads or hears.

    Raises:
        UsageError: the library is not installed.
    """
    # Names must be distinct.
    layers = [one | {"name": f"{one['name']}__{i}"} for i, one in enumerate(layers)]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": width,
        "height": height,
        "config": CONFIG,
        "layer": layers,
    }
    return _rewritten(library().vegalite_to_svg(spec, vl_version=VEGA_LITE), number, title)


def _rewritten(svg: str, number: int, title: str) -> str:
    """The library's SVG without what the page does not need, its ids made unique, under a title of
    its own.
    """
    root = ElementTree.fromstring(svg)
    # The library counts on from chart to chart.
    found = (value for element in root.iter() if (value := element.get("id")))
    ids = {one: f"c{number}-{i}" for i, one in enumerate(found)}
    for element in root.iter():
        _strip(element, ids)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("display") == "none" or (child.tag == "path" and not child.get("d")):
                parent.remove(child)
    root.attrib = {
        **{name: root.attrib[name] for name in ("viewBox", "width", "height")},
        "role": "img",
        "aria-label": clean(title, 2000),
    }
    for element in root.iter():
        element.attrib.pop("display", None)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


def _strip(element: ElementTree.Element, ids: dict[str, str]) -> None:
    element.tag = element.tag.removeprefix(_SVG)
    role, tip = element.get("aria-roledescription"), element.get("aria-label")
    if tip is not None and role not in (None, "axis", "group mark container"):
        element.set("data-tip", tip)
    marks = re.findall(r"(\S+)__\d+_marks", element.get("class", ""))
    hidden = element.get("display")
    for key in list(element.attrib):
        value = element.attrib[key]
        if key not in _KEPT or (key in ("opacity", "fill-opacity") and value == "1"):
            del element.attrib[key]
        elif key in _GEOMETRY:
            element.set(
                key,
                re.sub(r"\d+\.\d{2,}", lambda m: f"{float(m[0]):.1f}".removesuffix(".0"), value),
            )
        elif key == "id":
            element.set(key, ids[value])
        elif key == "clip-path":
            element.set(key, f"url(#{ids[value.removeprefix('url(#').removesuffix(')')]})")
    element.attrib.pop("class", None)
    if marks:
        element.set("class", " ".join(marks))
    if hidden:
        element.set("display", hidden)
