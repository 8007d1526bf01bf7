"""Removes the guards of the pipeline one statement at a time, and expects the checks below to notice each."""

from __future__ import annotations

import ast
import asyncio
import copy
import importlib
import json
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest

from hermes_core import (
    Ask,
    CallRecord,
    Decision,
    Deny,
    Finding,
    Hermes,
    Rewrite,
    Session,
    Tool,
    ToolCall,
    ToolContext,
    hookimpl,
    tool,
)
from hermes_core.config.settings import Settings
from hermes_core.errors import HostClosedError
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.manifest import Manifest

GUARDED = ["hermes_core.calls.pipeline", "hermes_core.approval.gate", "hermes_core.calls.approvals"]
QUICK = Settings(hook_timeout=0.3, approval_timeout=0.3)


class World:
    """A host with one tool of each kind, and a list of what really ran."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.ran: list[Any] = []
        self.stack = stack
        self.folder = folder

    def host(self, *plugins: object, tools: list[Tool] | None = None, **options: Any) -> Hermes:
        hermes = Hermes(
            tools=tools if tools is not None else [self.typed(), self.explicit()],
            plugins=plugins,
            home=self.folder,
            settings=QUICK,
            **options,
        )
        self.stack.callback(hermes.close)
        return hermes

    def typed(self, **fields: Any) -> Tool:
        @tool(toolset="world", **fields)
        def typed(number: int) -> dict[str, int]:
            """Take a number."""
            self.ran.append(number)
            return {"number": number}

        return typed

    def explicit(self, **fields: Any) -> Tool:
        schema = {
            "name": "explicit",
            "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
        }

        def handler(args: dict[str, Any]) -> str:
            self.ran.append(args["number"])
            return json.dumps(args)

        return Tool.from_schema(schema, handler, toolset="world", **fields)


def answering(hook: str, answer: Callable[..., Any]) -> object:
    """A plugin that implements one hook by calling a function with the hook's first argument."""

    class Plugin:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Any:
            return answer(call) if hook == "pre" else None

        @hookimpl
        def hermes_assess_call(self, call: ToolCall) -> Any:
            return answer(call) if hook == "assess" else None

        @hookimpl
        def hermes_transform_tool_result(self, call: ToolCall, result: str) -> Any:
            return answer(result) if hook == "transform" else None

        @hookimpl
        def hermes_request_approval(self, request: Any) -> Any:
            return answer(request) if hook == "approve" else None

        @hookimpl
        def hermes_post_tool_call(self, record: CallRecord) -> None:
            if hook == "post":
                answer(record)

    return Plugin()


def raising(error: BaseException) -> Callable[..., Any]:
    def raises(_: object) -> Any:
        raise error

    return raises


def sleeping(_: object) -> None:
    time.sleep(1.2)


def said(text: str) -> dict[str, Any]:
    answer = json.loads(text)
    assert isinstance(answer, dict)
    return answer


CHECKS: list[Callable[[World], None]] = []


def check(function: Callable[[World], None]) -> Callable[[World], None]:
    CHECKS.append(function)
    return function


# -- 1: resolve -----------------------------------------------------------------------------------------------------


@check
def unknown_names_are_an_error_with_near_ones(world: World) -> None:
    answer = said(world.host().call("typd", {"number": 1}))
    assert answer["error"] == "Unknown tool: typd"
    assert answer["code"] == "unknown_tool"
    assert "typed" in answer["hint"]


@check
def a_name_that_is_no_text_is_an_error(world: World) -> None:
    assert said(world.host().call(17, {}))["code"] == "unknown_tool"  # type: ignore[arg-type]


@check
def an_alias_runs_the_tool_under_its_own_name(world: World) -> None:
    record = world.host(tools=[world.typed(aliases=["old_name"])]).run("old_name", {"number": 1})
    assert (record.call.name, record.status, world.ran) == ("typed", "ok", [1])


@check
def out_of_scope_is_not_found(world: World) -> None:
    hermes = world.host(tools=[world.typed(), Tool.from_schema({"name": "other"}, lambda args: "1", toolset="apart")])
    with hermes.session(enabled=["apart"]) as session:
        answer = said(session.call("typed", {"number": 1}))
        assert answer["code"] == "unknown_tool"
        assert "typed" not in answer["hint"]
        assert session.call("other") == "1"
    assert world.ran == []


