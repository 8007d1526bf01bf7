"""Judges resetting programs' settings as a whole, and the machine's clock, name and locale."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse_words
from hermes_guard.rules.common.argument_checks import (
    ANY,
    Arguments,
    Check,
    findings,
    flag,
    verb,
    verb_starts,
    words,
)
from hermes_guard.rules.family import Context
from hermes_guard.rules.machine.rules import BOOT, FAMILY, SETTINGS
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def _domain(given: Arguments) -> bool:
    """Return True when `defaults delete` names a whole domain without a key."""
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
    """Ask about resetting every setting of a program, or of all programs."""
    yield from findings(SETTINGS, command, _RESETS)


_DATE = Spec(
    "d= date= f= file= I? iso-8601? R r= reference= s= set= u debug rfc-3339= rfc-email universal utc help version j "
    "n v= z= resolution"
)
#: A date without an option, as in `date 010100002020`.
_STAMP = re.compile(r"\d{8,12}(?:\.\d\d)?\Z")


def _sets_date(given: Arguments) -> bool:
    options = parse_words(given.args, _DATE)
    return options.has("s", "set") or (
        not options.has("j", "d", "date", "f", "r") and any(_STAMP.match(word.raw) for word in options.operands)
    )


_SETTERS: dict[str, Check] = {
    **dict.fromkeys(("date", "gdate"), Check(_sets_date)),
    **dict.fromkeys(("timedatectl", "localectl"), verb_starts("set- revert ntp-servers")),
    **dict.fromkeys(("hostname", "domainname"), words(1) | flag("-F --file -b")),
    **dict.fromkeys(("ntpdate", "rdate"), ANY & ~flag("-q -p")),
    "chronyc": verb("makestep settime delete add shutdown burst offline online"),
    "hostnamectl": verb_starts("set-") | (verb("hostname icon-name chassis deployment location") & words(2)),
    "hwclock": flag("-w --systohc -s --hctosys --set --adjust -a --predict") & ~flag("--test"),
}


@FAMILY.judges(*_SETTERS)
def clock(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about changing the clock or the name of the machine."""
    yield from findings(BOOT, command, _SETTERS)
