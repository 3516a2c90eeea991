"""What makes two copies of a page differ: advertisements, dates, counters, notices, banners,
frames, stubs.

Invariant: nothing of it changes the page's own content.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from replicadb.synthetic.pages.language import Voice, draw_words, phrase, sentences, voice
from replicadb.synthetic.pages.main_texts import date
from replicadb.synthetic.pages.page_sites import Edit, Site


def noise(rng: np.random.Generator, site: Site, query: list[str]) -> Edit:
    """What differs at every fetch: a small advertisement or two, a date."""
    ads, script = ad_blocks(
        rng, site, int(rng.integers(0, 3)), (6, 20), query if rng.random() < 0.3 else []
    )
    return Edit(ads=ads, script=script, stamp=stamp(rng, site) if rng.random() < 0.7 else "")


def stamp(rng: np.random.Generator, site: Site) -> str:
    """A date, a time, how long the page took, how many have seen it."""
    speaker = voice(rng, site.language, draw_words(rng, site.language, 10))
    return (
        f"{phrase(rng, speaker, 1)}: {date(rng)} - {rng.integers(1, 99999)}"
        f" {phrase(rng, speaker, 1)} - 0.{rng.integers(100, 999)} s"
    )


def ad_blocks(
    rng: np.random.Generator, site: Site, n: int, words: tuple[int, int], query: list[str]
) -> tuple[list[str], str]:
    """n blocks of advertisement, some of them matched to the query, and their script in
    the head.
    """
    blocks = []
    for _ in range(n):
        speaker = voice(
            rng, site.language, draw_words(rng, site.language, 10), (0.15, 0.55, 0.10, 0.20)
        )
        text = " ".join(sentences(rng, speaker, int(rng.integers(*words))))
        text = site.language.space.join([*query, text]) if rng.random() < 0.35 else text
        host = f"ads{rng.integers(1, 99)}.example"
        blocks.append(
            f'<a href="http://{host}/click?{rng.integers(1 << 30):x}">{phrase(rng, speaker, 3)}</a>'
            f" <span>{text}</span>"
        )
    script = "".join(
        f"<script>var ad{i}_{rng.integers(1 << 30):x} ="
        f" '{rng.integers(1 << 60):x}{rng.integers(1 << 60):x}';</script>\n"
        for i in range(n)
    )
    return blocks, script


def legal_notice(rng: np.random.Generator, site: Site, n: int) -> str:
    """Another legal notice, of about n words."""
    return " ".join(
        sentences(
            rng,
            voice(rng, site.language, draw_words(rng, site.language, 20), (0.3, 0.35, 0.15, 0.2)),
            n,
        )
    )


def session(rng: np.random.Generator, html: str) -> str:
    """A session's number in every link."""
    number = f"{rng.integers(1 << 60):x}"
    return re.sub(r'\.html"', f'.html;jsessionid={number}"', html)


def archived(
    rng: np.random.Generator, site: Site, html: str, archive: Site
) -> tuple[Callable[[str], str], str]:
    """The copy in an archive: its banner, its scripts, every link rewritten.

    Returns:
        What rewrites a URL or a text, and the archive's page.
    """
    time = re.sub(r"\D", "", date(rng)) + "00"
    there: Callable[[str], str] = lambda text: text.replace(
        site.base + "/", f"{archive.base}/web/{time}/{site.base}/"
    )
    speaker = voice(rng, archive.language, draw_words(rng, archive.language, 10))
    banner = (
        f'<div id="archive-banner">{archive.before[:1500].rpartition(">")[0]}></div>'
        f"<p>{archive.name} {time} - {phrase(rng, speaker, 25)}</p></div>\n"
    )
    html = there(html)
    html = html.replace("<title>", f"<title>{archive.name}: ", 1) if rng.random() < 0.2 else html
    head, mark, body = html.partition("<body")
    tag, close, rest = body.partition(">")
    scripts = archive.head[: 600 + int(rng.integers(2500))].rpartition("<")[0]
    head = head.replace("<title>", f"<!-- {archive.host} {time} -->\n<title>", 1)
    head = head.replace("</head>", f"<!-- {_comment(scripts)} -->\n</head>", 1)
    return there, head + mark + tag + close + banner + rest


def _comment(text: str) -> str:
    return text.replace("--", "").replace("<", "(").replace(">", ")")


def stub(rng: np.random.Generator, speaker: Voice) -> str:
    """What a page that leads elsewhere shows to those that do not follow: nothing, a link's text,
    or stuffed keywords.
    """
    way = rng.random()
    if way < 0.3:
        return ""
    if way < 0.5:
        return f"<p>{phrase(rng, speaker, 5)}</p>"
    heading = phrase(rng, speaker, 4)
    stuffing = " ".join(sentences(rng, speaker, int(rng.integers(40, 200))))
    return f"<h1>{heading}</h1>\n<p>{stuffing}</p>"
