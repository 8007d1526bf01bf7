"""`hermes hooks prove` sends a call by every path and says who saw it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hermes_core import Ask, CallRecord, Deny, Hermes, Rewrite, Session, ToolCall, hookimpl
from hermes_core.calls.hooks import Hooks
from hermes_core.calls.judging import Judge
from hermes_core.calls.pipeline import Pipeline
from hermes_core.cli.hooks_prove import PROBE, PROVEN_HOOKS, Proof, prove_host

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
]


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
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        raise ValueError("it has seen it all the same")


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
        assert path.seen == proof.implemented
        assert set(path.outcomes) == {"allowed"}
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
    assert [path.path for path in proof.paths if set(path.outcomes) != {outcome} and "nested" not in path.path] == []
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
    assert skipped(proof) == {path: [("hermes_transform_tool_result", "everything")] for path in PATHS}


def test_a_path_that_forgets_its_observers_is_found_out(
    host: Callable[..., Hermes], monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = Hooks.observe

    async def only_off_the_loop(self: Hooks, name: str, values: Any, runner: Any) -> None:
        if runner.blocks:
            await observe(self, name, values, runner)

    monkeypatch.setattr(Hooks, "observe", only_off_the_loop)
    proof = prove_host(host(plugins=[Everything()]))
    on_a_loop = [path.path for path in proof.paths if not path.ok]
    assert on_a_loop == [
        "async",
        "batch",
        "async batch",
        "nested async",
        "nested batch",
        "async session",
        "repeated async",
    ]
    assert proof.paths[1].problem == "0 of 1 calls came to their end"


# -- the command ----------------------------------------------------------------------------------------------------


def test_the_command_shows_who_saw_the_call_on_each_path(hermes: Run, home: Path) -> None:
    outcome = hermes("hooks", "prove")
    assert outcome.returncode == 0
    lines = outcome.stdout.splitlines()
    assert lines[0].split() == ["PATH", "PRE_TOOL_CALL"]
    assert [line.rpartition("  ")[0].strip() for line in lines[1 : len(PATHS) + 1]] == PATHS
    assert all(line.endswith("dice") for line in lines[1 : len(PATHS) + 1])
    assert lines[-1] == "Every hook saw the call on each of 14 paths."


def test_the_command_leaves_nothing_behind(hermes: Run, home: Path) -> None:
    assert hermes("hooks", "prove").returncode == 0
    assert not (home / "audit.jsonl").exists()
    assert not (home / "approvals.json").exists()


def test_the_command_prints_json(hermes: Run) -> None:
    outcome = hermes("hooks", "prove", "--json")
    proof = json.loads(outcome.stdout)
    assert (outcome.returncode, proof["ok"]) == (0, True)
    assert proof["hooks"] == {hook: ["dice"] if hook == "hermes_pre_tool_call" else [] for hook in PROVEN_HOOKS}
    assert [path["path"] for path in proof["paths"]] == PATHS
    assert proof["paths"][2] == {
        "path": "batch",
        "ok": True,
        "calls": 2,
        "decisions": ["allowed"],
        "hooks": proof["hooks"],
        "skipped": [],
        "problem": None,
    }


def test_a_hook_that_was_left_out_is_named_and_the_exit_status_is_1(
    hermes: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def allow_all(self: Judge, plan: Any, call: Any, heard: Any, values: Any, runner: Any) -> None:
        return None

    monkeypatch.setattr(Judge, "_ask_policies", allow_all)
    outcome = hermes("hooks", "prove")
    assert outcome.returncode == 1
    assert "NOT dice" in outcome.stdout
    assert outcome.stdout.splitlines()[-1].startswith("Not every hook saw every call: look at direct, async, batch")
    assert json.loads(hermes("hooks", "prove", "--json").stdout)["paths"][0]["skipped"] == [
        {"hook": "hermes_pre_tool_call", "plugin": "dice"}
    ]


def test_without_plugins_there_is_nothing_to_be_left_out(bare: Run) -> None:
    outcome = bare("hooks", "prove")
    assert outcome.returncode == 0
    assert "nothing to be left out" in outcome.stderr


def test_the_users_own_rules_hold_for_the_probe_too(hermes: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text(
        "policy:\n  rules:\n    - name: none\n      action: deny\n      match: {tool: '*'}\n", encoding="utf-8"
    )
    outcome = hermes("hooks", "prove")
    assert outcome.returncode == 0
    assert "denied-by-policy" in outcome.stdout


def test_the_help_says_what_the_exit_status_means(bare: Run) -> None:
    outcome = bare("hooks", "prove", "--help")
    assert "status is 0 when each hook saw it on each path, and 1 when one was left out" in " ".join(
        outcome.stdout.split()
    )
    assert "prove" in bare("hooks", "--help").stdout


def test_the_old_ways_to_ask_still_work(hermes: Run) -> None:
    assert hermes("hooks", "--debug", "pre_tool_call").stdout == hermes("hooks", "show", "pre_tool_call").stdout != ""
    assert hermes("hooks", "--json", "--all").stdout == hermes("hooks", "show", "--all", "--json").stdout != ""
