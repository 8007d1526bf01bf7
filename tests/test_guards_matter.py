"""Removes the guards of the pipeline one statement at a time, and expects the checks below to notice each."""

from __future__ import annotations

import ast
import asyncio
import copy
import importlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Annotated, Any, cast

import pytest
from pydantic import AfterValidator

from hermes_approval import Answer, Approval, HostApproval
from hermes_approval.channels import mailbox_sockets
from hermes_approval.channels.mailbox import Mailbox
from hermes_approval.channels.smart_approval import SmartChannel
from hermes_approval.grants.grant import Grant
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import GrantStore, SteadyClock
from hermes_approval.settings import ApprovalSettings
from hermes_core import (
    Ask,
    Binding,
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
    Waiver,
    hookimpl,
    tool,
)
from hermes_core.config import tool_session as tool_sessions
from hermes_core.errors import ConfigError, HostClosedError, ToolUnavailableError
from hermes_core.findings import ApprovalRequest
from hermes_core.inspection import abandoned_calls, hook_table
from hermes_core.logs import log
from hermes_core.plugins.manifest import Manifest
from hermes_core.plugins.plugin_records import Candidate

PIPELINE = "hermes_core.calls.pipeline"
POLICY = "hermes_core.calls.policy"
DECIDING = (
    "hermes_approval.host_approval",
    "hermes_core.calls.approvals",
)
LOADING: dict[str, tuple[str, ...]] = {
    "hermes_core.plugins.contributions": ("raise PluginError(reason, remedy='Return the object",),
    "hermes_core.plugins.loader": ("self._deny_without(", "self._fail(loaded, error, [], ", "self._installed.judge("),
    "hermes_core.plugins.installed_plugins": (
        *("loaded.policy_hooks = manifest", "self.owners.expect(", "return self.owners.refuse("),
    ),
    "hermes_core.plugins.discovery": ("self.refused = find",),
    "hermes_core.plugins.registration": ("if (refusal := ",),
    "hermes_core.plugins.name_ownership": ("refused[other] =", "refused.update(", "return HeldBack("),
    "hermes_core.plugins.policy_plugins": ("return Deny(",),
    "hermes_files.regular_files": ("raise OSError('it is not",),
    "hermes_core.calls.context": ("if shared is not None and",),
}
"""How the guarding statements begin in the modules that load plugins, beside what else these do."""

CALLS = "hermes_core.calls"
NAMED = {
    "hermes_approval.grants.host_grants": ("if not isinstance(grant, Grant)",),
    "hermes_approval.channels.mailbox_messages": ("if not known or",),
    "hermes_approval.channels.mailbox_sockets": ("if not before.started or inside", "if uid not in"),
    "hermes_core.config.tool_session": ("raise", "if marked:", "claims.append("),
    f"{CALLS}.session": ("self._require_started()", "raise ToolUnavailableError("),
    f"{CALLS}.worker_threads": (
        "raise Abandoned(",
        "self.abandoned.begin(",
        "self.abandoned.end(",
        "self.abandoned.refuse(",
    ),
    f"{CALLS}.lazy_results": ("raise NeedsThread",),
    "hermes_schemas.plain_values": ("raise self._", "self._require_thread()", "self.cut = True"),
    f"{CALLS}.secret_filter": ("made.shown_args = ", "result = ", "call, decision = "),
    f"{CALLS}.call_plan": ("raise ToolInputError(", "raise _invalid("),
    f"{CALLS}.dispatcher": ("call.depth = ",),
    f"{CALLS}.runner": ("await self._stop_if_cancelled(", "raise sys.modules['asyncio'].CancelledError"),
}
"""Modules of which only some statements are guards: how those begin."""

GRANTS = {
    "hermes_approval.grants.grant": {"Grant": ("holds_for",)},
    "hermes_approval.grants.grant_store": {
        "SteadyClock": ("__call__",),
        "GrantStore": ("_ended",),
        "_Content": ("end_expired",),
    },
}
"""Methods of grants in which every statement is a guard: what they are bound to, and when they expire."""

GUARDED = [PIPELINE, POLICY, *DECIDING, *NAMED, *LOADING, *GRANTS]
SHORTCUTS = [ast.dump(ast.parse(test, mode="eval").body) for test in ("not denials and not findings", "TYPE_CHECKING")]
"""What may go without anybody noticing: it saves time, and what comes after it says the same."""

QUICK = {"calls": {"hook_timeout": 0.3, "approval_timeout": 0.3}}


