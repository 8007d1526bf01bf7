"""Assess a command before it runs: the guard's findings that apply in its environment."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

from hermes_core import Finding
from hermes_tools_terminal.environments.base import agent_home

if TYPE_CHECKING:
    from hermes_guard import Finding as GuardFinding
    from hermes_guard import PathPolicy, ShellState, Verdict
    from hermes_tools_terminal.environments.base import Environment

# Effects that stay in an isolated environment with a network: on its own files, processes and settings.
_INNER = frozenset({"boot", "delete", "disk", "kernel", "kill", "logs", "machine", "package", "permissions", "write"})
_PROGRAM = "path.hermes-program"
_OURS = re.compile(r"hermes_\w+\Z")
_INTERNAL = re.compile(r"(?<!\w)_h_\w")
_INTERNALS = Finding(
    rule="terminal.internals",
    severity="ask",
    reason="uses internal functions that keep the shell running between commands",
    effects=frozenset({"exec"}),
)
_OUTSIDE = frozenset({"message", "network", "publish", "service"})

_MAX_HARMLESS, _MAX_CHARACTERS = 512, 1_000
"""How many harmless commands are cached, and how long they may be: repeated commands are short."""

_harmless: dict[tuple[str, str, str, str, int], None] = {}
"""Commands without findings or state changes, each with its directory, both homes and the shell state."""


class _DiskAccess(threading.local):
    looked = False
    """True when the guard has looked at the disk in this thread: the result is then not cached."""


_disk_access = _DiskAccess()


def assess_command(
    command: str, *, cwd: str, environment: Environment, ask_everywhere: bool = False, state: ShellState | None = None
) -> list[Finding]:
    """Return findings about a command; with `ask_everywhere`, dangerous commands in isolated environments need
    approval, too.
    """
    return assess_with_verdict(state, command, cwd=cwd, environment=environment, ask_everywhere=ask_everywhere)[0]


def assess_with_verdict(
    state: ShellState | None, command: str, *, cwd: str, environment: Environment, ask_everywhere: bool = False
) -> tuple[list[Finding], Verdict]:
    """Return findings about a command, and the guard's verdict; the arguments are those of `assess_command`."""
    verdict = _assess(command, cwd, environment, state)
    ours = _adapt_all([(command, each) for each in verdict.findings], environment, ask_everywhere)
    return ([*ours, _INTERNALS] if _INTERNAL.search(command) else ours), verdict


def _assess(text: str, cwd: str, environment: Environment, state: ShellState | None) -> Verdict:
    # The remote home is unknown; most containers are used as root.
    home = os.environ.get("HOME", "") if environment.quick else "/root"
    agent = agent_home(environment)
    key = (text, cwd, home, agent, -1 if state is None else state.version)
    if key in _harmless:
        return _verdict(state)
    _disk_access.looked = False
    verdict = _judge(agent)(text, cwd=cwd or None, home=home or None, state=state)
    harmless = not verdict.findings and verdict.after is state
    if harmless and not _disk_access.looked and home and len(text) <= _MAX_CHARACTERS:
        if len(_harmless) >= _MAX_HARMLESS:
            _harmless.clear()
        _harmless[key] = None
    return verdict


def _verdict(state: ShellState | None) -> Verdict:
    """Return an empty verdict with this state."""
    from hermes_guard import Verdict

    return Verdict(after=state)


@cache
def path_policy(agent: str) -> PathPolicy:
    """Return the guard's path policy for an agent with this home; empty on other machines and in containers."""
    from hermes_guard import PathPolicy, PathRule

    policy = PathPolicy(hermes_home=agent)
    if not agent:
        return policy
    rule = PathRule(
        id=_PROGRAM,
        ops=("write",),
        severity="ask",
        reason="It is part of the program that decides what the agent may do.",
        effects=frozenset({"exec", "privileged"}),
        patterns=tuple(_program_files()),
    )
    return policy.with_rules([rule])


def _program_files() -> Iterator[str]:
    """Yield patterns for the files that this program consists of: its packages, its interpreter and its commands."""
    import glob
    import sysconfig

    known = sysconfig.get_paths()
    packages = [getattr(sys.modules[name], "__path__", [""])[0] for name in list(sys.modules) if _OURS.match(name)]
    for folder in dict.fromkeys((known["purelib"], known["platlib"], *packages)):
        for path in dict.fromkeys((folder, os.path.realpath(folder))) if folder else ():
            yield f"{glob.escape(path)}/**"
    for name in ("hermes*", "python*", "activate*"):
        yield f"{glob.escape(known['scripts'])}/{name}"


@cache
def _judge(agent: str) -> Callable[..., Verdict]:
    """Return the guard's assessment function, with a path policy that reports when it looks at the disk."""
    from hermes_guard import Guard, PathPolicy

    class ReportingPolicy(PathPolicy):
        def judge(
            self,
            op: Literal["read", "write"],
            path: str | os.PathLike[str],
            *,
            workspace: str | os.PathLike[str] | None = None,
            home: str | os.PathLike[str] | None = None,
        ) -> Verdict:
            _disk_access.looked = True
            return path_policy(agent).judge(op, path, workspace=workspace, home=home)

        def holds_agent(self, path: str, *, home: str | None = None, hidden: bool = True) -> bool:
            _disk_access.looked = True
            return path_policy(agent).holds_agent(path, home=home, hidden=hidden)

    added = frozenset({_PROGRAM}) if agent else frozenset[str]()
    return Guard(paths=ReportingPolicy(hermes_home=agent, added=added)).judge


def _adapt_all(
    found: Sequence[tuple[str, GuardFinding]], environment: Environment, ask_everywhere: bool
) -> list[Finding]:
    if not found:
        return []
    isolated = environment.isolated and not ask_everywhere
    leaks = environment.leaks() if isolated else ()
    return [_adapt_finding(text, each, lifted=isolated and not _leaves(each, leaks)) for text, each in found]


def _leaves(found: GuardFinding, leaks: Sequence[str]) -> bool:
    """Return whether the effect reaches out of an isolated environment."""
    if found.severity == "refuse":
        return True  # an isolated environment has mounts, sockets and networks: refused commands stay refused
    for leak in leaks:
        kind = leak.partition(":")[0]
        if kind == "network" and (found.rule.partition(".")[0] not in _INNER or found.effects & _OUTSIDE):
            return True
        if kind in (
            "folder",
            "socket",
            "everything",
            "host",
        ):  # links inside can lead anywhere, and are not visible from here
            return True
    return False


def _adapt_finding(command: str, found: GuardFinding, *, lifted: bool) -> Finding:
    start, end = found.span or (0, len(command))
    return Finding(
        rule=found.rule,
        severity="note" if lifted else found.severity,
        reason=found.reason,
        effects=found.effects,
        span=command[start:end][:500],
    )


def as_heredoc(command: str, typed: str) -> str:
    """Return the input of a process as a here-document of its program, which the guard can read."""
    word = "HERMES_INPUT"
    while word in typed:
        word += "_"
    return f"{{ {command}\n}} <<'{word}'\n{typed}\n{word}\n"  # any program in the command may read it
