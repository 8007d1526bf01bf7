"""The settings of programs, as a whole: one of them changed is ordinary."""

from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.machine.rules import FAMILY, SETTINGS
from hermes_guard.rules.orders import Arguments, Check, findings, flag, verb
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def _domain(given: Arguments) -> bool:
    """True when `defaults delete` names a whole domain: no key behind it."""
    words = given.words
    if "-globalDomain" in given.flags or "-g" in given.flags:
        return words == ["delete"]
    return words[:1] == ["delete"] and len(words) < 3


_RESETS: dict[str, Check] = {
    "dconf": (verb("reset") & flag("-f")) | (verb("load") & Check(lambda given: given.words[1:] == ["/"])),
    "defaults": Check(_domain),
    "gsettings": verb("reset-recursively"),
}


@FAMILY.judges(*_RESETS)
def settings(command: Command, _: Context) -> Iterator[Finding]:
    """Every setting of a program, or of all of them."""
    yield from findings(SETTINGS, command, _RESETS)
