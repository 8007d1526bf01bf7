"""The outcome of a call, with assertions that explain their failure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Self

if TYPE_CHECKING:
    from hermes_core import CallRecord, Decision

_SHOWN = 400
"""How much of the arguments and of the result the message of an assertion shows."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One finished call. Each assertion returns the outcome, so that they can be chained."""

    record: CallRecord

    @property
    def text(self) -> str:
        """The JSON text for the model."""
        return self.record.result

    @property
    def value(self) -> Any:
        """The result, parsed."""
        return json.loads(self.record.result)

    @property
    def ok(self) -> bool:
        """True if the call succeeded."""
        return self.record.status == "ok"

    @property
    def error(self) -> str | None:
        """The text of the error; None if the call succeeded."""
        return None if self.ok else str(self.value["error"])

    @property
    def code(self) -> str | None:
        """The code of the error; None if the call succeeded."""
        return self.record.code

    @property
    def repairs(self) -> tuple[str, ...]:
        """The kinds of repairs of the arguments, in order."""
        return tuple(repair.kind for repair in self.record.call.repairs)

    @property
    def decision(self) -> Decision | None:
        """The decision about the call; None if there was none."""
        return self.record.decision

    def assert_ok(self) -> Self:
        """Check that the call succeeded."""
        __tracebackhide__ = True
        if not self.ok:
            self._fail("should have succeeded")
        return self

    def assert_error(self, code: str | None = None, contains: str | None = None) -> Self:
        """Check that the call failed, with this code, and with this text in its error."""
        __tracebackhide__ = True
        if self.ok:
            self._fail("should have failed")
        if code is not None and self.code != code:
            self._fail(f"should have failed with the code {code!r}, not {self.code!r}")
        if contains is not None and contains not in (self.error or ""):
            self._fail(f"should have failed with {contains!r} in its error")
        return self

    def assert_denied(self, reason: str | None = None, by: str | None = None) -> Self:
        """Check that the call was denied, with this text in the reason, by this plugin, rule or approver."""
        __tracebackhide__ = True
        decision = self.decision
        if decision is None or decision.allowed:
            self._fail("should have been denied")
        if reason is not None and reason not in decision.reason:
            self._fail(f"should have been denied with {reason!r} in the reason, not {decision.reason!r}")
        if by is not None and decision.by != by:
            self._fail(f"should have been denied by {by!r}, not by {decision.by!r}")
        return self

    def assert_repaired(self, *kinds: str) -> Self:
        """Check that the arguments needed a repair of each of these kinds, or of any kind."""
        __tracebackhide__ = True
        if not self.repairs:
            self._fail("should have needed a repair of its arguments")
        missing = [kind for kind in kinds if kind not in self.repairs]
        if missing:
            self._fail(f"should have needed the repair {', '.join(map(repr, missing))}")
        return self

    def _fail(self, expectation: str) -> NoReturn:
        __tracebackhide__ = True
        record = self.record
        call = record.call
        lines = [f"the call of {call.name} {expectation}", f"  arguments: {_cut(repr(call.args))}"]
        lines += [f"  repaired:  {repair}" for repair in call.repairs]
        lines.append(f"  status:    {record.status}" + (f" ({record.code})" if record.code else ""))
        if record.decision is not None and not record.decision.allowed:
            decision = record.decision
            lines.append(f"  decision:  {decision.outcome} by {decision.by or 'no one'}: {decision.reason}")
        lines.append(f"  result:    {_cut(record.result)}")
        raise AssertionError("\n".join(lines))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
