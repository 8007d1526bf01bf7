"""`hermes hooks prove` sends a call by every path and says who saw it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hermes_core import Ask, CallRecord, Deny, Hermes, Rewrite, Session, ToolCall, hookimpl
from hermes_core.calls import policy as policies
from hermes_core.calls.hooks import Hooks
from hermes_core.calls.pipeline import Pipeline
from hermes_kit.proof.probe import PROBE
from hermes_kit.proof.proof import PROVEN_HOOKS, HookProblem, Proof
from hermes_kit.proof.prover import prove_host

Run = Callable[..., CompletedProcess[str]]
PATHS = [
    "direct",
    "async",
    "batch",
    "async batch",
    "worker thread",
    "inside a loop",
    "nested",
    "nested async",
    "nested batch",
    "session",
    "async session",
    "alias",
    "repeated",
    "repeated async",
    "child host",
    "approval",
]
BELOW = ("child host", "approval")
OF_SESSIONS = ("hermes_session_start", "hermes_session_end")


class Everything:
    """Implements every hook that a call meets, each with other arguments."""

    __name__ = "everything"

    @hookimpl
    def hermes_session_start(self, session: Session) -> None:
        pass

    @hookimpl
    def hermes_pre_tool_call(self) -> None:
        pass

    @hookimpl
    async def hermes_assess_call(self, ctx: Any) -> None:
        await asyncio.sleep(0)

    @hookimpl(trylast=True)
    def hermes_transform_tool_result(self, result: str) -> str:
        return result

    @hookimpl
    async def hermes_approval_resolved(self, decision: Any) -> None:
        await asyncio.sleep(0)

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        pass

    @hookimpl
    def hermes_session_end(self) -> None:
        pass


def policy(answer: Any, name: str = "policy") -> object:
    class Policy:
        __name__ = name

        @hookimpl(tryfirst=True)
        def hermes_pre_tool_call(self, call: ToolCall) -> Any:
            return answer

        @hookimpl
        def hermes_transform_tool_result(self, call: ToolCall) -> None:
            pass

    return Policy()


def skipped(proof: Proof) -> dict[str, list[tuple[str, str]]]:
    return {path.path: path.skipped for path in proof.paths if path.skipped}


def test_every_path_meets_every_hook_in_the_order_of_the_calls(host: Callable[..., Hermes]) -> None:
    proof = prove_host(host(plugins=[Everything(), policy(None)]))
    assert proof.ok
    assert [path.path for path in proof.paths] == PATHS
    assert list(proof.implemented) == list(PROVEN_HOOKS)
    for path in proof.paths:
        asked, below = path.path == "approval", path.path in BELOW
        assert path.outcomes == ["no-approver" if asked else "allowed"] * len(path.outcomes)
        for hook, plugins in proof.implemented.items():
            expected = plugins
            if (hook in OF_SESSIONS and below) or (hook == "hermes_approval_resolved" and not asked):
                expected = []
            if hook == "hermes_transform_tool_result" and asked:
                expected = []
            assert path.seen[hook] == expected, (path.path, hook)
    assert proof.implemented["hermes_pre_tool_call"] == ["policy", "everything"]
    assert proof.implemented["hermes_transform_tool_result"] == ["policy", "everything"]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(Deny("no probes"), "denied-by-policy"), (Ask("a probe?"), "no-approver"), (Rewrite({"a": []}), "allowed")],
)
def test_a_plugin_that_does_not_just_allow_the_probe_has_seen_it(
    answer: Any, outcome: str, host: Callable[..., Hermes]
) -> None:
    proof = prove_host(host(plugins=[Everything(), policy(answer)]))
    assert skipped(proof) == {}
    others = [path.path for path in proof.paths if set(path.outcomes) != {outcome} and "nested" not in path.path]
    assert others == (["approval"] if outcome == "allowed" else [])
    assert proof.paths[0].seen["hermes_pre_tool_call"] == ["policy", "everything"]
    ran = proof.paths[0].seen["hermes_transform_tool_result"]
    assert ran == (["policy", "everything"] if outcome == "allowed" else [])


def test_a_tool_of_the_user_keeps_its_name(host: Callable[..., Hermes]) -> None:
    from hermes_core import Tool

    own = Tool.from_schema({"name": PROBE}, lambda args: 1 / 0)
    assert prove_host(host(tools=[own], plugins=[Everything()])).ok


def test_a_pipeline_that_forgets_a_hook_is_found_out(
    host: Callable[..., Hermes], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def forget(self: Pipeline, call: ToolCall, text: str, runner: object) -> str:
        return text

    monkeypatch.setattr(Pipeline, "_transform", forget)
    proof = prove_host(host(plugins=[Everything()]))
    assert not proof.ok
    assert skipped(proof) == {path: [("hermes_transform_tool_result", "everything")] for path in PATHS[:-1]}


def test_a_path_that_forgets_its_observers_is_found_out(
    host: Callable[..., Hermes], monkeypatch: pytest.MonkeyPatch
) -> None:
    observe_end = Hooks.observe_end

    def only_off_the_loop(self: Hooks, record: Any, runner: Any, *args: Any) -> Any:
        return observe_end(self, record, runner, *args) if runner.blocks else None

    monkeypatch.setattr(Hooks, "observe_end", only_off_the_loop)
    proof = prove_host(host(plugins=[Everything()]))
    on_a_loop = [path.path for path in proof.paths if path.problem]
    assert on_a_loop == [
        "async",
        "batch",
        "async batch",
        "nested async",
        "nested batch",
        "async session",
        "repeated async",
    ]
    assert proof.paths[1].problem == "0 of 1 calls ended"


def test_a_child_host_that_forgets_the_hooks_above_is_found_out(
    host: Callable[..., Hermes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_core.calls.hooks._INHERITED", frozenset({"hermes_post_tool_call"}))
    proof = prove_host(host(plugins=[policy(None)]))
    assert [path.path for path in proof.paths if not path.ok] == list(BELOW)
    assert proof.paths[-2].skipped == [
        ("hermes_pre_tool_call", "policy"),
        ("hermes_transform_tool_result", "policy"),
    ]


def test_a_host_that_does_not_tell_of_the_end_of_sessions_is_found_out(
    host: Callable[..., Hermes], monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = Hooks.observe

    async def not_the_end(self: Hooks, hooks: Any, *args: Any, **options: Any) -> None:
        await observe(self, tuple(hook for hook in hooks if hook.name != "hermes_session_end"), *args, **options)

    monkeypatch.setattr(Hooks, "observe", not_the_end)
    proof = prove_host(host(plugins=[Everything()]))
    assert skipped(proof) == {path: [("hermes_session_end", "everything")] for path in PATHS[:-2]}


def test_a_host_that_does_not_tell_how_a_request_ended_is_found_out(
    host: Callable[..., Hermes], monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = Hooks.observe

    async def not_the_answer(self: Hooks, hooks: Any, *args: Any, **options: Any) -> None:
        await observe(self, tuple(hook for hook in hooks if hook.name != "hermes_approval_resolved"), *args, **options)

    monkeypatch.setattr(Hooks, "observe", not_the_answer)
    proof = prove_host(host(plugins=[Everything()]))
    assert skipped(proof) == {"approval": [("hermes_approval_resolved", "everything")]}


class Approver:
    __name__ = "approver"

    @hookimpl
    def hermes_request_approval(self) -> None:
        raise AssertionError("nobody is to be asked")


def test_no_approver_is_asked_about_a_probe_and_the_proof_says_so(host: Callable[..., Hermes]) -> None:
    proof = prove_host(host(plugins=[Approver(), policy(Ask("a probe?"))]))
    assert proof.ok
    assert proof.unproven == {"hermes_request_approval": ["approver"]}


# -- hooks that fail -------------------------------------------------------------------------------------------------


class Failing:
    """Each hook fails in its own way."""

    __name__ = "failing"

    @hookimpl
    def hermes_pre_tool_call(self) -> Any:
        return "no"

    @hookimpl
    def hermes_assess_call(self) -> Any:
        yield "a finding"

    @hookimpl
    async def hermes_post_tool_call(self) -> None:
        raise ValueError("it cannot write")

    @hookimpl
    def hermes_session_end(self) -> None:
        raise SystemExit(3)


def test_a_hook_that_raises_or_answers_nonsense_has_failed_on_each_path(host: Callable[..., Hermes]) -> None:
    proof = prove_host(host(plugins=[Failing(), Everything()]))
    assert not proof.ok
    assert skipped(proof) == {}
    for path in proof.paths:
        failed = [each.hook for each in path.failures]
        expected = ["hermes_pre_tool_call", "hermes_assess_call", "hermes_post_tool_call", "hermes_session_end"]
        assert failed == (expected if path.path not in BELOW else expected[:-1])
        assert {each.plugin for each in path.failures} == {"failing"}
    reasons = [each.reason for each in proof.failures]
    assert len(reasons) == 4
    assert reasons[0].startswith("TypeError: it returned a str")
    assert reasons[2] == "ValueError: it cannot write"


def test_a_transformation_that_is_no_text_has_failed(host: Callable[..., Hermes]) -> None:
    class Odd:
        __name__ = "odd"

        @hookimpl
        def hermes_transform_tool_result(self) -> Any:
            return 5

    failures = prove_host(host(plugins=[Odd()])).failures
    assert [(each.hook, each.plugin) for each in failures] == [("hermes_transform_tool_result", "odd")]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_hook_that_was_late_is_not_waited_for_again(host: Callable[..., Hermes], is_async: bool) -> None:
    class Late:
        __name__ = "late"

        @hookimpl
        def hermes_pre_tool_call(self) -> None:
            released.wait(60)

    class LateAsync:
        __name__ = "late"

        @hookimpl
        async def hermes_pre_tool_call(self) -> None:
            await asyncio.sleep(60)

    released = threading.Event()
    started = time.monotonic()
    proof = prove_host(
        host(plugins=[LateAsync() if is_async else Late(), Everything()], config={"calls": {"hook_timeout": 0.3}})
    )
    released.set()
    assert time.monotonic() - started < 10
    assert [path.ok for path in proof.paths] == [False] * len(PATHS)
    assert [each.reason for each in proof.failures] == [
        "no answer after 0.3 s",
        "it was late before, and was not called again",
    ]
    assert proof.paths[-1].failures == [
        HookProblem(hook="hermes_pre_tool_call", plugin="late", reason="it was late before, and was not called again")
    ]
    assert not proof.stuck


def test_a_hook_that_hangs_once_it_is_trusted_ends_the_proof(host: Callable[..., Hermes]) -> None:
    released = threading.Event()
    calls: list[object] = []

    class Turncoat:
        __name__ = "turncoat"

        @hookimpl
        def hermes_post_tool_call(self, record: CallRecord) -> None:
            calls.append(record)
            if threading.current_thread().name == "hermes-probe":  # not in a thread that can be left behind
                released.wait(60)

    started = time.monotonic()
    proof = prove_host(host(plugins=[Turncoat()], config={"calls": {"hook_timeout": 0.2}}))
    released.set()
    assert time.monotonic() - started < 20
    assert not proof.ok
    assert proof.stuck == "hermes_post_tool_call of turncoat never returned"
    tried = [path.path for path in proof.paths if path.tried]
    assert 0 < len(tried) < len(PATHS)
    assert proof.paths[len(tried) - 1].problem.startswith("it did not end within")


def test_each_warning_is_said_once(host: Callable[..., Hermes], caplog: pytest.LogCaptureFixture) -> None:
    prove_host(host(plugins=[Failing()]))
    # A late hook of an earlier test may end only now.
    said = [each for record in caplog.records if "turncoat" not in (each := record.getMessage())]
    assert len(said) == len(set(said)) == 4


# -- the command ----------------------------------------------------------------------------------------------------


GUARD = "from hermes_core import hookimpl\n@hookimpl\ndef hermes_pre_tool_call(call):\n    pass\n"


@pytest.fixture
def guarded(bare: Run, home: Path) -> Run:
    """Run the command with one plugin, which works."""
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "sentry.py").write_text(GUARD, encoding="utf-8")
    return bare


def test_the_command_shows_who_saw_the_call_on_each_path(guarded: Run) -> None:
    outcome = guarded("hooks", "prove")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    lines = outcome.stdout.splitlines()
    assert lines[0].split() == ["PATH", "PRE_TOOL_CALL", "REMARK"]
    assert [line.partition("  ")[0] for line in lines[1 : len(PATHS) + 1]] == PATHS
    assert all("sentry" in line for line in lines[1 : len(PATHS) + 1])
    assert lines[-1] == "Every hook saw the call on each of 16 paths."


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def x(:\n", "syntax error"),
        (GUARD.replace("hermes_pre_tool_call", "hermes_pre_tool_cal"), "Did you mean 'hermes_pre_tool_call'?"),
        (GUARD.replace("@hookimpl\n", ""), "is not marked"),
        (GUARD + "@hookimpl\ndef hermes_post_tool_call(recrd):\n    pass\n", "'recrd'"),
        ("import no_such_module_anywhere\n", "no_such_module_anywhere"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named_and_the_exit_status_is_1(
    guarded: Run, home: Path, source: str, reason: str
) -> None:
    (home / "plugins" / "broken.py").write_text(source, encoding="utf-8")
    outcome = guarded("hooks", "prove")
    assert outcome.returncode == 1
    assert "The plugin broken cannot be used: " in outcome.stdout
    assert reason in outcome.stdout
    told = json.loads(guarded("hooks", "prove", "--json").stdout)
    assert (told["ok"], list(told["unusable"])) == (False, ["broken"])


def test_a_plugin_that_is_turned_off_is_no_failure(guarded: Run, home: Path) -> None:
    (home / "plugins" / "broken.py").write_text("def x(:\n", encoding="utf-8")
    (home / "config.yaml").write_text("plugins: {disabled: [broken]}\n", encoding="utf-8")
    assert guarded("hooks", "prove").returncode == 0


def test_a_hook_that_fails_is_named_and_the_exit_status_is_1(guarded: Run, home: Path) -> None:
    (home / "plugins" / "sentry.py").write_text(GUARD.replace("pass", "raise ValueError('no')"), encoding="utf-8")
    outcome = guarded("hooks", "prove")
    assert outcome.returncode == 1
    lines = outcome.stdout.splitlines()
    assert lines[1].split() == ["direct", "sentry", "FAILED", "denied-by-policy"]
    assert lines[-2:] == [
        "pre_tool_call of sentry failed: ValueError: no.",
        "Every hook was called on each of 16 paths, but not every one worked.",
    ]
    assert len(outcome.stderr.splitlines()) == 1


def test_the_command_says_which_hooks_are_not_proven(guarded: Run, home: Path) -> None:
    source = GUARD + "@hookimpl\ndef hermes_request_approval(request):\n    raise SystemExit(9)\n"
    (home / "plugins" / "sentry.py").write_text(source, encoding="utf-8")
    outcome = guarded("hooks", "prove")
    assert outcome.returncode == 0
    expected = "Not proven: request_approval of sentry, because no one is asked about a probe."
    assert expected in outcome.stdout.splitlines()


STUCK = """
import asyncio, time
from hermes_core import hookimpl

