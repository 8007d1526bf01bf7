"""`hermes-guard rules`: lists every rule, and tries them on their examples."""

from collections.abc import Iterator
from itertools import groupby

from hermes_guard.catalogue import Entry, catalogue
from hermes_guard.cli.output import DIFFERENT, plural, print_json, visible
from hermes_guard.guard import Guard
from hermes_guard.paths.rule import BOTH, Op

_HOME = "/home/dev"
"""Examples are judged from the same home everywhere."""


def check_rules(guard: Guard, *, as_json: bool) -> int:
    """Judge the examples of every rule, print those that fail, and return the exit code."""
    entries = catalogue(guard)
    failures = [failure for entry in entries for failure in failing(guard, entry)]
    if as_json:
        print_json(failures)
    else:
        print("\n".join([*map(visible, failures), _summary(entries, failures)]))
    return DIFFERENT if failures else 0


def list_rules(guard: Guard, *, as_json: bool) -> int:
    """Print the rules, and return the exit code."""
    entries = catalogue(guard)
    if as_json:
        print_json([entry.as_dict() for entry in entries])
    else:
        for family, group in groupby(sorted(entries, key=lambda entry: entry.family), lambda entry: entry.family):
            print(visible(family))
            for entry in group:
                print("\n".join(_lines(entry)))
    return 0


def _summary(entries: tuple[Entry, ...], failures: list[str]) -> str:
    count = sum(len(entry.match) + len(entry.not_match) for entry in entries)
    return f"{plural(len(entries), 'rule')}, {plural(count, 'example')}: {len(failures) or 'none'} failed"


def _lines(entry: Entry) -> Iterator[str]:
    yield f"  {entry.severity:<6}  {entry.id}: {visible(entry.reason)}"
    ops = "/".join(entry.ops)
    for word, examples in (("hit", entry.match), ("not", entry.not_match)):
        for example in examples:
            yield f"          {word}  {ops + ' ' if ops else ''}{visible(example)}"


def failing(guard: Guard, entry: Entry) -> Iterator[str]:
    """Yield a sentence for each example of a rule that is not judged as expected."""
    for example in entry.match:
        if not _hit(guard, entry, example):
            yield f"{entry.id} does not hit {example!r}"
    for example in entry.not_match:
        if _hit(guard, entry, example):
            yield f"{entry.id} hits {example!r}"


def _hit(guard: Guard, entry: Entry, example: str) -> bool:
    if entry.ops:
        ops: list[Op] = [op for op in BOTH if op in entry.ops]
        return any(entry.id in guard.judge_path(op, example, home=_HOME).rules for op in ops)
    findings = guard.judge(example, home=_HOME).findings
    return any(finding.rule == entry.id and finding.severity == entry.severity for finding in findings)
