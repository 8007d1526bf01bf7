"""Judges logs and histories that are emptied or disabled."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.argument_checks import (
    Check,
    any_word,
    findings,
    first,
    flag,
    flag_like,
    flag_starts,
)
from hermes_guard.rules.family import Context
from hermes_guard.rules.machine.rules import FAMILY, LOGS
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_NO_HISTORY = re.compile(r"(?:HISTFILE=(?:/dev/null)?|HISTSIZE=0|HISTFILESIZE=0)\Z")
_WITHOUT_HISTORY = Check(lambda given: any(_NO_HISTORY.match(text) for text in given.texts))
_CLEARS = Check(lambda given: bool(given.texts) and given.texts[0].lower() in {"cl", "clear-log"})

_ERASERS: dict[str, Check] = {
    **dict.fromkeys(("export", "declare"), _WITHOUT_HISTORY),
    **dict.fromkeys(("wevtutil", "wevtutil.exe"), _CLEARS),
    "faillog": flag_like(r"-\w*r|--reset"),
    "history": flag_like(r"-\w*[cd]"),
    "journalctl": flag_starts("--vacuum --relinquish-var"),
    "lastlog": flag("-C --clear -S --set"),
    "log": first("erase"),
    "logrotate": flag_like(r"-\w*f|--force") & ~flag("-d --debug"),
    "set": any_word("+o") & any_word("history"),
    "unset": any_word("HISTFILE"),
}


@FAMILY.judges(*_ERASERS)
def records(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about emptying or disabling logs and histories."""
    yield from findings(LOGS, command, _ERASERS)


@FAMILY.judges("=")
def without_history(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about disabling the history in a command's environment."""
    if any(_NO_HISTORY.match(f"{name}={value}") for name, value in command.assignments.items()):
        yield LOGS.found(command, path="no history")
