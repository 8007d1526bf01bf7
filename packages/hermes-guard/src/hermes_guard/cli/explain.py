"""`hermes-guard explain`: the tree of what would run, the rules hit, the verdict."""

import argparse
import shlex
import sys
from collections.abc import Iterator

from hermes_guard.cli.exits import OF_SEVERITY
from hermes_guard.cli.output import as_json, visible
from hermes_guard.explanation import Explanation, Step, explain
from hermes_guard.verdict import Finding

_LONGEST = 160
"""Characters of a command that a line shows."""


def run(options: argparse.Namespace) -> int:
    """Explain one command."""
    text = sys.stdin.read() if options.text == "-" else options.text
    found = explain(options.guard, text, cwd=options.cwd, home=options.home)
    print(as_json(found.as_dict()) if options.json else "\n".join(_lines(found)))
    return OF_SEVERITY[found.verdict.severity]


def _lines(found: Explanation) -> Iterator[str]:
    yield "What would run:"
    if found.steps:
        for step in found.steps:
            yield from _tree(step, 1)
    else:
        yield "  nothing"
    if found.verdict.findings:
        yield "Rules hit:"
        for finding in found.verdict.findings:
            yield from of_finding(finding, found.command)
    yield f"Verdict: {found.verdict.severity}"


def _tree(step: Step, level: int) -> Iterator[str]:
    facts = list(step.notes)
    if step.cwd is None:
        facts.append("in a folder that nobody knows")
    elif step.cwd != ".":
        facts.append(f"in {step.cwd}")
    facts += [f"writes {path}" for path in step.writes]
    facts += [f"into {reader}" for reader in step.feeds]
    argv = _short(" ".join(map(_word, step.argv))) or "(a redirection)"
    yield "  " * level + argv + (f"  [{visible('; '.join(facts))}]" if facts else "")
    for child in step.children:
        yield from _tree(child, level + 1)


def _word(text: str) -> str:
    # What is not certain stands as it was written, and is no text to be quoted.
    return visible(text if "$" in text or "`" in text else shlex.quote(text))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def of_finding(finding: Finding, text: str) -> Iterator[str]:
    """A finding in lines, with the part of the text that it is about."""
    yield f"  {finding.severity:<6}  {finding.rule}: {visible(finding.reason)}"
    if finding.path:
        yield f"          path {visible(finding.path)}"
    if finding.span:
        start, end = finding.span
        yield f"          at {start}-{end}: {_short(visible(text[start:end][: 2 * _LONGEST]))}"
