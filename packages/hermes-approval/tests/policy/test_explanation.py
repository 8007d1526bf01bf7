"""Why a call may run or may not, rule by rule."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.policy.call_facts import Subject, ToolFacts
from hermes_approval.policy.explanation import Explanation, explain
from hermes_approval.policy.rule_reader import read_rules
from hermes_approval.policy.ruleset import RuleSet
from hermes_core.findings import Finding
from hermes_files.yaml_document import parse_document

TERMINAL = ToolFacts("terminal", "shell", frozenset({"exec"}))


def book(text: str) -> RuleSet:
    document = parse_document(Path("config.yaml"), "policy:\n  rules:\n" + text)
    found, problems = read_rules(document.data["policy"], file="config.yaml", line_of=document.line_of)
    assert not problems, [str(problem) for problem in problems]
    return found


RULES = book(
    """\
    - {name: no-pushes, action: deny, match: {tool: terminal, args: {command: {glob: 'git push*'}}}, reason: No.}
    - {name: ask-exec, action: ask, match: {effect: exec}, unless: {session: cron}, reason: Ask me.}
    - {name: trial, action: deny, match: {effect: exec}, shadow: true, reason: Perhaps.}
    - {name: fine, action: allow, match: {args: {command: ls}}, lifts: [policy.ask-exec, 'list.*'], reason: Harmless.}
"""
)


def explained(args: dict[str, Any], **more: Any) -> Explanation:
    facts = {key: more.pop(key) for key in list(more) if key not in ("findings", "grants")}
    return explain(RULES, Subject(TERMINAL, args, **facts), **more)


def test_each_rule_is_told_in_order_with_its_place_then_the_verdict() -> None:
    assert explained({"command": "git push origin"}).lines() == [
        "✓ no-pushes  deny   No. (config.yaml:3)",
        "✓ ask-exec   ask    Ask me. (config.yaml:4)",
        "· trial      deny   matches, but only in shadow: Perhaps. (config.yaml:5)",
        "· fine       allow  args.command does not fit 'ls' (config.yaml:6)",
        "terminal: denied. rule no-pushes (config.yaml:3): No.",
    ]


def test_an_ask_that_a_rule_lifts_does_not_count() -> None:
    lines = explained({"command": "ls"}).lines()
    assert lines[1] == "· ask-exec   ask    lifted by the rule 'fine' (config.yaml:6): Ask me. (config.yaml:4)"
    assert lines[-1] == "terminal: allowed. rule fine (config.yaml:6): Harmless."


@pytest.mark.parametrize(
    ("findings", "grants", "outcome"),
    [
        ((), (), "ask"),
        ((), ("policy.ask-exec",), "allowed"),
        ((Finding(rule="disk.wipe", severity="refuse", reason="Wipes."),), ("policy.ask-exec", "disk.wipe"), "refused"),
        ((Finding(rule="delete.x", severity="ask", reason="Deletes."),), ("policy.ask-exec",), "ask"),
        ((Finding(rule="delete.x", severity="ask", reason="Deletes."),), ("policy.ask-exec", "delete.x"), "allowed"),
        ((Finding(rule="see", severity="note", reason="Look."),), ("policy.ask-exec",), "allowed"),
    ],
)
def test_findings_and_grants_have_their_part(findings: Any, grants: Any, outcome: str) -> None:
    found = explained({"command": "rm x"}, findings=findings, grants=grants)
    assert found.outcome == outcome
    assert [step.kind for step in found.steps] == ["rule"] * 4 + ["finding"] * len(findings)


def test_a_note_has_no_part_in_the_verdict() -> None:
    found = explained({"command": "rm x"}, findings=[Finding(rule="see", severity="note", reason="Look.")])
    assert (found.steps[-1].id, found.steps[-1].counts) == ("see", False)


def test_a_refusal_outweighs_a_deny() -> None:
    wipe = Finding(rule="disk.wipe", severity="refuse", reason="Wipes.")
    assert explained({"command": "git push"}, findings=[wipe]).outcome == "refused"


def test_without_any_word_against_it_a_call_is_allowed() -> None:
    found = explained({"command": "rm"}, session_kind="cron")
    assert (found.outcome, found.reason) == ("allowed", "Nothing is against it.")
    assert found.steps[1].why == "unless holds: session 'cron'"


@pytest.mark.parametrize(
    ("match", "why"),
    [
        ("{tool: [a, 'b*']}", "tool is 'terminal', the rule wants 'a' or 'b*'"),
        ("{toolset: web}", "toolset is 'shell', the rule wants 'web'"),
        ("{source: mine}", "source is 'application', the rule wants 'mine'"),
        ("{effect: spend}", "effect is 'exec', the rule wants 'spend'"),
        ("{session: cron}", "session is 'interactive', the rule wants 'cron'"),
        ("{origin: nested}", "origin is 'direct', the rule wants 'nested'"),
        ("{args: {branch: main}}", "args.branch is not given, the rule wants 'main'"),
        ("{args: {command: {in: [a, b]}}}", "args.command does not fit in 'a' or 'b'"),
        ('{args: {"*": {contains: x}}}', "args.* does not fit contains 'x'"),
        ('{time: {after: "22:00"}}', "time is 'Fri 12:00', the rule wants after '22:00'"),
        ("{args: {command: z}, tool: other}", "tool is 'terminal', the rule wants 'other'"),
    ],
)
def test_a_rule_that_does_not_match_tells_the_first_key_that_fails(match: str, why: str) -> None:
    rules = book(f"    - {{name: it, action: deny, match: {match}}}\n")
    subject = Subject(TERMINAL, {"command": "a secret token"[:8]}, when=datetime(2024, 5, 3, 12, 0))
    assert explain(rules, subject).steps[0].why == why


def test_an_explanation_is_json() -> None:
    data = explained({"command": "git push"}).as_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["outcome"] == "denied"
    assert data["steps"][0] == {
        "kind": "rule",
        "id": "no-pushes",
        "says": "deny",
        "counts": True,
        "why": "No.",
        "place": "config.yaml:3",
    }


def test_no_rules_make_a_short_explanation() -> None:
    assert explain(RuleSet(), Subject(TERMINAL, {})).lines() == ["terminal: allowed. Nothing is against it."]
