"""Hides declared secrets in the result, the error and the record of a call."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

from hermes_core.calls.call import CallRecord, ToolCall
from hermes_core.calls.results import error_text
from hermes_core.errors import ToolError
from hermes_core.findings import Decision, Finding
from hermes_text.secrets.encoded_secrets import Spelling, hide, hide_in_json, hide_in_value


def hide_in_error(error: ToolError, spelled: tuple[Spelling, ...]) -> str:
    """Return an error as JSON text without secrets."""
    # Cleaning a text can join parts of a secret, so search the result again.
    return hide_in_json(error_text(error, lambda text: hide(text, spelled)), spelled)


def hide_in_record(record: CallRecord, spelled: tuple[Spelling, ...]) -> CallRecord:
    """Return a record without secrets."""
    call, decision = hide_in_call(record.call, spelled), hide_in_decision(record.decision, spelled)
    result = hide_in_json(record.result, spelled)
    return record._replace(call=call, result=result, decision=decision)


def hide_in_call(call: ToolCall, spelled: tuple[Spelling, ...]) -> ToolCall:
    """Return a call without secrets; the same object if there are none."""
    shown = hide_in_value(call.args, spelled)
    if shown == call.args:
        return call
    made = copy.copy(call)
    made.shown_args = shown
    return made


def hide_in_decision(decision: Decision | None, spelled: tuple[Spelling, ...]) -> Decision | None:
    """Return a decision without secrets."""
    if decision is None:
        return None

    def texts(value: Any) -> dict[str, Any]:
        names = [name for name in ("reason", "by", "span") if hasattr(value, name)]
        return {name: hide(getattr(value, name), spelled) for name in names}

    found = [each for each in decision.findings if isinstance(each, Finding)]  # an approver may put anything into it
    findings = tuple(dataclasses.replace(each, **texts(each)) for each in found)
    return dataclasses.replace(decision, findings=findings, **texts(decision))
