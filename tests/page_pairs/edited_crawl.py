"""A small crawl of pages and their edited copies, with pairs of known label."""

from __future__ import annotations

WORDS = [
    a + b
    for a in "ban cor del fim gar hol jux kip lam mon".split()
    for b in "a e i o u ar er ir or ur al el il ol ul an en in on un".split()
]


def crawl(random, contents=20):
    """Pages of three sites; of each content an original, a copy with an advertisement, and a
    neighbour in the same template.
    """
    made, rows = [], []
    menu = ["Home News Contact", "All rights reserved by the owner of this site"]
    for i in range(contents):
        text, other = ([" ".join(random.choice(WORDS, 15)) for _ in range(8)] for _ in range(2))
        urls = [
            f"http://www.a{i}.com/p{i}",
            f"http://copy{i}.net/p{i}",
            f"http://www.a{i}.com/q{i}",
        ]
        for url, lines in zip(
            urls,
            (
                [*menu, *text],
                [*menu, *text[:4], " ".join(random.choice(WORDS, 20)), *text[4:]],
                [*menu, *other],
            ),
            strict=True,
        ):
            made.append(
                {
                    "url": url,
                    "title": f"Title {i}",
                    "text": "\n".join(lines),
                    "main_text": "\n".join(lines[2:]),
                    "headings": f"Heading {i}",
                    "body": "<html>" + "".join(f"<p>{line}</p>" for line in lines),
                    "length": 1000,
                }
            )
        rows += [
            (urls[0], urls[1], "duplicate", " ".join(text[0].split()[:2])),
            (urls[0], urls[2], "not", " ".join(text[0].split()[:2])),
        ]
    return made, rows
