"""Compares `terminal` on another machine, in a container and in a sandbox with the underlying program."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Awaitable, Iterator
from time import perf_counter
from typing import TypeVar

import anyio
from pydantic import TypeAdapter

import hermes_tools_terminal.plugin
from bench.harness import Row, numbered, once
from bench.terminal.bare import BareShell, bare_bwrap, bare_ssh
from bench.terminal.local import run
from bench.terminal.pairs import in_turn
from bench.terminal.servers import MissingError, dockerd, program, sshd
from hermes_core import Hermes
from hermes_tools_terminal.eager_execution import run_eagerly
from hermes_tools_terminal.environments.base import Environment
from hermes_tools_terminal.environments.docker import environment as docker
from hermes_tools_terminal.environments.sandbox import environment as sandbox
from hermes_tools_terminal.environments.sandbox.policy import build_policy
from hermes_tools_terminal.environments.ssh import environment as ssh
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.shell.shell import Outcome, Shell

AnyEnvironment = TypeVar("AnyEnvironment", bound=Environment)

ROUNDS, WARM_ROUNDS = 100, 1_000
"""Many small rounds, because other load on the machine then affects only a few of them."""

SECONDS = 20.0
"""The deadline of `true`."""


def rows() -> Iterator[Row]:
    """Return the lines of the table; none for an environment whose program is missing."""
    for measure in (_ssh, _docker, _sandbox):
        with contextlib.suppress(MissingError):
            # The environment is closed before its first line is printed, so nothing is left running.
            yield from measure()


def _ssh() -> list[Row]:
    with sshd() as server, bare_ssh(server) as bare, tempfile.TemporaryDirectory(prefix="hb-") as home:
        settings = TypeAdapter(TerminalSettings).validate_python(server.settings)
        with (
            Hermes(plugins=[hermes_tools_terminal.plugin], home=home, config={"terminal": server.settings}) as hermes,
            _opened(ssh.make(settings, task="bench", home=home)) as place,
        ):
            sides = {
                "pipeline": lambda: once(lambda: run(hermes, "true")),
                "single": lambda: once(lambda: place.run("true")),
                "bare": lambda: once(lambda: subprocess.run([*bare, "true"], capture_output=True, check=True)),
            }
            usual = in_turn(sides, ROUNDS)
    against, bare_time = "ssh on a warm master", usual["bare"]
    return [
        Row(what="ssh: terminal true, warm", against=against, ours=usual["pipeline"], baseline=bare_time, limit=1.3),
        Row(what="ssh: a single command", against=against, ours=usual["single"], baseline=bare_time, limit=1.3),
    ]


def _docker() -> list[Row]:
    with dockerd() as image, tempfile.TemporaryDirectory(prefix="hb-") as home:
        options = {"engine": program("docker"), "image": image, "network": False, "reuse": False}
        settings = TypeAdapter(TerminalSettings).validate_python({"docker": options})
        with (
            _opened(docker.make(settings, task="bench", home=home)) as place,
            contextlib.closing(BareShell([program("docker"), "exec", "-i", place.name, "sh"])) as bare,
            contextlib.closing(Shell(place)) as shell,
        ):
            usual = _round_trips(shell, bare)
    against = "docker exec -i, a bare shell"
    return [Row(what="docker: true, warm", against=against, ours=usual["ours"], baseline=usual["bare"], limit=1.2)]


def _sandbox() -> list[Row]:
    program("bwrap")
    with tempfile.TemporaryDirectory() as workspace, tempfile.TemporaryDirectory() as home:
        section = {"env": "sandbox", "cwd": workspace, "sandbox": {"engine": "bubblewrap"}}
        settings = TypeAdapter(TerminalSettings).validate_python(section)
        if sandbox.check(settings) is not None:
            raise MissingError("bwrap does not work here")
        tasks, plan = numbered("task"), build_policy(settings, folder=workspace, home=home, scratch=workspace)
        with (
            Hermes(plugins=[hermes_tools_terminal.plugin], home=home, config={"terminal": section}) as hermes,
            _opened(sandbox.make(settings, task="bench", home=home)) as place,
            contextlib.closing(Shell(place)) as shell,
            contextlib.closing(BareShell([*bare_bwrap(workspace), "bash", "--noprofile", "--norc"])) as bare,
        ):
            cold = in_turn(
                {
                    "task": lambda: once(lambda: run(hermes, "true", next(tasks))),
                    "shell": lambda: _new_shell(place),
                    "hiding": lambda: _in_bwrap(bare_bwrap(workspace, plan.hidden)),
                    "open": lambda: _in_bwrap(bare_bwrap(workspace)),
                },
                ROUNDS,
                baseline="hiding",
            )
            warm = _round_trips(shell, bare)
    hiding, not_hiding, stays = "bwrap, hiding the same", "bwrap, hiding nothing", "a bare shell in bwrap"
    return [
        Row(what="sandbox: true, new shell", against=hiding, ours=cold["shell"], baseline=cold["hiding"], limit=1.5),
        Row(what="sandbox: true, new shell", against=not_hiding, ours=cold["shell"], baseline=cold["open"]),
        Row(what="sandbox: terminal true, new task", against=hiding, ours=cold["task"], baseline=cold["hiding"]),
        Row(what="sandbox: true, warm", against=stays, ours=warm["ours"], baseline=warm["bare"]),
    ]


@contextlib.contextmanager
def _opened(place: AnyEnvironment) -> Iterator[AnyEnvironment]:
    try:
        place.open()
        yield place
    finally:
        place.close()


def _round_trips(shell: Shell, bare: BareShell) -> dict[str, float]:
    """`true` in a shell that stays, ours and a bare one."""
    sides = {"ours": lambda: once(lambda: _run_true(shell)), "bare": lambda: once(lambda: bare.run("true"))}
    return in_turn(sides, WARM_ROUNDS)


def _run_true(shell: Shell) -> None:
    """Run `true` in an existing shell as the tool does: without an event loop if it ends quickly."""
    answer = run_eagerly(shell.run("true", timeout=SECONDS))
    outcome = answer if isinstance(answer, Outcome) else anyio.run(_awaited, answer)
    assert outcome.status == 0, outcome


async def _awaited(rest: Awaitable[Outcome]) -> Outcome:
    return await rest


def _in_bwrap(line: list[str]) -> float:
    return once(lambda: subprocess.run([*line, "bash", "-c", "true"], check=True))


def _new_shell(place: Environment) -> float:
    """The time of the first command in a new shell."""

    async def talk() -> float:
        started = perf_counter()
        outcome = await shell.run("true", timeout=SECONDS)
        took = perf_counter() - started
        assert outcome.status == 0, outcome
        return took

    with contextlib.closing(Shell(place)) as shell:
        return anyio.run(talk)
