"""Detects that a tool started this process, which then has the authority of the tool's session and cannot extend it.

There are three signs, each of which is sufficient: an environment variable of this process, the same variable in the
initial environment of an ancestor, and resource limits that every descendant inherits. A sign only restricts, so
forging one gains nothing. The home of the session cannot be forged either: two limits contain a digest of its
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
"""Contains the home of the session in every process that its tools start."""

_ASK_THE_USER = "Ask the user to do it in their own terminal."
_BASE = 1 << 61  # higher limits are marks: no process has that much time, memory or locks
# Linux no longer enforces the first two, and the third only for real-time processes.
_RSS, _LOCKS, _RTTIME = 5, 10, 15


class ToolSession:
    """The session whose tool started a process; `home` is None if the process hides it."""

    # Not a dataclass, because creating the class takes longer than everything else here.
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
        """The environment variables for processes on other machines, where the home may not exist."""
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
    """Return the outermost session whose tool started this process, or None."""
    return session_of(os.getpid(), os.environ.get(VARIABLE))


def session_of(pid: int, claimed: str | None = None) -> ToolSession | None:
    """Return the session whose tool started a process of this user; None if no sign of one is found.

    `claimed` is the current value of the variable in that process.

    Raises `PermissionError` without a sign if the process hides its limits, as that of another user does.
    """
    claims = _claims(pid)
    if claimed is not None:
        claims.append(claimed)
    try:
        limits = _limits(pid)
    except PermissionError:
        if not claims:
            raise
        limits = {}
    memory, locks = limits.get(_RSS, 0), limits.get(_LOCKS, 0)
    # Lowered marks are still limits, but a single small one is the user's own.
    marked = max(memory, locks) >= _BASE or {_RSS, _LOCKS} <= limits.keys()
    if not claims and not marked and limits.get(_RTTIME, 0) < _BASE:  # desktops set a low limit of this kind
        return None
    if marked:
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
    """Raise `ConfigError` in a process started by a tool, which must not change the permissions of its session.

    `what` is the beginning of a sentence, such as `Settings cannot be changed`.
    """
    if tool_session() is not None:
        raise ConfigError(f"{what} by a process that a tool started. {_ASK_THE_USER}")


def session_home(wanted: str | None) -> str | None:
    """Return the home that this process must use; None if no tool started it.

    Raises `ConfigError` if another home is `wanted`, or if the process hides its session.
    """
    session = tool_session()
    if session is None:
        return None
    if session.home is None:
        raise ConfigError(
            f"A tool started this process, but its session cannot be determined: {VARIABLE} is missing or was "
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

        own = pid == os.getpid()
        for number in (_RTTIME, _RSS, _LOCKS):
            # A sandbox may forbid looking at limits, except the own ones.
            with contextlib.suppress(OSError if own else ProcessLookupError, ValueError):
                hard = resource.prlimit(0 if own else pid, number)[1]
                if hard != resource.RLIM_INFINITY:
                    found[number] = hard
    return found


def _claims(pid: int) -> list[str]:
    """Return the initial value of the variable in each ancestor, the outermost first, the process itself last."""
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
