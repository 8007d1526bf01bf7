"""Judges sudo: password sources, shells, and variables it passes on."""

from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.environment_variables import LOADS
from hermes_guard.rules.privilege.rules import (
    FAMILY,
    PRELOAD,
    ROOT_SHELL,
    SUDO_PASSWORD,
    SUDOERS,
)
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_SUDO = Spec(
    "A b E e H h? i K k l n P S s V v B N u= g= p= C= c= D= R= r= t= T= U= a= user= "
    "group= prompt= close-from= chdir= chroot= role= type= "
    "command-timeout= other-user= host= login-class= preserve-env? login shell stdin "
    "askpass background non-interactive set-home list "
    "validate version help remove-timestamp reset-timestamp edit bell",
    posix=True,
)
_VISUDO = Spec("c f= h I O P q s V x= check file= help version strict quiet owner perms")


@FAMILY.judges("sudo", "doas")
def sudo(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about options of sudo that read a password from elsewhere or open a shell."""
    options = parse(command, _SUDO)
    if options.helps or options.has("l", "list", "V"):
        return
    if options.has("S", "stdin", "A", "askpass"):
        yield SUDO_PASSWORD.found(command)
    user = options.value("u", "user")
    if user is not None and user.raw in {"#-1", "#4294967295"}:
        yield ROOT_SHELL.found(command)
    if options.has("s", "shell") and not options.has("i", "login"):
        yield ROOT_SHELL.found(command)
    for name in _handed_over(command, options):
        yield PRELOAD.found(command, path=name)


def _handed_over(command: Command, options: Options) -> Iterator[str]:
    """Ask about variables with untrusted code that sudo keeps or sets."""
    kept = options.value("preserve-env")
    names = {
        *(kept.raw.split(",") if kept is not None else ()),
        *(command.assignments if options.has("E", "preserve-env") else ()),
    }
    yield from sorted(names & LOADS)
    for word in options.operands:
        name, equals, _ = word.raw.partition("=")
        if not equals or not name.isidentifier():
            return
        if name in LOADS:
            yield name


@FAMILY.judges("visudo", "vipw", "vigr")
def visudo(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about editing the sudoers file."""
    options = parse(command, _VISUDO)
    if not options.helps and not options.has("c", "check", "V", "h"):
        yield SUDOERS.found(command)
