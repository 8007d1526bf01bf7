"""`hermes policy check`: the rules, read and proven by their examples."""

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
@rules_option("Rules that are not installed, written as in config.yaml, or from 'rules:' on.")
@json_option
def command(file: Path | None, as_json: bool) -> ExitCode:
    """Read the rules, run their examples, and list every mistake.

    Without --rules: those of config.yaml. A warning, as of a rule for a tool that is not installed here, is shown and
    is no mistake. Exit status: 0 when the rules can be used, 1 when one cannot, or when a section of config.yaml was
    probably meant to be the policy, 2 when the file cannot be read or FILE holds no rules.
    """
    with loaded_host(locked=False, checked=False) as host:  # it lists every mistake itself
        config, tools = host.config, {spec.name: spec for spec in host.tools(available=False)}
        book, problems = _read(config, file, tools)
        nothing = file is None and config.get_configured("policy") is None
    ok = not any(problem.level == "error" for problem in problems)
    where = file or config.file
    if as_json:
        print_json(
            {
                "file": str(where),
                "ok": ok,
                "shadow": book.shadow,
                "rules": [_fields(book, rule) for rule in book.rules],
                "examples": _number_of_examples(*book.rules),
                "problems": [asdict(problem) for problem in problems],
            }
        )
        return ExitCode.OK if ok else ExitCode.FOUND
    for problem in problems:
        say(f"{problem.level}: {clean(problem)}", _LEVELS.get(problem.level, ""))
    if nothing:
        say(f"There is no policy in {clean(where)}: no rule is asked.")
    else:
        _print_summary(clean(where), book, problems, installed=file is None)
    return ExitCode.OK if ok else ExitCode.FOUND


def _read(config: Config, file: Path | None, tools: Any) -> tuple[RuleSet, list[ConfigProblem]]:
    book, problems = find_policy(config, tools) if file is None else read_rules_file(file, tools)
    # A host reads the rules before it knows its tools: what it would refuse then is a mistake here, too.
    _, others = find_policy(config) if file is None else read_rules_file(file)
    problems += [problem for problem in others if problem.level == "error" and problem not in problems]
    return book, problems if file is not None else [*misnamed_sections(config), *problems]


def _fields(book: RuleSet, rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "action": rule.action,
        "file": rule.file,
        "line": rule.line,
        "shadow": book.shadow or rule.shadow,
        "examples": _number_of_examples(rule),
    }


def _number_of_examples(*rules: Rule) -> int:
    return sum(len(rule.examples.match) + len(rule.examples.not_match) for rule in rules)


def _print_summary(file: str, book: RuleSet, problems: list[ConfigProblem], *, installed: bool) -> None:
    wrong = sum(problem.level == "error" for problem in problems)
    shadowed = [rule.name for rule in book.rules if book.shadow or rule.shadow]
    if shadowed:
        which = "all rules" if book.shadow else clean(", ".join(shadowed))
        say(f"In shadow, where a rule only notes what it would have done: {which}.")
    ran = f"{counted(len(book.rules), 'rule')}, {counted(_number_of_examples(*book.rules), 'example')} run"
    if not wrong:
        say(f"{file} is fine: {ran}.", "green")
        return
    say(f"{counted(wrong, 'mistake')}. Without the mistakes: {ran}.", "yellow")
    if installed:
        say("Until that is mended, no tool can be called.", "yellow")