@check
def a_nested_call_cannot_leave_the_scope(world: World) -> None:
    @tool(toolset="apart")
    def escape(ctx: ToolContext) -> list[str]:
        """Try both doors."""
        return [ctx.call_tool("typed", {"number": 1}), hermes.call("typed", {"number": 2})]

    hermes = world.host(tools=[world.typed(), escape])
    with hermes.session(enabled=["apart"]) as session:
        answers = json.loads(session.call("escape"))
    assert [said(answer)["code"] for answer in answers] == ["unknown_tool"] * 2
    assert world.ran == []


@check
def a_missing_key_makes_a_tool_unavailable(world: World) -> None:
    hermes = world.host(tools=[world.typed(requires_env=["HERMES_TEST_KEY_THAT_NOBODY_SETS"])])
    answer = said(hermes.call("typed", {"number": 1}))
    assert answer["code"] == "unavailable"
    assert "HERMES_TEST_KEY_THAT_NOBODY_SETS" in answer["error"]
    assert world.ran == []


@check
def a_missing_service_is_the_agents_business(world: World) -> None:
    hermes = world.host(tools=[world.typed(needs=["TodoStore"])])
    assert said(hermes.call("typed", {"number": 1}))["error"] == "typed must be handled by the agent loop"
    assert world.ran == []
    hermes.provide("TodoStore", object())
    assert said(hermes.call("typed", {"number": 1})) == {"number": 1}


@check
def a_scope_ends_with_its_call(world: World) -> None:
    hermes = world.host(tools=[world.typed(), Tool.from_schema({"name": "other"}, lambda args: "1", toolset="apart")])
    with hermes.session(enabled=["apart"]) as session:
        session.call("other")
    assert said(hermes.call("typed", {"number": 1})) == {"number": 1}


# -- 2 and 3: repair and validate -----------------------------------------------------------------------------------


@check
def arguments_are_repaired(world: World) -> None:
    hermes = world.host()
    for name in ("typed", "explicit"):
        record = hermes.run(name, {"number": "7"})
        assert said(record.result) == {"number": 7}
        assert len(record.call.repairs) == 1
        assert dict(record.call.args) == {"number": 7}


@check
def arguments_that_do_not_fit_are_refused(world: World) -> None:
    hermes = world.host()
    wrong: tuple[object, ...] = ({"number": "seven"}, {}, {"number": []}, {"number": None}, [1], 7, "nonsense")
    for name in ("typed", "explicit"):
        for args in wrong:
            answer = said(hermes.call(name, args))
            assert answer["code"] == "invalid_arguments", (name, args)
            assert name in answer["error"]
    assert world.ran == []


@check
def arguments_are_an_object_even_where_the_schema_does_not_say_so(world: World) -> None:
    hermes = world.host(tools=[Tool.from_schema({"name": "loose", "parameters": {}}, lambda args: world.ran.append(1))])
    for args in ([1], 7, "nonsense"):
        assert said(hermes.call("loose", args))["code"] == "invalid_arguments"
    assert world.ran == []


@check
def what_only_the_functions_types_know_is_refused_too(world: World) -> None:
    import datetime

    @tool(toolset="world")
    def day(when: datetime.date) -> str:
        """Take a day."""
        return when.isoformat()

    hermes = world.host(tools=[day])
    assert hermes.call("day", {"when": "2026-02-28"}) == '"2026-02-28"'
    assert said(hermes.call("day", {"when": "2026-02-30"}))["code"] == "invalid_arguments"


# -- 4: pre hooks ---------------------------------------------------------------------------------------------------


@check
def a_denied_call_does_not_run(world: World) -> None:
    answer = said(world.host(answering("pre", lambda call: Deny("no"))).call("typed", {"number": 1}))
    assert (answer["code"], answer["decision"], world.ran) == ("denied", "denied-by-policy", [])


@check
def a_policy_that_fails_denies(world: World) -> None:
    for error in (ValueError("broken"), SystemExit(3)):
        answer = said(world.host(answering("pre", raising(error))).call("typed", {"number": 1}))
        assert answer["decision"] == "denied-by-policy"
    assert world.ran == []


