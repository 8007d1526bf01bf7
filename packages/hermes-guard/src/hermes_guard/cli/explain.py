"""`hermes-guard explain` and `hermes-guard path`: what would run, the rules that match, the verdict."""

import shlex
from collections.abc import Iterator

from hermes_guard.cli.output import EXIT_CODES, print_json, visible
from hermes_guard.explanation import Explanation, Step, explain
from hermes_guard.guard import Guard
from hermes_guard.paths.rule import Op
from hermes_guard.verdict import Finding

_LONGEST = 160
"""Characters of a command that a line shows."""


def explain_command(guard: Guard, text: str, *, cwd: str | None, home: str | None, as_json: bool) -> int:
    """Explain one command and return the exit code of its verdict."""
    found = explain(guard, text, cwd=cwd, home=home)
    if as_json:
        print_json(found.as_dict())
    else:
        print("\n".join(_lines(found)))
    return EXIT_CODES[found.verdict.severity]


def judge_path(guard: Guard, op: Op, path: str, *, workspace: str | None, home: str | None, as_json: bool) -> int:
    """Judge a path for reading or writing and return the exit code of the verdict."""
    verdict = guard.judge_path(op, path, workspace=workspace, home=home)
    if as_json:
        print_json({"op": op, "path": path, **verdict.as_dict()})
    else:
        for finding in verdict.findings:
            print("\n".join(_describe(finding, path)))
        print(f"Verdict: {verdict.severity}")
    return EXIT_CODES[verdict.severity]


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
            yield from _describe(finding, found.command)
    yield f"Verdict: {found.verdict.severity}"


def _tree(step: Step, level: int) -> Iterator[str]:
    facts = list(step.notes)
    if step.cwd is None:
        facts.append("in an unknown directory")
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


def _describe(finding: Finding, text: str) -> Iterator[str]:
    """Yield a finding in lines, with the part of the text that it is about."""
    yield f"  {finding.severity:<6}  {finding.rule}: {visible(finding.reason)}"
    if finding.path:
        yield f"          path {visible(finding.path)}"
    if finding.span:
        start, end = finding.span
        yield f"          at {start}-{end}: {_short(visible(text[start:end][: 2 * _LONGEST]))}"
