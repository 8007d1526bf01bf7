"""How OpenSSH's client is called: options from the settings, machines on the way, and one line for any login shell."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.env_vars import complete_path
from hermes_tools_terminal.text import quoted

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import SshSettings

PROGRAM = "ssh"
NO_CONFIG = "none"

ALIVE_SECONDS, ALIVE_COUNT = 15, 3
"""A machine that does not answer that often is given up, so that a broken network does not hang a command for ever."""

# What ssh itself needs. Its configuration may send variables over by name, so nothing else is even there.
_VARIABLES = ("HOME", "USER", "LOGNAME", "TMPDIR", "SSH_AUTH_SOCK", "KRB5CCNAME", "XDG_RUNTIME_DIR")

_CHECKED = ("host", "user", "key", "jump", "known_hosts_file", "config_file")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
# Names of machines and users come to a local shell by %h and %r of a configured command; newer clients refuse the same.
# A user of a domain is DOMAIN\user.
_REFUSED = {
    "host": re.compile(r"[\s'`\"$\\;&<>|(){}]"),
    "jump": re.compile(r"['`\"$;&<>|(){}]"),
    "user": re.compile(r"[\s'`\"$;&<>|(){}]"),
    "known_hosts_file": re.compile(r'"'),
}

_JUMP = re.compile(
    r"(?:ssh://)?(?:(?P<user>[^@\s]+)@)?(?P<host>\[[^\]\s\\]+\]|[^:@\[\]\s\\]+)(?::(?P<port>\d{1,5}))?/?"
)

# What some shell makes something of even in single quotes: csh has its `!` and its lines, fish has its backslashes.
_SPECIAL = re.compile(r"[\x00-\x1f\x7f!\\]")
_SPECIAL_OR_QUOTE = re.compile(r"[\x00-\x1f\x7f'!\\]")


def setting_problem(settings: SshSettings) -> str | None:
    """Why these settings cannot be used; None when they can. A value that looks like an option would be one."""
    if not settings.host:
        return "terminal.ssh.host is not set."
    for name in _CHECKED:
        value = str(getattr(settings, name))
        if value.startswith("-") or _CONTROLS.search(value) or (name in _REFUSED and _REFUSED[name].search(value)):
            return f"terminal.ssh.{name} is {value!r}, which is no name for ssh."
    for hop in _hops(settings):
        found = _JUMP.fullmatch(hop)
        if not found or found["host"].startswith("-") or (found["user"] or "").startswith("-"):
            return f"terminal.ssh.jump names {hop!r}, which is not [USER@]HOST[:PORT]."
    for name in ("key", "config_file"):
        path = str(getattr(settings, name))
        if path and (name, path) != ("config_file", NO_CONFIG) and not os.path.isfile(_path(path)):
            return f"terminal.ssh.{name} is {path}, which is not there."
    return None


def require_valid(settings: SshSettings) -> None:
    """Raise `TerminalEnvironmentError` when these settings cannot be used."""
    if (wrong := setting_problem(settings)) is not None:
        raise TerminalEnvironmentError(
            wrong, hint="Set it to a name or a path; `hermes terminal doctor` tells whether it works."
        )


def variables() -> dict[str, str]:
    """The variables of the client itself. Without a language its messages are in English, for they are read."""
    return {
        **{name: os.environ[name] for name in _VARIABLES if name in os.environ},
        "PATH": complete_path(os.environ.get("PATH", "")),
    }


def options(settings: SshSettings, *, connect_timeout: int | None = None) -> list[str]:
    """Everything that is said before the machine's name, but for how the connection is shared."""
    words = [*_login(settings, connect_timeout), "-a", "-x", "-e", "none"]
    for option in (
        "SendEnv=-*",
        "ClearAllForwardings=yes",
        "PermitLocalCommand=no",
        "RemoteCommand=none",
        f"ServerAliveInterval={ALIVE_SECONDS}",
        f"ServerAliveCountMax={ALIVE_COUNT}",
    ):
        words += ["-o", option]
    if settings.key:
        words += ["-i", _path(settings.key), "-o", "IdentitiesOnly=yes"]
    if settings.jump == NO_CONFIG:
        words += ["-o", "ProxyJump=none"]
    elif settings.jump:
        words += ["-o", f"ProxyCommand={_proxy(settings, list(_hops(settings)), connect_timeout)}"]
    if settings.user:
        words += ["-l", settings.user]
    if settings.port:
        words += ["-p", str(settings.port)]
    return words


def one_line(text: str) -> str:
    """A script for `sh` as one line that every login shell understands, be it bash, zsh, fish or csh."""
    if not _SPECIAL.search(text):
        return f"exec sh -c {quoted(text)}"
    return f"""exec sh -c 'eval "$(printf %b "$1")"' sh '{escaped(text)}'"""


def escaped(text: str) -> str:
    """A text as `printf %b` takes it, without anything that a shell or a terminal makes something of."""
    return _SPECIAL_OR_QUOTE.sub(lambda found: f"\\0{ord(found[0]):03o}", text)


def exports(env: Mapping[str, str]) -> str:
    """Shell code that sets variables."""
    return " ".join(f"export {name}={shlex.quote(value)};" for name, value in env.items() if _NAME.fullmatch(name))


