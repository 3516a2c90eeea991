"""The markup of a page as it stands in the browser, its frames grafted in where they stand.

Invariant: read in a world of its own, whose built-ins no page's script has changed, and
synchronously, so that none runs in between; the innermost frames first. A frame's place takes the
content of its body; a frameset becomes plain blocks; what a browser does not show (noscript, and
what style sheets hide: display: none, visibility: hidden) goes, but for a page that is hidden as a
whole, whose script would have shown it; what scripts built (open shadow roots too) stays. Source:
multiple-signal paper, section 3.1 ("grafting their contents into the surrounding document").
"""

from __future__ import annotations

import asyncio
import html
import re
import secrets
from typing import Any

from replicadb.web.html_links import HTML_LIMIT

MOST_FRAMES = 100  # grafted into a page; more are left out
WORLD = "replicadb"

# The arguments: a mark, whether it is the page itself, a most of characters, and the elements that
# hold frames, in order.
SERIALISE = """function (mark, whole, most, ...owners) {
  const shown = (element) => {
    const roots = [...element.querySelectorAll('*')].map(e => e.shadowRoot).filter(r => r);
    if (!roots.length) return element.innerHTML;
    return element.getHTML({serializableShadowRoots: true, shadowRoots: roots})
      .replace(/<template shadowrootmode=[^>]*>/g, '<div>').replace(/<\\/template>/g, '</div>');
  };
  const blocks = (set) => [...set.children].map(e => {
    if (e.localName === 'frameset') return '<div>' + blocks(e) + '</div>';
    if (e.localName === 'frame') return '<div><!--' + mark + owners.indexOf(e) + '--></div>';
    return '';
  }).join('');
  const document = this;
  const body = document.body;
  const all = (root) => [...root.querySelectorAll('*')].flatMap(
    e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
  const style = (e) => document.defaultView.getComputedStyle(e);
  const veils = body && style(body).visibility === 'visible';
  const hidden = (e) => {
    if (!e.firstChild && !owners.includes(e)) return [];
    if (e.matches('script, style, template, title')) return [];
    const {display, visibility} = style(e);
    if (display === 'none') return [e];
    if (!veils || visibility === 'visible') return [];
    return owners.includes(e) ? [e] : [...e.childNodes].filter(n => n.nodeType === Node.TEXT_NODE);
  };
  // all of it first: what goes may decide how the rest looks
  const gone = body ? all(body).flatMap(hidden) : [];
  for (const e of [...gone, ...document.querySelectorAll('noscript')]) e.remove();
  owners.forEach((owner, i) => {
    if (owner.localName !== 'frame') owner.before(document.createComment(mark + i));
  });
  const inner = !body ? (document.documentElement ? document.documentElement.outerHTML : '')
    : body.localName === 'frameset' ? blocks(body) : shown(body);
  if (!whole) return {inner: inner.slice(0, most)};
  const quoted = (text) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
  const attributes = (e) => e
    ? [...e.attributes].map(a => ' ' + a.name + '="' + quoted(a.value) + '"').join('') : '';
  const head = document.head ? document.head.innerHTML : '';
  return {inner: inner.slice(0, most), title: document.title, head: head.slice(0, most),
          opens: '<html' + attributes(document.documentElement) + '><head>',
          body: '</head><body'
            + (body && body.localName !== 'frameset' ? attributes(body) : '') + '>'};
}"""


class Grafted:
    """A page's markup with its frames in it, its title, and the frames that were grafted."""

    def __init__(self) -> None:
        self.markup = ""
        self.title: str | None = None
        self.frames = 0
        self.until = 0.0


async def graft(session: Any, seconds: float) -> Grafted:
    """Read the page of a CDP session, with all of its frames.

    Args:
        session: playwright's CDPSession of a page whose scripts do not run away.
        seconds: for its frames; those that are not read by then are left out.

    Returns:
        The grafted markup; frames beyond MOST_FRAMES, and markup beyond HTML_LIMIT characters, are
        left out.
    """
    result, mark = Grafted(), f"frame-{secrets.token_hex(8)}-"
    result.until = asyncio.get_running_loop().time() + seconds
    tree = (await session.send("Page.getFrameTree"))["frameTree"]
    read = await _read(session, tree, mark, True, result)
    result.title = " ".join(read["title"].split()) or None
    result.markup = "".join(
        (
            "<!DOCTYPE html>",
            read["opens"],
            read["head"],
            read["body"],
            read["inner"],
            "</body></html>",
        )
    )[:HTML_LIMIT]
    return result


async def _read(
    session: Any, tree: dict[str, Any], mark: str, whole: bool, result: Grafted
) -> dict[str, str]:
    """What SERIALISE says of a frame, the frames in it grafted."""
    frame = tree["frame"]["id"]
    world = (
        await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
    )["executionContextId"]
    inside, owners = [], []
    for child in tree.get("childFrames", []):
        if result.frames >= MOST_FRAMES or asyncio.get_running_loop().time() > result.until:
            break
        try:
            node = (await session.send("DOM.getFrameOwner", {"frameId": child["frame"]["id"]}))[
                "backendNodeId"
            ]
            owner = await session.send(
                "DOM.resolveNode", {"backendNodeId": node, "executionContextId": world}
            )
            inner = (await _read(session, child, mark, False, result))["inner"]
        except Exception as error:
            if "closed" in str(error) or "crashed" in str(error):
                raise
            continue  # the frame has gone, or stands in nothing that shows it
        inside.append(inner)
        owners.append({"objectId": owner["object"]["objectId"]})
        result.frames += bool(inner)
    document = await session.send(
        "Runtime.evaluate", {"expression": "document", "contextId": world}
    )
    said = await session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": SERIALISE,
            "objectId": document["result"]["objectId"],
            "returnByValue": True,
            "arguments": [{"value": mark}, {"value": whole}, {"value": HTML_LIMIT}, *owners],
        },
    )
    if "exceptionDetails" in said:
        raise ValueError(
            said["exceptionDetails"]
            .get("exception", {})
            .get("description", "the page could not be read")
        )
    read: dict[str, str] = said["result"]["value"]
    read["inner"] = _placed(
        read["inner"],
        mark,
        inside,
        [child["frame"]["url"] for child in tree.get("childFrames", [])],
    )
    return read


def _placed(markup: str, mark: str, inside: list[str], urls: list[str]) -> str:
    """Markup with each mark, and the iframe behind it, replaced by the content of its frame."""

    def content(found: re.Match[str]) -> str:
        number = int(found[1])
        return f'<div data-frame="{html.escape(urls[number])}">{inside[number]}</div>'

    return re.sub(
        rf"<!--{mark}(\d+)-->(?:<iframe\b.*?</iframe>)?", content, markup, flags=re.DOTALL
    )
