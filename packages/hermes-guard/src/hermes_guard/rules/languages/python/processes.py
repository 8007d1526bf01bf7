"""Calls that start programs, or that signal them."""

import ast
import re
from typing import TYPE_CHECKING

from hermes_guard.rules.languages.deed import Deed, runs, starts
from hermes_guard.rules.languages.python.called import Action, Called
from hermes_guard.rules.languages.python.texts import UNKNOWN, text
from hermes_guard.rules.languages.python.vocabulary import PROCESS, SHELL

if TYPE_CHECKING:
    from hermes_guard.rules.languages.python.reader import Reader


def run_shell(reader: "Reader", what: str, code: ast.expr | None) -> None:
    """Shell code that is run."""
    reader.spawned = True
    reader.found.append(runs(text(reader.value(code)) if code is not None else None, what))


def _shell(reader: "Reader", called: Called) -> None:
    run_shell(reader, called.name, called.first)


def _process(reader: "Reader", called: Called) -> None:
    reader.spawned = True
    if called.name == "asyncio.create_subprocess_exec":
        reader.found.append(starts([text(reader.value(one)) for one in called.args], called.name))
        return
    value = reader.value(called.first) if called.first is not None else UNKNOWN
    shell = called.keywords.get("shell")
    by_shell = shell is not None and reader.value(shell) not in (False, None, 0)
    if isinstance(value, (list, tuple)):
        if by_shell:
            reader.found.append(runs(text(value[0]) if value else None, called.name))
        else:
            reader.found.append(starts([text(item) for item in value], called.name))
    else:
        # Without a shell a text is split only where the system does so; read it as if it were.
        reader.found.append(runs(text(value), called.name))


def exec_program(reader: "Reader", called: Called) -> None:
    """`os.execvp` and its many relatives."""
    reader.spawned = True
    values = [reader.value(one) for one in called.args]
    if called.name.startswith("os.spawn"):
        values = values[1:]
    if not values:
        return
    if re.search(r"l(?:pe?|e)?\Z", called.name):
        argv = [values[0], *values[2:]]
    else:
        rest = values[1] if len(values) > 1 else UNKNOWN
        argv = [values[0], *(rest[1:] if isinstance(rest, (list, tuple)) else [UNKNOWN])]
    reader.found.append(starts([text(one) for one in argv], called.name))


def by_attribute(reader: "Reader", called: Called) -> None:
    """`sh.rm("x")`: libraries whose functions are programs."""
    reader.spawned = True
    program = called.name.rsplit(".", 1)[1].replace("_", "-")
    reader.found.append(starts([program, *(text(reader.value(one)) for one in called.args)], called.name))


def _kill(reader: "Reader", called: Called) -> None:
    pid = reader.value(called.args[0]) if called.args else UNKNOWN
    group = called.name == "os.killpg"
    if isinstance(pid, int):
        if pid <= 1:
            reader.found.append(Deed("shell", called.name, f"kill -9 {pid}"))
        if pid <= 1 or group:
            reader.found.append(Deed("kill", f"signals the process {pid}"))
    elif group or reader.loop:
        reader.found.append(Deed("kill", "signals processes that nobody has named"))


def _reboot(reader: "Reader", called: Called) -> None:
    reader.found.append(runs("reboot", called.name))


def _redirected(reader: "Reader", _: Called) -> None:
    reader.redirected = True


def _setuid(reader: "Reader", _: Called) -> None:
    reader.found.append(Deed("permission", "changes the user it runs as"))


ACTIONS: dict[str, Action] = {
    **dict.fromkeys(SHELL, _shell),
    **dict.fromkeys(PROCESS, _process),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), _kill),
    **dict.fromkeys(("os.dup2", "pty.fork"), _redirected),
    **dict.fromkeys(("os.setuid", "os.seteuid", "os.setresuid"), _setuid),
    "os.reboot": _reboot,
}
