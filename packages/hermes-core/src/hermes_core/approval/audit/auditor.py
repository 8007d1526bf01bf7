"""Writes down each call of a host: what may change something when it begins, and everything when it has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.approval.audit.entry import ended_entry, entry_of
from hermes_core.approval.audit.open_calls import OpenCalls
from hermes_core.approval.audit.times import stamp
from hermes_core.approval.audit.writer import FILE_NAME, AuditLog

if TYPE_CHECKING:
    from hermes_core.approval.audit.settings import AuditSettings
    from hermes_core.calls.call import CallRecord


class Auditor:
    """The audit log of one host.

    Args:
        home: `$HERMES_HOME`.
        settings: How much of the log is kept.
        source_of: Says where a tool comes from.
    """

    def __init__(self, home: str, settings: AuditSettings, source_of: Callable[[str], str]) -> None:
        self._log = AuditLog(Path(home, FILE_NAME), max_bytes=settings.max_bytes, keep=settings.keep, clock=time.time)
        self._open_calls = OpenCalls(home)
        self._begun: dict[int, dict[str, Any]] = {}
        self._source_of = source_of
        for entry in self._open_calls.cut_off():
            self._log.append({**entry, "at": stamp(time.time()), "began": entry.get("at")})

    def begin(self, record: CallRecord) -> None:
        """Record that a call begins. Raises nothing.

        Args:
            record: The call, and what the log says of it should it never end.
        """
        try:
            entry = self._entry(record)
            self._begun[id(record.call)] = entry
            self._open_calls.begin(id(record.call), entry)
        except Exception:  # whatever is wrong with a record, the call is made
            self._report(record)

    def end(self, record: CallRecord) -> None:
        """Log a call that has ended. Raises nothing."""
        try:
            key = id(record.call)
            begun = self._begun.pop(key, None)
            self._log.append(self._entry(record) if begun is None else ended_entry(begun, record))
            if begun is not None:
                self._open_calls.end(key)
        except Exception:  # whatever is wrong with a record, the call has been made
            self._report(record)

    def close(self) -> None:
        """Remove what tells the next host about open calls; another call after this is logged as well."""
        self._open_calls.close()

    def _entry(self, record: CallRecord) -> dict[str, Any]:
        secrets = record.call._session._dispatcher.secrets.values  # of the host that made the call
        return entry_of(record, source=self._source_of(record.call.name), known_secrets=secrets)

    @staticmethod
    def _report(record: CallRecord) -> None:
        from hermes_core.logs import log

        log.warning("A call of %s could not be written down.", record.call.name, exc_info=True)