class World:
    """A host with one tool of each kind, and a list of what really ran."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.ran: list[Any] = []
        self.stack = stack
        self.folder = folder

    def host(self, *plugins: object, tools: list[Tool] | None = None, **options: Any) -> Hermes:
        names = {"approver": "approver", "policy": "policy", "approvals": "mode", "grants": "grants"}
        given = {names[name]: options.pop(name) for name in list(options) if name in names}
        hermes = Hermes(
            tools=tools if tools is not None else [self.typed(), self.explicit()],
            plugins=[*plugins, Approval(**given)],
            home=self.folder,
            **{"config": QUICK, **options},
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


def returning(value: object) -> Callable[[], object]:
    """Return a function that returns a value."""
    return lambda: value


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


class NoStart:
    """A plugin without its hook for the start of a session."""

    def __init__(self, plugin: Any) -> None:
        self.hermes_pre_tool_call = plugin.hermes_pre_tool_call


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


def relay(name: str = "relay", **fields: Any) -> Tool:
    """A tool that forwards to the one that its arguments name."""
    fields = {"forward": lambda args, ctx: (args["name"], args["args"]), "toolset": "relay", **fields}
    return Tool.from_schema({"name": name}, lambda args: "relayed", in_every_scope=True, **fields)


@check
def a_forwarded_call_is_found_within_the_scope(world: World) -> None:
    other = Tool.from_schema({"name": "other"}, lambda args: "1", toolset="apart")
    hermes = world.host(tools=[world.typed(), relay(), other])
    inner = {"name": "typed", "args": {"number": 1}}
    with hermes.session(enabled=["apart"]) as session:
        for answer in (session.call("relay", inner), *session.batch([("relay", inner)])):
            assert said(answer)["code"] == "unknown_tool"
        assert session.call("relay", {"name": "other", "args": {}}) == "1"
    assert world.ran == []
    assert (hermes.run("relay", inner).call.name, world.ran) == ("typed", [1])


@check
def a_forward_that_names_no_call_is_refused(world: World) -> None:
    hermes = world.host(tools=[world.typed(), relay(), relay("again")])
    for inner in ({}, {"name": 5, "args": {}}, {"name": "again", "args": {"name": "typed", "args": {"number": 1}}}):
        for answer in (hermes.call("relay", inner), *hermes.batch([("relay", inner)])):
            assert said(answer)["code"] == "invalid_arguments"
    gone = world.host(tools=[world.typed(), relay(check=lambda: False)])
    assert said(gone.call("relay", {"name": "typed", "args": {"number": 1}}))["code"] == "unavailable"
    assert world.ran == []


@check
def what_a_forward_calls_is_within_the_scope_and_nothing_after_it(world: World) -> None:
    answers: list[str] = []

    def forward(args: Any, ctx: ToolContext) -> tuple[str, Any]:
        answers.append(hermes.call("typed", {"number": 1}))
        raise ToolUnavailableError("not now")

    hermes = world.host(tools=[world.typed(), relay(forward=forward)])
    assert said(hermes.call("relay", {}, enabled=["relay"]))["code"] == "unavailable"
    assert said(answers[0])["code"] == "unknown_tool"
    assert said(hermes.call("typed", {"number": 2})) == {"number": 2}


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
    judged = []

    def meanwhile(call: ToolCall) -> None:
        args["number"] = 2
        judged.append(call.args["number"])

    for name in ("typed", "explicit"):
        args["number"] = 1
        world.host(answering("pre", meanwhile)).call(name, args)
    assert world.ran == judged == [1, 1]


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
def nobody_approves_in_a_process_that_a_tool_started(world: World) -> None:
    names = tool_sessions.tool_session.__wrapped__.__globals__
    found = names["session_of"]
    names["session_of"] = lambda pid, claimed=None: tool_sessions.ToolSession(world.folder)
    tool_sessions.tool_session.cache_clear()
    try:
        hermes = world.host(asking(), approver=lambda request: "always")
        assert decided_on(hermes) == ("denied-by-policy", "tool session")
        assert said(world.host().call("explicit", {"number": 1})) == {"number": 1}
    finally:
        names["session_of"] = found
        tool_sessions.tool_session.cache_clear()
    assert world.ran == [1]


@check
def the_session_of_a_process_is_told_by_its_limits(world: World) -> None:
    import resource

    world.folder.mkdir(parents=True)
    running, memory, locks = resource.RLIMIT_RTTIME, resource.RLIMIT_RSS, 10
    session = tool_sessions.ToolSession(world.folder)
    homes: list[str | None] = []
    for limits in ({}, {memory: 7}, {running: 1 << 61}, {memory: 7, locks: 0}, session.limits):
        with limited_process(limits) as pid:
            inside = tool_sessions.session_of(pid)
            assert (inside is not None) == (len(homes) > 2)
            for claimed in (session.home, "/elsewhere"):
                told = tool_sessions.session_of(pid, claimed)
                homes.append(told.home if told is not None else "none")
    assert homes[4:] == [session.home, "/elsewhere", None, None, session.home, None]


@contextmanager
def limited_process(limits: Mapping[int, int]) -> Iterator[int]:
    import resource

    with subprocess.Popen(["sleep", "60"]) as child:
        for number, value in limits.items():
            resource.prlimit(child.pid, number, (value, value))
        try:
            yield child.pid
        finally:
            child.kill()


@check
def a_process_that_hides_its_session_can_do_nothing_with_it(world: World) -> None:
    def forbidden(pid: int) -> dict[int, int]:
        raise PermissionError

    names = tool_sessions.session_of.__globals__
    before = {name: names[name] for name in ("_limits", "tool_session")}
    try:
        names["_limits"] = forbidden
        with pytest.raises(PermissionError):
            tool_sessions.session_of(os.getpid())
        names["tool_session"] = lambda: tool_sessions.ToolSession(None)
        with pytest.raises(ConfigError, match="session cannot be determined"):
            tool_sessions.session_home(None)
        with pytest.raises(ConfigError, match="cannot be changed"):
            tool_sessions.refuse_inside("It cannot be changed")
        names["tool_session"] = lambda: tool_sessions.ToolSession(world.folder)
        with pytest.raises(ConfigError, match="the home of its session"):
            tool_sessions.session_home("/elsewhere")
    finally:
        names.update(before)


@check
def only_a_trusted_process_answers_what_was_asked(world: World) -> None:
    world.folder.mkdir(parents=True, mode=0o700)
    mailbox = Mailbox(world.folder / "approvals")
    request = ApprovalRequest(id="a", tool="t", toolset="x", args={}, findings=(), session_id="s", session_kind="x")
    ticket = mailbox.post(request, seconds=60)
    right = {"id": ticket.id, "token": ticket.token, "digest": ticket.digest, "choice": "once", "by": "x", "reason": ""}
    place = world.folder / "approvals" / f"{ticket.name}.answer"
    names = mailbox_sockets._is_trusted.__globals__
    peer = names["_peer"]
    try:
        for digest, who in (("0", "host"), (ticket.digest, "tool"), (ticket.digest, "other"), (ticket.digest, "host")):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client, limited_process({15: 1 << 61}) as pid:
                with mailbox_sockets._directory(place.parent) as folder:
                    client.connect(f"{folder}/{place.name}")
                client.send(json.dumps({**right, "digest": digest}).encode())
                peers = {"tool": (pid, os.geteuid()), "other": (os.getpid(), 12345), "host": peer(client)}
                names["_peer"] = partial(lambda found, _: found, peers[who])
                assert (mailbox.collect(ticket) is not None) == (who == "host" and digest == ticket.digest)
    finally:
        names["_peer"] = peer
        mailbox.withdraw(ticket)


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


@check
def an_approver_that_answers_nonsense_is_reported_and_the_next_one_is_asked(world: World) -> None:
    heard: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    handler = Handler()
    log.addHandler(handler)
    world.stack.callback(log.removeHandler, handler)
    hermes = world.host(
        answering("pre", lambda call: Ask("hm")),
        answering("approve", lambda request: Decision(outcome="allowed", by="the second")),
        answering("approve", lambda request: "certainly"),
    )
    record = hermes.run("typed", {"number": 1})
    assert record.decision is not None
    assert (record.status, record.decision.by) == ("ok", "the second")
    assert any("it returned a str instead of a Decision or None" in text for text in heard)


# -- 6: what needs nobody, and what is kept --------------------------------------------------------------------------

RULES: dict[str, dict[str, Any]] = {
    "ask": {"name": "careful", "match": {"tool": "typed"}, "action": "ask", "reason": "the rule wants it"},
    "deny": {"name": "never", "match": {"tool": "typed"}, "action": "deny", "reason": "the rule forbids it"},
    "lift": {"name": "fine", "match": {"tool": "typed"}, "action": "allow", "lifts": ["test.rule", "policy.careful"]},
}


def asking() -> object:
    return answering("assess", lambda call: finding("ask"))


def decided_on(hermes: Hermes, number: int = 1, **options: Any) -> tuple[str, str]:
    """What was decided about a call, and by whom."""
    record = hermes.run("typed", {"number": number}, **options)
    assert record.decision is not None
    assert (record.status == "ok") is record.decision.allowed, record.result
    return record.decision.outcome, record.decision.by


def grant_for(number: int, **fields: Any) -> Grant:
    values = {"id": "g1", "rule": "test.rule", "scope": "always", "by": "a test", "at": 0.0, **fields}
    return Grant(tool="typed", args={"number": {"equals": number}}, **values)


def bound_to(*facts: tuple[str, str], once: str = "") -> Callable[..., Any]:
    """The binding of a tool: always the same facts."""
    return lambda args, ctx: Binding(facts=facts, once=once)


@check
def a_grant_holds_only_while_what_it_is_bound_to_is_the_same(world: World) -> None:
    facts = {"in this directory": "/srv/app"}
    asked: list[Any] = []

    def approve(request: Any) -> str:
        asked.append(request.bound)
        return "session"

    typed = world.typed(binding=lambda args, ctx: Binding(facts=tuple(facts.items())))
    hermes = world.host(asking(), tools=[typed], approver=approve)
    with hermes.session() as session:
        for where, count in (("/srv/app", 1), ("/srv/app", 1), ("/srv/other", 2), ("/srv/app", 2)):
            facts["in this directory"] = where
            decided_on(hermes, session=session)
            assert len(asked) == count, where
    assert asked == [(("in this directory", "/srv/app"),), (("in this directory", "/srv/other"),)]


@check
def an_unknown_dependency_is_approved_once(world: World) -> None:
    asked: list[Any] = []

    def approve(request: Any) -> str:
        asked.append(request.once)
        return "always"

    unknown = {"once": ""}
    typed = world.typed(binding=lambda args, ctx: Binding(once=unknown["once"]))
    hermes = world.host(asking(), tools=[typed], approver=approve)
    with hermes.session() as session:
        decided_on(hermes, session=session)
        unknown["once"] = "the value of F is not known"
        for _ in range(2):
            assert decided_on(hermes, session=session)[0] == "allowed"
    assert asked == ["", "the value of F is not known", "the value of F is not known"]


@check
def a_binding_that_fails_or_answers_nonsense_is_approved_once(world: World) -> None:
    for binding in (lambda args, ctx: "nonsense", lambda args, ctx: 1 / 0):
        answers = ["always", "deny"]
        hermes = world.host(
            asking(), tools=[world.typed(binding=binding)], approver=lambda request, a=answers: a.pop(0)
        )
        with hermes.session() as session:
            assert decided_on(hermes, session=session)[0] == "allowed"
            assert decided_on(hermes, session=session)[0] == "denied-by-human"


@check
def a_grant_made_by_hand_is_bound_to_nothing(world: World) -> None:
    for once in ("", "it is not known"):
        tools = [world.typed(binding=bound_to(("in this directory", "/srv"), once=once))]
        assert decided_on(world.host(asking(), tools=tools, grants=GrantSet([grant_for(1)])))[0] == "allowed"


@check
def a_clock_that_is_set_back_brings_no_grant_back(world: World) -> None:
    for stored in (False, True):
        now = [1000.0]
        clock = partial(now.__getitem__, 0)
        store = GrantStore(world.folder, clock) if stored else None
        grants = GrantSet(store=store, clock=clock)
        grants.add(grant_for(1, expires=1010.0, at=1000.0, id=f"g{stored}"))
        hermes = world.host(asking(), grants=grants)
        for moment, outcome in ((1005.0, "allowed"), (1011.0, "no-approver"), (1005.0, "no-approver")):
            now[0] = moment
            assert decided_on(hermes)[0] == outcome, (stored, moment)
        if stored:
            again = GrantSet(store=GrantStore(world.folder, lambda: 1005.0), clock=lambda: 1005.0)
            assert decided_on(world.host(asking(), grants=again))[0] == "no-approver"
            assert again._store is not None
            assert [each["id"] for each in again._store.export()] == ["gTrue"]


@check
def the_systems_own_clock_is_not_trusted_either(world: World) -> None:
    began, real = time.time(), time.time
    clock = SteadyClock()
    before = clock()
    try:
        time.time = lambda: began - 3600  # somebody sets the clock back
        assert clock() >= before
        deadline = time.monotonic() + 5
        while clock() <= before:
            assert time.monotonic() < deadline
    finally:
        time.time = real
    assert SteadyClock()() >= began


@check
def always_lasts_for_the_session_where_nothing_can_be_saved(world: World) -> None:
    world.folder.mkdir(parents=True, exist_ok=True)
    (world.folder / "file").write_text("")
    store = GrantStore(world.folder / "file" / "home")  # nothing can be written below a file
    answers = ["always", "deny", "deny"]
    hermes = world.host(asking(), grants=GrantSet(store=store), approver=lambda request: answers.pop(0))
    with hermes.session(id="one") as session:
        assert decided_on(hermes, session=session)[1] == "the application"
        assert decided_on(hermes, session=session)[1].startswith("grant")
    assert decided_on(hermes)[0] == "denied-by-human"


@check
def mode_off_asks_nobody_and_still_refuses(world: World) -> None:
    asked: list[Any] = []
    approver = answering("approve", asked.append)
    assert decided_on(world.host(asking(), approver, approvals="off")) == ("allowed", "approvals.mode")
    refusing = answering("assess", lambda call: [finding("ask"), finding("refuse")])
    assert decided_on(world.host(refusing, approver, approvals="off")) == ("refused", "test.rule")
    denying = answering("pre", lambda call: Deny("no"))
    assert decided_on(world.host(asking(), denying, approvals="off"))[0] == "denied-by-policy"
    assert (asked, world.ran) == ([], [1])


@check
def mode_off_in_a_child_is_off_only_where_its_parent_is(world: World) -> None:
    for above, outcome in (("manual", "no-approver"), ("off", "allowed")):
        child = world.host(asking(), parent=world.host(approvals=above), approvals="off")
        assert decided_on(child)[0] == outcome


@check
def cron_jobs_ask_nobody(world: World) -> None:
    asked: list[Any] = []

    def say_yes(request: Any) -> Decision:
        asked.append(request)
        return Decision(outcome="allowed", by="somebody")

    yes, no = ApprovalSettings(cron_approves=True), ApprovalSettings()
    for above, own, expected in (
        (None, no, "no-approver"),
        (None, yes, "allowed"),
        (no, yes, "no-approver"),
        (yes, yes, "allowed"),
    ):
        parent = world.host(approvals=above) if above else None
        hermes = world.host(asking(), answering("approve", say_yes), approvals=own, parent=parent)
        with hermes.session(kind="cron") as session:
            by = "approvals.cron_mode" if expected == "allowed" else "session kind cron"
            assert decided_on(hermes, session=session) == (expected, by)
            if expected != "allowed":
                assert "it is dangerous" in said(session.call("typed", {"number": 1}))["error"]
        assert asked == []
        assert decided_on(hermes) == ("allowed", "somebody")
        assert asked.pop()


@check
def rules_deny_ask_and_lift(world: World) -> None:
    assert decided_on(world.host(policy=[RULES["deny"], RULES["lift"]])) == ("denied-by-policy", "policy.never")
    assert decided_on(world.host(policy=[RULES["ask"]]))[0] == "no-approver"
    assert decided_on(world.host(asking(), policy=[RULES["lift"], RULES["ask"]]))[0] == "allowed"
    shadow = world.host(policy=[{**RULES["deny"], "shadow": True}]).run("typed", {"number": 1})
    assert shadow.decision is not None
    assert [each.severity for each in shadow.decision.findings] == ["note"]
    refusing = answering("assess", lambda call: finding("refuse"))
    assert decided_on(world.host(refusing, policy=[RULES["lift"]]))[0] == "refused"


@check
def rules_of_a_child_lift_nothing_that_its_parents_do_not(world: World) -> None:
    lift = [RULES["lift"]]
    strict, lax = world.host(policy=[RULES["ask"]]), world.host(policy=lift)
    for parent, policy, outcome in (
        (world.host(), lift, "no-approver"),
        (strict, lift, "no-approver"),
        (strict, None, "no-approver"),
        (lax, None, "allowed"),
        (lax, lift, "allowed"),
        (lax, [RULES["ask"]], "no-approver"),
        (world.host(policy=[RULES["deny"]]), lift, "denied-by-policy"),
        (world.host(parent=lax), lift, "allowed"),
        (world.host(parent=world.host()), lift, "no-approver"),
    ):
        assert decided_on(world.host(asking(), parent=parent, policy=policy))[0] == outcome


@check
def a_grant_answers_what_it_is_for_and_as_often_as_it_says(world: World) -> None:
    hermes = world.host(asking(), grants=GrantSet([grant_for(1, uses=1)]))
    assert decided_on(hermes, 2)[0] == "no-approver"
    assert decided_on(hermes) == ("allowed", "grant g1")
    assert decided_on(hermes)[0] == "no-approver"
    wider = world.host(asking(), grants=GrantSet([grant_for(1)]), policy=[RULES["ask"]])
    assert decided_on(wider)[0] == "no-approver"


@check
def grants_that_cannot_be_read_permit_nothing_and_somebody_is_asked(world: World) -> None:
    world.folder.mkdir(parents=True, exist_ok=True)
    (world.folder / "approvals.json").write_text("not JSON", encoding="utf-8")
    broken = GrantSet(store=GrantStore(world.folder))
    assert decided_on(world.host(asking(), grants=broken))[0] == "no-approver"
    for answer in (True, "always"):
        hermes = world.host(asking(), grants=broken, approver=lambda request, a=answer: a)
        assert decided_on(hermes) == ("allowed", "the application")


@check
def grants_that_take_too_long_are_not_waited_for(world: World) -> None:
    grants, held, done = GrantSet([grant_for(1)]), threading.Event(), threading.Event()

    def hold() -> None:
        with grants._lock:
            held.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    world.stack.callback(holder.join)
    assert held.wait(5)
    hermes = world.host(asking(), grants=grants, approver=lambda request: "session")
    world.stack.callback(done.set)  # before the host is closed, which waits for the grants
    assert decided_on(hermes, 2) == ("allowed", "the application")


@check
def what_was_allowed_for_longer_is_not_asked_again(world: World) -> None:
    answers = ["session", "once", "always", "deny"]
    hermes = world.host(
        asking(), approver=lambda request: answers.pop(0), grants=GrantSet(store=GrantStore(world.folder))
    )
    assert [decided_on(hermes)[1][:5] for _ in range(3)] == ["the a", "grant", "grant"]
    with hermes.session() as session:  # what was said for one session is not said for another
        assert decided_on(hermes, session=session)[1] == "the application"
        assert decided_on(hermes, session=session)[1] == "the application"
        assert decided_on(hermes, session=session)[1].startswith("grant")
    assert decided_on(hermes, 2)[0] == "denied-by-human"
    (kept,) = GrantStore(world.folder).grants()
    assert (kept.tool, kept.rule, dict(kept.args)) == ("typed", "test.rule", {"number": {"equals": 1}})
    later = world.host(asking(), grants=GrantSet(store=GrantStore(world.folder)))
    assert decided_on(later) == ("allowed", f"grant {kept.id}")


@check
def a_no_grants_nothing_whatever_comes_with_it(world: World) -> None:
    def say_no(request: Any) -> Decision:
        return Decision(outcome="denied-by-human", grants=(grant_for(1),))

    hermes = world.host(asking(), answering("approve", say_no))
    assert [decided_on(hermes)[0] for _ in range(2)] == ["denied-by-human"] * 2


@check
def what_is_no_grant_is_not_kept(world: World) -> None:
    def say_yes(request: Any) -> Decision:
        return Decision(outcome="allowed", by="somebody", grants=("everything", grant_for(1)))

    hermes = world.host(asking(), answering("approve", say_yes))
    assert [decided_on(hermes)[1] for _ in range(2)] == ["somebody", "grant g1"]


@check
def what_is_allowed_for_longer_in_a_child_is_kept_at_the_root(world: World) -> None:
    answers = ["session", "always"]
    root = world.host(asking(), approver=lambda request: answers.pop(0))
    middle = world.host(asking(), parent=root)
    for parent, own in ((middle, None), (root, GrantSet())):
        child = world.host(asking(), parent=parent, grants=own)
        assert [decided_on(child)[1][:5] for _ in range(2)] == ["the a", "grant"]
    assert sorted(grant.scope for grant in HostApproval.of(root).grants.list()) == ["always", "session"]
    assert decided_on(root)[0] == decided_on(middle)[0] == "allowed"


@check
def what_only_a_childs_approver_allowed_holds_in_the_child_alone(world: World) -> None:
    parent = world.host(asking())
    child = world.host(asking(), parent=parent, approver=lambda request: "always")
    assert [decided_on(child)[1][:5] for _ in range(2)] == ["the a", "grant"]
    assert decided_on(parent)[0] == "no-approver"
    answers = ["session", "deny"]
    other = world.host(asking(), parent=parent, approver=lambda request: answers.pop(0))
    with other.session(id="one") as session:
        assert decided_on(other, session=session)[0] == "allowed"
        assert other.rehearse("typed", {"number": 1}, session=session).decision is not None
    with other.session(id="one") as session:
        assert decided_on(other, session=session)[0] == "denied-by-human"


@check
def what_nobody_could_assess_is_not_allowed_for_longer(world: World) -> None:
    failing = answering("assess", raising(ValueError("down")))
    hermes = world.host(failing, approver=lambda request: "always")
    assert [decided_on(hermes)[1] for _ in range(2)] == ["the application"] * 2
    assert HostApproval.of(hermes).grants.list() == ()


@check
def what_two_have_found_is_asked_once(world: World) -> None:
    record = world.host(asking(), parent=world.host(asking())).run("typed", {"number": 1})
    assert record.decision is not None
    assert [each.rule for each in record.decision.findings] == ["test.rule"]


@check
def a_child_has_no_grant_that_its_parent_has_not(world: World) -> None:
    own = GrantSet([grant_for(1)])
    assert decided_on(world.host(asking(), parent=world.host(), grants=own))[0] == "no-approver"
    parent = world.host(asking(), grants=GrantSet([grant_for(1, uses=2)]))
    child = world.host(asking(), parent=parent)
    assert [decided_on(each)[0] for each in (child, parent, child, parent)] == ["allowed"] * 2 + ["no-approver"] * 2


@check
def no_model_answers_in_a_child_what_people_answer_in_its_parent(world: World) -> None:
    asked: list[Any] = []

    async def answer(self: SmartChannel, request: Any) -> Answer:
        asked.append(request)
        return Answer(choice="once", by="a model")

    real, SmartChannel.aask = SmartChannel.aask, answer  # type: ignore[method-assign]
    try:
        smart = ApprovalSettings(mode="smart", smart=("model", "http://127.0.0.1:9", ""))
        for above, models in ((None, 0), ("off", 1), (smart, 2)):
            child = world.host(asking(), parent=world.host(approvals=above), approvals=smart)
            assert decided_on(child)[0] == ("allowed" if models else "no-approver")
            assert len(asked) == models
            asked.clear()
    finally:
        SmartChannel.aask = real  # type: ignore[method-assign]


class Claims:
    """A plugin that says of everything that an approver of its host has allowed it for longer."""

    @hookimpl
    def hermes_waive_findings(self, request: Any) -> list[Waiver]:
        return [Waiver(finding=each, by="a claim", answered=True) for each in request.findings]


def waiving(answer: Callable[[Any], Any]) -> object:
    """A plugin that waives findings by calling a function with the request."""

    class Plugin:
        @hookimpl
        def hermes_waive_findings(self, request: Any) -> Any:
            return answer(request)

    return Plugin()


@check
def what_is_no_waiver_waives_nothing(world: World) -> None:
    """Also when it has the attributes of one; and an empty answer of the wrong type is told, too."""

    def impostors(request: Any) -> Any:
        waivers = [Waiver(finding=each, by="an impostor") for each in request.findings]
        return [types.SimpleNamespace(**{name: getattr(one, name) for name in one.__slots__}) for one in waivers]

    hermes = world.host(asking(), waiving(impostors))
    assert decided_on(hermes)[0] == "no-approver"
    wrong: tuple[Any, ...] = ("", {}, 5)
    for answer in wrong:
        hermes = world.host(asking(), waiving(partial(lambda answer, request: answer, answer)))
        assert decided_on(hermes)[0] == "no-approver"
        assert [hook for _, hook in hook_table(hermes).failures] == ["hermes_waive_findings"]
    assert world.ran == []


@check
def an_awaitable_waiver_is_awaited(world: World) -> None:
    async def later(request: Any) -> Any:
        return [Waiver(finding=each, by="later") for each in request.findings]

    hermes = world.host(asking(), waiving(later))
    assert decided_on(hermes)[0] == "allowed"
    assert asyncio.run(hermes.arun("typed", {"number": 1})).status == "ok"


@check
def an_approver_is_asked_only_about_what_nobody_waives(world: World) -> None:
    found = [Finding(rule=f"test.{name}", severity="ask", reason="it is dangerous") for name in ("first", "second")]
    seen: list[list[str]] = []

    def approve(request: Any) -> bool:
        seen.append([each.rule for each in request.findings])
        return True

    first = waiving(lambda request: [Waiver(finding=request.findings[0], by="a rule")])
    hermes = world.host(answering("assess", lambda call: found), first, approver=approve)
    record = hermes.run("typed", {"number": 1})
    assert seen == [["test.second"]]
    assert record.decision is not None
    assert [each.rule for each in record.decision.findings] == ["test.first", "test.second"]


@check
def a_rehearsal_does_not_foresee_what_is_confirmed_later(world: World) -> None:
    async def confirm() -> bool:
        return False

    slow = waiving(lambda request: [Waiver(finding=each, by="a model", confirm=confirm) for each in request.findings])
    assert world.host(asking(), slow).rehearse("typed", {"number": 1}).decision is None


@check
def a_refusal_by_two_hosts_is_told_once(world: World) -> None:
    parent = world.host(answering("pre", lambda call: Deny("closed on Sundays")))
    child = world.host(answering("pre", lambda call: Deny("closed on Sundays")), parent=parent)
    assert child.call("typed", {"number": 1}).count("closed on Sundays") == 1


@check
def no_plugin_of_a_child_bypasses_the_approver_of_its_parent(world: World) -> None:
    for kind in ("interactive", "cron"):
        parent = world.host(approver=lambda request: False)
        child = world.host(asking(), Claims(), parent=parent, approver=lambda request: "always")
        with child.session(kind=kind) as session:
            assert decided_on(child, session=session)[0] == ("denied-by-human" if kind != "cron" else "no-approver")
    assert world.ran == []


@check
def a_child_whose_parent_has_no_approver_may_waive_what_its_own_approver_has_answered(world: World) -> None:
    assert decided_on(world.host(asking(), Claims(), parent=world.host())) == ("allowed", "a claim")


@check
def a_host_without_a_plugin_for_approvals_says_which_one_to_install(world: World) -> None:
    with Hermes(tools=[world.typed(assess=lambda args, ctx: finding("ask"))]) as hermes:
        assert "hermes-approval" in said(hermes.call("typed", {"number": 1}))["error"]


@check
def hooks_see_the_defaults_and_observers_what_was_judged(world: World) -> None:
    seen: list[Any] = []

    @tool(toolset="world")
    def greedy(data: dict[str, Any], count: int = 7) -> str:
        """Change what it is given."""
        data["list"].append("mine")
        return "ok"

    @tool(toolset="world")
    def plain(number: int, count: int = 7) -> str:
        """Take numbers."""
        return "ok"

    hermes = world.host(answering("post", lambda record: seen.append(record.call.args)), tools=[greedy, plain])
    hermes.call("greedy", {"data": {"list": []}})
    hermes.call("plain", {"number": 1})
    assert seen == [{"data": {"list": []}, "count": 7}, {"number": 1, "count": 7}]


@check
def an_answer_below_an_approver_that_abstains_holds_for_that_call_alone(world: World) -> None:
    asked: list[int] = []

    def abstain(request: Any) -> None:
        asked.append(request.args["number"])

    child = world.host(asking(), Claims(), parent=world.host(approver=abstain), approver=lambda request: "always")
    assert [decided_on(child, number)[0] for number in (1, 1, 2)] == ["allowed"] * 3
    assert asked == [1, 2]


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
    def unsure(number: int) -> int:
        raise RuntimeError("no idea")

    @tool(toolset="world")
    def odd(number: Annotated[int, AfterValidator(unsure)]) -> str:
        """Take a number."""
        return "1"

    assert said(world.host(tools=[odd]).call("odd", {"number": 1}))["error"] == "Error executing odd: no idea"


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
def observers_hear_of_a_first_call_that_finds_no_tool(world: World) -> None:
    heard: list[str | None] = []
    world.host(answering("post", lambda record: heard.append(record.code))).call("nowhere")
    assert heard == ["unknown_tool"]


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
            signal.raise_signal(signal.SIGINT)
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
def a_call_whose_coroutine_is_dropped_is_observed(world: World) -> None:
    heard: list[str] = []

    async def wait(args: dict[str, Any]) -> str:
        await asyncio.sleep(10)
        return "1"

    hermes = world.host(
        answering("post", lambda record: heard.append(record.status)), tools=[Tool.from_schema({"name": "wait"}, wait)]
    )

    async def drop() -> None:
        call = hermes.acall("wait")
        call.send(None)
        call.close()

    asyncio.run(drop())
    assert heard == ["cancelled"]


@check
def a_call_that_changes_something_is_recorded_when_it_begins(world: World) -> None:
    order: list[str] = []

    class Started:
        @hookimpl
        def hermes_tool_call_started(self, call: ToolCall) -> None:
            order.append(call.name)

    def handler(args: dict[str, Any]) -> str:
        order.append("ran")
        return "1"

    world.host(Started(), tools=[Tool.from_schema({"name": "t"}, handler, effects=["write"])]).call("t")
    assert order == ["t", "ran"]


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
def a_wrong_rewrite_leaves_the_arguments_that_were_judged(world: World) -> None:
    record = world.host(answering("pre", lambda call: Rewrite({"number": "many"}))).run("typed", {"number": 1})
    assert record.decision is not None
    assert (record.decision.outcome, dict(record.call.current_args)) == ("denied-by-policy", {"number": 1})


@check
def a_rehearsal_tells_who_said_what_and_runs_nothing(world: World) -> None:
    assessed = world.typed(assess=lambda args, ctx: finding("note"))
    pre = answering("pre", lambda call: Ask("who knows", rule="test.pre"))
    hermes = world.host(pre, answering("assess", lambda call: finding("ask")), tools=[assessed])
    seen = hermes.rehearse("typed", {"number": "1"})
    assert [(each.stage, each.says, each.rule) for each in seen.answers] == [
        ("pre", "allow", ""),
        ("pre", "ask", "test.pre"),
        ("assess", "note", "test.rule"),
        ("assess", "ask", "test.rule"),
        ("assess", "allow", ""),
    ]
    assert (seen.tool, dict(seen.args), len(seen.repairs), seen.decision) == ("typed", {"number": 1}, 1, None)
    assert world.ran == []


@check
def a_rehearsal_ends_where_the_call_would_and_keeps_what_was_granted(world: World) -> None:
    locked = Tool.from_schema({"name": "locked"}, lambda args: "1", requires_env=["NO_SUCH_KEY"])
    lonely = Tool.from_schema({"name": "lonely"}, lambda args: "1", needs=["somebody"])
    hermes = world.host(asking(), tools=[world.typed(), locked, lonely], grants=GrantSet([grant_for(1, uses=1)]))
    for name in ("locked", "lonely"):
        assert hermes.rehearse(name).problem.code == "unavailable"  # type: ignore[union-attr]
    for _ in range(2):
        assert hermes.rehearse("typed", {"number": 1}).decision.by == "grant g1"  # type: ignore[union-attr]
    assert decided_on(hermes)[1] == "grant g1"
    assert hermes.rehearse("typed", {"number": 1}).decision is None

    def grasp(call: ToolCall) -> None:
        with suppress(TypeError):
            call.args["data"]["list"].append("mine")

    @tool(toolset="world")
    def greedy(data: dict[str, Any]) -> str:
        """Take some data."""
        return "ok"

    mine: dict[str, Any] = {"data": {"list": []}}
    seen = world.host(answering("pre", grasp), tools=[greedy]).rehearse("greedy", mine)
    mine["data"]["list"].append("later")
    assert seen.args == {"data": {"list": []}}


@check
def whoever_shows_a_question_hears_that_its_call_was_cancelled(world: World) -> None:
    heard: list[str] = []
    released = threading.Event()

    class Approver:
        @hookimpl
        def hermes_request_approval(self, request: Any) -> None:
            heard.append("asked")
            released.wait(10)

        @hookimpl
        def hermes_approval_resolved(self, request: Any, decision: Decision) -> None:
            heard.append(decision.outcome)
            released.set()

        @hookimpl
        def hermes_post_tool_call(self, record: CallRecord) -> None:
            heard.append(f"{record.status} {record.decision.outcome if record.decision else None}")

    hermes = world.host(asking(), Approver(), config={"calls": {"hook_timeout": 0.3, "approval_timeout": 20}})

    async def main() -> None:
        task = asyncio.create_task(hermes.acall("typed", {"number": 1}))
        while not heard:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert heard == ["asked", "cancelled", "cancelled cancelled"]
    assert world.ran == []


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


@check
def what_was_allowed_in_a_session_ends_with_it(world: World) -> None:
    answers = ["session", "deny"]
    hermes = world.host(asking(), approver=lambda request: answers.pop(0))
    with hermes.session(id="same") as first:
        decided_on(hermes, session=first)
        assert decided_on(hermes, session=first)[1].startswith("grant")
    with hermes.session(id="same") as second:
        assert decided_on(hermes, session=second)[0] == "denied-by-human"


# -- plugins that are missing, or are not what they claim to be -----------------------------------------------------


def candidate(name: str, load: Callable[[], object], **fields: Any) -> Candidate:
    fields = {"origin": "entry point", "distribution": f"{name}-tools"} | fields
    hooks = fields.pop("hooks", None)
    tools = [{"name": each, "toolset": toolset, "parameters": {}} for each, toolset in fields.pop("tools", {}).items()]
    data = {"plugin": name, "api": ">=1.0", "hooks": hooks or [], "tools": tools}
    manifest = None if hooks is None else lambda: Manifest("hermes-plugin.json", data)
    return Candidate(name=name, load=load, manifest=manifest, **fields)


def nothing() -> object:
    return types.SimpleNamespace()


def is_denied(text: str) -> bool:
    answer = said(text)
    return answer.get("decision") == "denied-by-policy" and "cannot be used" in answer["error"]


@check
def a_policy_plugin_that_cannot_be_loaded_denies_every_call(world: World) -> None:
    hook = "hermes_pre_tool_call"
    broken = {
        "raises": candidate("house", lambda: raising(ValueError("no"))(None), hooks=[hook]),
        "lost its hook": candidate("house", nothing, hooks=[hook]),
        "too new": candidate("house", nothing, api=">=7", sources=lambda: [hook.encode()]),
        "names it": candidate("house", lambda: 1 / 0, sources=lambda: [hook.encode()]),
    }
    for way, plugin in broken.items():
        hermes = world.host()
        hermes._loader.load(plugin)
        assert is_denied(hermes.call("typed", {"number": 1})), way
        assert hermes.report[-1].denies
    assert world.ran == []


@check
def a_policy_plugin_that_its_factory_does_not_make_denies_every_call(world: World) -> None:
    makers: list[Callable[[object], object]] = [
        lambda _: None,
        lambda _: types.SimpleNamespace(),
        lambda _: sys.exit(0),
    ]
    for made in makers:
        factory = types.SimpleNamespace(hermes_hooks=("hermes_pre_tool_call",), hermes_factory=made)
        hermes = world.host()
        hermes._loader.load(candidate("house", returning(factory), hooks=["hermes_pre_tool_call"]))
        assert is_denied(hermes.call("typed", {"number": 1}))
        assert hermes.report[-1].denies
    assert world.ran == []


@check
def a_required_plugin_that_fails_denies_every_call(world: World) -> None:
    hermes = Hermes(tools=[world.typed()], home=world.folder, config={"plugins": {"required": ["house"]}})
    world.stack.callback(hermes.close)
    hermes._loader.load(candidate("house", lambda: 1 / 0, hooks=[]))
    assert said(hermes.call("typed", {"number": 1})) == {"number": 1}
    hermes.activate("house")
    assert is_denied(hermes.call("typed", {"number": 1}))


@check
def a_policy_that_no_plugin_reads_denies_every_call(world: World) -> None:
    hermes = Hermes(tools=[world.typed()], home=world.folder, config={"policy": {"deny": ["terminal"]}})
    world.stack.callback(hermes.close)
    assert "no plugin reads it" in said(hermes.call("typed", {"number": 1}))["error"]
    assert world.ran == []


def installed(world: World, distribution: str, name: str, source: str) -> None:
    """Install a distribution with a plugin of one module, for the length of a check."""
    folder = world.folder / "site"
    module = f"guards_{distribution.replace('-', '_')}"
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hermes.plugins]\n{name} = {module}\n")
    (folder / f"{module}.py").write_text(source)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
        world.stack.callback(sys.path.remove, str(folder))
    world.stack.callback(sys.modules.pop, module, None)
    importlib.invalidate_caches()


def discovering(world: World, **options: Any) -> Hermes:
    hermes = Hermes.load(home=world.folder, tools=[world.typed()], **options)
    world.stack.callback(hermes.close)
    return hermes


POLICY_SOURCE = "from hermes_core import hookimpl\n@hookimpl\ndef hermes_pre_tool_call(call): return None\n"
TOOL_SOURCE = """from hermes_core import Toolset, hookimpl, tool
@tool(toolset="SET")
def NAME() -> str:
    "Answer."
    return "NAME"
