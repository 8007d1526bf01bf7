"""What runs when the machine starts, and at which level it runs now."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.orders import Arguments, Check, any_word, flag
from hermes_guard.rules.services.rules import FAMILY, LEVEL, stopped
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_OUT = any_word("del delete remove off disable")
_REMOVERS: dict[str, Check] = {
    "rc-update": _OUT,
    **dict.fromkeys(("update-rc.d", "chkconfig", "insserv", "sysv-rc-conf"), _OUT | flag("--del -r")),
}


@FAMILY.judges(*_REMOVERS)
def run_levels(command: Command, _: Context) -> Iterator[Finding]:
    """Services taken out of the start of the machine."""
    given = Arguments(command.args)
    if _REMOVERS[command.program or ""].holds(given):
        yield from stopped(command, given.texts)


_LEVEL = re.compile(r"[1-5sSqQuUaAbBcC]\Z")


@FAMILY.judges("init", "telinit")
def runlevel(command: Command, _: Context) -> Iterator[Finding]:
    """Every level but 0 and 6, which nobody may ask for."""
    level = Arguments(command.args).verb
    if _LEVEL.match(level):
        yield LEVEL.found(command, path=level)