@check
def a_late_policy_denies(world: World) -> None:
    started = time.monotonic()
    answer = said(world.host(answering("pre", sleeping)).call("typed", {"number": 1}))
    assert answer["decision"] == "denied-by-policy"
    assert time.monotonic() - started < 1.1
    assert world.ran == []


@check
def a_policy_that_answers_nonsense_denies(world: World) -> None:
    for nonsense in (False, True, "no", Deny, 0):
        answer = said(world.host(answering("pre", lambda call, n=nonsense: n)).call("typed", {"number": 1}))
        assert answer["decision"] == "denied-by-policy", nonsense
    assert world.ran == []


@check
def a_deny_wins_over_a_later_allow_and_an_ask(world: World) -> None:
    for answers in ([Deny("no"), None, Ask("hm")], [Ask("hm"), Deny("no"), None], [None, Ask("hm"), Deny("no")]):
        plugins = [answering("pre", lambda call, a=answer: a) for answer in answers]
        plugins.append(answering("approve", lambda request: Decision(outcome="allowed")))
        assert said(world.host(*plugins).call("typed", {"number": 1}))["decision"] == "denied-by-policy"
    assert world.ran == []


@check
def a_rewrite_is_validated_again(world: World) -> None:
    for args in ({"number": "seven"}, {}, [1], None, {"number": 1, "other": 2}):
        answer = said(world.host(answering("pre", lambda call, a=args: Rewrite(a))).call("typed", {"number": 1}))
        assert answer["decision"] == "denied-by-policy", args
        assert "it rewrote the arguments wrongly" in answer["error"]
    assert world.ran == []


@check
def a_wrong_rewrite_leaves_no_trace(world: World) -> None:
    seen: list[Any] = []
    hermes = world.host(
        answering("assess", lambda call: seen.append(dict(call.args))),
        answering("pre", lambda call: Rewrite({"number": "seven"})),
    )
    record = hermes.run("typed", {"number": 1})
    assert (seen, dict(record.call.args), record.status) == ([{"number": 1}], {"number": 1}, "blocked")


@check
def a_rewrite_is_what_runs_and_what_the_next_hook_sees(world: World) -> None:
    seen: list[Any] = []

    def look(call: ToolCall) -> None:
        seen.append(dict(call.args))

    # The plugin that was added last is asked first.
    for number in ("9", 9):
        hermes = world.host(answering("pre", look), answering("pre", lambda call, n=number: Rewrite({"number": n})))
        for name in ("typed", "explicit"):
            assert said(hermes.call(name, {"number": 1})) == {"number": 9}
    assert (seen, world.ran) == ([{"number": 9}] * 4, [9] * 4)


@check
def whoever_answered_before_a_rewrite_is_asked_again(world: World) -> None:
    def no_nines(call: ToolCall) -> Any:
        return Deny("no nines") if call.args["number"] == 9 else None

    strict, rewriting = answering("pre", no_nines), answering("pre", lambda call: Rewrite({"number": 9}))
    for plugins in ([strict, rewriting], [rewriting, strict]):
        assert said(world.host(*plugins).call("typed", {"number": 1}))["decision"] == "denied-by-policy"
    assert world.ran == []


@check
def policies_that_rewrite_each_other_for_ever_are_denied(world: World) -> None:
    def more(call: ToolCall) -> Rewrite:
        return Rewrite({"number": call.args["number"] + 1})

    answer = said(world.host(answering("pre", more), answering("pre", more)).call("typed", {"number": 1}))
    assert (answer["decision"], world.ran) == ("denied-by-policy", [])


@check
def what_was_judged_is_what_runs_whatever_the_caller_does_meanwhile(world: World) -> None:
    args = {"number": 1}

    def meanwhile(call: ToolCall) -> None:
        args["number"] = 2

    for name in ("typed", "explicit"):
        args["number"] = 1
        world.host(answering("pre", meanwhile)).call(name, args)
    assert world.ran == [1, 1]


