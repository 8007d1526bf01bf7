"""What OpenSSH says when it cannot connect, told so that somebody can mend it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import PlaceError

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import SshSettings

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


def trouble(settings: SshSettings, words: str, *, gone: bool) -> PlaceError:
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
            return PlaceError(text, hint=hint.format(name=f"'{name}'"), gone=gone)
    return PlaceError(f"ssh cannot use {host}: {said or 'it said nothing'}", hint=_REACH, gone=gone)
