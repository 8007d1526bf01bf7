"""Judges scheduled commands."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.environment_variables import code
from hermes_guard.rules.persistence.rules import CRON, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

#: The maximum number of lines that are read of a crontab; it needs approval in any case.
_MAX_LINES = 64
_MAX_LENGTH = 8_000
_CRONTAB = Spec("u= l e r i s n= c= V h T= help version")
_AT = Spec("V q= f= m M l b v k c t= d r help version")
_TIMERS = ("--on-", "--timer-property", "--path-property", "--socket-property")
_TASKS = frozenset({"/create", "/change", "/delete", "/run", "/end", "-create"})


@FAMILY.judges("crontab", "fcrontab", "incrontab")
def crontab(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about everything except listing a crontab."""
    options = parse(command, _CRONTAB)
    if options.helps or options.has("V", "h", "T"):
        return
    if options.has("l") and not options.has("r", "e"):
        return
    if options.operands or options.has("r", "e") or command.stdin is not None or command.wrappers or not options.given:
        yield CRON.found(command, path=_line(command) or "its input")
        fields = 2 if command.program == "incrontab" else 5
        for text in _tables(options.operands, command, context):
            for line in text[:_MAX_LENGTH].splitlines()[:_MAX_LINES]:
                yield from code(_order(line.strip().lstrip(HOLE), fields), command, context)


def _tables(words: list[Word], command: Command, context: Context) -> Iterator[str]:
    """Yield the content of a new crontab, as far as it is known."""
    if command.stdin is not None and command.stdin.text:
        yield command.stdin.text
    for word in words[:4]:
        if word.text_inside is not None:
            yield word.text_inside
        path = command.path(word)
        for other in context.commands[:_MAX_LINES] if path else ():
            if other.output and any(found.writes and other.path(found.target) == path for found in other.redirects):
                yield other.output


def _order(line: str, fields: int) -> str:
    """Return the command in a line of a crontab: after `@daily`, or after its fields."""
    if line.startswith("#"):
        return ""
    parts = line.split(None, 1 if line.startswith("@") else fields)
    return parts[-1] if len(parts) > (1 if line.startswith("@") else fields) else ""


@FAMILY.judges("at", "batch", "atrm")
def at(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about one-time jobs."""
    options = parse(command, _AT)
    if options.helps or options.has("V", "l", "c"):
        return
    if command.args or command.stdin is not None or command.program == "batch":
        yield CRON.found(command, path=_line(command))
        for text in _tables(options.values("f"), command, context):
            yield from code(text, command, context)


@FAMILY.judges("systemd-run")
def timers(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about systemd timers."""
    if any(word.raw.startswith(_TIMERS) for word in command.args):
        yield CRON.found(command, path=_line(command))


@FAMILY.judges("schtasks", "schtasks.exe")
def tasks(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about scheduled tasks on Windows."""
    if any(word.raw.lower() in _TASKS for word in command.args):
        yield CRON.found(command, path=_line(command))


def _line(command: Command) -> str:
    return " ".join(command.texts[1:])[:80]
