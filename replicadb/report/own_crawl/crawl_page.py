"""The page of ``replicadb report``: what was loaded, what was found, and why.

Invariant: the page asks for nothing from outside (``page_frame``); what a crawl wrote stands in it
as text, escaped in HTML and set as text by the script; the same findings give the same bytes.
"""

from __future__ import annotations

import itertools
from typing import Any

from replicadb.report.crawl_sections import figure_3, figure_4
from replicadb.report.own_crawl.groups_section import groups_section
from replicadb.report.own_crawl.loaded_section import loaded_section
from replicadb.report.own_crawl.overview import drops_section, headline
from replicadb.report.own_crawl.published_section import published_section
from replicadb.report.own_crawl.ranking_section import page_data, ranking_section
from replicadb.report.own_crawl.runs_section import runs_section
from replicadb.report.own_crawl.strength_section import strength_section
from replicadb.report.page_frame import Section, frame

FLAGGED = "flagged pairs"


def render(findings: dict[str, Any], inventory: dict[str, Any]) -> str:
    """The whole page.

    Args:
        findings: of :func:`replicadb.findings.collect`, with ``replicadb`` and ``made_at``.
        inventory: of :func:`replicadb.inventory.inventory`.

    Raises:
        UsageError: the extra ``report`` is not installed.
    """
    numbers = itertools.count(1)
    figures, detected = findings["figures"], findings["detected"]
    sections: list[Section] = [
        ("loaded", "Loaded and left out", loaded_section(inventory, findings))
    ]
    if detected:
        sections += [
            ("drops", "Hosts to drop", drops_section(findings, inventory["database"])),
            ("ranking", "Ranking", ranking_section(findings, inventory["database"])),
            ("groups", "Groups", groups_section(findings["groups"])),
            ("strengths", "Strengths and thresholds", strength_section(findings, numbers)),
        ]
        if findings["strengths"]["plane"]:
            learned = published_section(findings["strengths"], numbers)
            sections.append(("published", "What PU and NU data taught", learned))
        sections += [
            ("figure-3", "Duplicates in this crawl", figure_3(figures, numbers)),
            ("figure-4", "Replicas in this crawl", figure_4(figures, numbers, FLAGGED)),
        ]
    sections += [("runs", "Settings and commands", runs_section(inventory, findings["runs"]))]
    if detected:
        sections.append(("terms", "Terms", TERMS))
    name = inventory["database"]
    return frame(
        f"Website replicas in {name}",
        headline(findings, inventory),
        sections,
        findings,
        more=("own_crawl",),
        data=page_data(findings) if detected else None,
    )


TERMS = """<dl class="terms">
<dt>Candidate pair</dt><dd>Two hosts that have something in common, as a rule a page of identical \
content. All others were never compared.</dd>
<dt>Strength</dt><dd>Method robust: log odds, the sum of what each piece of evidence adds; pairs \
are ranked by it. Method paper: the mean of both likelihoods; pairs are ranked by their score, the \
share of candidates that they dominate (at least as likely by both, likelier by one).</dd>
<dt>Probability</dt><dd>Of being replicas, as method robust estimates it. It is as good as this \
crawl resembles those that taught it.</dd>
<dt>Flagged</dt><dd>replicadb takes the two for replicas.</dd>
<dt>Kind</dt><dd>Replica; partial (one has much more than the other); version (same places, pages \
changed); translation; thin (too few known pages to tell).</dd>
<dt>Group</dt><dd>A host to keep and the hosts to drop for it, each flagged as a copy of it.</dd>
<dt>Held back</dt><dd>Flagged, and not dropped nevertheless: not likely enough, too little known, \
or too much would be lost.</dd>
<dt>Eight times in ten</dt><dd>So often the true number of replicas was in the range that is said \
with it, on generated crawls whose authors taught nothing. On farms it is too low.</dd>
<dt>Expected wrong</dt><dd>The sum of what is missing to probability 1 over the flagged \
pairs.</dd>
<dt>Published</dt><dd>Carvalho, de Moura, Veloso and Ziviani (2017), “Website replica detection \
with distant supervision”: another crawl, of 30 million URLs on 583,411 hosts.</dd>
</dl>
"""