@hookimpl
async def hermes_pre_tool_call(call):
    while True:
        try:
            BLOCK
        except BaseException:
            pass
"""


@pytest.mark.parametrize("block", ["time.sleep(600)", "await asyncio.sleep(600)"])
def test_a_hook_that_cannot_be_stopped_does_not_stop_the_proof(
    home: Path, environment: dict[str, str], block: str
) -> None:
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "stuck.py").write_text(STUCK.replace("BLOCK", block), encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from hermes_core.cli.main import main; sys.exit(main())"]
    environment = {**environment, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    started = time.monotonic()
    outcome = subprocess.run(
        [*command, "hooks", "prove"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert time.monotonic() - started < 30
    assert outcome.returncode == 1
    said = "The other paths were not tried, because hermes_pre_tool_call of stuck blocks the event loop."
    assert outcome.stdout.splitlines()[-1] == said


def test_the_command_leaves_nothing_behind(guarded: Run, home: Path) -> None:
    assert guarded("hooks", "prove").returncode == 0
    assert not (home / "audit.jsonl").exists()
    assert not (home / "approvals.json").exists()


def test_the_command_prints_json(guarded: Run) -> None:
    outcome = guarded("hooks", "prove", "--json")
    proof = json.loads(outcome.stdout)
    assert (outcome.returncode, proof["ok"]) == (0, True)
    assert (proof["unusable"], proof["unproven"], proof["stuck"]) == ({}, {}, None)
    assert proof["hooks"] == {hook: ["sentry"] if hook == "hermes_pre_tool_call" else [] for hook in PROVEN_HOOKS}
    assert [path["path"] for path in proof["paths"]] == PATHS
    assert proof["paths"][2] == {
        "path": "batch",
        "ok": True,
        "tried": True,
        "calls": 2,
        "decisions": ["allowed"],
        "hooks": proof["hooks"],
        "skipped": [],
        "failed": [],
        "problem": None,
    }


def test_a_hook_that_was_left_out_is_named_and_the_exit_status_is_1(
    guarded: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def allow_all(self: Any, plan: Any, call: Any, bound: Any, *_: Any) -> Any:
        return bound, [], []

    monkeypatch.setattr(policies.Policy, "_ask_policies", allow_all)
    outcome = guarded("hooks", "prove")
    assert outcome.returncode == 1
    assert "NOT sentry" in outcome.stdout
    assert outcome.stdout.splitlines()[-1].startswith("Not every hook saw every call: see direct, async, batch")
    assert json.loads(guarded("hooks", "prove", "--json").stdout)["paths"][0]["skipped"] == [
        {"hook": "hermes_pre_tool_call", "plugin": "sentry"}
    ]


def test_without_plugins_there_is_nothing_to_be_left_out(bare: Run) -> None:
    outcome = bare("hooks", "prove")
    assert outcome.returncode == 0
    assert "no hook could be skipped" in outcome.stderr


def test_the_users_own_rules_hold_for_the_probe_too(guarded: Run, home: Path) -> None:
    (home / "config.yaml").write_text(
        "policy:\n  rules:\n    - name: none\n      action: deny\n      match: {tool: '*'}\n", encoding="utf-8"
    )
    outcome = guarded("hooks", "prove")
    assert outcome.returncode == 0
    assert "denied-by-policy" in outcome.stdout


def test_the_help_says_what_the_exit_status_means(bare: Run) -> None:
    outcome = bare("hooks", "prove", "--help")
    said = "exit code is 0 if each hook saw the call on each path, and 1 if one was skipped, raised, was late"
    assert said in " ".join(outcome.stdout.split())
    assert "prove" in bare("hooks", "--help").stdout


def test_hooks_that_no_probe_came_to_are_named(host: Callable[..., Hermes]) -> None:
    proof = prove_host(host(plugins=[Everything(), policy(Deny("no probes"))]))
    assert proof.ok
    assert proof.unreached["hermes_transform_tool_result"] == list(proof.implemented["hermes_transform_tool_result"])
    assert set(proof.unreached) <= {"hermes_transform_tool_result", "hermes_approval_resolved"}
    assert prove_host(host(plugins=[Everything()])).unreached == {}
