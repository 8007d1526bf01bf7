"""Every path that a call can take meets every decision, whoever raised the question, and everybody hears of it once."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Audit
from hermes_core import (
    Allow,
    ApprovalRequest,
    Ask,
    CallRecord,
    Decision,
    Deny,
    Finding,
    Hermes,
    Tool,
    ToolCall,
    ToolContext,
    hookimpl,
    tool,
)

Way = Callable[[Hermes, str], str]
REASON = "it cannot be undone"
SECONDS = 0.08
"""How long hooks and approvers get where they never answer: short, since every path waits for it."""

ARGS = {"number": 4}


# -- the paths ------------------------------------------------------------------------------------------------------


def by_sync(hermes: Hermes, name: str) -> str:
    return hermes.call(name, ARGS)


def by_async(hermes: Hermes, name: str) -> str:
    async def main() -> str:
        return await hermes.acall(name, ARGS)

    return asyncio.run(main())


def by_batch(hermes: Hermes, name: str) -> str:
    return hermes.batch([(name, ARGS)])[0]


def by_worker_thread(hermes: Hermes, name: str) -> str:
    results: list[str] = []
    thread = threading.Thread(target=lambda: results.append(hermes.call(name, ARGS)))
    thread.start()
    thread.join(20)
    return results[0]


def by_sync_inside_a_loop(hermes: Hermes, name: str) -> str:
    async def main() -> str:
        return hermes.call(name, ARGS)

    return asyncio.run(main())


def by_nested(hermes: Hermes, name: str) -> str:
    outer = "aouter" if name == "adouble" else "outer"
    inner = json.loads(hermes.call(outer, {"name": name}))["inner"]
    assert isinstance(inner, str)
    return inner


WAYS = [by_sync, by_async, by_batch, by_worker_thread, by_sync_inside_a_loop, by_nested]
ORIGINS: dict[Way, str] = {by_batch: "batch", by_nested: "nested"}


@tool(toolset="matrix")
def outer(name: str, ctx: ToolContext) -> dict[str, str]:
    """Call another tool."""
    return {"inner": ctx.call_tool(name, ARGS)}


@tool(toolset="matrix")
async def aouter(name: str, ctx: ToolContext) -> dict[str, str]:
    """Call another tool, asynchronously."""
    return {"inner": await ctx.acall(name, ARGS)}


# -- who raises the question ----------------------------------------------------------------------------------------

NAMES = ("double", "adouble")
SEVERITIES = {"allowed": "note", "refused": "refuse"}
ACTIONS = {"allowed": "allow", "refused": "deny"}


@dataclass
class Watcher:
    """A plugin that raises a question where it is told to, and notes what it hears."""

    raises: str
    case: str
    ran: list[int] = field(default_factory=list)
    judged: int = 0
    records: list[CallRecord] = field(default_factory=list)
    resolved: list[tuple[ApprovalRequest, Decision]] = field(default_factory=list)

    __name__ = "watcher"

    def finding(self) -> Finding:
        severity: Any = SEVERITIES.get(self.case, "ask")
        return Finding(rule="test.rule", severity=severity, reason=REASON)

    def tools(self) -> list[Tool]:
        def assess(args: Any, ctx: Any) -> list[Finding]:
            self.judged += 1
            return [self.finding()]

        own: dict[str, Any] = {"assess": assess} if self.raises == "tool" else {}

        @tool(toolset="matrix", **own)
        def double(number: int) -> dict[str, int]:
            """Double a number."""
            self.ran.append(number)
            return {"doubled": number * 2}

        @tool(toolset="matrix", **own)
        async def adouble(number: int) -> dict[str, int]:
            """Double a number, asynchronously."""
            await asyncio.sleep(0)
            self.ran.append(number)
            return {"doubled": number * 2}

        return [double, adouble, outer, aouter]

    def policy(self) -> list[dict[str, Any]] | None:
        if self.raises != "rule":
            return None
        rule = {"name": "matrix", "match": {"tool": list(NAMES)}, "reason": REASON}
        return [{**rule, "action": ACTIONS.get(self.case, "ask")}]

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Any:
        if self.raises != "pre" or call.name not in NAMES:
            return None
        self.judged += 1
        return {"allowed": Allow(), "refused": Deny(REASON)}.get(self.case, Ask(REASON, rule="test.rule"))

    @hookimpl
    def hermes_assess_call(self, call: ToolCall) -> Any:
        if self.raises != "assess" or call.name not in NAMES:
            return None
        self.judged += 1
        return self.finding()

    @hookimpl
    def hermes_approval_resolved(self, request: ApprovalRequest, decision: Decision) -> None:
        self.resolved.append((request, decision))

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        if record.call.name in NAMES:
            self.records.append(record)


# -- what must follow -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """What a case ends with: the decision, who made it, and what the model reads (None: the tool's own result)."""

    outcome: str
    by: str
    text: str | None
    asked: bool


APPROVED = Expected("allowed", "approver", None, asked=True)
CASES = {
    "allowed": Expected("allowed", "", None, asked=False),
    "approved": APPROVED,
    "denied": Expected(
        "denied-by-human", "approver", "Denied by the user: {} was not run: I would rather not.", asked=True
    ),
    "timed-out": Expected(
        "timed-out",
        "approver",
        "Not approved in time: {} was not run. It needs approval: it cannot be undone.",
        asked=True,
    ),
    "no-approver": Expected(
        "no-approver",
        "",
        "Not approved: {} was not run. It needs approval, and no approver is available: it cannot be undone.",
        asked=True,
    ),
    "refused": Expected(
        "refused",
        "test.rule",
        "Refused: {} was not run, and this call can never be approved: it cannot be undone.",
        asked=False,
    ),
}
FORBIDDEN = "Denied by policy: {} was not run: it cannot be undone."


def expected_of(case: str, raises: str) -> Expected:
    if case == "refused" and raises in ("pre", "rule"):
        by = "policy.matrix" if raises == "rule" else "watcher"
        return Expected("denied-by-policy", by, FORBIDDEN, asked=False)
    return CASES[case]


class Approver:
    """Gives one answer to one request, or never answers."""

    __name__ = "approver"

    def __init__(self, case: str) -> None:
        self.case = case
        self.requests: list[ApprovalRequest] = []

    @hookimpl
    async def hermes_request_approval(self, request: ApprovalRequest) -> Decision:
        self.requests.append(request)
        if self.case == "timed-out":
            await asyncio.sleep(60)
        if self.case == "denied":
            return Decision(
                outcome="denied-by-human", reason="I would rather not", by="approver", findings=request.findings
            )
        return Decision(outcome="allowed", by="approver", findings=request.findings)


def approver_of(case: str) -> Approver | None:
    return None if case == "no-approver" else Approver(case)


def audited(folder: Path) -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in (folder / "audit.jsonl").read_text(encoding="utf-8").splitlines()]
    return [entry for entry in entries if entry["tool"] in NAMES]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.removeprefix("by_"))
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("raises", ["tool", "assess", "rule", "pre"])
@pytest.mark.parametrize("case", CASES)
def test_every_path_ends_as_it_was_decided_and_everybody_hears_of_it_once(
    way: Way, name: str, raises: str, case: str, host: Callable[..., Hermes], home: Path
) -> None:
    watcher, approver, expected = Watcher(raises, case), approver_of(case), expected_of(case, raises)
    hermes = host(
        tools=watcher.tools(),
        plugins=[watcher, Audit(), *([approver] if approver else [])],
        policy=watcher.policy(),
        config={"calls": {"approval_timeout": SECONDS if case == "timed-out" else 10.0}},
    )
    answer = json.loads(way(hermes, name))
    hermes.close()  # an entry of a call that only read is written then at the latest

    if expected.text is None:
        assert (answer, watcher.ran) == ({"doubled": 8}, [4])
    else:
        assert (answer["error"], watcher.ran) == (expected.text.format(name), [])
        assert (answer["code"], answer["decision"]) == ("denied", expected.outcome)
        assert "do not try to reach the same end another way" in answer["hint"]
    assert watcher.judged == (raises != "rule")

    (record,) = watcher.records
    assert record.decision is not None
    assert (record.decision.outcome, record.decision.by) == (expected.outcome, expected.by)
    assert (record.status, record.code) == (("ok", None) if expected.text is None else ("blocked", "denied"))
    assert record.call.origin == ORIGINS.get(way, "direct")
    assert json.loads(record.result) == answer

    (entry,) = audited(home)
    assert entry["id"] == record.call.id
    assert (entry["decision"]["outcome"], entry["decision"]["by"]) == (expected.outcome, expected.by)
    assert (entry["status"], entry["code"]) == (record.status, record.code)

    requests = approver.requests if approver else []
    assert len(requests) == (expected.asked and approver is not None)
    if expected.asked:
        ((request, decision),) = watcher.resolved
        assert (request.call_id, request.tool, dict(request.args)) == (record.call.id, name, ARGS)
        assert [finding.reason for finding in request.findings] == [REASON]
        assert decision is record.decision
    else:
        assert watcher.resolved == []


