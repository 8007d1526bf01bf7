"""Removes containers that nobody needs any more, whatever became of who made them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from hermes_tools_terminal.environments.containers.engine import ANSWER_SECONDS, Engine, EngineError
from hermes_tools_terminal.environments.containers.plan import LABEL, profile_of
from hermes_tools_terminal.environments.containers.uses import Uses, known_containers
from hermes_tools_terminal.environments.ledger import Owner

LEAST_IDLE_SECONDS = 60.0
"""A container that is kept for the next process is kept at least as long."""

_FACTS = "\t".join(
    (
        "{{.Name}}",
        *(f'{{{{index .Config.Labels "{LABEL}.{word}"}}}}' for word in ("owner", "reuse")),
        "{{.State.Status}}",
    )
)


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    owner: Owner | None
    kept: bool
    running: bool


def reap_containers(engine: Engine, home: str, *, lifetime: float) -> int:
    """Remove what is left of processes that died; how many containers that concerned.

    Args:
        engine: Where they are.
        home: `$HERMES_HOME`; containers of other homes are left alone.
        lifetime: How long an environment may be idle. Kept containers get twice as long.

    Raises:
        EngineError: the engine does not answer.
    """
    found = _containers(engine, home)
    unneeded: list[str] = []
    ended = 0
    for container in found:
        uses = Uses.of(home, container.name)
        if uses.living():
            continue
        if _is_unneeded(container, uses.idle_seconds(), max(LEAST_IDLE_SECONDS, 2 * lifetime)):
            unneeded.append(container.name)
        elif uses.abandoned():
            ended += _ended_processes(engine, container)
            uses.clear()
    engine.remove(*unneeded)
    there = {container.name for container in found} - set(unneeded)
    for name in known_containers(home):
        if name not in there and not Uses.of(home, name).living():
            Uses.of(home, name).forget()
    return len(unneeded) + ended


def _is_unneeded(container: _Found, idle: float | None, most: float) -> bool:
    owned = container.owner is not None and container.owner.alive
    if container.kept and idle is not None:
        return idle >= most
    return not owned


def _ended_processes(engine: Engine, container: _Found) -> bool:
    """End what a dead process left running in a container that is kept; it is started again when it is needed."""
    if container.running:
        with contextlib.suppress(EngineError):
            engine.call("kill", container.name)
            return True
    return False


def _containers(engine: Engine, home: str) -> list[_Found]:
    ours = ("--filter", f"label={LABEL}=1", "--filter", f"label={LABEL}.profile={profile_of(home)}")
    ids = engine.call("ps", "--all", "--quiet", "--no-trunc", *ours, timeout=ANSWER_SECONDS).split()
    if not ids:
        return []
    lines = engine.call("inspect", "--type", "container", "--format", _FACTS, *ids).splitlines()
    found = []
    for line in lines:
        name, owner, kept, state = line.split("\t")
        found.append(_Found(name.lstrip("/"), Owner.named(owner), kept == "1", state == "running"))
    return found
