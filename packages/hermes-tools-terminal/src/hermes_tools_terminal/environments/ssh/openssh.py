"""Build OpenSSH command lines from the settings, and explain the errors of OpenSSH."""

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
"""A machine that misses this many replies is given up, so that a broken network does not block a command forever."""

# What ssh itself needs. Its configuration may send any variable by name, so it gets no others.
_VARIABLES = ("HOME", "USER", "LOGNAME", "TMPDIR", "SSH_AUTH_SOCK", "KRB5CCNAME", "XDG_RUNTIME_DIR")

_CHECKED = ("host", "user", "key", "jump", "known_hosts_file", "config_file")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
# A configured command passes names of hosts and users to a local shell as %h and %r; newer clients refuse the same
# characters. A domain user is DOMAIN\user.
_REFUSED = {
    "host": re.compile(r"[\s'`\"$\\;&<>|(){}]"),
    "jump": re.compile(r"['`\"$;&<>|(){}]"),
    "user": re.compile(r"[\s'`\"$;&<>|(){}]"),
    "known_hosts_file": re.compile(r'"'),
}

_JUMP = re.compile(
    r"(?:ssh://)?(?:(?P<user>[^@\s]+)@)?(?P<host>\[[^\]\s\\]+\]|[^:@\[\]\s\\]+)(?::(?P<port>\d{1,5}))?/?"
)

# Characters that some shell interprets even in single quotes: `!` and line feeds in csh, backslashes in fish.
_SPECIAL = re.compile(r"[\x00-\x1f\x7f!\\]")
_SPECIAL_OR_QUOTE = re.compile(r"[\x00-\x1f\x7f'!\\]")


def setting_problem(settings: SshSettings) -> str | None:
    """Return what is wrong with the settings; None when they are valid. A value like an option would be read as one."""
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
            return f"terminal.ssh.{name} is {path}, which does not exist."
    return None


def require_valid(settings: SshSettings) -> None:
    """Raise `TerminalEnvironmentError` when the settings are invalid."""
    if (wrong := setting_problem(settings)) is not None:
        raise TerminalEnvironmentError(
            wrong, hint="Set it to a name or a path; `hermes terminal doctor` shows whether it works."
        )


def variables() -> dict[str, str]:
    """Return the variables of the client. Without a locale its messages are in English, so that they can be parsed."""
    return {
        **{name: os.environ[name] for name in _VARIABLES if name in os.environ},
        "PATH": complete_path(os.environ.get("PATH", "")),
    }


def options(settings: SshSettings, *, connect_timeout: int | None = None) -> list[str]:
    """Return the options before the host name, except those for connection sharing."""
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
    """Return a script for `sh` as one line that every login shell accepts: bash, zsh, fish or csh."""
    if not _SPECIAL.search(text):
        return f"exec sh -c {quoted(text)}"
    return f"""exec sh -c 'eval "$(printf %b "$1")"' sh '{escaped(text)}'"""


def escaped(text: str) -> str:
    """Escape a text for `printf %b`, without characters that a shell or terminal interprets."""
    return _SPECIAL_OR_QUOTE.sub(lambda found: f"\\0{ord(found[0]):03o}", text)


def exports(env: Mapping[str, str]) -> str:
    """Return shell code that sets variables."""
    return " ".join(f"export {name}={shlex.quote(value)};" for name, value in env.items() if _NAME.fullmatch(name))


def _login(settings: SshSettings, connect_timeout: int | None) -> list[str]:
    """Return the options that also apply to jump hosts: no prompts, and host key checks."""
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
    """Return the command that connects to the next hop. `ssh -J` would pass on neither keys nor known hosts."""
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
    # ssh expands `%` in this line; the next host name is the only expansion wanted.
    return f"{shlex.join(words)} {shlex.quote(found['host'].strip('[]'))}".replace("%", "%%") + " -W '[%h]:%p'"


def _hops(settings: SshSettings) -> Iterator[str]:
    if settings.jump and settings.jump != NO_CONFIG:
        yield from (hop.strip() for hop in settings.jump.split(","))


def _path(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path)) if path else ""


_KEYS = "Set terminal.ssh.key or load the key with `ssh-add`; passwords and passphrases cannot be typed here."
_REACH = "Check that the machine runs, and check terminal.ssh.host and terminal.ssh.port."

# The first match counts: a changed host key also fails verification.
_KNOWN = tuple(
    (re.compile(pattern, re.IGNORECASE), reason, hint)
    for pattern, reason, hint in (
        (
            r"remote host identification has changed|differs from the key for",
            "{host} presents a different host key than the known one",
            "The connection may be intercepted. If the machine is new, remove the old key: `ssh-keygen -R {name}`.",
        ),
        (
            r"host key is known for|host key verification failed",
            "The host key of {host} is not known",
            "Connect once by hand and verify the key, or set terminal.ssh.known_hosts to accept-new.",
        ),
        (
            r"unprotected private key|bad permissions",
            "The key file is readable by others, so ssh does not use it",
            "`chmod 600` the file of terminal.ssh.key.",
        ),
        (r"permission denied|too many authentication failures", "{host} refused the login", _KEYS),
        (r"connection refused", "{host} refused the connection", _REACH + " Check that sshd runs there."),
        (
            r"could not resolve|name or service not known|no address associated",
            "There is no machine {host}",
            "Check terminal.ssh.host; an alias needs its SSH configuration.",
        ),
        (
            r"timed out|timeout, server|not responding",
            "{host} does not answer",
            _REACH + " terminal.ssh.connect_timeout sets the time limit.",
        ),
        (r"no route to host|network is unreachable|host is down", "{host} cannot be reached", _REACH),
        (
            r"bad configuration option|unsupported option|can.t open user config file|bad owner or permissions on",
            "The SSH configuration cannot be used",
            "Fix it, or set terminal.ssh.config_file; `none` uses no configuration.",
        ),
        (r"connect to host|closed by|connection reset|broken pipe|lost|master", "{host} closed the connection", _REACH),
    )
)


def connection_error(settings: SshSettings, words: str, *, gone: bool) -> TerminalEnvironmentError:
    """Return the error for a message of ssh; `gone` if the connection existed before."""
    host = settings.host + (f" port {settings.port}" if settings.port else "")
    message = " ".join(line.strip() for line in words.splitlines() if line.strip(" @\r"))[-300:]
    for pattern, reason, hint in _KNOWN:
        if pattern.search(words):
            name = f"[{settings.host}]:{settings.port}" if settings.port else settings.host
            text = f"{reason.format(host=host)}: {message}"
            return TerminalEnvironmentError(text, hint=hint.format(name=f"'{name}'"), gone=gone)
    return TerminalEnvironmentError(f"ssh cannot use {host}: {message or 'no message'}", hint=_REACH, gone=gone)
