"""`hermes policy check`: reads the rules and runs their examples."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_approval.cli.options import json_option
from hermes_approval.cli.policy_file import misnamed_sections, read_rules_file, rules_option
from hermes_approval.settings import find_policy
from hermes_core.commands import ExitCode, clean, counted, loaded_host, print_json, say

if TYPE_CHECKING:
    from hermes_approval.policy.rule import Rule
    from hermes_approval.policy.ruleset import RuleSet
    from hermes_core.settings import Config, ConfigProblem

_LEVELS = {"error": "bold red", "warning": "yellow"}


@click.command()
@rules_option("Rules that are not in use, written as in config.yaml, or only its 'rules:'.")
@json_option
def command(file: Path | None, as_json: bool) -> ExitCode:
    """Check the rules, run their examples and list all errors.

    This checks the rules in config.yaml, or in the file given with --rules. Warnings, such as for a rule about a tool
    that is not installed, are shown but do not count as errors. Exit code: 0 if all rules can be used; 1 if one cannot,
    or if a section of config.yaml was probably meant to be 'policy'; 2 if the file cannot be read or contains no rules.
    """
    with loaded_host(locked=False, checked=False) as host:  # this command lists every error itself
        config, tools = host.config, {spec.name: spec for spec in host.tools(available=False)}
        ruleset, problems = _read(config, file, tools)
        nothing = file is None and config.get_configured("policy") is None
    ok = not any(problem.level == "error" for problem in problems)
    where = file or config.file
    if as_json:
        print_json(
            {
                "file": str(where),
                "ok": ok,
                "shadow": ruleset.shadow,
                "rules": [_fields(ruleset, rule) for rule in ruleset.rules],
                "examples": _number_of_examples(*ruleset.rules),
                "problems": [asdict(problem) for problem in problems],
            }
        )
        return ExitCode.OK if ok else ExitCode.FOUND
    for problem in problems:
        say(f"{problem.level}: {clean(problem)}", _LEVELS.get(problem.level, ""))
    if nothing:
        say(f"There is no policy in {clean(where)}.")
    else:
        _print_summary(clean(where), ruleset, problems, installed=file is None)
    return ExitCode.OK if ok else ExitCode.FOUND


def _read(config: Config, file: Path | None, tools: Any) -> tuple[RuleSet, list[ConfigProblem]]:
    ruleset, problems = find_policy(config, tools) if file is None else read_rules_file(file, tools)
    # A host reads the rules before it knows its tools: list the errors it would find then, too.
    _, others = find_policy(config) if file is None else read_rules_file(file)
    problems += [problem for problem in others if problem.level == "error" and problem not in problems]
    return ruleset, problems if file is not None else [*misnamed_sections(config), *problems]


def _fields(ruleset: RuleSet, rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "action": rule.action,
        "file": rule.file,
        "line": rule.line,
        "shadow": ruleset.shadow or rule.shadow,
        "examples": _number_of_examples(rule),
    }


def _number_of_examples(*rules: Rule) -> int:
    return sum(len(rule.examples.match) + len(rule.examples.not_match) for rule in rules)


def _print_summary(file: str, ruleset: RuleSet, problems: list[ConfigProblem], *, installed: bool) -> None:
    wrong = sum(problem.level == "error" for problem in problems)
    shadowed = [rule.name for rule in ruleset.rules if ruleset.shadow or rule.shadow]
    if shadowed:
        which = "all rules" if ruleset.shadow else clean(", ".join(shadowed))
        say(f"In shadow, only noting what they would have done: {which}.")
    ran = f"{counted(len(ruleset.rules), 'rule')}, {counted(_number_of_examples(*ruleset.rules), 'example')} run"
    if not wrong:
        say(f"{file} is fine: {ran}.", "green")
        return
    say(f"{counted(wrong, 'error')}. Other rules: {ran}.", "yellow")
    if installed:
        say("No tool can be called until you fix them.", "yellow")
