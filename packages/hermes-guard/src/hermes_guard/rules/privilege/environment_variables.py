"""Judges variables that make a program load or find untrusted code."""

import shlex
from collections.abc import Iterator
from itertools import islice

from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.rules import FAMILY, LOADED, PRELOAD
from hermes_guard.rules.privilege.variable_values import ANYBODYS, CODE, PLANTED
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

#: Variables that no program running as root should take from its caller.
LOADS = frozenset(
    [
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_DEBUG_OUTPUT", "GCONV_PATH"),
        *("DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"),
        *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PERL5LIB", "PERL5OPT", "RUBYLIB", "RUBYOPT"),
        *("NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "PROMPT_COMMAND"),
    ]
)
_EXPORTS = frozenset({"export", "declare", "typeset", "env", "readonly", "setx"})


@FAMILY.judges("=", *_EXPORTS)
def planted(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about variables that make the next program load or find something else."""
    given = command.assignments
    if command.program in _EXPORTS:
        pairs = [word.raw.partition("=") for word in command.args if "=" in word.raw]
        given = {**given, **{name: value for name, _, value in pairs}}
    if not given:
        return
    for name in given.keys() & PLANTED.keys():
        if name == "ENV" and command.program not in SHELLS:
            continue  # only shells read it as a file name
        startup = name in _STARTUP and HOLE in given[name] and _reads_startup(name, command)
        if PLANTED[name].match(given[name][:1000]) or startup:
            yield LOADED.found(command, path=name)
        if startup:
            yield from _substituted(command, context)
    for name in given.keys() & CODE.keys():
        yield from _code(name, given[name], command, context)


#: The startup files that shells read.
_STARTUP = frozenset({"ENV", "BASH_ENV"})


def _reads_startup(name: str, command: Command) -> bool:
    """Return True when a shell reads the file of this variable: one for interactive shells, the other for scripts."""
    talks = any(word.raw[:1] == "-" and word.raw[:2] != "--" and "i" in word.raw for word in command.args[:8])
    return command.program in SHELLS and talks == (name == "ENV")


def _substituted(command: Command, context: Context) -> Iterator[Finding]:
    """Yield the output of commands inside variable assignments, as in `BASH_ENV=<(echo x) bash y`."""
    start, end = command.span[0], command.argv[0].span[0]
    for other in context.commands[:_NEAR]:
        if start <= other.span[0] and other.span[1] <= end and other.output:
            yield from context.judge_code(other.output, command)


#: The maximum number of commands checked for those.
_NEAR = 64


def _code(name: str, value: str, command: Command, context: Context) -> Iterator[Finding]:
    """Yield the code in a variable, in the language of the program that runs it."""
    pattern, start = CODE[name]
    for found in islice(pattern.finditer(value[:4000]), 4):
        code = found.group(1).replace(HOLE, "unknown")
        yield LOADED.found(command, path=name)
        yield from context.judge_code(f"{start} {shlex.quote(code)}" if start else code, command)


#: System programs that developers do not build libraries for.
_SYSTEM = names(
    "ls cat id ps ssh scp su sudo doas pkexec passwd mount ping login crontab whoami date git curl wget bash sh"
)


@FAMILY.judges("=")
def loaded(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about assignments that reach a program through sudo and env."""
    if command.as_root and command.program != "sudo":
        wrapper = command.wrappers[-1].program if command.wrappers else ""
        name = next((name for name in command.assignments if name in LOADS), "")
        if name and wrapper == "env":
            yield PRELOAD.found(command, path=name)
    elif command.program in _SYSTEM:
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
            if ANYBODYS.match(command.assignments.get(name, "")):
                yield LOADED.found(command, path=name)