@hookimpl
def hermes_tools(): return [NAME]
"""


@check
def a_name_that_two_claim_is_given_to_none(world: World) -> None:
    for distribution in ("aaa-tools", "corp-tools"):
        installed(world, distribution, "corp", POLICY_SOURCE)
    hermes = discovering(world)
    assert [record.status for record in hermes.report] == ["failed", "failed"]
    assert is_denied(hermes.call("typed", {"number": 1}))
    assert world.ran == []


@check
def a_name_of_ours_is_given_to_no_other(world: World) -> None:
    installed(world, "aaa-tools", "guard", POLICY_SOURCE)
    hermes = discovering(world)
    assert [record.status for record in hermes.report] == ["failed"]
    assert is_denied(hermes.call("typed", {"number": 1}))
    assert world.ran == []


@check
def a_tool_does_not_join_the_toolset_of_another_distribution(world: World) -> None:
    installed(world, "aaa-tools", "aaa", TOOL_SOURCE.replace("SET", "coins").replace("NAME", "stranger"))
    installed(world, "coin-tools", "coins", TOOL_SOURCE.replace("SET", "coins").replace("NAME", "toss"))
    declares = (
        "from hermes_core import Toolset, hookimpl\n@hookimpl\ndef hermes_toolsets(): return [Toolset('coins')]\n"
    )
    installed(world, "bbb-tools", "bbb", declares)
    hermes = discovering(world)
    assert [spec.name for spec in hermes.tools(["coins"])] == ["toss"]
    assert "belongs to coin-tools" in hermes.why("stranger").reason
    record = hermes.report.get("aaa")
    assert record is not None
    assert record.unaccepted == ("stranger",)
    assert record.quarantined == ()
    assert [each.status for each in hermes.report] == ["partial", "partial", "loaded"]


@check
def a_plugin_reads_no_settings_of_others(world: World) -> None:
    @tool(toolset="world")
    def peek(ctx: ToolContext) -> Any:
        """Read what is another's."""
        return ctx.settings("bank")

    class Peek:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [peek]

    answer = world.host(Peek(), config={"bank": {"key": "s3cret"}}).call("peek")
    assert said(answer)["code"] == "unavailable"
    assert "s3cret" not in answer


