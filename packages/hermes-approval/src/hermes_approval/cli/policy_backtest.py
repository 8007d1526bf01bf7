"""`hermes policy backtest`: tries rules on past calls, and lists every call with a different result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_approval.cli.options import json_option, since_option
from hermes_approval.cli.policy_file import read_rules_file, rules_option
from hermes_approval.policy.ruleset import RuleSet
from hermes_approval.settings import raise_first, read_policy
from hermes_approval.settings_schema import APPROVAL_SECTIONS
from hermes_core.commands import ExitCode, clean, counted, cut, line_width, note, print_json, say

if TYPE_CHECKING:
    from hermes_approval.policy.backtest import Backtest

_BEFORE_THE_RULES = frozenset({"unknown_tool", "unavailable", "invalid_arguments"})
"""The codes of calls that ended before any rule was asked."""

_LONGEST_CALL = 400


@click.command()
@rules_option("New rules, written as in config.yaml, or only its 'rules:'.")
@since_option
@click.option("--in-force", is_flag=True, help="Treat the new rules as if none were in shadow.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="List at most N calls for each change.")
@json_option
def command(file: Path | None, since: float | None, in_force: bool, limit: int | None, as_json: bool) -> ExitCode:
    """Try rules on past calls and list every call whose outcome would change.

    The command evaluates every call in audit.jsonl with two rulesets and compares the outcomes. With --rules, these are
    the rules in config.yaml and those in FILE. Without --rules, they are no rules and those in config.yaml. With only
    --in-force, they are the rules in config.yaml as they are, and the same rules with none of them in shadow. The log
    contains no secrets, so rules about secrets match fewer calls. A call is omitted if a rule depends on an argument
    that was too long for the log. Exit code: 0 if no outcome changes, 1 if one does, 2 if a file cannot be used.
    """
    from hermes_approval.audit.reader import read_entries
    from hermes_approval.audit.writer import FILE_NAME
    from hermes_approval.policy.backtest import backtest
    from hermes_core.settings import Config

    config = Config()
    config.declare(APPROVAL_SECTIONS)
    present = after = read_policy(config)
    if file is not None:
        after, problems = read_rules_file(file)
        raise_first(problems)
    before = RuleSet() if file is None and not in_force else present
    if in_force:
        after = RuleSet(replace(rule, shadow=False) for rule in after.rules)
    log = config.home / FILE_NAME
    entries, early = read_entries(log, since=since), Counter[str]()
    found = backtest(before, after, _judged(entries, early))
    skipped = {**found.skipped, **early}
    if as_json:
        result = found.as_dict(limit) | {"skipped": skipped, "damaged": entries.skipped}
        print_json({"log": str(log), "rules": str(file or config.file), **result})
    else:
        _print(found, skipped, limit)
        if entries.skipped:
            note(f"{counted(entries.skipped, 'damaged line')} of the log skipped.")
        if not found.judged and not found.unsure and not skipped:
            note(f"There is no such call in {clean(log)}.")
        shadowed = sum(after.shadow or rule.shadow for rule in after.rules)
        if shadowed:
            say(f"{counted(shadowed, 'rule')} in shadow changed nothing; use --in-force to judge by them, too.")
    return ExitCode.FOUND if found.flips else ExitCode.OK


def _judged(entries: Iterable[dict[str, Any]], early: Counter[str]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        if entry.get("code") in _BEFORE_THE_RULES:
            early["it ended before rules are asked"] += 1
        else:
            yield entry


def _print(found: Backtest, skipped: Mapping[str, int], limit: int | None) -> None:
    for flip in found.flips:
        change = f"{flip.before or 'no rule'} -> {flip.after or 'no rule'}"
        say(f"{counted(flip.count, 'call')}: {change}, by {clean(', '.join(flip.by))}", "bold")
        _print_calls(flip.calls, limit)
    summary = f"{counted(found.judged, 'call')} judged, {found.changed} would change."
    say(summary, "yellow" if found.changed else "green")
    if found.unsure:
        say(f"{counted(len(found.unsure), 'call')} left out: a rule depends on an argument that was cut.", "yellow")
        _print_calls(found.unsure, limit)
    for reason, count in skipped.items():
        say(f"{counted(count, 'call')} left out: {clean(reason)}.")


def _print_calls(entries: Iterable[Mapping[str, Any]], limit: int | None) -> None:
    """Print each call in one line, with the number of its repetitions."""
    from hermes_approval.audit.timestamps import local

    times: Counter[str] = Counter()
    first: dict[str, str] = {}
    for entry in entries:
        call = f"{entry.get('tool')} {json.dumps(entry.get('args'), ensure_ascii=False)}"
        times[call] += 1
        first.setdefault(call, str(entry.get("at")))
    for call in list(first)[:limit]:
        again = f" x {times[call]}" if times[call] > 1 else ""
        line = f"  {local(first[call])}{again}  {clean(call)[:_LONGEST_CALL]}"
        say(cut(line, line_width() or len(line) * 2))
    if limit is not None and len(first) > limit:
        say(f"  and {counted(len(first) - limit, 'other call')}")
