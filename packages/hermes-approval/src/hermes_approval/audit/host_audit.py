"""The plugin: logs each call of one host, what may change something already when it begins."""

from __future__ import annotations

import logging
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_approval.audit.entry import entry_of
from hermes_approval.audit.line_formatter import HOST_DIED, LineFormatter
from hermes_approval.audit.open_calls import OpenCalls
from hermes_approval.audit.timestamps import stamp
from hermes_approval.audit.writer import FILE_NAME, AuditLog
from hermes_core import CallRecord, hookimpl
from hermes_core.settings import SectionSpec

if TYPE_CHECKING:
    from hermes_core import Decision, ToolCall
    from hermes_core.plugin_context import PluginContext
    from hermes_core.settings import Config


AUDIT_SECTION = SectionSpec(
    name="audit",
    schema={
        "type": "object",
        "description": "The log of every call.",
        "properties": {
            "enabled": {"type": "boolean", "default": True, "description": "Whether calls are logged."},
            "max_bytes": {
                "type": "integer",
                "minimum": 65_536,
                "default": 10_485_760,
                "description": "The size at which the log is put away and a new one begun.",
            },
            "keep": {"type": "integer", "minimum": 0, "default": 5, "description": "How many old logs are kept."},
        },
    },
)


class AuditSettings(NamedTuple):
    """Whether calls are logged, and how much of the log is kept."""

    enabled: bool = True
    max_bytes: int = 10_485_760
    keep: int = 5


def read_audit(config: Config) -> AuditSettings:
    """Read the section `audit`.

    Raises:
        ConfigError: it holds something that cannot be.
    """
    section = config.section("audit")
    return AuditSettings(enabled=section["enabled"], max_bytes=section["max_bytes"], keep=section["keep"])


log = logging.getLogger("hermes.audit")


class Audit:
    """The audit log of a host: give it to `Hermes(plugins=[Audit()])`. It may be given to several hosts.

    An installed hermes-approval does the same by itself; an `Audit` that an application gives takes its place.

    Args:
        settings: Whether calls are logged, and how much of the log is kept; what `config.yaml` says by default.
    """

    __name__ = "audit"
    hermes_hooks = ("hermes_tool_call_started", "hermes_post_tool_call", "hermes_session_end")

    def __init__(self, settings: AuditSettings | None = None) -> None:
        self._settings = settings

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        """Return the section `audit`."""
        return {AUDIT_SECTION.name: AUDIT_SECTION.schema}

    def hermes_factory(self, context: PluginContext) -> object:
        """Make the audit of one host; without hooks where nothing is to be logged, or a host above does it.

        Raises:
            ConfigError: the settings cannot be used.
        """
        settings = self._settings or (read_audit(context.configs[-1]) if context.configs else AuditSettings())
        is_needed = settings.enabled and not context.is_probe and not _is_audited_above(context)
        return HostAudit(context.home, settings) if is_needed else _NoAudit()


def _is_audited_above(context: PluginContext) -> bool:
    """Return True when the calls of a host are already in the same log, because a host above it writes to it."""
    above = context.parent
    while above is not None:
        audit = above.plugin(HostAudit)
        if audit is not None and audit.home == context.home:
            return True
        above = above.parent
    return False


class _NoAudit:
    """Stands for the audit of a host that logs nothing."""


class HostAudit:
    """The audit log of one host.

    Args:
        home: `$HERMES_HOME`.
        settings: How much of the log is kept.
    """

    def __init__(self, home: Path, settings: AuditSettings) -> None:
        self.home = home
        self._log = AuditLog(home / FILE_NAME, max_bytes=settings.max_bytes, keep=settings.keep)
        self._open_calls = OpenCalls(str(home))
        self._formatter = LineFormatter()
        weakref.finalize(self, self._log.flush)  # a host that is not closed is forgotten, or ends with the interpreter
        for entry in self._open_calls.cut_off():
            self._log.append({**entry, "at": stamp(time.time()), "began": entry.get("at")})

    @hookimpl
    def hermes_tool_call_started(self, call: ToolCall, decision: Decision | None) -> None:
        """Store the entry that the log gets should the call never end."""
        record = CallRecord(call=call, result="", status="cancelled", code=HOST_DIED, decision=decision, seconds=0.0)
        found = self._formatter.format(record)
        self._open_calls.begin(call.id, entry_of(record, source=call.source) if found is None else found[0])

    @hookimpl(trylast=True)
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        """Log a call that has ended: soon if it has only read and all went well, at once otherwise."""
        found = self._formatter.format(record)
        if found is not None and found[1]:
            self._log.append_soon(found[0])
            return
        call = record.call
        self._log.append(entry_of(record, source=call.source) if found is None else found[0])
        self._open_calls.end(call.id, cancelled=record.status == "cancelled")

    @hookimpl
    def hermes_session_end(self) -> None:
        """Write what waits, and close the files; another call opens them again."""
        self._open_calls.close()
        self._log.close()