@check
def a_manifest_that_is_a_pipe_is_refused(world: World) -> None:
    folder = world.folder / "site" / "guards_piped"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    os.mkfifo(folder / "hermes-plugin.json")
    installed(world, "piped-tools", "piped", "")
    entry = world.folder / "site" / "piped_tools-1.0.dist-info" / "entry_points.txt"
    entry.write_text("[hermes.plugins]\npiped = guards_piped\n")
    (record,) = discovering(world, only_looking=True).report
    assert "not a regular file" in record.problems[0]


# -- who may judge, and for how long --------------------------------------------------------------------------------


@check
def a_policy_that_is_added_when_the_session_starts_judges_its_first_call(world: World) -> None:
    class Adding:
        @hookimpl
        def hermes_session_start(self, session: Session) -> None:
            hermes.add_plugin(answering("pre", lambda call: Deny("no")), name="added")

    hermes = world.host(Adding())
    assert said(hermes.call("typed", {"number": 1}))["code"] == "denied"
    assert world.ran == []


@check
def a_plugin_that_is_imported_for_a_call_judges_that_call(world: World) -> None:
    class Bed:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [Tool.from_schema({"name": "sleeper"}, lambda args: world.ran.append(1), toolset="bed")]

        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Deny:
            return Deny("no")

    data = {"plugin": "bed", "api": ">=1.0", "tools": [{"name": "sleeper", "toolset": "bed", "parameters": {}}]}
    hermes = world.host()
    made = Candidate(name="bed", origin="entry point", load=Bed, manifest=lambda: Manifest("hermes-plugin.json", data))
    hermes._loader.load(made)
    assert said(hermes.call("sleeper"))["code"] == "denied"
    assert world.ran == []


