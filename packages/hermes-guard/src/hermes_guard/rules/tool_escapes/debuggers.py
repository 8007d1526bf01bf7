"""Debuggers: they run commands, and call functions in other processes."""

import re
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters import report_code
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.rules.tool_escapes.running import runs
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_DEBUGGER = Spec(
    "ex= iex= eval-command= o= O= one-line= x= command= c= p= pid= q quiet batch nx args b s= S= k f= n= core= source=",
    single=True,
)
_SHELL = re.compile(r"(?:shell|!|platform shell|make)\s*(.*)")
_SYSTEM = re.compile(r"\bsystem\s*\(\s*\"(.*?)\"")
_CALL = re.compile(r"\s*(?:call|print|p|expr)\s[^(]*\(")


@FAMILY.judges("gdb", "lldb", "cgdb", "rust-gdb", "rust-lldb", "gdb-multiarch", "ipdb", "radare2", "r2")
def debuggers(command: Command, context: Context) -> Iterator[Finding]:
    """Debuggers that run shell commands, or call functions in a process."""
    options = parse(command, _DEBUGGER)
    for word in options.values("ex", "iex", "eval-command", "o", "O", "one-line", "c"):
        text = word.raw.strip()
        found = _SHELL.match(text)
        if found:
            yield from runs(found.group(1), command, context)
        elif text.startswith(("python ", "py ", "script ")):
            yield from report_code(text.split(" ", 1)[1], "python", command, context)
        elif called := _SYSTEM.search(text):
            yield from runs(called.group(1), command, context)


@FAMILY.judges("gdb", "lldb", "rust-gdb", "gdb-multiarch")
def attached(command: Command, _: Context) -> Iterator[Finding]:
    """Functions that a debugger calls inside of a running process."""
    texts = [word.raw for word in command.args]
    if any(re.match(r"--?p(?:id)?(?:=|\Z)", text) for text in texts):
        called = next((text for text in texts if _CALL.match(text)), "")
        if called:
            yield ESCAPE.found(command, path=called[:80])