@check
def what_hooks_do_to_a_call_does_not_change_what_runs(world: World) -> None:
    def force(call: ToolCall) -> None:
        dict.__setitem__(cast("dict[str, Any]", call.args), "number", 2)

    def assign(call: ToolCall) -> None:
        call.args = {"number": 2}  # type: ignore[misc]

    for name in ("typed", "explicit"):
        world.host(answering("pre", force)).call(name, {"number": 1})
        assert said(world.host(answering("pre", assign)).call(name, {"number": 1}))["code"] == "denied"
    assert world.ran == [1, 1]


@check
def reasons_that_are_no_text_still_deny(world: World) -> None:
    for answer in (Deny(None), Ask(3)):  # type: ignore[arg-type]
        assert (
            said(world.host(answering("pre", lambda call, a=answer: a)).call("typed", {"number": 1}))["code"]
            == "denied"
        )
    assert world.ran == []


@check
def hooks_cannot_change_arguments_in_place(world: World) -> None:
    def change(call: ToolCall) -> None:
        call.args["number"] = 2  # type: ignore[index]

    changing = answering("pre", change)
    rewriting = answering("pre", lambda call: Rewrite({"number": 5}))
    for hermes in (world.host(changing), world.host(changing, rewriting)):
        assert said(hermes.call("explicit", {"number": 1}))["code"] == "denied"
    assert world.ran == []


# -- 5 and 6: assess and approve ------------------------------------------------------------------------------------


def finding(severity: Any) -> Finding:
    return Finding(rule="test.rule", severity=severity, reason="it is dangerous")


@check
def a_refusal_cannot_be_approved(world: World) -> None:
    approver = answering("approve", lambda request: Decision(outcome="allowed"))
    for hermes in (
        world.host(answering("assess", lambda call: finding("refuse")), approver),
        world.host(approver, tools=[world.typed(assess=lambda args, ctx: [finding("refuse")])]),
    ):
        answer = said(hermes.call("typed", {"number": 1}))
        assert (answer["code"], answer["decision"]) == ("denied", "refused")
        assert "it is dangerous" in answer["error"]
    assert world.ran == []


@check
def a_refusal_wins_over_a_denial(world: World) -> None:
    hermes = world.host(answering("assess", lambda call: finding("refuse")), answering("pre", lambda call: Deny("no")))
    assert said(hermes.call("typed", {"number": 1}))["decision"] == "refused"


@check
def asking_nobody_is_a_no(world: World) -> None:
    for hermes in (
        world.host(answering("assess", lambda call: finding("ask"))),
        world.host(tools=[world.typed(assess=lambda args, ctx: finding("ask"))]),
        world.host(answering("pre", lambda call: Ask("hm"))),
    ):
        assert said(hermes.call("typed", {"number": 1}))["decision"] == "no-approver"
    assert world.ran == []


@check
def a_note_does_not_stop_anything(world: World) -> None:
    record = world.host(answering("assess", lambda call: [finding("note")])).run("typed", {"number": 1})
    assert record.status == "ok"
    assert record.decision is not None
    assert [found.rule for found in record.decision.findings] == ["test.rule"]


@check
def an_assessor_that_fails_means_ask(world: World) -> None:
    for error in (ValueError("broken"), SystemExit(3)):
        assert said(world.host(answering("assess", raising(error))).call("typed", {"number": 1}))["decision"] == (
            "no-approver"
        )

        def assess(args: Any, ctx: Any, error: BaseException = error) -> None:
            raise error

        assert said(world.host(tools=[world.typed(assess=assess)]).call("typed", {"number": 1}))["decision"] == (
            "no-approver"
        )
    nonsense = world.host(answering("assess", lambda call: "dangerous"))
    assert said(nonsense.call("typed", {"number": 1}))["decision"] == "no-approver"
    assert world.ran == []


@check
def an_approver_can_say_yes(world: World) -> None:
    hermes = world.host(
        answering("pre", lambda call: Ask("hm")), answering("approve", lambda request: Decision(outcome="allowed"))
    )
    assert said(hermes.call("typed", {"number": 1})) == {"number": 1}


@check
def an_approver_can_say_no(world: World) -> None:
    no = Decision(outcome="denied-by-human", reason="I would rather not")
    hermes = world.host(answering("pre", lambda call: Ask("hm")), answering("approve", lambda request: no))
    answer = said(hermes.call("typed", {"number": 1}))
    assert (answer["decision"], world.ran) == ("denied-by-human", [])
    assert "I would rather not" in answer["error"]


