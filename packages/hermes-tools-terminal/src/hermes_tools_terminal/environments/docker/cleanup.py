"""Track which processes use which container, and remove unused containers."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from dataclasses import dataclass

from hermes_tools_terminal.environments.client import LABEL, profile_id
from hermes_tools_terminal.environments.docker.engine import ANSWER_SECONDS, Engine, EngineError
from hermes_tools_terminal.environments.process_records import Owner


@dataclass(frozen=True, slots=True)
class ContainerUsage:
    """The users of one container: a directory of its name, with a file per user."""

    folder: str

    @classmethod
    def of(cls, home: str, container: str) -> ContainerUsage:
        """Return the users of a container."""
        return cls(os.path.join(home, "terminal", "containers", container))

    @property
    def known(self) -> bool:
        """Return whether the container was ever used."""
        return os.path.isdir(self.folder)

    def add(self, use_id: str) -> None:
        """Record a use of this process. Errors such as a full disk are ignored."""
        with contextlib.suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(self._own_entry(use_id), "a", encoding="utf-8"):
                os.utime(self._own_entry(use_id))

    def remove(self, use_id: str) -> None:
        """Record the end of a use."""
        with contextlib.suppress(OSError):
            os.unlink(self._own_entry(use_id))

    def forget(self) -> None:
        """Remove all records: the container is gone."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def living(self) -> bool:
        """Return whether a running process uses it."""
        return any(owner.alive for owner in self._owners().values())

    def shared(self, use_id: str) -> bool:
        """Return whether another use than this one is active."""
        mine = os.path.basename(self._own_entry(use_id))
        return any(owner.alive for name, owner in self._owners().items() if name != mine)

    def abandoned(self) -> bool:
        """Return whether a process died while using it, and no running process uses it."""
        owners = self._owners().values()
        return bool(owners) and not any(owner.alive for owner in owners)

    def clear(self) -> None:
        """Remove the records of dead processes, which count as users of the container until now."""
        for name, owner in self._owners().items():
            if not owner.alive:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self.folder, name))

    def idle_seconds(self) -> float | None:
        """Return the seconds since a use began or ended; None when unknown."""
        latest: float | None = None
        with contextlib.suppress(OSError):
            # The directory changes when a user is added or removed, the file when a process is started.
            paths = [self.folder, *(os.path.join(self.folder, name) for name in os.listdir(self.folder))]
            latest = max(os.stat(path).st_mtime for path in paths)
        return None if latest is None else time.time() - latest

    def _own_entry(self, use_id: str) -> str:
        return os.path.join(self.folder, f"{Owner.this()}_{use_id}")

    def _owners(self) -> dict[str, Owner]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return {}
        return {name: owner for name in names if (owner := Owner.named(name.partition("_")[0])) is not None}


def known_containers(home: str) -> list[str]:
    """Return the names of all containers with records."""
    try:
        return os.listdir(os.path.join(home, "terminal", "containers"))
    except OSError:
        return []


MIN_IDLE_SECONDS = 60.0
"""How long a persistent container is kept for the next process at least."""

_FACTS = "\t".join(
    (
        "{{.Name}}",
        *(f'{{{{index .Config.Labels "{LABEL}.{use_id}"}}}}' for use_id in ("owner", "reuse")),
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
    """Remove what dead processes left behind, and return how many containers that concerned.

    Args:
        engine: The engine.
        home: `$HERMES_HOME`; containers of other homes are left alone.
        lifetime: Idle time limit of an environment, in seconds. Persistent containers get twice as long.

    Raises:
        EngineError: the engine does not answer.
    """
    found = _containers(engine, home)
    unneeded: list[str] = []
    ended = 0
    for container in found:
        uses = ContainerUsage.of(home, container.name)
        if uses.living():
            continue
        if _is_unneeded(container, uses.idle_seconds(), max(MIN_IDLE_SECONDS, 2 * lifetime)):
            unneeded.append(container.name)
        elif uses.abandoned():
            ended += _ended_processes(engine, container)
            uses.clear()
    engine.remove(*unneeded)
    there = {container.name for container in found} - set(unneeded)
    for name in known_containers(home):
        if name not in there and not ContainerUsage.of(home, name).living():
            ContainerUsage.of(home, name).forget()
    return len(unneeded) + ended


def _is_unneeded(container: _Found, idle: float | None, limit: float) -> bool:
    owned = container.owner is not None and container.owner.alive
    if container.kept and idle is not None:
        return idle >= limit
    return not owned


def _ended_processes(engine: Engine, container: _Found) -> bool:
    """End what a dead process left running in a persistent container; it is started again when needed."""
    if container.running:
        with contextlib.suppress(EngineError):
            engine.call("kill", container.name)
            return True
    return False


def _containers(engine: Engine, home: str) -> list[_Found]:
    ours = ("--filter", f"label={LABEL}=1", "--filter", f"label={LABEL}.profile={profile_id(home)}")
    ids = engine.call("ps", "--all", "--quiet", "--no-trunc", *ours, timeout=ANSWER_SECONDS).split()
    if not ids:
        return []
    lines = engine.call("inspect", "--type", "container", "--format", _FACTS, *ids).splitlines()
    found = []
    for line in lines:
        name, owner, kept, state = line.split("\t")
        found.append(_Found(name.lstrip("/"), Owner.named(owner), kept == "1", state == "running"))
    return found
