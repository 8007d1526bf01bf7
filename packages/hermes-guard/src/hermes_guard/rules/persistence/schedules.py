"""Commands that run later, by a clock."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.table import CRON, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_CRONTAB = Spec("u= l e r i s n= c= V h T= help version")
_AT = Spec("V q= f= m M l b v k c t= d r help version")
_TIMERS = ("--on-", "--timer-property", "--path-property", "--socket-property")
_TASKS = frozenset({"/create", "/change", "/delete", "/run", "/end", "-create"})


@FAMILY.judges("crontab", "fcrontab", "incrontab")
def crontab(command: Command, _: Context) -> Iterator[Finding]:
    """Everything but a look at the table."""
    options = parse(command, _CRONTAB)
    if options.helps or options.has("V", "h", "T"):
        return
    if options.has("l") and not options.has("r", "e"):
        return
    if options.operands or options.has("r", "e") or command.stdin is not None or command.wrappers or not options.given:
        yield CRON.found(command, path=_line(command) or "its input")


@FAMILY.judges("at", "batch", "atrm")
def at(command: Command, _: Context) -> Iterator[Finding]:
    """Jobs for later."""
    options = parse(command, _AT)
    if options.helps or options.has("V", "l", "c"):
        return
    if command.args or command.stdin is not None or command.program == "batch":
        yield CRON.found(command, path=_line(command))


@FAMILY.judges("systemd-run")
def timers(command: Command, _: Context) -> Iterator[Finding]:
    """Timers of services."""
    if any(word.raw.startswith(_TIMERS) for word in command.args):
        yield CRON.found(command, path=_line(command))


@FAMILY.judges("schtasks", "schtasks.exe")
def tasks(command: Command, _: Context) -> Iterator[Finding]:
    """Tasks of Windows."""
    if any(word.raw.lower() in _TASKS for word in command.args):
        yield CRON.found(command, path=_line(command))


def _line(command: Command) -> str:
    return " ".join(command.texts[1:])[:80]