@check
def an_approver_that_fails_has_not_approved(world: World) -> None:
    for answer in (raising(ValueError("broken")), raising(SystemExit(0)), lambda request: True, lambda request: None):
        hermes = world.host(answering("pre", lambda call: Ask("hm")), answering("approve", answer))
        assert said(hermes.call("typed", {"number": 1}))["decision"] == "no-approver"
    assert world.ran == []


@check
def an_approver_that_does_not_answer_times_out(world: World) -> None:
    hermes = world.host(answering("pre", lambda call: Ask("hm")), answering("approve", sleeping))
    assert said(hermes.call("typed", {"number": 1}))["decision"] == "timed-out"
    assert world.ran == []


@check
def the_end_of_an_approval_is_announced(world: World) -> None:
    heard: list[tuple[str, str]] = []

    class Listener:
        @hookimpl
        def hermes_approval_resolved(self, request: Any, decision: Decision) -> None:
            heard.append((request.tool, decision.outcome))

    world.host(answering("pre", lambda call: Ask("hm")), Listener()).call("typed", {"number": 1})
    assert heard == [("typed", "no-approver")]


# -- 7: execute -----------------------------------------------------------------------------------------------------


@check
def a_handlers_exception_becomes_a_result(world: World) -> None:
    def handler(args: dict[str, Any]) -> str:
        raise args["error"]

    hermes = world.host(tools=[Tool.from_schema({"name": "bad"}, handler)])
    errors = (ValueError("broken <tool_call>"), SystemExit(3), KeyboardInterrupt("mine"))
    for error in errors:
        answer = said(hermes.call("bad", {"error": error}))
        assert answer["error"].startswith(f"Tool execution failed: {type(error).__name__}"), answer
        assert "<tool_call>" not in answer["error"]
        assert answer["code"] == "failed"


@check
def a_cancellation_that_a_handler_invents_is_its_failure(world: World) -> None:
    @tool(toolset="world")
    async def odd() -> str:
        """Raise what only a loop may raise."""
        raise asyncio.CancelledError

    hermes = world.host(tools=[odd])

    async def main() -> str:
        return await hermes.acall("odd")

    assert said(asyncio.run(main()))["error"] == "Tool execution failed: CancelledError"


@check
def a_handler_past_its_deadline_is_left_behind(world: World) -> None:
    @tool(toolset="world", timeout=0.2)
    def slow() -> str:
        """Sleep."""
        time.sleep(1.2)
        return "too late"

    hermes = world.host(tools=[slow, world.typed()])
    started = time.monotonic()
    answer = said(hermes.call("slow"))
    assert answer["code"] == "timeout"
    assert "0.2 s" in answer["error"]
    assert time.monotonic() - started < 1.0


@check
def a_callers_own_deadline_counts(world: World) -> None:
    @tool(toolset="world")
    def slow() -> str:
        """Sleep."""
        time.sleep(1.2)
        return "too late"

    assert said(world.host(tools=[slow]).call("slow", timeout=0.2))["code"] == "timeout"


@check
def a_result_that_is_not_json_is_an_error(world: World) -> None:
    answer = said(world.host(tools=[Tool.from_schema({"name": "odd"}, lambda args: object())]).call("odd"))
    assert "JSON" in answer["error"]


@check
def what_fails_beside_the_handler_is_contained_too(world: World) -> None:
    class Unfair(str):
        def isascii(self) -> bool:
            raise RuntimeError("no idea")

    answer = said(world.host(tools=[Tool.from_schema({"name": "odd"}, lambda args: Unfair("{}"))]).call("odd"))
    assert answer["error"] == "Error executing odd: no idea"


@check
def a_handler_changes_its_own_copy_only(world: World) -> None:
    @tool(toolset="world")
    def greedy(data: dict[str, Any]) -> str:
        """Change what it is given."""
        data["list"].append("mine")
        return "ok"

    mine: dict[str, Any] = {"data": {"list": []}}
    world.host(tools=[greedy]).call("greedy", mine)
    assert mine == {"data": {"list": []}}


