"""Detect that a tool started this process: it then has the authority of the tool's session, and cannot widen it.

There are three signs, and one of them is enough: an environment variable of this process, the same variable in the
initial environment of an ancestor, and resource limits that every descendant inherits. A sign only restricts, so a
forged one gains nothing. The home of the session is not taken from a forged one either: two limits hold a digest of its
path and inode and the complement of it, and an unprivileged process can lower limits, but cannot raise them.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from functools import cache

from hermes_core.errors import ConfigError

VARIABLE = "HERMES_TOOL_SESSION"
"""Names the home of the session to every process that its tools start."""

_ASK_THE_USER = "Ask the user to do it in their own terminal."
_BASE = 1 << 61
"""Limits from here on are marks: no process has so much time, memory or so many locks."""
# Linux enforces neither of the first two any more, and the third only for real-time processes.
_RSS, _LOCKS, _RTTIME = 5, 10, 15


class ToolSession:
    """The session whose tool started a process.

    Attributes:
        home: The absolute path of its `$HERMES_HOME`; None when the process hides it.
    """

    # Not a dataclass: making one takes longer than everything else here.
    __slots__ = ("home",)

    def __init__(self, home: str | os.PathLike[str] | None) -> None:
        self.home = None if home is None else os.path.abspath(home)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables for processes that its tools start on this machine."""
        assert self.home is not None
        return {VARIABLE: self.home, "HERMES_HOME": self.home}

    @property
    def remote_variables(self) -> dict[str, str]:
        """The environment variables for processes that its tools start elsewhere, where the home may not exist."""
        assert self.home is not None
        return {VARIABLE: self.home}

    @property
    def limits(self) -> dict[int, int]:
        """The resource limits, by number, for processes that its tools start on Linux."""
        assert self.home is not None
        digest = _digest(self.home, _identity(self.home))
        return {_RSS: _BASE + digest, _LOCKS: _BASE + (_BASE - 1 - digest)}


@cache
def tool_session() -> ToolSession | None:
    """Return the session whose tool started this process, the outermost one; None when none did."""
    return session_of(os.getpid(), os.environ.get(VARIABLE))


def session_of(pid: int, claimed: str | None = None) -> ToolSession | None:
    """Return the session whose tool started a process of this user; None when none did, as far as can be seen.

    Args:
        pid: The process.
        claimed: The current value of the variable there.
    """
    claims = _claims(pid)
    if claimed is not None:
        claims.append(claimed)
    limits = _limits(pid)
    memory, locks = limits.get(_RSS, 0), limits.get(_LOCKS, 0)
    marked = max(memory, locks) >= _BASE
    if not claims and not marked and limits.get(_RTTIME, 0) < _BASE:  # desktops set a low limit of this kind
        return None
    if marked or (memory and locks):  # a limit that is alone and small is the user's own
        intact = memory + locks == 3 * _BASE - 1
        claims = [claim for claim in claims if intact and memory - _BASE in _digests(claim)]
    return ToolSession(claims[0] if claims and os.path.isabs(claims[0]) else None)


def settings_environ(environ: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return an environment, by default that of the process, without `HERMES_*` if a tool started this process."""
    given = os.environ if environ is None else environ
    if tool_session() is None:
        return given
    return {name: value for name, value in given.items() if not name.upper().startswith("HERMES_")}


def refuse_inside(what: str) -> None:
    """Raise `ConfigError` in a process that a tool started, which must not change what its session may do.

    Args:
        what: What is refused, as the beginning of a sentence, such as `Settings cannot be changed`.
    """
    if tool_session() is not None:
        raise ConfigError(f"{what} by a process that a tool started. {_ASK_THE_USER}")


def session_home(wanted: str | None) -> str | None:
    """Return the home that this process has to use; None when no tool started it.

    Args:
        wanted: The absolute path of the home that is asked for; None for the usual one.

    Raises:
        ConfigError: another home is asked for, or the process hides whose it is.
    """
    session = tool_session()
    if session is None:
        return None
    if session.home is None:
        raise ConfigError(
            f"A tool started this process, and it cannot be told for which session: {VARIABLE} is missing or was "
            f"changed, or there is another directory at the path of its home. {_ASK_THE_USER}"
        )
    if wanted is not None and os.path.realpath(wanted) != os.path.realpath(session.home):
        raise ConfigError(
            f"A tool started this process, and it can only use the home of its session, {session.home}, not {wanted}. "
            f"{_ASK_THE_USER}",
            key="HERMES_HOME",
        )
    return session.home


def _digest(home: str, identity: str = "") -> int:
    from hashlib import sha256

    return int.from_bytes(sha256(os.fsencode(home) + identity.encode()).digest()[:8], "big") % _BASE


def _digests(home: str) -> tuple[int, int]:
    """Return the digests that a session with this home may have: with its inode, or from before it existed."""
    return _digest(home, _identity(home)), _digest(home)


def _identity(home: str) -> str:
    """Return what another directory at the same path, such as a mounted one, does not have; empty if there is none."""
    try:
        status = os.stat(home)
    except OSError:
        return ""
    return f"\0{status.st_dev}:{status.st_ino}"


def _limits(pid: int) -> dict[int, int]:
    """Return the hard limits of a process: an unprivileged one can lower a mark, but not remove it."""
    found: dict[int, int] = {}
    if sys.platform == "linux":
        import resource

        for number in (_RTTIME, _RSS, _LOCKS):
            with contextlib.suppress(OSError, ValueError):
                hard = resource.prlimit(pid, number)[1]
                if hard != resource.RLIM_INFINITY:
                    found[number] = hard
    return found


def _claims(pid: int) -> list[str]:
    """Return the value of the variable when each ancestor was started, the outermost first, the process itself last."""
    needle = f"\0{VARIABLE}=".encode()
    found: list[str] = []
    while pid > 0:
        text = b"\0" + _read_process(pid, "environ")
        if needle in text:
            found.insert(0, os.fsdecode(text.partition(needle)[2].partition(b"\0")[0]))
        facts = _read_process(pid, "stat").rpartition(b")")[2].split()
        pid = int(facts[1]) if len(facts) > 1 else 0
    return found


def _read_process(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:  # another user's, or there is no /proc
        return b""
