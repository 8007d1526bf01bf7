"""`hermes policy explain`: explains each stage of a call, without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_approval.cli.options import json_option
from hermes_approval.host_approval import HostApproval
from hermes_approval.policy.explanation import explain
from hermes_approval.policy.ruleset import RuleSet
from hermes_core import ApprovalRequest
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
@click.option(
    "--session", default="interactive", metavar="KIND", help="The kind of session: interactive, batch, cron, ..."
)
@click.option("--rules-only", is_flag=True, help="Evaluate only rules and grants; run no plugin code.")
@json_option
def command(words: tuple[str, ...], session: str, rules_only: bool, as_json: bool) -> None:
    """Explain step by step what would happen to a call, without running it.

    \b
    CALL is written in one of these ways:
      'terminal {"command": "ls"}'    as in the examples of rules
      terminal command=ls             as for 'hermes call'
      terminal '{"command": "ls"}'

    The steps are the tool, the repairs, the answers of policy hooks and of the tool's own assessment, each rule with
    the reason why it does or does not match, the grants, and who would be asked. The verdict is the same as for a real
    call, but no one is asked and no grant is used up. Exit code: 0 for every verdict; 2 if CALL is not a valid call, or
    if the settings or the rules cannot be used.
    """
    with loaded_host() as host:
        explained = _explain(host, words, session, rules_only)
    if as_json:
        print_json(explained)
    else:
        print_explanation(explained)


def _explain(host: Hermes, words: tuple[str, ...], session: str, rules_only: bool) -> dict[str, Any]:
    from hermes_approval.policy.call_facts import Subject, ToolFacts

    approval = find_plugin(host, HostApproval) or HostApproval()
    ruleset = approval.ruleset or RuleSet()
    name, args = _call_of(host, words)
    opened = host.session(kind=session)  # it is never started
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
    """Parse the call. Values are typed by the tool; without a known tool, they are JSON if they can be parsed."""
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
    from hermes_schemas.readonly import thawed

    wrong = rehearsal.problem if isinstance(rehearsal.problem, ToolInputError) else None
    return {
        "fit": None if spec is None or (rehearsal.problem and not wrong) else wrong is None,
        "repairs": list(rehearsal.repairs),
        "problem": wrong.message if wrong else None,
        "args": thawed(rehearsal.args),
    }


def _finding(finding: Finding) -> dict[str, str]:
    return {"rule": finding.rule, "severity": finding.severity, "reason": finding.reason}


def _grants(approval: HostApproval, subject: Subject, findings: Iterable[Finding]) -> list[dict[str, Any]]:
    from hermes_approval.grants.offered_grants import requests_for

    request = ApprovalRequest(
        id="",
        tool=subject.tool.name,
        toolset=subject.tool.toolset,
        args=subject.args,
        findings=tuple(findings),
        session_id="",  # no session: grants for one do not match here
        session_kind=subject.session_kind,
        source=subject.source,
    )
    return [
        {"rule": asked.rule, "id": grant.id, "scope": grant.scope, "by": grant.by}
        for asked in requests_for(request)
        for grant in approval.grants.peek([asked]) or ()
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
    """Return the outcome of the call, and the first stage that decides."""
    problem, decision = rehearsal.problem, rehearsal.decision
    if isinstance(problem, UnknownToolError):
        reason = "The tool is unknown here, so no rule would be asked."
        return {"outcome": "unknown-tool", "by": "resolve", "reason": reason}
    if isinstance(problem, ToolInputError):
        return {"outcome": "invalid-arguments", "by": "validate", "reason": problem.message}
    if problem is not None:
        return {"outcome": problem.code, "by": "resolve", "reason": problem.message}
    if decision is None:
        asked = "a model first, then an approver" if approval.settings.mode == "smart" else "an approver"
        reasons = "; ".join(finding.reason.rstrip(".") for finding in rehearsal.findings if finding.severity == "ask")
        reason = f"It would ask {asked}; without one, the call is denied. {reasons}."
        return {"outcome": "ask", "by": "findings", "reason": reason}
    if decision.outcome == "denied-by-policy" and explanation.outcome == "denied":
        return {"outcome": decision.outcome, "by": "rules", "reason": explanation.reason}
    reason = decision.reason
    if decision.by == "approvals.cron_mode":
        reason = "Cron jobs need no approval."
    elif decision.outcome == "no-approver":
        reason = f"A cron job has no approver. {reason}".strip()
    elif decision.by.startswith("grant "):
        reason = "It was approved before."
    elif decision.allowed and (not decision.by or decision.by.startswith("policy.")):
        reason = explanation.reason if explanation.outcome == "allowed" else "Nothing prevents it."
    by = "rules" if not decision.by or decision.by.startswith("policy.") else decision.by
    return {"outcome": decision.outcome, "by": by, "reason": reason}


_OUTCOMES = {"allowed": "green", "ask": "yellow"}


def print_explanation(explained: dict[str, Any]) -> None:
    """Print the facts, the hooks, the rules, and the verdict last."""
    print_facts(_facts(explained))
    rules = explained["policy"]["rules"]
    if explained["hooks"]:
        say()
        print_table(_HOOK_COLUMNS, (_hook_row(hook) for hook in explained["hooks"]))
    if rules:
        say()
        print_table(_RULE_COLUMNS, (_rule_row(rule) for rule in rules))
    say()
    verdict = explained["verdict"]
    tool = clean(explained["call"]["tool"])
    say(f"{tool}: {verdict['outcome']}. {clean(verdict['reason'])}", _OUTCOMES.get(verdict["outcome"], "red"))
    if verdict["by"] in ("resolve", "validate") and rules:
        say(f"The rules alone would say: {verdict['rules']}.")
    if not explained["hooks_run"]:
        say("Policy hooks and the tool's own assessment were not run, and may change it.")


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
    source = f"{stage} of {hook['plugin']}" if hook["plugin"] else "the tool itself"
    why = f"{hook['rule']}: {hook['reason']}" if hook["rule"] else hook["reason"]
    return source, hook["says"], why


def _rule_row(rule: dict[str, Any]) -> tuple[str, ...]:
    action = f"{rule['action']}, in shadow" if rule["shadow"] else rule["action"]
    place = f"{Path(rule['file']).name}:{rule['line']}" if rule["line"] else ""
    return rule["name"], action, "yes" if rule["matches"] else "no", rule["why"], place


def _facts(explained: dict[str, Any]) -> Iterator[tuple[str, str]]:
    resolved, fitted = explained["resolve"], explained["arguments"]
    if resolved["found"]:
        effects = ", ".join(resolved["effects"]) or "none declared"
        yield (
            "tool",
            f"{resolved['name']} (plugin {resolved['plugin']}, toolset {resolved['toolset']}, effects: {effects})",
        )
    else:
        near = " or ".join(resolved["nearest"])
        yield "tool", f"{explained['call']['tool']} is unknown here" + (f"; did you mean {near}?" if near else "")
    repairs = "; ".join(fitted["repairs"])
    yield "repaired", repairs
    yield "arguments", fitted["problem"] or ("they fit" if fitted["fit"] else "not checked: the tool is unknown")
    yield "session", explained["call"]["session"]
    yield "approvals", explained["mode"]
    for grant in explained["grants"]:
        yield "grant", f"{grant['id']} answers {grant['rule']}, given by {grant['by']}"
