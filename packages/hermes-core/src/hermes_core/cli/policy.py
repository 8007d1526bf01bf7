"""`hermes policy`: prove the rules, say what they make of one call, and try them on the calls of the past."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_core.approval.policy.book import RuleBook
from hermes_core.approval.policy.reading import read_rules
from hermes_core.approval.sections import APPROVAL_SECTIONS
from hermes_core.approval.settings import find_policy
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.invocation import debug_option
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, line_width, note, print_json, say
from hermes_core.cli.policy_explain import command as explain
from hermes_core.cli.since import since_option
from hermes_core.cli.table import cut
from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from hermes_core.approval.policy.backtest import Flip
    from hermes_core.approval.policy.rule import Rule
    from hermes_core.config.problems import ConfigProblem

_LEVELS = {"error": "bold red", "warning": "yellow"}
_BEFORE_THE_RULES = frozenset({"unknown_tool", "unavailable", "invalid_arguments"})
"""What a call that ended with one of these codes would still end with, whatever the rules say."""

_LONGEST_CALL = 400
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def command() -> None:
    """Prove the rules, explain them, and try them on the past.

    The rules are those of the section 'policy' of config.yaml: of all that match a call the strictest counts, deny
    before ask before allow. A rule that says 'shadow: true' only notes what it would have done. Exit status: that of
    the command behind it.
    """


@command.command()
@_json
def check(as_json: bool) -> ExitCode:
    """Read the rules, run their examples, and list every mistake.

    A warning, as of a rule for a tool that is not installed here, is shown and is no mistake. Exit status: 0 when the
    rules can be used, 1 when one cannot, 2 when config.yaml cannot be read.
    """
    with loaded_host(locked=False) as host:
        config, tools = host.config, {spec.name: spec for spec in host.tools(available=False)}
        said = config.said("policy")
        book, problems = find_policy(config, tools)
        # A host reads the rules before it knows its tools: what it would refuse then is a mistake here, too.
        _, others = find_policy(config)
        problems += [problem for problem in others if problem.level == "error" and problem not in problems]
    ok = not any(problem.level == "error" for problem in problems)
    if as_json:
        print_json(
            {
                "file": str(config.file),
                "ok": ok,
                "shadow": book.shadow,
                "rules": [_fields(book, rule) for rule in book.rules],
                "examples": _number_of_examples(*book.rules),
                "problems": [asdict(problem) for problem in problems],
            }
        )
    else:
        for problem in problems:
            say(f"{problem.level}: {clean(problem)}", _LEVELS.get(problem.level, ""))
        _print_summary(clean(config.file), book, problems, nothing=said is None)
    return ExitCode.OK if ok else ExitCode.FOUND


@command.command()
@click.option(
    "--rules",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="New rules, written as in config.yaml, or from 'rules:' on.",
)
@since_option
@click.option("--in-force", is_flag=True, help="Judge as if no new rule were in shadow.")
@_json
def backtest(file: Path | None, since: float | None, in_force: bool, as_json: bool) -> ExitCode:
    """Try rules on past calls, and list what would change.

    Every call in audit.jsonl is judged twice: by the rules of config.yaml, and by those of FILE. Without --rules: by
    none, and by those of config.yaml; with --in-force alone: by these as they are, and as if none were in shadow. The
    log keeps no secrets and cuts long texts, so rules about these find less there. Exit status: 0 when nothing
    changes, 1 when something does, 2 when a file cannot be used.
    """
    from hermes_core.approval.audit.reader import read_entries
    from hermes_core.approval.audit.writer import FILE_NAME
    from hermes_core.approval.policy.backtest import backtest as judge_again
    from hermes_core.config.config import Config

    config = Config()
    config.declare(APPROVAL_SECTIONS)
    present = _usable(find_policy(config))
    after = present if file is None else _usable(_read_file(file))
    before = RuleBook() if file is None and not in_force else present
    if in_force:
        after = RuleBook(replace(rule, shadow=False) for rule in after.rules)
    log = config.home / FILE_NAME
    entries, early = read_entries(log, since=since), Counter[str]()
    found = judge_again(before, after, _judged(entries, early))
    skipped = {**found.skipped, **early}
    if as_json:
        told = found.as_dict() | {"skipped": skipped, "damaged": entries.skipped}
        print_json({"log": str(log), "rules": str(file or config.file), **told})
    else:
        for flip in found.flips:
            _print_flip(flip)
        changed = sum(flip.count for flip in found.flips)
        say(f"{_counted(found.judged, 'call')} judged, {changed} would change.", "yellow" if changed else "green")
        for reason, count in skipped.items():
            say(f"{_counted(count, 'call')} left out: {clean(reason)}.")
        if entries.skipped:
            note(f"{_counted(entries.skipped, 'damaged line')} of the log skipped.")
        if not found.judged and not skipped:
            note(f"There is no such call in {clean(log)}.")
        shadowed = sum(after.shadow or rule.shadow for rule in after.rules)
        if shadowed:
            say(f"{_counted(shadowed, 'rule')} in shadow changed nothing; --in-force judges as if none were.")
    return ExitCode.FOUND if found.flips else ExitCode.OK


# -- check -------------------------------------------------------------------------------------------------------


def _fields(book: RuleBook, rule: Rule) -> dict[str, Any]:
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


def _print_summary(file: str, book: RuleBook, problems: list[ConfigProblem], *, nothing: bool) -> None:
    wrong = sum(problem.level == "error" for problem in problems)
    if nothing:
        say(f"There is no policy in {file}: no rule is asked.")
        return
    shadowed = [rule.name for rule in book.rules if book.shadow or rule.shadow]
    if shadowed:
        which = "all rules" if book.shadow else clean(", ".join(shadowed))
        say(f"In shadow, where a rule only notes what it would have done: {which}.")
    counted = f"{_counted(len(book.rules), 'rule')}, {_counted(_number_of_examples(*book.rules), 'example')} run"
    if wrong:
        say(f"{_counted(wrong, 'mistake')}. Without the mistakes: {counted}.", "yellow")
        say("Until that is mended, no tool can be called.", "yellow")
    else:
        say(f"{file} is fine: {counted}.", "green")


# -- backtest ----------------------------------------------------------------------------------------------------


def _read_file(file: Path) -> tuple[RuleBook, list[ConfigProblem]]:
    from hermes_core.config.document import read_document

    document = read_document(file)
    if "policy" in document.data:
        return read_rules(document.data["policy"], file=str(file), line_of=document.line_of)
    if "rules" not in document.data:
        example = "policy: {rules: [{name: no-deletes, match: {effect: delete}, action: ask}]}"
        raise ConfigError("it has neither a section 'policy' nor 'rules'.", file=str(file), example=example)
    return read_rules(document.data, file=str(file), line_of=lambda steps: document.line_of(steps[1:]))


def _usable(read: tuple[RuleBook, list[ConfigProblem]]) -> RuleBook:
    book, problems = read
    for problem in problems:
        if problem.level == "error":
            raise problem.error()
    return book


def _judged(entries: Iterable[dict[str, Any]], early: Counter[str]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        if entry.get("code") in _BEFORE_THE_RULES:
            early["it ended before rules are asked"] += 1
        else:
            yield entry


def _print_flip(flip: Flip) -> None:
    change = f"{flip.before or 'no rule'} -> {flip.after or 'no rule'}"
    say(f"{_counted(flip.count, 'call')}: {change}, by {clean(', '.join(flip.by))}", "bold")
    for label, entry in (("first", flip.first), ("last", flip.last))[: 1 if flip.count == 1 else 2]:
        line = f"  {label:<5}  {_entry(entry)}"
        say(cut(line, line_width() or len(line) * 2))


def _entry(entry: Mapping[str, Any]) -> str:
    from hermes_core.approval.audit.times import local

    args = json.dumps(entry.get("args"), ensure_ascii=False)
    return clean(f"{local(str(entry.get('at')))} {entry.get('tool')} {args}")[:_LONGEST_CALL]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


command.add_command(explain, "explain")
for _each in command.commands.values():
    _each.params.append(debug_option())  # so that it may also stand behind the last word
