"""Remembers which processes use which container, so that none is removed while somebody needs it."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from dataclasses import dataclass

from hermes_tools_terminal.environments.ledger import Owner


@dataclass(frozen=True, slots=True)
class Uses:
    """Who uses one container: a folder of its name, with a file of each user's name.

    Attributes:
        folder: That folder.
    """

    folder: str

    @classmethod
    def of(cls, home: str, container: str) -> Uses:
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
            with open(self._mine(word), "a", encoding="utf-8"):
                os.utime(self._mine(word))

    def remove(self, word: str) -> None:
        """That use is over."""
        with contextlib.suppress(OSError):
            os.unlink(self._mine(word))

    def forget(self) -> None:
        """The container is gone."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def living(self) -> bool:
        """Whether a process uses it that is still there."""
        return any(owner.alive for owner in self._owners().values())

    def shared(self, word: str) -> bool:
        """Whether somebody else than that use uses it, too."""
        mine = os.path.basename(self._mine(word))
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

    def _mine(self, word: str) -> str:
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
