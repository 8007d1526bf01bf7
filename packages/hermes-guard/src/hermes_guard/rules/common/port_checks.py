"""Distinguishes a port probe from a connection: bash opens `/dev/tcp/host/port` for both."""

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command, Redirect
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE

_LOOPBACK = re.compile(r"/dev/(?:tcp|udp)/(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|0\.0\.0\.0)(?:/|\Z)")
#: Programs that only print their arguments.
_SAYING = names("echo printf : true")
#: Programs that only display their input.
_SHOWING = names(
    "cat head read timeout grep tail sleep dd true : mapfile readarray test [ wait tr cut sed nl od xxd strings"
)
_DESCRIPTOR = re.compile(r"(\d+)-?\Z")


def only_asks(command: Command, redirect: Redirect, context: Context) -> bool:
    """Return True when only the connection is made, or only known text is sent, and no shell is attached."""
    program = command.program
    if _feeds_a_shell(command) or command.as_root:
        return False
    if not command.argv:
        return True
    if program == "exec":
        return not command.args and _watched(command, redirect, context)
    if program in _SAYING:
        return all(HOLE not in word.raw for word in command.args) or _loopback(redirect)
    if program in _SHOWING:
        if redirect.operator == "<":
            return True
        return not command.args and _reads_nothing(command)
    return False


def _loopback(redirect: Redirect) -> bool:
    return _LOOPBACK.match(redirect.target.raw) is not None


def _feeds_a_shell(command: Command) -> bool:
    return any(
        reader.program is None or reader.program in SHELLS or reader.program in {"xargs", "tee"}
        for reader in command.feeds
    )


def _reads_nothing(command: Command) -> bool:
    """Return True when the input is empty or a known text."""
    stdin = command.stdin
    return stdin is not None and (
        (stdin.file is not None and stdin.file.raw == "/dev/null")
        or (stdin.file is None and bool(stdin.text) and HOLE not in (stdin.text or ""))
    )


def _watched(command: Command, redirect: Redirect, context: Context) -> bool:
    """Return True when the descriptor is used only by programs that print and display."""
    number = str(redirect.fd if redirect.fd is not None else 0)
    users = [other for other in context.commands if other is not command and _uses(other, number)]
    if number in {"0", "1", "2"} or any(other.program is None for other in users):
        return False
    if not users:
        # In a shell that continues, the next command could use it.
        return len(context.commands) > 1 or _loopback(redirect) or command.depth > 0
    if not _loopback(redirect):
        return all(not other.args and other.program in {"exec", ":"} for other in users)
    return all(_harmless(other) for other in users)


def _harmless(command: Command) -> bool:
    if _feeds_a_shell(command):
        return False
    if command.program in _SAYING or (command.program == "exec" and not command.args):
        return True
    return command.program in _SHOWING and not any("/" in word.raw for word in command.args)


def _uses(command: Command, number: str) -> bool:
    for redirect in command.redirects:
        found = _DESCRIPTOR.match(redirect.target.raw)
        if redirect.operator in {"<&", ">&"} and found and found.group(1) == number:
            return True
        if redirect.fd is not None and str(redirect.fd) == number:
            return True
    return any(
        word.raw in {number, f"-u{number}", f"/dev/fd/{number}", f"/proc/self/fd/{number}"} for word in command.args
    )
