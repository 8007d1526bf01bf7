"""Judges debuggers, which run commands and call functions in other processes."""

from collections.abc import Iterable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.findings import report_code
from hermes_guard.rules.tool_escapes.inline_files import read_files
from hermes_guard.rules.tool_escapes.nested_commands import runs
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_DEBUGGER = Spec(
    "ex= iex= ix= init-command= "
    "eval-command= o= O= one-line= x= command= c= p= pid= q quiet batch nx args b s= S= k f= n= core= source=",
    single=True,
)
_SHELL = re.compile(r"(?:shell|!|platform shell|make)\s*(.*)")
_SYSTEM = re.compile(r"\bsystem\s*\(\s*\"(.*?)\"")
_CALL = re.compile(r"\s*(?:call|print|p|expr)\s[^(]*\(")


@FAMILY.judges("gdb", "lldb", "cgdb", "rust-gdb", "rust-lldb", "gdb-multiarch", "ipdb", "radare2", "r2")
def debuggers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge debuggers that run shell commands, or call functions in a process."""
    options = parse(command, _DEBUGGER)
    lines = [word.raw for word in options.values("ex", "iex", "eval-command", "o", "O", "one-line", "c")]
    files = options.values("x", "command", "s", "S", "source", "ix", "i")
    if command.program in {"gdb", "lldb"} and options.has("batch", "b") and command.stdin is not None:
        lines += (command.stdin.text or "").split("\n")
    for given in read_files(files, command):
        if isinstance(given, Finding):
            yield given
        else:
            lines += given.split("\n")
    yield from _judge_lines(dict.fromkeys(lines), command, context)


def _judge_lines(lines: Iterable[str], command: Command, context: Context) -> Iterator[Finding]:
    for line in lines:
        text = line.strip()
        found = _SHELL.match(text)
        if found:
            yield from runs(found.group(1), command, context)
        elif text.startswith(("python ", "py ", "script ")):
            yield from report_code(text.split(" ", 1)[1], "python", command, context)
        elif called := _SYSTEM.search(text):
            yield from runs(called.group(1), command, context)


@FAMILY.judges("gdb", "lldb", "rust-gdb", "gdb-multiarch")
def attached(command: Command, _: Context) -> Iterator[Finding]:
    """Judge functions that a debugger calls inside of a running process."""
    texts = [word.raw for word in command.args]
    if any(re.match(r"--?p(?:id)?(?:=|\Z)", text) for text in texts):
        called = next((text for text in texts if _CALL.match(text)), "")
        if called:
            yield ESCAPE.found(command, path=called[:80])
