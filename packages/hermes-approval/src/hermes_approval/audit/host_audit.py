"""The plugin `audit`: logs each call of one host, and calls with side effects already when they start."""

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
                "description": "The size at which the log is rotated.",
            },
            "keep": {"type": "integer", "minimum": 0, "default": 5, "description": "How many rotated logs are kept."},
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
        ConfigError: a value is invalid.
    """
    section = config.section("audit")
    return AuditSettings(enabled=section["enabled"], max_bytes=section["max_bytes"], keep=section["keep"])


log = logging.getLogger("hermes.audit")


class Audit:
    """The audit log of a host: pass it to `Hermes(plugins=[Audit()])`, or to several hosts.

    The installed plugin does the same; an `Audit` that an application passes replaces it.

    Args:
        settings: Whether calls are logged, and how much of the log is kept; by default from `config.yaml`.
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
        """Make the audit of one host; without hooks if nothing is logged, or a host above it logs its calls.

        Raises:
            ConfigError: the settings cannot be used.
        """
        settings = self._settings or (read_audit(context.configs[-1]) if context.configs else AuditSettings())
        is_needed = settings.enabled and not context.is_probe and not _is_audited_above(context)
        return HostAudit(context.home, settings) if is_needed else _NoAudit()


def _is_audited_above(context: PluginContext) -> bool:
    """Return True if a host above writes the calls to the same log."""
    above = context.parent
    while above is not None:
        audit = above.plugin(HostAudit)
        if audit is not None and audit.home == context.home:
            return True
        above = above.parent
    return False


class _NoAudit:
    """The audit of a host that logs nothing."""


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
        weakref.finalize(self, self._log.flush)  # in case the host is never closed
        for entry in self._open_calls.take_interrupted():
            self._log.append({**entry, "at": stamp(time.time()), "began": entry.get("at")})

    @hookimpl
    def hermes_tool_call_started(self, call: ToolCall, decision: Decision | None) -> None:
        """Store the entry for the case that the call never ends."""
        record = CallRecord(call=call, result="", status="cancelled", code=HOST_DIED, decision=decision, seconds=0.0)
        found = self._formatter.format(record)
        self._open_calls.begin(call.id, entry_of(record, source=call.source) if found is None else found[0])

    @hookimpl(trylast=True)
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        """Log a finished call: soon if it only read and succeeded, otherwise at once."""
        found = self._formatter.format(record)
        if found is not None and found[1]:
            self._log.append_soon(found[0])
            return
        call = record.call
        self._log.append(entry_of(record, source=call.source) if found is None else found[0])
        self._open_calls.end(call.id, cancelled=record.status == "cancelled")

    @hookimpl
    def hermes_session_end(self) -> None:
        """Write waiting lines, and close the files until the next call."""
        self._open_calls.close()
        self._log.close()