@check
def nothing_runs_in_a_session_that_is_still_starting(world: World) -> None:
    class Slow:
        @hookimpl
        async def hermes_session_start(self, session: Session) -> None:
            await asyncio.sleep(0.1)

    hermes = world.host(Slow(), config={"calls": {"hook_timeout": 5}})

    async def main() -> str:
        first = asyncio.create_task(hermes.acall("explicit", {"number": 1}))
        await asyncio.sleep(0.01)
        answer = hermes.call("explicit", {"number": 2})
        await first
        return answer

    assert said(asyncio.run(main()))["code"] == "unavailable"
    assert world.ran == [1]


@check
def a_tool_and_its_scope_are_of_one_moment(world: World) -> None:
    outside = Tool.from_schema({"name": "t"}, lambda args: world.ran.append(1), toolset="apart")
    inside = Tool.from_schema({"name": "t"}, lambda args: "1", toolset="world")
    hermes = world.host(tools=[outside, world.typed()])
    with hermes.session(enabled=["world"]) as session:
        pipeline = hermes._dispatcher.pipeline
        find = pipeline._find

        def find_and_swap(call: Any, snapshot: Any) -> Any:
            plan = find(call, snapshot)
            hermes.registry.register(inside, override=True)
            return plan

        pipeline._find = find_and_swap  # type: ignore[method-assign]
        assert said(session.call("t"))["code"] == "unknown_tool"
    assert world.ran == []


