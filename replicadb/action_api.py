"""The part of :class:`replicadb.ReplicaDB` for who acts on what was found: the copies of one site,
lists that other tools take, and what to look at again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replicadb.errors import UsageError
from replicadb.export import writers
from replicadb.result_api import ResultMethods
from replicadb.store.own_sources import refuse_source

if TYPE_CHECKING:
    import polars as pl

    from replicadb.explanation.copy_lists import CopyList
    from replicadb.export.tool_lists import ToolList
    from replicadb.host_names.aliases import AliasAudit, AliasCost
    from replicadb.host_names.name_families import Families
    from replicadb.host_names.wildcards import Wildcards


class ActionMethods(ResultMethods):
    """What people do with replicas; a base of :class:`replicadb.ReplicaDB`."""

    def copies_of(self, host: str, *, unlikely: bool = False) -> dict[str, Any]:
        """The copies of a host, as :func:`replicadb.explanation.copies.copies_of` has them.

        Args:
            host: in any spelling.
            unlikely: every host that shares something with it, too.

        Raises:
            DataError: an unknown host, with the nearest names, or no detection yet.
        """
        from replicadb.explanation import copies_of

        return next(copies_of(self.database, [host], unlikely))

    def export_copies(
        self,
        out: str | Path,
        *hosts: str,
        name: str | None = None,
        unlikely: bool = False,
        min_probability: float | None = None,
        format: str | None = None,
    ) -> CopyList:
        """Write the copies of hosts, as a table or as a list that another tool takes; returns what
        is in it.

        Args:
            hosts: in any spelling.
            name: a list of :data:`replicadb.export.list_formats.FORMATS`; None = a table.
            unlikely: every host that shares something with them, too (of a table).
            min_probability: only copies as probable; a list has those not flagged, too.
            format: None goes by the ending.

        Raises:
            DataError: an unknown host, no detection yet, or the file cannot be written.
                UsageError: no host, an unknown list or format, or a probability that is none, or
                that no pair has after method paper.
        """
        from replicadb.explanation.copy_lists import write_copies

        if not hosts:
            raise UsageError("no host given whose copies to write")
        if min_probability is not None and not 0 <= min_probability <= 1:
            raise UsageError(f"--min-probability must be from 0 to 1, not {min_probability}")
        if min_probability is not None:
            self._need_probabilities("or leave out --min-probability")
        refuse_source(self.database, out)
        return write_copies(self.database, hosts, str(out), name, unlikely, min_probability, format)

    def watch(self, *hosts: str, remember: bool = True) -> list[dict[str, Any]]:
        """What is new about the copies of hosts since they were last reported, as
        :func:`replicadb.explanation.watch.watch` has it.

        Args:
            hosts: in any spelling; none = those watched before.
            remember: what is reported is not reported again.

        Raises:
            DataError: an unknown host, with the nearest names, or no detection yet. UsageError: no
                host given, and none watched.
        """
        from replicadb.explanation import watch

        return watch(self.database, hosts, remember)

    def stop_watching(self, *hosts: str) -> list[str]:
        """Watch these hosts no more; returns their names.

        Args:
            hosts: in any spelling, whether they are still in the crawl or not.

        Raises:
            UsageError: no host given. DataError: one that is not watched, with those that are; then
                all stay.
        """
        from replicadb.explanation import stop_watching

        return stop_watching(self.database, hosts)

    def recheck(
        self,
        *,
        days: int | None = None,
        pages: int | None = None,
        at: str | date | None = None,
    ) -> pl.DataFrame:
        """The URLs to fetch first of dropped hosts due for another look, as
        :func:`replicadb.export.recheck.recheck` has them.

        Args:
            days: a host is due so many days after its newest capture (70).
            pages: so many URLs a host at most (3).
            at: the time to count from, ISO 8601; None = now.

        Raises:
            DataError: detect has not run. UsageError: a number below 0, or a time that is none.
        """
        from replicadb.export.recheck import recheck

        self._need_ranking()
        return writers.as_frame(recheck(self.database, days, pages, at))

    def aliases(
        self,
        host: str | None = None,
        *,
        max_pages: int | None = None,
        announce: Callable[[AliasCost], None] | None = None,
    ) -> AliasAudit:
        """Audit names that tools fold by rule, and replicas that no rule folds, as
        :func:`replicadb.host_names.aliases.audit` has them. Needs no detection, and says more
        after one.

        Args:
            host: only the names of this host, in any spelling.
            max_pages: refuse to read more (200 million); 0 is no limit.
            announce: called with the cost before the work.

        Raises:
            DataError: nothing is loaded, an unknown host with the nearest names, or --site host+1.
                LimitError: more pages. UsageError: ``max_pages`` is no number of pages.
        """
        from replicadb.host_names.aliases import audit

        return audit(self.database, host, max_pages, announce or (lambda cost: None))

    def families(
        self,
        host: str | None = None,
        *,
        min_hosts: int | None = None,
        max_error: float | None = None,
        announce: Callable[[int, int], None] | None = None,
    ) -> Families:
        """Find patterns ``*.name`` whose hosts are copies of one host, as
        :func:`replicadb.host_names.name_families.families` has them.

        Args:
            host: only the families of this host, in any spelling.
            min_hosts: copies below a name from which it is a family (5).
            max_error: the share of its hosts that may be no copies, at most (.1).
            announce: called with hosts and rows before the work.

        Raises:
            DataError: detect has not run, an unknown host with the nearest names, or sites that are
                no hosts. UsageError: a number out of range.
        """
        from replicadb.host_names.name_families import families

        return families(
            self.database, host, min_hosts, max_error, announce or (lambda hosts, places: None)
        )

    def wildcards(
        self,
        host: str | None = None,
        *,
        min_hosts: int | None = None,
        max_error: float | None = None,
        announce: Callable[[int, int], None] | None = None,
    ) -> Wildcards:
        """Find patterns ``*.name`` whose hosts answer as one site, as
        :func:`replicadb.host_names.wildcards.wildcards` has them; before a detection or after one.

        Args:
            host: only the wildcards of this host or pattern, in any spelling.
            min_hosts: alike hosts below a name from which it is a wildcard (5).
            max_error: the share of compared hosts that may be exceptions, at most (.1).
            announce: called with hosts and rows of pages before these are read.

        Raises:
            DataError: nothing is loaded, an unknown host with the nearest names, or sites that are
                no hosts. UsageError: a number out of range.
        """
        from replicadb.host_names.wildcards import wildcards

        return wildcards(
            self.database, host, min_hosts, max_error, announce or (lambda hosts, rows: None)
        )

    def export_list(
        self,
        out: str | Path,
        name: str,
        *,
        top: int | None = None,
        min_probability: float | None = None,
        min_score: float | None = None,
        format: str | None = None,
    ) -> ToolList:
        """Write the hosts to drop as a list that another tool takes; returns what is in it and what
        it saves.

        Args:
            name: of :data:`replicadb.export.list_formats.FORMATS`: nutch-host, surt, ublock ...
            top, min_probability, min_score: as for ``export``.
            format: of urls and cc-annotation, which are tables; None goes by the ending.

        Raises:
            DataError: detect has not run, or the file cannot be written. UsageError: an unknown
                list or option.
        """
        from replicadb.export.tool_lists import write_list

        refuse_source(self.database, out)
        query, parameters = self._chosen("hosts", top, min_score, False, min_probability)
        return write_list(self.database, query, parameters, str(out), name, format)