# -- 8 to 10: transform, limit, post hooks --------------------------------------------------------------------------


@check
def a_transformation_that_fails_keeps_the_result(world: World) -> None:
    for answer in (raising(ValueError("broken")), raising(SystemExit(1)), lambda result: 17):
        assert said(world.host(answering("transform", answer)).call("typed", {"number": 1})) == {"number": 1}


@check
def a_transformation_takes_effect(world: World) -> None:
    hermes = world.host(answering("transform", lambda result: result.replace("1", "2")))
    assert said(hermes.call("typed", {"number": 1})) == {"number": 2}


@check
def a_long_result_is_spilled(world: World) -> None:
    long = Tool.from_schema({"name": "long"}, lambda args: json.dumps("x" * 200), max_result_size_chars=100)
    answer = said(world.host(tools=[long]).call("long"))
    assert answer["truncated"] is True
    assert Path(answer["saved_to"]).read_text() == "x" * 200


@check
def observers_hear_of_blocked_and_unknown_and_failed_calls(world: World) -> None:
    heard: list[tuple[str, str, str | None]] = []

    def hear(record: CallRecord) -> None:
        heard.append((record.call.name, record.status, record.code))
        raise ValueError("and still the call goes on")

    failing = Tool.from_schema({"name": "failing"}, lambda args: 1 / 0)
    slow = Tool.from_schema({"name": "slow"}, lambda args: time.sleep(1), timeout=0.1)
    deny = answering("pre", lambda call: Deny("no") if call.name == "typed" else None)
    hermes = world.host(answering("post", hear), deny, tools=[world.typed(), world.explicit(), failing, slow])
    for name in ("typed", "nowhere", "failing", "slow", "explicit"):
        hermes.call(name, {"number": 1})
    assert heard == [
        ("typed", "blocked", "denied"),
        ("nowhere", "error", "unknown_tool"),
        ("failing", "error", "failed"),
        ("slow", "timeout", "timeout"),
        ("explicit", "ok", None),
    ]


