"""Keeps declared secrets out of everything that leaves a call: its result, its error and its record."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

from hermes_core.approval.finding import Decision
from hermes_core.calls.call import CallRecord, ToolCall
from hermes_core.calls.results import encode, error_text, is_json
from hermes_core.config.declared_secrets import DeclaredSecrets
from hermes_core.errors import ToolError
from hermes_text.secrets.spellings import Spelling, hide


class Concealment:
    """Hides secrets in what calls of one host return.

    A caller outside gets no secret that is declared at all. A tool that calls another one gets what that tool found,
    since it may write the text back where it was read: there, only the secrets of the called tool are hidden.

    Args:
        secrets: The secrets.
        source_of: Returns the plugin that a tool came from.
    """

    __slots__ = ("_secrets", "_source_of")

    def __init__(self, secrets: DeclaredSecrets, source_of: Callable[[str], str]) -> None:
        self._secrets = secrets
        self._source_of = source_of

    def result(self, call: ToolCall, text: str) -> str:
        """Return the JSON text of a result without secrets; it is still JSON."""
        return hide_in_json(text, self._spelled(call))

    def everything(self, text: str) -> str:
        """Return a JSON text without any secret that is declared."""
        return hide_in_json(text, self._secrets.spelled())

    def error(self, call: ToolCall, error: ToolError) -> str:
        """Return an error as JSON text without secrets."""
        spelled = self._spelled(call)
        if not spelled:
            return error_text(error)
        # Cleaning a text can bring the parts of a secret together, so what it makes is looked at as well.
        return hide_in_json(error_text(error, lambda text: hide(text, spelled)), spelled)

    def record(self, record: CallRecord) -> CallRecord:
        """Return a record of which nothing has to be kept from a log."""
        spelled = self._secrets.spelled()
        if not spelled:
            return record
        result = hide_in_json(record.result, spelled)
        decision = self.decision(record.decision)
        call = self.call(record.call)
        if result == record.result and decision is record.decision and call is record.call:
            return record
        return dataclasses.replace(record, call=call, result=result, decision=decision)

    def call(self, call: ToolCall) -> ToolCall:
        """Return a call of which nothing has to be kept from a log."""
        spelled = self._secrets.spelled()
        return _call(call, spelled) if spelled else call

    def decision(self, decision: Decision | None) -> Decision | None:
        """Return a decision of which nothing has to be kept from a log."""
        spelled = self._secrets.spelled()
        return _decision(decision, spelled) if spelled and decision is not None else decision

    def _spelled(self, call: ToolCall) -> tuple[Spelling, ...]:
        tool = call.tool
        if tool is None:
            return self._secrets.spelled()
        owner = None if call._outer is None else self._source_of(tool.name)
        return self._secrets.spelled(tool.requires_env, owner)


def hide_in_json(text: str, spelled: tuple[Spelling, ...]) -> str:
    """Hide secrets in a JSON text, so that it is still JSON: a number that is a secret becomes a text."""
    hidden = hide(text, spelled) if spelled else text
    if hidden == text or is_json(hidden):
        return hidden

    def number(digits: str) -> Any:
        return hide(digits, spelled) if hide(digits, spelled) != digits else float(digits)

    def integer(digits: str) -> Any:
        return hide(digits, spelled) if hide(digits, spelled) != digits else int(digits)

    try:
        again = hide(encode(json.loads(text, parse_int=integer, parse_float=number)), spelled)
    except (ValueError, RecursionError):
        again = hidden
    return again if is_json(again) else encode(again)  # the secret itself holds quotes or brackets


def _call(call: ToolCall, spelled: tuple[Spelling, ...]) -> ToolCall:
    shown = _value(call.args, spelled)
    if shown == call.args:
        return call
    made = copy.copy(call)
    made._shown = shown
    return made


def _decision(decision: Decision, spelled: tuple[Spelling, ...]) -> Decision:
    findings = tuple(
        dataclasses.replace(each, **_texts(each, spelled))
        for each in decision.findings
        if dataclasses.is_dataclass(each)
    )
    return dataclasses.replace(decision, findings=findings, **_texts(decision, spelled))


def _texts(value: Any, spelled: tuple[Spelling, ...]) -> dict[str, Any]:
    """The texts of a decision or a finding without secrets."""
    return {name: hide(getattr(value, name), spelled) for name in ("reason", "by", "span") if hasattr(value, name)}


def _value(value: Any, spelled: tuple[Spelling, ...]) -> Any:
    if isinstance(value, str):
        return hide(value, spelled)
    if isinstance(value, Mapping):
        return {_value(key, spelled): _value(item, spelled) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(item, spelled) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        hidden = hide(str(value), spelled)
        return value if hidden == str(value) else hidden
    return value
