"""Why a call may run or may not, rule by rule."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.policy.call_facts import Subject, ToolFacts
from hermes_approval.policy.explanation import Explanation, explain
from hermes_approval.policy.rule_reader import read_rules
from hermes_approval.policy.ruleset import RuleSet
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
    facts = {key: more.pop(key) for key in list(more) if key != "grants"}
    return explain(RULES, Subject(TERMINAL, args, **facts), **more)


def test_each_rule_is_explained_in_order_then_the_outcome() -> None:
    found = explained({"command": "git push origin"})
    assert [(step.rule.name, step.counts, step.why) for step in found.steps] == [
        ("no-pushes", True, "No."),
        ("ask-exec", True, "Ask me."),
        ("trial", False, "matches, but only in shadow: Perhaps."),
        ("fine", False, "args.command does not match 'ls'"),
    ]
    assert (found.outcome, found.reason) == ("denied", "rule no-pushes (config.yaml:3): No.")


def test_an_ask_that_a_rule_lifts_does_not_count() -> None:
    found = explained({"command": "ls"})
    assert (found.steps[1].counts, found.steps[1].why) == (False, "lifted by the rule 'fine' (config.yaml:6): Ask me.")
    assert (found.outcome, found.reason) == ("allowed", "rule fine (config.yaml:6): Harmless.")


@pytest.mark.parametrize(("grants", "outcome"), [((), "ask"), (("policy.ask-exec",), "allowed"), (("other",), "ask")])
def test_an_ask_that_was_approved_before_does_not_count(grants: tuple[str, ...], outcome: str) -> None:
    assert explained({"command": "rm x"}, grants=grants).outcome == outcome


def test_without_any_word_against_it_a_call_is_allowed() -> None:
    found = explained({"command": "rm"}, session_kind="cron")
    assert (found.outcome, found.reason) == ("allowed", "Nothing prevents it.")
    assert found.steps[1].why == "unless holds: session 'cron'"


@pytest.mark.parametrize(
    ("match", "why"),
    [
        ("{tool: [a, 'b*']}", "tool is 'terminal', the rule requires 'a' or 'b*'"),
        ("{toolset: web}", "toolset is 'shell', the rule requires 'web'"),
        ("{source: mine}", "source is 'application', the rule requires 'mine'"),
        ("{effect: spend}", "effect is 'exec', the rule requires 'spend'"),
        ("{session: cron}", "session is 'interactive', the rule requires 'cron'"),
        ("{origin: nested}", "origin is 'direct', the rule requires 'nested'"),
        ("{args: {branch: main}}", "args.branch is not given, the rule requires 'main'"),
        ("{args: {command: {in: [a, b]}}}", "args.command does not match in 'a' or 'b'"),
        ('{args: {"*": {contains: x}}}', "args.* does not match contains 'x'"),
        ('{time: {after: "22:00"}}', "time is 'Fri 12:00', the rule requires after '22:00'"),
        ("{args: {command: z}, tool: other}", "tool is 'terminal', the rule requires 'other'"),
    ],
)
def test_a_rule_that_does_not_match_tells_the_first_key_that_fails(match: str, why: str) -> None:
    rules = book(f"    - {{name: it, action: deny, match: {match}}}\n")
    subject = Subject(TERMINAL, {"command": "a secret token"[:8]}, when=datetime(2024, 5, 3, 12, 0))
    assert explain(rules, subject).steps[0].why == why


def test_without_rules_every_call_is_allowed() -> None:
    found = explain(RuleSet(), Subject(TERMINAL, {}))
    assert (found.steps, found.outcome, found.reason) == ((), "allowed", "Nothing prevents it.")
