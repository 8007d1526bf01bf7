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


def filesystem_for(environment: Environment, *, home: str, roots: Sequence[str] = (), name: str = "") -> FileSystem:
    """Create the filesystem of an environment. Close a `RemoteFileSystem` before its environment.

    Args:
        environment: The open environment.
        home: The state directory, `$HERMES_HOME`.
        roots: The directories that files are confined to, as the environment names them; none for no confinement.
        name: The result of `filesystem_name`; the kind of the environment by default.
    """
    if environment.kind == "local":
        return LocalFileSystem(roots)
    from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem

    return RemoteFileSystem(
        environment, name or environment.kind, locks=os.path.join(home, "locks", "files"), roots=roots
    )


def filesystem_name(environment: Environment, settings: TerminalSettings, task: str) -> str:
    """Name a filesystem; the name is the same in every process that works on the same files."""
    if environment.kind in ("local", "sandbox"):  # a sandbox uses the local files
        return environment.kind
    if environment.kind == "ssh":
        user, port = settings.ssh.user, settings.ssh.port
        return f"ssh:{user}@{settings.ssh.host}:{port}" if user and port else f"ssh:{settings.ssh.host}"
    container = getattr(environment, "name", "") if environment.kind == "docker" else ""
    return f"{environment.kind}:{container or task}"
