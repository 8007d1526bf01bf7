"""Variables that make a program load or find foreign code."""

import re
from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.table import FAMILY, LOADED, PRELOAD
from hermes_guard.shell.code import SHELLS
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Nothing of root should take these from whoever calls it.
LOADS = frozenset(
    [
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "LD_DEBUG_OUTPUT", "GCONV_PATH"),
        *("DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"),
        *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PERL5LIB", "PERL5OPT", "RUBYLIB", "RUBYOPT"),
        *("NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "PROMPT_COMMAND"),
    ]
)
_EXPORTS = frozenset({"export", "declare", "typeset", "env"})
_PLANTED: dict[str, re.Pattern[str]] = {
    "LD_PRELOAD": re.compile(r"(?!/(?:usr/)?(?:local/)?lib(?:32|64|exec)?/|/opt/homebrew/)[^\s\ue000]*/"),
    "LD_AUDIT": re.compile(r"[^\s\ue000]*/"),
    "DYLD_INSERT_LIBRARIES": re.compile(r"(?!/usr/lib/|/opt/homebrew/)[^\s\ue000]*/"),
    "BASH_ENV": re.compile(r"[^\s]"),
    "ENV": re.compile(r"[./~].*/|/"),
    "PYTHONSTARTUP": re.compile(r"/(?:tmp|var/tmp|dev/shm)/|\./"),
    "NODE_OPTIONS": re.compile(r"(?:.*\s)?(?:-r|--require|--import|--loader)[\s=]+(?:/tmp/|/var/tmp/|/dev/shm/|data:)"),
    "PERL5OPT": re.compile(r"(?:.*\s)?-(?:M|I)\S*/"),
    "RUBYOPT": re.compile(r"(?:.*\s)?-(?:r|I)\s*[./]"),
    # A folder that anybody may write stands before those of the system; folders of programs in it are fine.
    "PATH": re.compile(
        r"(?:.*:)?(?:\.(?=:)|/(?:tmp|var/tmp|dev/shm)(?:(?!/bin(?::|/?\Z)|/\.bin(?::|\Z))[^:])*(?=:))", re.DOTALL
    ),
}


@FAMILY.judges("*")
def planted(command: Command, _: Context) -> Iterator[Finding]:
    """Variables that make the next program load or find something else."""
    given = command.assignments
    if command.program in _EXPORTS:
        pairs = [word.raw.partition("=") for word in command.args if "=" in word.raw]
        given = {**given, **{name: value for name, _, value in pairs}}
    if not given:
        return
    for name in given.keys() & _PLANTED.keys():
        if name == "ENV" and command.program not in SHELLS:
            continue  # only shells take it for a file
        if _PLANTED[name].match(given[name][:1000]):
            yield LOADED.found(command, path=name)


@FAMILY.judges("*")
def loaded(command: Command, _: Context) -> Iterator[Finding]:
    """Assignments that reach a program through sudo and env."""
    if command.assignments and command.as_root and command.program != "sudo":
        wrapper = command.wrappers[-1].program if command.wrappers else ""
        name = next((name for name in command.assignments if name in LOADS), "")
        if name and wrapper == "env":
            yield PRELOAD.found(command, path=name)