@check
def a_cancelled_call_does_not_run_though_a_hook_swallows_that(world: World) -> None:
    for stage, breaks in product(("start", "pre"), (False, True)):
        started: list[int] = []

        async def swallow(now: bool, started: list[int] = started, breaks: bool = breaks) -> None:
            if now:
                started.append(1)
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(30)
                if breaks:
                    raise ValueError("interrupted")

        class Deaf:
            @hookimpl
            async def hermes_session_start(self, session: Session, stage: str = stage) -> None:
                await swallow(stage == "start")

            @hookimpl
            async def hermes_pre_tool_call(self, call: ToolCall, stage: str = stage) -> None:
                await swallow(stage == "pre")

        hermes = world.host(Deaf() if stage == "start" else NoStart(Deaf()), config={"calls": {"hook_timeout": 20}})

        async def main(hermes: Hermes = hermes, started: list[int] = started) -> None:
            task = asyncio.create_task(hermes.acall("typed", {"number": 1}))
            while not started:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())
    assert world.ran == []


@check
def calls_inside_of_each_other_are_limited(world: World) -> None:
    def again(args: dict[str, Any], ctx: ToolContext) -> str:
        world.ran.append(1)
        assert len(world.ran) < 50
        return ctx.call_tool("again")

    tools = [Tool.from_schema({"name": "again"}, again)]
    assert "32 are allowed" in said(world.host(tools=tools).call("again"))["error"]
    assert len(world.ran) == 32


