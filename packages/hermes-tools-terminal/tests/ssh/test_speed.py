"""How long it takes, against `ssh` itself on a connection that is open, in the same run."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable
from typing import Any

import anyio

from hermes_tools_terminal.environments.ssh import SshEnvironment
from hermes_tools_terminal.environments.ssh_options import variables
from hermes_tools_terminal.shell.session import Shell

ROUNDS = 15
ATTEMPTS = 3
"""Others may use the machine, too."""


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def test_a_single_command_costs_little_more_than_ssh(sshd: Any, place: Callable[..., SshEnvironment]) -> None:
    opened = place(sshd)
    line = opened.client(["true"], cwd="/", env={}, pty=False, input=False)

    def bare() -> None:
        subprocess.run([*line[:-1], "true"], check=True, capture_output=True, env=variables())

    def ratio() -> float:
        pairs = [(seconds(bare), seconds(lambda: opened.run("true"))) for _ in range(ROUNDS)]
        return statistics.median(ours for _, ours in pairs) / statistics.median(theirs for theirs, _ in pairs)

    ratios: list[float] = []
    while len(ratios) < ATTEMPTS and min(ratios, default=9) >= 1.3:
        ratios.append(ratio())
    assert min(ratios) < 1.3, ratios


def test_the_shell_that_stays_costs_far_less_than_ssh(sshd: Any, place: Callable[..., SshEnvironment]) -> None:
    opened = place(sshd)
    line = opened.client(["true"], cwd="/", env={}, pty=False, input=False)
    bare = statistics.median(
        seconds(lambda: subprocess.run([*line[:-1], "true"], check=True, capture_output=True, env=variables()))
        for _ in range(ROUNDS)
    )

    async def warm() -> float:
        shell = Shell(opened)
        try:
            await shell.run("true", timeout=10)
            times = []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                await shell.run("true", timeout=10)
                times.append(time.perf_counter() - began)
            return statistics.median(times)
        finally:
            shell.close()

    ratio = anyio.run(warm) / bare
    assert ratio < 0.3, ratio
