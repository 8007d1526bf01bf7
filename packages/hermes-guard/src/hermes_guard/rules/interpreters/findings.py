"""Converts what code would do into findings."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from hermes_guard.languages import Operation
from hermes_guard.languages.operation import TOO_LONG, quoted
from hermes_guard.rules.common.agent_names import AGENT_CODE
from hermes_guard.rules.common.path_arguments import through_links
from hermes_guard.rules.common.path_findings import look, notice
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.code_sources import Code
from hermes_guard.rules.interpreters.rules import (
    AGENT,
    BOMB,
    DELETE,
    EVAL,
    FETCHED,
    KILL,
    NATIVE,
    REVERSE,
    RIGHTS,
    SENT,
    SPAWN,
    UNREADABLE,
    WRITE,
)
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding, Verdict

_RULES = {
    "spawn": SPAWN,
    "delete": DELETE,
    "eval": EVAL,
    "remote": FETCHED,
    "reverse": REVERSE,
    "bomb": BOMB,
    "permission": RIGHTS,
    "kill": KILL,
    "native": NATIVE,
    "send": SENT,
    "unreadable": UNREADABLE,
}
#: Operations that are judged further, and the minimum cost of that in steps.
_JUDGED = frozenset({"shell", "write", "move", "read", "sql"})
_PER_PATH = 40
_DATABASES = (".db", ".sqlite", ".sqlite3")


def report_code(code: str, language: str, command: Command, context: Context, **options: Any) -> Iterator[Finding]:
    """Return the findings about what code would do, according to the reader of its language.

    Code with known arguments is also read without them, so that code controlled by its arguments needs approval.
    """
    if (own := AGENT_CODE.search(code)) is not None:
        yield AGENT.found(command, path=own[0].strip()[:80])
    read = _reader(language)
    argv = options.pop("argv", None)
    operations = read(code, home=context.home, budget=context.budget, **options)
    if argv is not None and ("argv" in code.lower() or "shift" in code):
        operations = [*operations, *read(code, home=context.home, budget=context.budget, argv=argv, **options)]
    yield from _report(operations, command, context)


def written_by(code: str, language: str, command: Command, context: Context) -> set[str | None]:
    """Return the paths of the files that code writes."""
    operations = _reader(language)(code, home=context.home, budget=context.budget)
    return {command.path(operation.path) for operation in operations if operation.kind == "write"}


def report_known_code(
    given: Code, language: str, command: Command, context: Context, **options: Any
) -> Iterator[Finding]:
    """Report what the code for an interpreter would do."""
    if given.unknown:
        yield EVAL.found(command, path="its text is created while the command runs")
    if given.code:
        yield from report_code(given.code, language, command, context, **options)


def _reader(language: str) -> Callable[..., list[Operation]]:
    # Most commands contain no code and need none of these imports.
    if language == "python":
        from hermes_guard.languages.python import read

        return read
    from hermes_guard.languages.scripts import READERS

    return READERS[language]


def _report(operations: Iterable[Operation], command: Command, context: Context) -> Iterator[Finding]:
    budget = context.budget
    # Certain findings come first, because they are cheap.
    for operation in sorted(dict.fromkeys(operations), key=lambda operation: operation.kind in _JUDGED):
        if operation.kind not in _JUDGED:
            yield _RULES[operation.kind].found(command, path=operation.what)
        elif operation.kind == "shell":
            yield from context.judge_code(operation.code, command)
        elif budget.runs(_PER_PATH + len(operation.path) + len(operation.code)):
            yield from _stated(operation, command) if operation.kind == "sql" else _touched(operation, command, context)
        elif not budget.reported:
            budget.reported = True
            yield UNREADABLE.found(command, path=TOO_LONG.what)


def _stated(operation: Operation, command: Command) -> Iterator[Finding]:
    from hermes_guard.rules.sql.statement_checks import judge_sql

    yield from judge_sql(operation.code, command)


def _touched(operation: Operation, command: Command, context: Context) -> Iterator[Finding]:
    text = operation.path
    if text.startswith(f"{HOLE}/."):
        # An unknown directory with a hidden file in it is usually the home.
        text = context.home + text[1:]
    text = text.replace(HOLE, "x")
    path = command.path(text)
    if path is None or command.contained:
        return
    path = through_links(text, command) or path
    # Only a function that reads a whole directory can read one.
    if operation.kind in {"move", "read"} and context.paths.holds_agent(path, home=context.home):
        yield WRITE.found(command, path=path)
        return
    op: Literal["read", "write"] = "read" if operation.kind == "read" else "write"
    findings = [found for found in look(op, path, context).findings if found.rule != "path.endless-device"]
    for found in findings:
        if found.rule in context.paths.added:
            notice(found, command, context)
    severity = Verdict.of(found for found in findings if found.rule not in context.paths.added).severity
    if op == "write" and path.endswith(_DATABASES):
        # It is opened for overwriting, which no database does.
        yield from context.judge_code(f": > {quoted(path)}", command)
    if severity != "allow":
        yield WRITE.found(command, path=path, severity="ask" if op == "read" else severity)