@check
def a_tool_that_never_returns_is_not_started_again_and_again(world: World) -> None:
    released = threading.Event()
    asked: list[int] = []

    def stuck(args: dict[str, Any]) -> str:
        released.wait(10)
        return "1"

    deny = answering("pre", lambda call: asked.append(1))
    hermes = world.host(deny, tools=[Tool.from_schema({"name": "stuck"}, stuck, timeout=0.05)])
    codes = [said(hermes.call("stuck"))["code"] for _ in range(6)]
    assert (codes, len(asked)) == (["timeout"] * 4 + ["unavailable"] * 2, 4)
    assert abandoned_calls(hermes) == {"stuck": 4}
    released.set()
    deadline = time.monotonic() + 5
    while abandoned_calls(hermes) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert (abandoned_calls(hermes), hermes.call("stuck")) == ({}, "1")


@check
def a_tool_whose_call_was_given_up_runs_nothing_more(world: World) -> None:
    asked: list[str] = []
    given_up, finished = threading.Event(), threading.Event()

    def approve(request: Any) -> bool:
        asked.append(request.tool)
        given_up.wait(10)
        return True

    def outer(args: dict[str, Any], ctx: ToolContext) -> str:
        ctx.call_tool("typed", {"number": 1})  # it is approved too late
        ctx.call_tool("typed", {"number": 2})  # it begins too late
        finished.set()
        return "1"

    ask = answering("pre", lambda call: Ask("sure?") if call.name == "typed" else None)
    tools = [world.typed(), Tool.from_schema({"name": "outer"}, outer, timeout=0.05)]
    hermes = world.host(ask, tools=tools, approver=approve, config={})
    assert said(hermes.call("outer"))["code"] == "timeout"
    given_up.set()
    assert finished.wait(10)
    assert (asked, world.ran) == (["typed"], [])


@check
def a_hook_that_never_returns_is_not_started_again_and_again(world: World) -> None:
    released = threading.Event()
    started: list[int] = []

    def stuck(_: object) -> None:
        started.append(1)
        released.wait(10)

    async def main(hermes: Hermes) -> None:
        await hermes.acall("typed", {"number": 1})

    try:
        quick = {"calls": {"hook_timeout": 0.05}}
        hermes, other = (world.host(answering("pre", stuck), config=quick) for _ in range(2))
        for _ in range(6):
            hermes.call("typed", {"number": 1})
        assert (len(started), world.ran) == (4, [])
        for _ in range(6):
            asyncio.run(main(other))
        assert (len(started), world.ran) == (8, [])
    finally:
        released.set()


# -- secrets, and results without end -------------------------------------------------------------------------------


@check
def declared_secrets_are_hidden_wherever_a_call_leaves_them(world: World) -> None:
    secret, heard = "a-secret-of-the-world-1", list[CallRecord]()
    environ = {"WORLD_KEY": secret}
    fields: dict[str, Any] = {"requires_env": ["WORLD_KEY"]}
    tools = [
        Tool.from_schema({"name": "leak"}, lambda args: json.dumps([secret]), **fields),
        Tool.from_schema({"name": "long"}, lambda args: json.dumps(secret * 9), max_result_size_chars=90, **fields),
        Tool.from_schema({"name": "other"}, lambda args: json.dumps([secret])),
        Tool.from_schema({"name": "fine"}, lambda args: "1", effects=["write"]),
    ]

    def outer(args: dict[str, Any], ctx: ToolContext) -> str:
        ctx.call_tool("other")
        return ctx.call_tool("spilled")

    def spilled(args: dict[str, Any]) -> str:
        return json.dumps(secret + "x" * 200)

    tools.append(Tool.from_schema({"name": "outer"}, outer))
    tools.append(Tool.from_schema({"name": "spilled"}, spilled, max_result_size_chars=90))
    say = answering("pre", lambda call: Deny(f"no {call.args}") if "denied" in call.args else None)
    started: list[str] = []

    class Started:
        @hookimpl
        def hermes_tool_call_started(self, call: ToolCall, decision: Decision | None) -> None:
            started.append(f"{dict(call.args)} {decision}")

    hermes = world.host(answering("post", heard.append), say, Started(), tools=tools, environ=environ)
    answers = [hermes.call(name, {"text": secret}) for name in ("leak", "long", "other", "fine", "outer")]
    answers.append(hermes.call("fine", {"denied": secret}))
    given: list[str] = []

    def bring(result: str) -> str:
        given.append(result)
        return json.dumps(secret)

    answers.append(world.host(answering("transform", bring), tools=tools, environ=environ).call("leak"))
    files = [file.read_text() for file in (world.folder / "results").iterdir()]
    assert len(files) == 2
    seen = [f"{each!r} {each.result} {dict(each.call.args)} {each.decision}" for each in heard]
    assert started
    for text in (*answers, *given, *files, *seen, *started):
        assert secret not in text


@check
def the_record_of_a_cancelled_call_has_no_secrets(world: World) -> None:
    secret, heard = "a-secret-of-the-world-2", list[CallRecord]()

    @tool(toolset="world", requires_env=["WORLD_KEY"])
    async def forever(text: str) -> str:
        """Wait."""
        await asyncio.Event().wait()
        return "never"

    hermes = world.host(answering("post", heard.append), tools=[forever], environ={"WORLD_KEY": secret})

    async def main() -> None:
        task = asyncio.create_task(hermes.acall("forever", {"text": secret}))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [each.status for each in heard] == ["cancelled"]
    assert secret not in str(dict(heard[0].call.args))


