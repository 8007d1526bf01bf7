"""`hermes policy explain`: what would become of a call, stage by stage, without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_core.approval.policy.book import RuleBook
from hermes_core.approval.policy.explaining import explain
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, note, print_json, say
from hermes_core.cli.table import Column, print_facts, print_table
from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from hermes_core.approval.authority import Authority
    from hermes_core.approval.finding import Finding
    from hermes_core.approval.policy.explaining import Explanation
    from hermes_core.approval.policy.subject import Subject
    from hermes_core.host import Hermes
    from hermes_core.tools.spec import ToolSpec

_OUTCOMES = {"allowed": "green", "ask": "yellow"}
_JUDGING = frozenset({"hermes_pre_tool_call", "hermes_assess_call"})


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="CALL...")
@click.option("--session", default="interactive", metavar="KIND", help="The session: interactive, batch, cron, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(words: tuple[str, ...], session: str, as_json: bool) -> None:
    """Say step by step what would become of a call. Nothing is run.

    \b
    CALL is written in one of these ways:
      'terminal {"command": "ls"}'    as in the examples of rules
      terminal command=ls             as for 'hermes call'
      terminal '{"command": "ls"}'

    The steps: which tool it is, what is repaired, each rule with the reason why it matches or does not, what was
    granted before, and who would be asked. Hooks of plugins and the tool's own assessment are foreign code, and are
    not run; what they say may come to it. Exit status: 0, whatever the verdict is; 2 when CALL is no call, or the
    settings or the rules cannot be used.
    """
    with loaded_host() as host:
        told = _explained(host, words, session)
    if as_json:
        print_json(told)
    else:
        _print_explanation(told)


def _explained(host: Hermes, words: tuple[str, ...], session: str) -> dict[str, Any]:
    from hermes_core.approval.policy.subject import Subject, ToolFacts

    authority = host.authority
    book = authority.book or RuleBook()
    name, args = _call_of(host, words)
    spec = host.registry.get(name)
    fitted = _fitted(spec, args)
    source = authority.source_of(spec.name) if spec else "application"
    subject = Subject(spec or ToolFacts(name), fitted["args"], source=source, session_kind=session)
    asks = book.judge(subject).findings()
    grants = _grants(authority, subject, asks)
    answered = [grant["rule"] for grant in grants] if len(grants) == len(asks) else []
    explanation = explain(book, subject, grants=answered)
    resolved = _resolved(host, name, source, spec)
    return {
        "call": {"tool": subject.tool.name, "args": args, "session": session},
        "resolve": resolved,
        "arguments": fitted,
        "policy": {
            "shadow": book.shadow,
            "rules": list(_rules(book, subject, explanation)),
            "findings": [{"rule": each.rule, "severity": each.severity, "reason": each.reason} for each in asks],
        },
        "grants": grants,
        "mode": authority.settings.mode,
        "verdict": _verdict(authority, resolved, fitted, explanation, session),
        "not_run": {
            "hooks": [record.name for record in host.report if not _JUDGING.isdisjoint(record.hooks)],
            "assess": True,
        },
    }


def _call_of(host: Hermes, words: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """The call that was typed. Without a tool that could type its values, they are JSON where they are JSON."""
    from shlex import join

    from hermes_core.approval.policy.examples import parse_call
    from hermes_core.cli.arguments import read_words, type_pairs

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
    from hermes_core.schemas.nearest import nearest

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


def _fitted(spec: ToolSpec | None, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments as rules would see them; without a tool nobody can tell whether they fit."""
    from hermes_core.calls.plan import violated
    from hermes_core.schemas.repair import Repairer

    if spec is None:
        return {"fit": None, "repairs": [], "problem": None, "args": args}
    repairer = Repairer(spec.parameters, spec.argument_aliases)
    mended = repairer.repair(args)
    fits = repairer.checker.fits(mended.args)
    return {
        "fit": fits,
        "repairs": [str(repair) for repair in mended.repairs],
        "problem": None if fits else violated(spec.name, repairer.checker.violations(mended.args)).message,
        "args": mended.args,
    }


