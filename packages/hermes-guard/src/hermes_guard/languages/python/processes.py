"""Calls that start or signal processes."""

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_guard.languages.operation import SHELL_ALONE, Operation, runs, starts
from hermes_guard.languages.python.dotted_names import Action, Called
from hermes_guard.languages.python.function_definitions import spread
from hermes_guard.languages.python.function_names import PROCESS, SHELL
from hermes_guard.languages.text_values import UNKNOWN, sides, text

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader


def run_shell(reader: "Reader", what: str, code: ast.expr | None) -> None:
    """Report shell code that is run."""
    _started(reader, what, [code] if code is not None else [])
    for value in sides(reader.value(code)) if code is not None else [None]:
        _found(reader, runs(text(value), what))


def _started(reader: "Reader", what: str, given: Sequence[ast.AST]) -> None:
    """Remember the arguments of a started program, through which untrusted data may reach it."""
    reader.spawned = True
    reader.handed += given
    reader.shelled = reader.shelled or what.startswith("pty.")


def _found(reader: "Reader", operation: Operation) -> None:
    reader.shelled = reader.shelled or operation.kind == "spawn" or SHELL_ALONE.match(operation.code) is not None
    reader.found.append(operation)


def _shell(reader: "Reader", called: Called) -> None:
    run_shell(reader, called.name, called.first)


def _process(reader: "Reader", called: Called) -> None:
    _started(reader, called.name, [*called.args, *called.keywords.values()])
    if called.name == "asyncio.create_subprocess_exec":
        for argv in sides(spread(reader, called.args) or [UNKNOWN]):
            _found(reader, starts([text(one) for one in argv] if isinstance(argv, list) else [None], called.name))
        return
    given = spread(reader, called.args)
    value = given[0] if given else UNKNOWN if called.args or called.first is None else reader.value(called.first)
    shell = called.keywords.get("shell")
    by_shell = shell is not None and reader.value(shell) not in (False, None, 0)
    for one in sides(value):
        if isinstance(one, (list, tuple)):
            argv = [text(item) if not isinstance(item, int) else str(item) for item in one]
            _found(reader, runs(argv[0] if argv else None, called.name) if by_shell else starts(argv, called.name))
        else:
            # Without a shell, a string is split only on some systems; read it as if it were.
            _found(reader, runs(text(one), called.name))


def exec_program(reader: "Reader", called: Called) -> None:
    """`os.execvp` and its variants."""
    _started(reader, called.name, called.args)
    values = spread(reader, called.args) or [UNKNOWN]
    if called.name.startswith("os.spawn"):
        values = values[1:]
    if re.search(r"l(?:pe?|e)?\Z", called.name):
        argv = [values[0], *values[2:]]
    else:
        rest = values[1] if len(values) > 1 else UNKNOWN
        argv = [values[0], *(rest[1:] if isinstance(rest, (list, tuple)) else [UNKNOWN])]
    for one in sides(argv):
        _found(reader, starts([text(word) for word in one] if isinstance(one, list) else [None], called.name))


def by_attribute(reader: "Reader", called: Called) -> None:
    """`sh.rm("x")`: libraries that expose programs as functions."""
    _started(reader, called.name, called.args)
    program = called.name.rsplit(".", 1)[1].replace("_", "-")
    given = spread(reader, called.args)
    reader.found.append(starts([program, *([None] if given is None else map(text, given))], called.name))


def _kill(reader: "Reader", called: Called) -> None:
    pid = reader.value(called.args[0]) if called.args else UNKNOWN
    group = called.name == "os.killpg"
    if isinstance(pid, int):
        if pid <= 1:
            reader.found.append(Operation("shell", called.name, f"kill -9 {pid}"))
        if pid <= 1 or group:
            reader.found.append(Operation("kill", f"signals the process {pid}"))
    elif group or reader.loop:
        reader.found.append(Operation("kill", "signals processes that it does not name"))
    elif reader.knows_parent and not (len(called.args) > 1 and reader.value(called.args[1]) == 0):
        reader.found.append(Operation("kill", "signals the process that started it"))


def _reboot(reader: "Reader", called: Called) -> None:
    reader.found.append(runs("reboot", called.name))


def _redirected(reader: "Reader", _: Called) -> None:
    reader.redirected = True


def _setuid(reader: "Reader", _: Called) -> None:
    reader.found.append(Operation("permission", "changes the user it runs as"))


ACTIONS: dict[str, Action] = {
    **dict.fromkeys(SHELL, _shell),
    **dict.fromkeys(PROCESS, _process),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), _kill),
    **dict.fromkeys(("os.dup2", "pty.fork"), _redirected),
    **dict.fromkeys(("os.setuid", "os.seteuid", "os.setresuid"), _setuid),
    "os.reboot": _reboot,
}