@check
def observers_hear_of_cancelled_calls(world: World) -> None:
    heard: list[str] = []

    @tool(toolset="world")
    async def forever() -> str:
        """Wait."""
        await asyncio.Event().wait()
        return "never"

    hermes = world.host(answering("post", lambda record: heard.append(record.status)), tools=[forever])

    async def main() -> None:
        task = asyncio.create_task(hermes.acall("forever"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert heard == ["cancelled"]


@check
def observers_hear_of_interrupted_calls(world: World) -> None:
    heard: list[str] = []

    def handler(args: dict[str, Any]) -> str:
        if len(heard) > 5:  # by now it runs in the caller's own thread, where Ctrl-C arrives
            raise KeyboardInterrupt
        return "1"

    hermes = world.host(
        answering("post", lambda record: heard.append(record.status)), tools=[Tool.from_schema({"name": "t"}, handler)]
    )
    for _ in range(6):
        hermes.call("t")
    with pytest.raises(KeyboardInterrupt):
        hermes.call("t")
    assert heard == ["ok"] * 6 + ["cancelled"]


@check
def a_host_that_was_closed_meanwhile_runs_nothing(world: World) -> None:
    async def main() -> None:
        hermes = world.host()
        call = hermes.acall("typed", {"number": 1})
        await hermes.aclose()
        with pytest.raises(HostClosedError):
            await call

    asyncio.run(main())
    assert world.ran == []


@check
def answers_about_arguments_that_do_not_run_do_not_count(world: World) -> None:
    def only_five(call: ToolCall) -> Any:
        return None if call.args["number"] == 5 else Deny("five only")

    five = answering("pre", lambda call: Rewrite({"number": 5}))
    for plugins in ([answering("pre", only_five), five], [five, answering("pre", only_five)]):
        assert said(world.host(*plugins).call("typed", {"number": 1})) == {"number": 5}
    assert world.ran == [5, 5]


@check
def a_session_begins_before_its_first_call(world: World) -> None:
    heard: list[str] = []

    class Listener:
        @hookimpl
        def hermes_session_start(self, session: Session) -> None:
            heard.append("start")

    hermes = world.host(Listener(), answering("post", lambda record: heard.append("call")))
    hermes.call("typed", {"number": 1})
    hermes.call("typed", {"number": 1})
    assert heard == ["start", "call", "call"]


@check
def a_tool_that_cannot_run_does_not_get_its_plugin_imported(world: World) -> None:
    imported: list[str] = []
    entry = {"name": "sleeper", "toolset": "bed", "parameters": {"type": "object"}, "requires_env": ["NO_SUCH_KEY"]}
    data = {"plugin": "bed", "api": ">=1.0", "tools": [entry]}
    hermes = world.host()
    hermes._loader.load(
        Candidate(
            name="bed",
            origin="entry point",
            load=lambda: imported.append("bed"),
            manifest=lambda: Manifest("hermes-plugin.json", data),
        )
    )
    assert said(hermes.call("sleeper"))["code"] == "unavailable"
    assert imported == []


@check
def an_import_that_takes_too_long_ends_the_call(world: World) -> None:
    released = threading.Event()
    data = {"plugin": "bed", "api": ">=1.0", "tools": [{"name": "sleeper", "toolset": "bed", "parameters": {}}]}
    hermes = world.host()
    hermes._loader.load(
        Candidate(
            name="bed",
            origin="entry point",
            load=lambda: released.wait(30),
            manifest=lambda: Manifest("hermes-plugin.json", data),
        )
    )
    try:
        answer = said(hermes.call("sleeper", timeout=0.05))
    finally:
        released.set()
    assert answer["code"] == "timeout"


# -- the mutants ----------------------------------------------------------------------------------------------------


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(stack, tmp_path / "world")


@pytest.mark.parametrize("one", CHECKS, ids=lambda one: one.__name__)
def test_check(one: Callable[[World], None], world: World) -> None:
    one(world)


class Remove(ast.NodeTransformer):
    """Takes one statement away, leaving `pass`."""

    def __init__(self, line: int) -> None:
        self.line = line

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and node.lineno == self.line and removable(node):
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)


def removable(node: ast.AST) -> bool:
    """A statement that refuses, asks, validates, notes a denial or a finding, or hands on to a guard."""
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            return call.func.attr.startswith(("_require", "_validate", "append", "extend", "observe", "begin", "reset"))
        return False
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id in ("found", "findings")
    targets = [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []
    return bool({"call._args", "call._shown"}.intersection(targets))


def mutants() -> list[tuple[str, int, str]]:
    """Every guard statement: its module, line and text."""
    found = []
    for name in GUARDED:
        source = Path(str(import_module(name).__file__)).read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.stmt) and removable(node):
                found.append((name, node.lineno, lines[node.lineno - 1].strip()))
    return sorted(found)


def load_mutant(name: str, line: int) -> types.ModuleType:
    original = import_module(name)
    source = Path(str(original.__file__)).read_text(encoding="utf-8")
    tree = ast.fix_missing_locations(Remove(line).visit(copy.deepcopy(ast.parse(source))))
    mutant = types.ModuleType(name)
    mutant.__dict__.update({"__file__": original.__file__, "__package__": original.__package__})
    exec(compile(tree, str(original.__file__), "exec"), mutant.__dict__)
    return mutant


def test_there_are_enough_guards_to_remove() -> None:
    assert len(mutants()) >= 25


@pytest.mark.parametrize(("name", "line", "text"), mutants())
def test_removing_a_guard_is_noticed(
    name: str, line: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant = load_mutant(name, line)
    dispatch = importlib.import_module("hermes_core.calls.dispatch")
    pipeline = importlib.import_module("hermes_core.calls.pipeline")
    if name == pipeline.__name__:
        monkeypatch.setattr(dispatch, "Pipeline", mutant.Pipeline)
    for public in ("weigh", "denied", "request_approval"):
        if hasattr(mutant, public) and name != pipeline.__name__:
            monkeypatch.setattr(pipeline, public, getattr(mutant, public))
    for number, one in enumerate(CHECKS):
        with ExitStack() as stack:
            try:
                one(World(stack, tmp_path / str(number)))
            except KeyboardInterrupt:
                raise
            except BaseException:  # any failure will do, a cancellation that escaped too: the guard is missed
                return
    pytest.fail(f"nobody noticed that {name}:{line} was removed: {text}")