# -- what hangs is cut off ------------------------------------------------------------------------------------------


class Hanging:
    """A plugin that never answers at one place, as sync or as async code."""

    __name__ = "hanging"

    def __init__(self, place: str, *, is_async: bool) -> None:
        self.place = place
        self.is_async = is_async
        self.released = threading.Event()
        self.ran: list[int] = []

    def hang(self) -> Any:
        if self.is_async:
            return asyncio.sleep(30)
        self.released.wait(30)
        return None

    def tools(self) -> list[Tool]:
        own: dict[str, Any] = {"assess": lambda args, ctx: self.hang()} if self.place == "tool" else {}

        @tool(toolset="matrix", **own)
        def double(number: int) -> int:
            """Double a number."""
            self.ran.append(number)
            return number * 2

        return [double, outer]

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Any:
        if call.name not in NAMES:
            return None
        if self.place == "approver":
            return Ask(REASON)
        return self.hang() if self.place == "pre" else None

    @hookimpl
    def hermes_assess_call(self, call: ToolCall) -> Any:
        return self.hang() if self.place == "assess" and call.name in NAMES else None

    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Any:
        return self.hang() if self.place == "approver" else None


HANGS = {
    "pre": ("denied-by-policy", "its policy hook failed (no answer after 0.08 s)"),
    "assess": ("no-approver", "plugin 'hanging' could not assess this call (no answer after 0.08 s)"),
    "tool": ("no-approver", "the tool could not assess this call (no answer after 0.08 s)"),
    "approver": ("timed-out", REASON),
}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.removeprefix("by_"))
@pytest.mark.parametrize("is_async", [False, True], ids=["blocking", "awaiting"])
@pytest.mark.parametrize("place", HANGS)
def test_what_hangs_is_cut_off_at_its_deadline_and_the_call_does_not_run(
    way: Way, is_async: bool, place: str, host: Callable[..., Hermes]
) -> None:
    hanging = Hanging(place, is_async=is_async)
    hermes = host(
        tools=hanging.tools(),
        plugins=[hanging],
        config={"calls": {"hook_timeout": SECONDS, "approval_timeout": SECONDS}},
    )
    started = time.monotonic()
    try:
        answer = json.loads(way(hermes, "double"))
    finally:
        hanging.released.set()
    assert time.monotonic() - started < 5
    outcome, reason = HANGS[place]
    assert (answer["code"], answer["decision"]) == ("denied", outcome)
    assert reason in answer["error"]
    assert hanging.ran == []


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.removeprefix("by_"))
def test_a_policy_that_was_always_quick_and_is_late_once_denies_that_call(
    way: Way, host: Callable[..., Hermes]
) -> None:
    slow = threading.Event()
    ran: list[int] = []

    @tool(toolset="matrix")
    def double(number: int) -> int:
        """Double a number."""
        ran.append(number)
        return number * 2

    class Policy:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> None:
            if slow.is_set() and call.name == "double":
                time.sleep(SECONDS * 2)

    hermes = host(tools=[double, outer], plugins=[Policy()], config={"calls": {"hook_timeout": SECONDS}})
    for _ in range(8):  # long enough to be trusted to run in place
        assert way(hermes, "double") == "8"
    slow.set()
    assert json.loads(way(hermes, "double"))["decision"] == "denied-by-policy"
    assert len(ran) == 8


@pytest.mark.parametrize("way", ["sync", "async", "batch"])
@pytest.mark.parametrize("hook", ["hermes_pre_tool_call", "hermes_assess_call"])
def test_a_hook_that_was_quick_and_then_hangs_is_cut_off_when_somebody_chose_its_deadline(
    host: Callable[..., Hermes], hook: str, way: str
) -> None:
    never = threading.Event()

    def judge(call: ToolCall) -> None:
        if call.args.get("hang"):
            never.wait(20)

    plugin = type("Judging", (), {hook: staticmethod(hookimpl(judge))})()
    plain = Tool.from_schema({"name": "plain"}, lambda args: "1")
    hermes = host(tools=[plain], plugins=[plugin], config={"calls": {"hook_timeout": 0.2}})
    for _ in range(20):
        assert hermes.call("plain", {}) == "1"
    started = time.monotonic()
    try:
        answer = {
            "sync": lambda: hermes.call("plain", {"hang": True}),
            "async": lambda: asyncio.run(hermes.acall("plain", {"hang": True})),
            "batch": lambda: hermes.batch([("plain", {"hang": True})])[0],
        }[way]()
        took = time.monotonic() - started
    finally:
        never.set()
    assert json.loads(answer)["code"] == "denied"
    assert took < 5
