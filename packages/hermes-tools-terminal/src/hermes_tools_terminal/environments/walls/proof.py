"""Sees that a sandbox holds before anybody relies on it."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
from collections.abc import Mapping

from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.environments.walls.bubblewrap import Bubblewrap
from hermes_tools_terminal.environments.walls.landlock import Landlock
from hermes_tools_terminal.environments.walls.plan import Plan
from hermes_tools_terminal.environments.walls.wrapping import NotBuiltError, Wrapped, persistent

BARE = {"PATH": os.defpath, "LC_ALL": "C"}
"""The variables of what builds the sandbox: a command's own, such as LD_PRELOAD, act inside only."""

_PROBE_SECONDS = 20.0

# Says one word for each thing that should not work and does, or should and does not.
_PROBE = """
( : >"$1" ) 2>/dev/null && echo outside
if cat "$2" 2>/dev/null; then echo secret; fi
( : >"$3" ) 2>/dev/null && rm -f -- "$3" || echo workspace
( : >"$TMPDIR/.probe" ) 2>/dev/null && rm -f -- "$TMPDIR/.probe" || echo scratch
grep -q '^NoNewPrivs:.1' /proc/self/status || echo privileges
grep -q '^CapEff:.0*$' /proc/self/status || echo capabilities
( : >>/proc/sys/kernel/hostname ) 2>/dev/null && echo kernel
if [ -n "$4" ]; then net=$(readlink /proc/self/ns/net); [ -n "$net" ] && [ "$net" != "$4" ] || echo network; fi
echo done
"""
_FAULTS = {
    "outside": "commands can write outside the workspace",
    "secret": "commands can read what is hidden",
    "privileges": "commands can gain privileges",
    "capabilities": "commands have capabilities",
    "kernel": "commands can change the kernel's settings",
    "network": "commands reach the network",
    "socket": "commands can open sockets",
}
_probed: set[tuple[str, bool]] = set()


def prove(box: Bubblewrap | Landlock, plan: Plan, variables: Mapping[str, str], own: str) -> None:
    """See once in a process that a sandbox of this kind holds.

    Args:
        box: What builds it.
        plan: What it is to be.
        variables: Those of commands.
        own: A hidden folder that this process may write.

    Raises:
        PlaceError: it does not.
    """
    key = (box.name, plan.network)
    if key in _probed:
        return
    word = f".hermes-{secrets.token_hex(8)}"
    outside = os.path.join(os.path.expanduser("~"), word)
    secret = os.path.join(own, "secret")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("secret\n")
    network = "" if plan.network or isinstance(box, Landlock) else os.readlink("/proc/self/ns/net")
    argv = ["sh", "-c", _PROBE, "sh", outside, secret, os.path.join(plan.workspace, word), network]
    more = {"probe": not plan.network} if isinstance(box, Landlock) else {}

    def probe() -> bytes:
        with box.wrapped(argv, folder="/", env=variables, **more) as wrapped:
            return output_of(wrapped, timeout=_PROBE_SECONDS)

    try:
        said = persistent(probe).decode(errors="replace").split()
    finally:
        with contextlib.suppress(OSError):
            os.unlink(outside)
    _judge(said, box.name, plan)
    _probed.add(key)


def output_of(wrapped: Wrapped, *, input: bytes | None = None, timeout: float) -> bytes:
    """What a command inside printed.

    Raises:
        NotBuiltError: it was never inside.
        PlaceError: it failed, or took too long.
    """
    try:
        done = subprocess.run(  # noqa: S603 - ours
            wrapped.argv,
            input=input or b"",
            capture_output=True,
            timeout=timeout,
            env=BARE,
            cwd="/",
            pass_fds=wrapped.handles,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PlaceError(f"The sandbox did not answer for {timeout:g} seconds.") from error
    except (OSError, ValueError) as error:
        raise PlaceError(f"{wrapped.argv[0]} cannot be started: {error}") from error
    if done.returncode:
        words = (done.stderr or done.stdout).decode(errors="replace").strip()[-500:]
        failure = PlaceError if wrapped.built() else NotBuiltError
        raise failure(words or f"It ended with {done.returncode}.")
    return done.stdout


def _judge(said: list[str], engine: str, plan: Plan) -> None:
    faults = [_FAULTS[word] for word in said if word in _FAULTS]
    if faults or "done" not in said:
        raise PlaceError(f"A sandbox by {engine} does not hold here: {'; '.join(faults) or 'it says nothing'}.")
    if "workspace" in said:
        raise PlaceError(
            f"Commands cannot write to the workspace {plan.workspace} in a sandbox.",
            hint="The user that runs this has to own the folder; root has no special rights inside.",
        )
    if "scratch" in said:
        raise PlaceError(f"Commands cannot write to their scratch folder {plan.scratch} in a sandbox.")