@check
def results_that_are_too_long_are_cut_or_late(world: World) -> None:
    def large() -> Iterator[str]:
        for _ in range(12):
            yield "x" * 1_000_000

    def slow() -> Iterator[str]:
        for _ in range(150):
            time.sleep(0.02)
            yield "x"

    for around in (lambda made: made, lambda made: {"deep": made}):
        tools = [
            Tool.from_schema({"name": "large"}, lambda args, around=around: around(large())),
            Tool.from_schema({"name": "slow"}, lambda args, around=around: around(slow()), timeout=0.1),
        ]
        hermes = world.host(tools=tools)
        assert '"truncated": true' in said(hermes.call("large"))["preview"]
        assert said(hermes.call("slow"))["code"] == "timeout"
        deadline = time.monotonic() + 1  # whoever reads stops by itself
        while abandoned_calls(hermes) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert abandoned_calls(hermes) == {}


@check
def a_lazy_result_is_not_read_on_the_loop_of_its_caller(world: World) -> None:
    where: list[int] = []

    def look() -> Iterator[int]:
        where.append(threading.get_ident())
        yield 1

    class Lazy(Mapping[str, int]):
        def __getitem__(self, key: str) -> int:
            return 1

        def __iter__(self) -> Iterator[str]:
            return map(str, look())

        def __len__(self) -> int:
            return 1

    async def stream() -> AsyncIterator[int]:
        yield 2

    answers: list[Any] = [{"deep": look()}, {"deep": Lazy()}, stream()]

    @tool(toolset="world")
    async def lazy() -> Any:
        """Return something that is produced while it is read."""
        return answers.pop()

    hermes = world.host(tools=[lazy])

    async def main() -> list[str]:
        return [await hermes.acall("lazy") for _ in range(3)]

    assert asyncio.run(main()) == ["[2]", '{"deep": {"1": 1}}', '{"deep": [1]}']
    assert threading.get_ident() not in where


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

    def __init__(self, line: int, lines: frozenset[int]) -> None:
        self.line = line
        self.lines = lines

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and node.lineno == self.line and self.line in self.lines:
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)


def guards(name: str, tree: ast.AST) -> list[ast.stmt]:
    """Every statement of a module that can be removed."""
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    if name not in GRANTS:
        return [node for node in statements if removable(node, name)]
    methods = [
        method
        for made in statements
        if isinstance(made, ast.ClassDef)
        for method in made.body
        if isinstance(method, ast.FunctionDef) and method.name in GRANTS[name].get(made.name, ())
    ]
    return [
        node
        for method in methods
        for node in ast.walk(method)
        if isinstance(node, ast.If | ast.Expr | ast.Assign)
        and not isinstance(getattr(node, "value", None), ast.Constant)
    ]


def removable(node: ast.AST, name: str) -> bool:
    """A statement that refuses, asks, validates, notes a denial or a finding, or hands on to a guard.

    In the modules that decide, every decision that is returned and everything that is done on a condition is one.
    """
    if starts := NAMED.get(name) or LOADING.get(name):
        return isinstance(node, ast.stmt) and ast.unparse(node).startswith(starts)
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.Assign) and name == PIPELINE:
        made = ast.unparse(node.value)
        if made.startswith(("self._hide(", "hide_in_record(", "hooks.observe_end(")):
            return True
    if name in DECIDING:
        if isinstance(node, ast.If) and not node.orelse:
            return ast.dump(node.test) not in SHORTCUTS
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            return ast.unparse(node.value.func) in ("Decision", "ToolDeniedError")
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("denials", "asked", "decision"):
            # Where grants come too late, `decision` is nothing already.
            return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "reset_current_call":
            return True
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            return call.func.attr.startswith(
                ("_require", "validate", "append", "extend", "observe", "begin", "reset", "compiled")
            ) or (call.func.attr in ("add", "_keep", "run"))
        return False
    if isinstance(node, ast.AugAssign):
        return ast.unparse(node.target) == "findings"
    targets = [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []
    return any(
        target.strip("(").startswith(("call.current_args", "call.plan", "call.shown_args", "judged"))
        for target in targets
    )


def mutants() -> list[tuple[str, int, str]]:
    """Every guard statement: its module, line and text."""
    found = []
    for name in GUARDED:
        source = Path(str(import_module(name).__file__)).read_text(encoding="utf-8")
        lines = source.splitlines()
        found += [(name, node.lineno, lines[node.lineno - 1].strip()) for node in guards(name, ast.parse(source))]
    return sorted(found)


def load_mutant(name: str, line: int) -> types.ModuleType:
    original = import_module(name)
    source = Path(str(original.__file__)).read_text(encoding="utf-8")
    tree = ast.parse(source)
    lines = frozenset(node.lineno for node in guards(name, tree))
    tree = ast.fix_missing_locations(Remove(line, lines).visit(copy.deepcopy(tree)))
    mutant = types.ModuleType(name)
    mutant.__dict__.update({"__file__": original.__file__, "__package__": original.__package__})
    exec(compile(tree, str(original.__file__), "exec"), mutant.__dict__)
    for public, made in vars(original).items():  # whoever catches them has imported the original
        if public == "in_a_worker" or (isinstance(made, type) and issubclass(made, BaseException)):
            setattr(mutant, public, made)
    return mutant


def _about_approvals(one: Callable[[World], None]) -> bool:
    """Whether a check is among those of the approvals: they notice first what is missing there."""
    first, last = CHECKS.index(a_refusal_cannot_be_approved), CHECKS.index(a_handlers_exception_becomes_a_result)
    return first <= CHECKS.index(one) < last


def _first(name: str) -> Callable[[Callable[[World], None]], bool]:
    """Return what sorts the checks: those that are likely to notice come first."""
    if name in LOADING:
        first = CHECKS.index(a_policy_plugin_that_cannot_be_loaded_denies_every_call)
        return lambda one: CHECKS.index(one) >= first
    return _about_approvals if name in DECIDING or name in GRANTS else lambda one: not _about_approvals(one)


def put_in_place(mutant: types.ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the functions and methods of a module do what those of the mutant do; its classes stay what they are."""
    original = import_module(name)
    for public, made in vars(mutant).items():
        known = getattr(original, public, None)
        if getattr(made, "__module__", None) != name or known is None:
            continue
        if isinstance(made, type):
            for method, function in vars(made).items():
                if isinstance(function, types.FunctionType):
                    monkeypatch.setattr(known, method, function)
        elif isinstance(made, types.FunctionType):
            for user in [module for key, module in sys.modules.items() if key.startswith("hermes_core")]:
                if getattr(user, public, None) is known:
                    monkeypatch.setattr(user, public, made)


def test_there_are_enough_guards_to_remove() -> None:
    counted = Counter(name for name, _, _ in mutants())
    assert counted[PIPELINE] + counted[POLICY] >= 25
    assert all(counted[name] >= 5 for name in DECIDING)
    assert all(counted[name] >= len(starts) for name, starts in (*NAMED.items(), *LOADING.items()))
    assert all(counted[name] >= 2 for name in GRANTS)


@pytest.mark.parametrize(("name", "line", "text"), mutants())
def test_removing_a_guard_is_noticed(
    name: str, line: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant = load_mutant(name, line)
    for each in ("host", "calls.dispatcher", "calls.approvals", "calls.pipeline", "calls.policy", "calls.lazy_results"):
        import_module(f"hermes_core.{each}")
    if name in LOADING or name in GRANTS:  # before the module has the mutant's classes: the checks have these ones
        put_in_place(mutant, name, monkeypatch)
    users = [module for key, module in sys.modules.items() if key.startswith(("hermes_core.", "hermes_approval"))]
    for public, made in vars(mutant).items():  # in its own module, everything already is the mutant's
        known = getattr(import_module(name), public, None)
        if getattr(made, "__module__", None) == name and made is not known:
            for user in users:
                if getattr(user, public, None) is known:
                    monkeypatch.setattr(user, public, made)
    for number, one in enumerate(sorted(CHECKS, key=_first(name), reverse=True)):
        with ExitStack() as stack:
            try:
                one(World(stack, tmp_path / str(number)))
            except KeyboardInterrupt:
                raise
            except BaseException:  # any failure will do, a cancellation that escaped too: the guard is missed
                return
    pytest.fail(f"nobody noticed that {name}:{line} was removed: {text}")
