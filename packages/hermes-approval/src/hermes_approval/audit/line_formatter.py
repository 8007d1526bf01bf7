"""Formats the entry of an ordinary call quickly: the part that it shares with earlier calls is cached as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as escaped
from math import isfinite
from time import time
from typing import TYPE_CHECKING, Any

from hermes_approval.audit.entry import FOR_ARGUMENTS, MAX_BYTES, VERSION, call_fields, judgement_of, to_json
from hermes_approval.audit.redaction import MAX_TEXT, Trimmer, shown_names
from hermes_approval.audit.timestamps import stamp
from hermes_text.secrets import redact

if TYPE_CHECKING:
    from hermes_core import CallRecord, ToolCall, ToolSpec

_MAX_FRAMES = 1_000
_MAX_INTEGER = 1 << 128
HOST_DIED = "host_died"
"""The code of a call that never ended because its host was killed."""

_ENDS, _STARTS = ',"status":"ok","code":null,', f',"status":"cancelled","code":"{HOST_DIED}",'
_NO_REPAIRS = ',"repairs":[],"seconds":'
_OK = f'{_ENDS}"decision":{{"outcome":"allowed","by":"","reason":""}},"findings":[]{_NO_REPAIRS}'
_MAX_JUDGEMENT = 2_000
"""The maximum number of bytes of a decision and its findings."""
_READING = frozenset({"read"})
_SHORT_WORD = 16
"""A shorter word cannot be a secret without a name or a sign beside it."""
_ATOMS = {None: "null", True: "true", False: "false"}
_HOST = re.compile(r"call-[0-9a-f]{12}-")
_HOST_LENGTH = 18
_LONGEST_ID = 40


class _Frame:
    """The common part of the entries of one tool in one session.

    Attributes:
        tool: The tool.
        text: The part of the line from the session to the arguments.
        names: The names of arguments that may be shown, as JSON.
        is_read: Whether the tool only reads.
    """

    __slots__ = ("is_read", "names", "text", "tool")

    def __init__(self, call: ToolCall, tool: ToolSpec) -> None:
        common = call_fields(Trimmer(MAX_BYTES), call, call.source)
        declared = tool.parameters.get("properties", {})
        self.tool = tool
        self.text = f'",{to_json(common)[1:-1]},"args":{{'
        self.names = {name: f"{escaped(name)}:" for name in shown_names(declared)}
        self.is_read = tool.effects <= _READING


class LineFormatter:
    """Formats allowed calls that start or have succeeded, where only the arguments have to be examined."""

    def __init__(self) -> None:
        self._frames: dict[tuple[Any, ...], _Frame] = {}
        self._judgements: dict[tuple[Any, ...], str] = {}
        # A millisecond, the prefix of a host's ids, and the beginning of a line with both.
        self._beginning = (0, "", "")

    def format(self, record: CallRecord) -> tuple[str, bool] | None:
        """Return the line of a call, and whether it can be written later; None if this formatter cannot handle it."""
        call, result, status, code, decision, seconds = record
        tool = call.tool
        starts = status == "cancelled" and code == HOST_DIED
        if not (starts or status == "ok") or tool is None or call.repairs:
            return None
        ending = _OK
        judged = decision is not None and bool(
            decision.by or decision.reason or decision.findings or not decision.allowed
        )
        if starts or judged:
            if (judgement := self._judgement(record)) is None:
                return None
            ending = f"{_STARTS if starts else _ENDS}{judgement}{_NO_REPAIRS}"
        call_id = call.id
        now = int(time() * 1_000)
        begun, host, start = self._beginning  # read once: another thread may change it
        if now != begun or not call_id.startswith(host):
            found = _HOST.match(call_id)
            if found is None:
                return None
            host = found[0]
            start = f'{{"v":{VERSION},"at":"{stamp(now / 1_000)}","id":"{host}'
            self._beginning = now, host, start
        number = call_id[_HOST_LENGTH:]
        key = call.key
        frame = self._frames.get(key)
        if frame is None or frame.tool is not tool:
            if len(self._frames) >= _MAX_FRAMES:
                self._frames.clear()
            frame = self._frames[key] = _Frame(call, tool)
        args = _arguments(call.args, frame.names)
        if args is None or not number.isdecimal() or not call_id.isascii() or len(call_id) > _LONGEST_ID:
            return None
        return (
            f'{start}{number}{frame.text}{args}}}{ending}{seconds:.6f},"result_chars":{len(result)}}}\n',
            frame.is_read and not judged,
        )

    def _judgement(self, record: CallRecord) -> str | None:
        """Return the decision and the findings as JSON; None if they are long, or the call was not allowed."""
        decision = record.decision
        if decision is None:
            return '"decision":null,"findings":[]'
        if not decision.allowed:
            return None
        key = decision.by, decision.reason, decision.findings
        text = self._judgements.get(key)
        if text is None:
            trim = Trimmer(_MAX_JUDGEMENT)
            text = to_json(judgement_of(record, trim))[1:-1]
            if trim.cuts:
                return None
            if len(self._judgements) >= _MAX_FRAMES:
                self._judgements.clear()
            self._judgements[key] = text
        return text


def _arguments(args: Mapping[str, Any], names: Mapping[str, str]) -> str | None:
    """Return arguments as JSON without secrets; None if one is not declared, not flat, or too long."""
    parts = []
    for name, value in args.items():
        shown = names.get(name)
        if shown is None:
            return None
        kind = type(value)
        if kind is str:
            if len(value) <= _SHORT_WORD and value.isalnum() and value.isascii():
                parts.append(f'{shown}"{value}"')
            elif len(value) <= MAX_TEXT and value.isascii():
                parts.append(shown + escaped(redact(value)))
            else:
                return None
        elif kind is int:
            if not -_MAX_INTEGER < value < _MAX_INTEGER:
                return None
            parts.append(f"{shown}{value}")
        elif kind is float and isfinite(value):
            parts.append(f"{shown}{value!r}")
        elif value is None or kind is bool:
            parts.append(shown + _ATOMS[value])
        else:
            return None
    text = ",".join(parts)
    return text if len(text) + 2 <= FOR_ARGUMENTS else None
