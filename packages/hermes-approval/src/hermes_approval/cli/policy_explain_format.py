"""What would become of a call, as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hermes_core.commands import Column, clean, print_facts, print_table, say

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