def _login(settings: SshSettings, connect_timeout: int | None) -> list[str]:
    """What holds for the machines on the way, too: nobody is asked anything, and keys of machines are checked."""
    words = []
    if settings.config_file:
        words += ["-F", "/dev/null" if settings.config_file == NO_CONFIG else _path(settings.config_file)]
    timeout = connect_timeout or settings.connect_timeout
    for option in ("BatchMode=yes", f"ConnectTimeout={timeout}", "LogLevel=ERROR", *_known_hosts(settings)):
        words += ["-o", option]
    return words


def _known_hosts(settings: SshSettings) -> Iterator[str]:
    if settings.known_hosts == "ignore":
        yield from ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "GlobalKnownHostsFile=/dev/null")
        return
    yield f"StrictHostKeyChecking={'yes' if settings.known_hosts == 'strict' else 'accept-new'}"
    if settings.known_hosts_file:
        yield f'UserKnownHostsFile="{_path(settings.known_hosts_file).replace("%", "%%")}"'


def _proxy(settings: SshSettings, hops: Sequence[str], connect_timeout: int | None) -> str:
    """The command that leads to the next machine. `ssh -J` would hand on neither keys nor what is known of machines."""
    *before, last = hops
    found = _JUMP.fullmatch(last)
    assert found is not None
    words = [PROGRAM, *_login(settings, connect_timeout), "-o", "ControlPath=none"]
    if settings.key:
        words += ["-i", _path(settings.key), "-o", "IdentitiesOnly=yes"]
    if before:
        words += ["-o", f"ProxyCommand={_proxy(settings, before, connect_timeout)}"]
    if found["user"]:
        words += ["-l", found["user"]]
    if found["port"]:
        words += ["-p", found["port"]]
    # Whoever runs this line reads `%` in it, and the next machine's name is the only thing that it shall put in.
    return f"{shlex.join(words)} {shlex.quote(found['host'].strip('[]'))}".replace("%", "%%") + " -W '[%h]:%p'"


def _hops(settings: SshSettings) -> Iterator[str]:
    if settings.jump and settings.jump != NO_CONFIG:
        yield from (hop.strip() for hop in settings.jump.split(","))


def _path(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path)) if path else ""


_KEYS = "Set terminal.ssh.key or load the key with `ssh-add`; nobody can type a password or a passphrase here."
_REACH = "Look whether the machine runs and terminal.ssh.host and terminal.ssh.port are right."

# The first that fits counts: a changed key is also one that could not be verified.
_KNOWN = tuple(
    (re.compile(pattern, re.IGNORECASE), reason, hint)
    for pattern, reason, hint in (
        (
            r"remote host identification has changed|differs from the key for",
            "{host} shows another host key than the one that is known",
            "Somebody may stand in between. If the machine is new, forget the old key: `ssh-keygen -R {name}`.",
        ),
        (
            r"host key is known for|host key verification failed",
            "The host key of {host} is not known",
            "Connect once by hand and compare the key, or set terminal.ssh.known_hosts to accept-new.",
        ),
        (
            r"unprotected private key|bad permissions",
            "Others can read the key, so ssh does not use it",
            "`chmod 600` the file of terminal.ssh.key.",
        ),
        (r"permission denied|too many authentication failures", "{host} does not let us in", _KEYS),
        (r"connection refused", "{host} refuses the connection", _REACH + " Is sshd running there?"),
        (
            r"could not resolve|name or service not known|no address associated",
            "There is no machine {host}",
            "Look at the name in terminal.ssh.host; an alias needs its SSH configuration.",
        ),
        (
            r"timed out|timeout, server|not responding",
            "{host} does not answer",
            _REACH + " terminal.ssh.connect_timeout says how long is waited.",
        ),
        (r"no route to host|network is unreachable|host is down", "{host} cannot be reached", _REACH),
        (
            r"bad configuration option|unsupported option|can.t open user config file|bad owner or permissions on",
            "The SSH configuration cannot be used",
            "Mend it, or set terminal.ssh.config_file; `none` is for no configuration at all.",
        ),
        (r"connect to host|closed by|connection reset|broken pipe|lost|master", "{host} closed the connection", _REACH),
    )
)


def connection_error(settings: SshSettings, words: str, *, gone: bool) -> TerminalEnvironmentError:
    """The error for what ssh said.

    Args:
        settings: Where it should have connected to.
        words: What it said.
        gone: Whether the connection was there before.
    """
    host = settings.host + (f" port {settings.port}" if settings.port else "")
    said = " ".join(line.strip() for line in words.splitlines() if line.strip(" @\r"))[-300:]
    for pattern, reason, hint in _KNOWN:
        if pattern.search(words):
            name = f"[{settings.host}]:{settings.port}" if settings.port else settings.host
            text = f"{reason.format(host=host)}: {said}"
            return TerminalEnvironmentError(text, hint=hint.format(name=f"'{name}'"), gone=gone)
    return TerminalEnvironmentError(f"ssh cannot use {host}: {said or 'it said nothing'}", hint=_REACH, gone=gone)
