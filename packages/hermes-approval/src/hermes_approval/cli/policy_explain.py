"""`hermes policy explain`: what would become of a call, stage by stage, without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_approval.approval import HostApproval
from hermes_approval.cli.options import json_option
from hermes_approval.policy.explanation import explain
from hermes_approval.policy.ruleset import RuleSet
from hermes_core.commands import Column, clean, loaded_host, print_facts, print_json, print_table, say
from hermes_core.errors import ToolInputError, UnknownToolError
from hermes_core.inspection import find_plugin, tool_source

if TYPE_CHECKING:
    from hermes_approval.policy.call_facts import Subject
    from hermes_approval.policy.explanation import Explanation
    from hermes_core import Finding, Hermes, ToolSpec
    from hermes_core.inspection import Rehearsal


_PLUGIN = "approval"


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="CALL...")
@click.option("--session", default="interactive", metavar="KIND", help="The session: interactive, batch, cron, ...")
@click.option("--rules-only", is_flag=True, help="Ask rules and grants alone: run no code of plugins.")
@json_option
def command(words: tuple[str, ...], session: str, rules_only: bool, as_json: bool) -> None:
    """Say step by step what would become of a call. It is not run.

    \b
    CALL is written in one of these ways:
      'terminal {"command": "ls"}'    as in the examples of rules
      terminal command=ls             as for 'hermes call'
      terminal '{"command": "ls"}'

    The steps: which tool it is, what is repaired, what the policy hooks of plugins and the tool's own assessment say,
    each rule with the reason why it matches or does not, what was granted before, and who would be asked. The verdict
    is that of the stages which a real call goes through. Nobody is asked, and no grant is used up. Exit status: 0,
    whatever the verdict is; 2 when CALL is no call, or the settings or the rules cannot be used.
    """
    with loaded_host() as host:
        told = _explained(host, words, session, rules_only)
    if as_json:
        print_json(told)
    else:
        print_explanation(told)


def _explained(host: Hermes, words: tuple[str, ...], session: str, rules_only: bool) -> dict[str, Any]:
    from hermes_approval.policy.call_facts import Subject, ToolFacts

    approval = find_plugin(host, HostApproval) or HostApproval()
    ruleset = approval.ruleset or RuleSet()
    name, args = _call_of(host, words)
    opened = host.session(kind=session)  # it never begins
    rehearsal = opened.rehearse(name, args, plugins=[_PLUGIN] if rules_only else None)
    spec = host.registry.get(name)
    if rehearsal.tool != (spec.name if spec else name):  # the tool forwards its calls
        name, args, spec = rehearsal.tool, dict(rehearsal.args), host.registry.get(rehearsal.tool)
    source = tool_source(host, spec.name) if spec else "application"
    subject = Subject(spec or ToolFacts(name), rehearsal.args, source=source, session_kind=session)
    verdicts = ruleset.judge(subject)
    findings = [each for each in rehearsal.findings if not verdicts.lifts(each)]
    by_grant = rehearsal.decision is not None and rehearsal.decision.by.startswith("grant ")
    grants = _grants(approval, subject, findings) if by_grant else []
    explanation = explain(ruleset, subject, grants=[grant["rule"] for grant in grants])
    return {
        "call": {"tool": subject.tool.name, "args": args, "session": session},
        "resolve": _resolved(host, name, source, spec),
        "arguments": _fitted(spec, rehearsal),
        "hooks": [
            {"stage": each.stage, "plugin": each.plugin, "says": each.says, "rule": each.rule, "reason": each.reason}
            for each in rehearsal.answers
            if each.plugin != _PLUGIN
        ],
        "hooks_run": not rules_only,
        "policy": {
            "shadow": ruleset.shadow,
            "rules": list(_rules(ruleset, subject, explanation)),
            "findings": [_finding(each) for each in verdicts.findings()],
        },
        "findings": [_finding(each) for each in findings],
        "grants": grants,
        "mode": approval.settings.mode,
        "approvers": list(rehearsal.approvers),
        "verdict": {**_verdict(approval, rehearsal, explanation), "rules": explanation.outcome},
    }


def _call_of(host: Hermes, words: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """The call that was typed. Without a tool that could type its values, they are JSON where they are JSON."""
    from shlex import join

    from hermes_approval.policy.example_calls import parse_call
    from hermes_core.commands import read_words, type_pairs

    if len(words) == 1:
        return parse_call(words[0])
    given = read_words(words[1:])
    if isinstance(given, dict):
        return words[0], given
    spec = host.registry.get(words[0])
    return (
        parse_call(join(words))
        if spec is None
        else (words[0], type_pairs(given, spec.parameters, spec.argument_aliases))
    )


def _resolved(host: Hermes, name: str, source: str, spec: ToolSpec | None) -> dict[str, Any]:
    from hermes_schemas import nearest

    if spec is None:
        return {"found": False, "nearest": list(nearest(name, host.registry.snapshot.names))}
    verdict = host.why(name)
    return {
        "found": True,
        "name": spec.name,
        "plugin": source,
        "toolset": spec.toolset,
        "effects": sorted(spec.effects),
        "available": verdict.available,
        "reason": verdict.reason or None,
    }


def _fitted(spec: ToolSpec | None, rehearsal: Rehearsal) -> dict[str, Any]:
    """The arguments as rules and the tool would see them; without a tool nobody can tell whether they fit."""
    wrong = rehearsal.problem if isinstance(rehearsal.problem, ToolInputError) else None
    return {
        "fit": None if spec is None or (rehearsal.problem and not wrong) else wrong is None,
        "repairs": list(rehearsal.repairs),
        "problem": wrong.message if wrong else None,
        "args": _plain(rehearsal.args),
    }


def _plain(args: Any) -> Any:
    from hermes_schemas.readonly import thawed

    return thawed(args)


def _finding(finding: Finding) -> dict[str, str]:
    return {"rule": finding.rule, "severity": finding.severity, "reason": finding.reason}


def _grants(approval: HostApproval, subject: Subject, findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """What answers each question, in a call that runs by what was granted before."""
    from hermes_approval.grants.offered_grants import requests_for

    requests = requests_for(
        findings,
        tool=subject.tool.name,
        args=subject.args,
        session_id="",  # of no session: what was granted for one does not answer here
        session_kind=subject.session_kind,
        source=subject.source,
    )
    return [
        {"rule": request.rule, "id": grant.id, "scope": grant.scope, "by": grant.by}
        for request in requests
        for grant in approval.grants.peek([request]) or ()
    ]


def _rules(ruleset: RuleSet, subject: Subject, explanation: Explanation) -> Iterator[dict[str, Any]]:
    for rule, step in zip(ruleset.rules, explanation.steps, strict=True):
        yield {
            "name": rule.name,
            "action": rule.action,
            "file": rule.file,
            "line": rule.line,
            "shadow": ruleset.shadow or rule.shadow,
            "matches": rule.matches(subject),
            "counts": step.counts,
            "why": step.why,
        }


def _verdict(approval: HostApproval, rehearsal: Rehearsal, explanation: Explanation) -> dict[str, str]:
    """What becomes of the call, and by whom: the first stage that decides."""
    problem, decision = rehearsal.problem, rehearsal.decision
    if isinstance(problem, UnknownToolError):
        reason = "There is no such tool here, so no rule would be asked."
        return {"outcome": "unknown-tool", "by": "resolve", "reason": reason}
    if isinstance(problem, ToolInputError):
        return {"outcome": "invalid-arguments", "by": "validate", "reason": problem.message}
    if problem is not None:
        return {"outcome": problem.code, "by": "resolve", "reason": problem.message}
    if decision is None:
        asked = "a model first, then somebody" if approval.settings.mode == "smart" else "somebody"
        reasons = "; ".join(finding.reason.rstrip(".") for finding in rehearsal.findings if finding.severity == "ask")
        reason = f"It would ask {asked}; with nobody there the answer is no. {reasons}."
        return {"outcome": "ask", "by": "findings", "reason": reason}
    if decision.outcome == "denied-by-policy" and explanation.outcome == "denied":
        return {"outcome": decision.outcome, "by": "rules", "reason": explanation.reason}
    reason = decision.reason
    if decision.by == "approvals.cron_mode":
        reason = "Cron jobs need not ask."
    elif decision.outcome == "no-approver":
        reason = f"In a cron job there is nobody to ask. {reason}".strip()
    elif decision.by.startswith("grant "):
        reason = "It was approved before."
    elif decision.allowed and (not decision.by or decision.by.startswith("policy.")):
        reason = explanation.reason if explanation.outcome == "allowed" else "Nothing is against it."
    by = "rules" if not decision.by or decision.by.startswith("policy.") else decision.by
    return {"outcome": decision.outcome, "by": by, "reason": reason}


_OUTCOMES = {"allowed": "green", "ask": "yellow"}


def print_explanation(told: dict[str, Any]) -> None:
    """The facts, who was asked, the rules, and the verdict last."""
    print_facts(_facts(told))
    rules = told["policy"]["rules"]
    if told["hooks"]:
        say()
        print_table(_HOOK_COLUMNS, (_hook_row(hook) for hook in told["hooks"]))
    if rules:
        say()
        print_table(_RULE_COLUMNS, (_rule_row(rule) for rule in rules))
    say()
    verdict = told["verdict"]
    tool = clean(told["call"]["tool"])
    say(f"{tool}: {verdict['outcome']}. {clean(verdict['reason'])}", _OUTCOMES.get(verdict["outcome"], "red"))
    if verdict["by"] in ("resolve", "validate") and rules:
        say(f"The rules alone would say: {verdict['rules']}.")
    if not told["hooks_run"]:
        say("Policy hooks and the tool's own assessment were not run, and may come to it.")


_SAYS = {"deny": "red", "refuse": "red", "failed": "red", "ask": "yellow", "rewrite": "yellow", "allow": "green"}
_HOOK_COLUMNS = (
    Column(title="asked", style="bold"),
    Column(title="says", styles=_SAYS),
    Column(title="why", fit="wrap"),
)
_RULE_COLUMNS = (
    Column(title="rule", style="bold"),
    Column(title="says", styles=_SAYS),
    Column(title="matches", styles={"yes": "bold", "no": "dim"}),
    Column(title="why", fit="wrap"),
    Column(title="place", style="dim"),
)


def _hook_row(hook: dict[str, str]) -> tuple[str, ...]:
    stage = "policy hook" if hook["stage"] == "pre" else "assessment"
    whose = f"{stage} of {hook['plugin']}" if hook["plugin"] else "the tool itself"
    why = f"{hook['rule']}: {hook['reason']}" if hook["rule"] else hook["reason"]
    return whose, hook["says"], why


def _rule_row(rule: dict[str, Any]) -> tuple[str, ...]:
    said = f"{rule['action']}, in shadow" if rule["shadow"] else rule["action"]
    place = f"{Path(rule['file']).name}:{rule['line']}" if rule["line"] else ""
    return rule["name"], said, "yes" if rule["matches"] else "no", rule["why"], place


def _facts(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    resolved, fitted = told["resolve"], told["arguments"]
    if resolved["found"]:
        effects = ", ".join(resolved["effects"]) or "none declared"
        yield (
            "tool",
            f"{resolved['name']} (plugin {resolved['plugin']}, toolset {resolved['toolset']}, effects: {effects})",
        )
    else:
        near = " or ".join(resolved["nearest"])
        yield "tool", f"{told['call']['tool']} is not known here" + (f"; there is {near}" if near else "")
    repairs = "; ".join(fitted["repairs"])
    yield "repaired", repairs
    yield "arguments", fitted["problem"] or ("they fit" if fitted["fit"] else "nobody can tell whether they fit")
    yield "session", told["call"]["session"]
    yield "approvals", told["mode"]
    for grant in told["grants"]:
        yield "grant", f"{grant['id']} answers {grant['rule']}, given by {grant['by']}"
