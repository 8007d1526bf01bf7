"""Judges services that are stopped by a message, a control command or another machine."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.argument_checks import Arguments, Check, any_word, flag
from hermes_guard.rules.family import Context
from hermes_guard.rules.services.findings import report_stop
from hermes_guard.rules.services.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def _tells(pattern: str) -> Check:
    """Match a pattern against all arguments together."""
    told = re.compile(pattern)
    return Check(lambda given: told.search(" ".join(given.texts)) is not None)


_UNITS = _tells(r"\b(?:Stop|Restart|Kill|TryRestart|ReloadOrRestart)Unit\b|\b(?:Disable|Mask)UnitFiles\b")
_MESSAGES: dict[str, Check] = {
    **dict.fromkeys(("busctl", "dbus-send", "gdbus", "qdbus"), _UNITS),
    **dict.fromkeys(("mongosh", "mongo"), _tells(r"shutdownServer|shutdown\s*:")),
    "celery": any_word("shutdown") | (any_word("multi") & any_word("stop restart stopwait")),
    "uwsgi": flag("--stop --reload"),
    "vim-cmd": _tells(r"power\.(?!getstate)|destroy"),
}


@FAMILY.judges(*_MESSAGES)
def by_message(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about stopping a service by a message or a control command."""
    given = Arguments(command.args)
    if _MESSAGES[command.program or ""].holds(given):
        yield from report_stop(command, given.texts)


_ANSIBLE = Spec(
    "m= module-name= a= args= i= inventory= u= user= b become K k e= extra-vars= l= limit= f= forks= C check D v o t= "
    "private-key= list-hosts"
)
_CODE = frozenset({"shell", "command", "raw", "script"})
_STATES = re.compile(r"state=(?:stopped|restarted|absent)|enabled=(?:no|false)")


@FAMILY.judges("ansible")
def ansible(command: Command, _: Context) -> Iterator[Finding]:
    """Judge one module that runs on many machines."""
    options = parse(command, _ANSIBLE)
    if options.has("C", "check", "list-hosts"):
        return
    module = options.value("m", "module-name")
    name = module.raw.rsplit(".", 1)[-1] if module is not None else "command"
    argument = options.value("a", "args")
    given = argument.text if argument is not None else ""
    # Code that a module runs is judged with the fleet rules.
    if name == "reboot" or (name not in _CODE and _STATES.search(given)):
        yield from report_stop(command, [word.raw for word in command.args])


_SALT = re.compile(
    r"(?:service\.(?:stop|restart|disable|mask)|system\.(?:reboot|shutdown|halt|poweroff)|pkg\.(?:remove|purge)|"
    r"file\.(?:remove|rmdir))\Z"
)


@FAMILY.judges("salt", "salt-ssh", "salt-call")
def salt(command: Command, _: Context) -> Iterator[Finding]:
    """Judge Salt functions that run on many machines."""
    texts = [word.raw for word in command.args]
    if any(map(_SALT.match, texts)):
        yield from report_stop(command, texts)
