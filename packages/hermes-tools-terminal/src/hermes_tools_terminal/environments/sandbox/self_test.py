"""Verify that a sandbox works before it is used."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
from collections.abc import Mapping

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.sandbox.bubblewrap import Bubblewrap
from hermes_tools_terminal.environments.sandbox.landlock import Landlock
from hermes_tools_terminal.environments.sandbox.launch import SandboxCommand, SandboxNotBuiltError, retry_build
from hermes_tools_terminal.environments.sandbox.policy import SandboxPolicy

BARE_VARIABLES = {"PATH": os.defpath, "LC_ALL": "C"}
"""The variables of the program that builds the sandbox: a command's own, such as LD_PRELOAD, apply only inside."""

_PROBE_SECONDS = 20.0

# Prints a word for each thing that works and should not, or the reverse.
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


def verify_sandbox(box: Bubblewrap | Landlock, policy: SandboxPolicy, variables: Mapping[str, str], own: str) -> None:
    """Verify once in a process that a sandbox of this kind works; `own` is a hidden directory that this process may
    write.

    Raises:
        TerminalEnvironmentError: it does not work.
    """
    key = (box.name, policy.network)
    if key in _probed:
        return
    word = f".hermes-{secrets.token_hex(8)}"
    outside = os.path.join(os.path.expanduser("~"), word)
    secret = os.path.join(own, "secret")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("secret\n")
    network = "" if policy.network or isinstance(box, Landlock) else os.readlink("/proc/self/ns/net")
    argv = ["sh", "-c", _PROBE, "sh", outside, secret, os.path.join(policy.workspace, word), network]
    more = {"probe": not policy.network} if isinstance(box, Landlock) else {}

    def probe() -> bytes:
        with box.sandboxed(argv, folder="/", env=variables, **more) as sandboxed:
            return run_command(sandboxed, timeout=_PROBE_SECONDS)

    try:
        words = retry_build(probe).decode(errors="replace").split()
    finally:
        with contextlib.suppress(OSError):
            os.unlink(outside)
    _check_probe(words, box.name, policy)
    _probed.add(key)


def run_command(sandboxed: SandboxCommand, *, input: bytes | None = None, timeout: float) -> bytes:
    """Run a command in the sandbox and return its output.

    Raises:
        SandboxNotBuiltError: it never ran inside.
        TerminalEnvironmentError: it failed, or took too long.
    """
    try:
        done = subprocess.run(  # noqa: S603 - ours
            sandboxed.argv,
            input=input or b"",
            capture_output=True,
            timeout=timeout,
            env=BARE_VARIABLES,
            cwd="/",
            pass_fds=sandboxed.handles,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TerminalEnvironmentError(f"The sandbox did not answer for {timeout:g} seconds.") from error
    except (OSError, ValueError) as error:
        raise TerminalEnvironmentError(f"{sandboxed.argv[0]} cannot be started: {error}") from error
    if done.returncode:
        words = (done.stderr or done.stdout).decode(errors="replace").strip()[-500:]
        failure = TerminalEnvironmentError if sandboxed.built() else SandboxNotBuiltError
        raise failure(words or f"It ended with {done.returncode}.")
    return done.stdout


def _check_probe(words: list[str], engine: str, policy: SandboxPolicy) -> None:
    faults = [_FAULTS[word] for word in words if word in _FAULTS]
    if faults or "done" not in words:
        raise TerminalEnvironmentError(
            f"A sandbox by {engine} is not secure here: {'; '.join(faults) or 'the test failed'}."
        )
    if "workspace" in words:
        raise TerminalEnvironmentError(
            f"Commands cannot write to the workspace {policy.workspace} in a sandbox.",
            hint="The user that runs this must own the directory; root has no special rights inside.",
        )
    if "scratch" in words:
        raise TerminalEnvironmentError(f"Commands cannot write to their scratch directory {policy.scratch}.")
