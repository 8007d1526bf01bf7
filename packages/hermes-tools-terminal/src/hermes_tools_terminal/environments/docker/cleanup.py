"""Remembers which processes use which container, so that none is removed while somebody needs it."""

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
    """Who uses one container: a folder of its name, with a file of each user's name.

    Attributes:
        folder: That folder.
    """

    folder: str

    @classmethod
    def of(cls, home: str, container: str) -> ContainerUsage:
        """The users of a container.

        Args:
            home: `$HERMES_HOME`.
            container: The container's name.
        """
        return cls(os.path.join(home, "terminal", "containers", container))

    @property
    def known(self) -> bool:
        """Whether anybody ever used it."""
        return os.path.isdir(self.folder)

    def add(self, word: str) -> None:
        """This process uses it, now. A disk that is full is no reason not to.

        Args:
            word: Tells one use by this process from another.
        """
        with contextlib.suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(self._own_entry(word), "a", encoding="utf-8"):
                os.utime(self._own_entry(word))

    def remove(self, word: str) -> None:
        """That use is over."""
        with contextlib.suppress(OSError):
            os.unlink(self._own_entry(word))

    def forget(self) -> None:
        """The container is gone."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def living(self) -> bool:
        """Whether a process uses it that is still there."""
        return any(owner.alive for owner in self._owners().values())

    def shared(self, word: str) -> bool:
        """Whether somebody else than that use uses it, too."""
        mine = os.path.basename(self._own_entry(word))
        return any(owner.alive for name, owner in self._owners().items() if name != mine)

    def abandoned(self) -> bool:
        """Whether a process died while it used it, and nobody else uses it."""
        owners = self._owners().values()
        return bool(owners) and not any(owner.alive for owner in owners)

    def clear(self) -> None:
        """Strike out the dead. When they died nobody knows, so the container counts as used until now."""
        for name, owner in self._owners().items():
            if not owner.alive:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self.folder, name))

    def idle_seconds(self) -> float | None:
        """How long nobody began or ended to use it; None when nothing is known of it."""
        latest: float | None = None
        with contextlib.suppress(OSError):
            # The folder changes whenever somebody comes or goes, the file whenever somebody starts something.
            paths = [self.folder, *(os.path.join(self.folder, name) for name in os.listdir(self.folder))]
            latest = max(os.stat(path).st_mtime for path in paths)
        return None if latest is None else time.time() - latest

    def _own_entry(self, word: str) -> str:
        return os.path.join(self.folder, f"{Owner.this()}_{word}")

    def _owners(self) -> dict[str, Owner]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return {}
        return {name: owner for name in names if (owner := Owner.named(name.partition("_")[0])) is not None}


def known_containers(home: str) -> list[str]:
    """The names of all containers that anybody used."""
    try:
        return os.listdir(os.path.join(home, "terminal", "containers"))
    except OSError:
        return []


MIN_IDLE_SECONDS = 60.0
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