def _grants(authority: Authority, subject: Subject, asks: Iterable[Finding]) -> list[dict[str, Any]]:
    """Each ask of a rule that was granted before. A call runs by grants only when all of its asks are."""
    from hermes_core.approval.grants.grant import GrantRequest

    found: list[dict[str, Any]] = []
    if authority.grants is None:
        return found
    for finding in asks:
        request = GrantRequest(
            tool=subject.tool.name,
            rule=finding.rule,
            args=subject.args,
            session_id="",  # of no session: what was granted for one does not answer here
            session_kind=subject.session_kind,
        )
        try:
            used = authority.grants.peek([request])
        except (ConfigError, OSError) as error:  # as for a real call: grants that cannot be read permit nothing
            note(f"hermes: warning: grants cannot be used: {clean(error)}")
            return []
        found += [{"rule": finding.rule, "id": grant.id, "scope": grant.scope, "by": grant.by} for grant in used or ()]
    return found


def _rules(book: RuleBook, subject: Subject, explanation: Explanation) -> Iterator[dict[str, Any]]:
    for rule, step in zip(book.rules, explanation.steps, strict=True):
        yield {
            "name": rule.name,
            "action": rule.action,
            "file": rule.file,
            "line": rule.line,
            "shadow": book.shadow or rule.shadow,
            "matches": rule.matches(subject),
            "counts": step.counts,
            "why": step.why,
        }


def _verdict(
    authority: Authority,
    resolved: Mapping[str, Any],
    fitted: Mapping[str, Any],
    explanation: Explanation,
    session: str,
) -> dict[str, str]:
    """What becomes of the call, by the first stage that decides; what the rules say stands beside it."""

    def verdict(outcome: str, by: str, reason: str) -> dict[str, str]:
        return {"outcome": outcome, "by": by, "reason": reason, "rules": explanation.outcome}

    if not resolved["found"]:
        return verdict("unknown-tool", "resolve", "There is no such tool here, so no rule would be asked.")
    if not resolved["available"]:
        return verdict("unavailable", "resolve", f"It cannot run here: {resolved['reason']}.")
    if not fitted["fit"]:
        return verdict("invalid-arguments", "validate", str(fitted["problem"]))
    if explanation.outcome == "denied":
        return verdict("denied-by-policy", "rules", explanation.reason)
    if explanation.outcome == "allowed":
        return verdict("allowed", "rules", explanation.reason)
    if authority.asks_nobody:
        return verdict("allowed", "approvals.mode", f"Approvals are off. {explanation.reason}")
    if session != "cron":
        asked = "a model first, then somebody" if authority.settings.mode == "smart" else "somebody"
        return verdict(
            "ask", "rules", f"It would ask {asked}; with nobody there the answer is no. {explanation.reason}"
        )
    if authority.settings.cron_approves:
        return verdict("allowed", "approvals.cron_mode", f"Cron jobs need not ask. {explanation.reason}")
    return verdict("no-approver", "approvals.cron_mode", f"In a cron job there is nobody to ask. {explanation.reason}")


def _print_explanation(told: dict[str, Any]) -> None:
    print_facts(_facts(told))
    rules = told["policy"]["rules"]
    if rules:
        say()
        print_table(_RULE_COLUMNS, (_rule_row(rule) for rule in rules))
    say()
    verdict = told["verdict"]
    tool = clean(told["call"]["tool"])
    say(f"{tool}: {verdict['outcome']}. {clean(verdict['reason'])}", _OUTCOMES.get(verdict["outcome"], "red"))
    if verdict["by"] in ("resolve", "validate") and rules:
        say(f"The rules alone would say: {verdict['rules']}.")
    hooks = told["not_run"]["hooks"]
    judging = f"the policy hooks of {clean(', '.join(hooks))}" if hooks else "policy hooks (no plugin here has one)"
    say(f"Not run, and may come to it: {judging}, and the tool's own assessment.")


_RULE_COLUMNS = (
    Column(title="rule", style="bold"),
    Column(title="says", styles={"deny": "red", "ask": "yellow", "allow": "green"}),
    Column(title="matches", styles={"yes": "bold", "no": "dim"}),
    Column(title="why", fit="wrap"),
    Column(title="place", style="dim"),
)


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
