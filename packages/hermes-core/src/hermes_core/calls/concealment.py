"""Hides declared secrets in what leaves a call: its result, its error and its record."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from hermes_core.calls.call import CallRecord, ToolCall
from hermes_core.calls.results import encode, error_text, is_json
from hermes_core.errors import ToolError
from hermes_core.findings import Decision, Finding
from hermes_text.secrets.spellings import Spelling, hide


def hide_in_json(text: str, spelled: tuple[Spelling, ...]) -> str:
    """Hide secrets in JSON text, so that it is still JSON: a number that is a secret becomes a string."""
    hidden = hide(text, spelled)
    if hidden == text or is_json(hidden):
        return hidden

    def number(digits: str) -> Any:
        masked = hide(digits, spelled)
        return masked if masked != digits else json.loads(digits)

    try:
        again = hide(encode(json.loads(text, parse_int=number, parse_float=number)), spelled)
    except (ValueError, RecursionError):
        again = hidden
    return again if is_json(again) else encode(again)  # the secret itself holds quotes or brackets


def hide_in_error(error: ToolError, spelled: tuple[Spelling, ...]) -> str:
    """Return an error as JSON text without secrets."""
    # Cleaning a text can bring the parts of a secret together, so its result is searched as well.
    return hide_in_json(error_text(error, lambda text: hide(text, spelled)), spelled)


def hide_in_record(record: CallRecord, spelled: tuple[Spelling, ...]) -> CallRecord:
    """Return a record without secrets; the same one when it has none."""
    call, decision = hide_in_call(record.call, spelled), hide_in_decision(record.decision, spelled)
    result = hide_in_json(record.result, spelled)
    if result == record.result and decision is record.decision and call is record.call:
        return record
    return record._replace(call=call, result=result, decision=decision)


def hide_in_call(call: ToolCall, spelled: tuple[Spelling, ...]) -> ToolCall:
    """Return a call without secrets; the same one when it has none."""
    shown = _hide_in_value(call.args, spelled)
    if shown == call.args:
        return call
    made = copy.copy(call)
    made._shown = shown
    return made


def hide_in_decision(decision: Decision | None, spelled: tuple[Spelling, ...]) -> Decision | None:
    """Return a decision without secrets; the same one when it has none."""
    if decision is None:
        return None

    def texts(value: Any) -> dict[str, Any]:
        names = [name for name in ("reason", "by", "span") if hasattr(value, name)]
        return {name: hide(getattr(value, name), spelled) for name in names}

    found = [each for each in decision.findings if isinstance(each, Finding)]  # an approver may put anything there
    findings = tuple(dataclasses.replace(each, **texts(each)) for each in found)
    made = dataclasses.replace(decision, findings=findings, **texts(decision))
    return decision if made == decision else made


def _hide_in_value(value: Any, spelled: tuple[Spelling, ...]) -> Any:
    if isinstance(value, str):
        return hide(value, spelled)
    if isinstance(value, Mapping):
        return {_hide_in_value(key, spelled): _hide_in_value(item, spelled) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_hide_in_value(item, spelled) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        hidden = hide(str(value), spelled)
        return value if hidden == str(value) else hidden
    return value
