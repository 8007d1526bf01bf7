"""Create the filesystem of an environment, and name it for receipts and locks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_tools_terminal.files.local.filesystem import LocalFileSystem

if TYPE_CHECKING:
    from hermes_tools_terminal.environments.base import Environment
    from hermes_tools_terminal.files.filesystem import FileSystem
    from hermes_tools_terminal.settings import TerminalSettings


def filesystem_for(place: Environment, *, home: str, roots: Sequence[str] = (), name: str = "") -> FileSystem:
    """The files of a place. A `RemoteTree` is to be closed before its place.

    Args:
        place: Where commands run, open.
        home: The folder for state, `$HERMES_HOME`.
        roots: The folders that files may be in, as the place calls them; anywhere when there are none.
        name: What the place is called, as `filesystem_name` tells; its kind when it is not given.
    """
    if place.kind == "local":
        return LocalFileSystem(roots)
    from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem

    return RemoteFileSystem(place, name or place.kind, locks=os.path.join(home, "locks", "files"), roots=roots)


def filesystem_name(place: Environment, settings: TerminalSettings, task: str) -> str:
    """What a place is called, the same in another process that would work on the same files.

    Args:
        place: The place, open.
        settings: The section `terminal` that it was made with.
        task: Whose it is.
    """
    if place.kind in ("local", "sandbox"):  # a sandbox has this machine's files
        return place.kind
    if place.kind == "ssh":
        user, port = settings.ssh.user, settings.ssh.port
        return f"ssh:{user}@{settings.ssh.host}:{port}" if user and port else f"ssh:{settings.ssh.host}"
    container = getattr(place, "name", "") if place.kind == "docker" else ""
    return f"{place.kind}:{container or task}"
