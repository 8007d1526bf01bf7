"""Judges suspending the machine, which then stays unusable until it is woken."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse_words
from hermes_guard.rules.common.argument_checks import ALWAYS, Arguments, Check, findings, letter, verb
from hermes_guard.rules.family import Context
from hermes_guard.rules.machine.rules import FAMILY, SLEEP
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_RTCWAKE = Spec(
    "A= adjfile= a auto l local m= mode= n dry-run d= device= s= seconds= t= time= date= u utc v verbose list-modes h "
    "help V version"
)
_AWAKE = frozenset({"no", "on", "disable", "show"})


def _sleeps(given: Arguments) -> bool:
    options = parse_words(given.args, _RTCWAKE)
    mode = options.value("m", "mode")
    asks = options.has("n", "dry-run", "list-modes", "h", "V") or options.helps
    # Without a mode it suspends.
    return not asks and bool(options.given) and (mode is None or mode.raw not in _AWAKE)


_SLEEPERS: dict[str, Check] = {
    **dict.fromkeys(
        ("pm-suspend", "pm-hibernate", "pm-suspend-hybrid", "zzz", "ZZZ", "s2ram", "s2disk", "s2both"), ALWAYS
    ),
    **dict.fromkeys(("hibernate-ram", "hibernate-disk"), ALWAYS),
    **dict.fromkeys(("acpiconf", "apm"), letter("szS")),
    "loginctl": verb("suspend hibernate hybrid-sleep suspend-then-hibernate sleep"),
    "rtcwake": Check(_sleeps),
}


@FAMILY.judges(*_SLEEPERS)
def sleep(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about suspending, with any program."""
    yield from findings(SLEEP, command, _SLEEPERS)
