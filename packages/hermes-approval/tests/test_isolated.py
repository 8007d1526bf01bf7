"""Rules, grants and the audit log as a user has them, with nothing installed but what this package requires."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Approval
from hermes_core import ApprovalRequest, Decision, Finding, Hermes, Tool

Run = Callable[..., subprocess.CompletedProcess[str]]

DICE = '''
from hermes_core import Finding, hookimpl, tool


def assess(args, ctx):
    return [Finding(rule="dice.burn", severity="ask", reason="it burns all dice")]


@tool(toolset="dice", effects=["read"])
def roll_dice(count: int) -> list:
    """Roll some dice."""
    return [4] * count


@tool(toolset="dice", effects=["delete"], assess=assess)
def burn_dice() -> dict:
    """Burn all dice."""
    return {"burnt": True}


@hookimpl
def hermes_tools():
    return [roll_dice, burn_dice]
'''
RULES = """
policy:
  rules:
    - name: no-rolling
      match: {tool: roll_dice}
      action: deny
      reason: dice are gambling
      examples: {match: ["roll_dice count=2"]}
"""


@pytest.fixture
def hermes(home: Path) -> Run:
    """Run the command in a process of its own, with a single-file plugin that brings two tools."""
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "dice.py").write_text(DICE, encoding="utf-8")

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "hermes_core", *args]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
        )

    return run


def answer(text: str) -> Any:
    return json.loads(text)


def test_a_rule_denies_a_call_and_explains_itself(hermes: Run, home: Path) -> None:
    assert answer(hermes("call", "roll_dice", "count=2").stdout) == [4, 4]
    (home / "config.yaml").write_text(RULES, encoding="utf-8")
    denied = hermes("call", "roll_dice", "count=2")
    assert denied.returncode == 4
    assert answer(denied.stdout)["decision"] == "denied-by-policy"
    assert "dice are gambling" in answer(denied.stdout)["error"]
    assert hermes("policy", "check").returncode == 0
    assert "no-rolling" in hermes("policy", "explain", "roll_dice", "count=2").stdout


def test_a_grant_allows_what_needs_approval_until_it_is_revoked(hermes: Run) -> None:
    assert answer(hermes("call", "burn_dice").stdout)["decision"] == "no-approver"
    added = hermes("approvals", "add", "burn_dice", "dice.burn", "--any-args", "--json")
    assert added.returncode == 0, added.stderr
    assert answer(hermes("call", "burn_dice").stdout) == {"burnt": True}
    (grant,) = answer(hermes("approvals", "list", "--json").stdout)["grants"]
    assert hermes("approvals", "revoke", grant["id"]).returncode == 0
    assert answer(hermes("call", "burn_dice").stdout)["decision"] == "no-approver"


def test_every_call_is_in_the_audit_log(hermes: Run) -> None:
    hermes("call", "roll_dice", "count=2")
    hermes("call", "burn_dice")
    entries = answer(hermes("audit", "tail", "--json").stdout)
    assert [(each["tool"], each["status"], each["decision"]["outcome"]) for each in entries] == [
        ("roll_dice", "ok", "allowed"),
        ("burn_dice", "blocked", "no-approver"),
    ]
    assert entries[0]["args"] == {"count": 2}


def test_an_application_answers_through_a_callback() -> None:
    asked: list[str] = []

    def approve(request: ApprovalRequest) -> Decision:
        asked.append(request.tool)
        return Decision(outcome="allowed", by="the application")

    def assess(args: dict[str, Any], ctx: object) -> list[Finding]:
        return [Finding(rule="dice.burn", severity="ask", reason="it burns all dice")]

    burn = Tool.from_schema({"name": "burn"}, lambda args: "burnt", toolset="dice", assess=assess)
    with Hermes(tools=[burn], plugins=[Approval(approver=approve)]) as host:
        assert json.loads(host.call("burn")) == "burnt"
    assert asked == ["burn"]


def test_the_commands_are_there_and_those_of_other_packages_name_them(hermes: Run) -> None:
    shown = hermes("--help").stdout
    assert all(f"  {command} " in shown for command in ("approvals", "audit", "policy"))
    assert hermes("plugins").returncode == 0
