"""Apptainer with a small image made here, and instances that are gone when a test is over."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_tools_terminal.environments import singularity
from hermes_tools_terminal.environments.singularity import SingularityEnvironment
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.shell.session import Outcome, Shell


@pytest.fixture(scope="session")
def image_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file system with busybox, and the bash of this machine."""
    busybox, bash = shutil.which("busybox"), shutil.which("bash")
    if busybox is None or bash is None:
        pytest.skip("busybox is missing (Debian: busybox-static)")
    root = tmp_path_factory.mktemp("image") / "root"
    for folder in ("bin", "tmp", "var/tmp", "proc", "sys", "dev", "etc", "root"):
        (root / folder).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    for applet in subprocess.check_output([busybox, "--list"], text=True).split():
        if applet not in ("busybox", "bash"):
            (root / "bin" / applet).symlink_to("busybox")
    shutil.copy(bash, root / "bin/bash")
    for library in re.findall(r"/\S+", subprocess.check_output(["ldd", bash], text=True)):
        inside = root / library.lstrip("/")
        inside.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, inside)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    return root


@pytest.fixture(scope="session")
def image(image_root: Path) -> Path:
    """That file system as an image."""
    path = image_root.parent / "small.sif"
    subprocess.run(
        ["apptainer", "--quiet", "build", str(path), str(image_root)], check=True, capture_output=True, timeout=120
    )
    return path


@pytest.fixture(autouse=True)
def engine_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The engine's own folder: what it remembers of instances and what it caches is no business of the user's."""
    folder = tmp_path / "engine"
    for name in ("APPTAINER_CONFIGDIR", "APPTAINER_CACHEDIR"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr(singularity, "_unable", {})
    yield folder
    if shutil.which("apptainer") is not None:
        left = subprocess.check_output(["apptainer", "instance", "list", "--json"], text=True)
        assert '"instances": []' in left, left


Make = Callable[..., SingularityEnvironment]


@pytest.fixture
def make(image: Path, home: Path) -> Iterator[Make]:
    """Makes and opens environments, and closes them when the test is over."""
    made: list[SingularityEnvironment] = []

    def make(task: str = "a task", *, terminal: dict[str, Any] | None = None, **given: Any) -> SingularityEnvironment:
        place = singularity.make(settings(image, terminal=terminal, **given), task=task, home=str(home))
        made.append(place)
        place.open()
        return place

    yield make
    for place in made:
        place.close()


def settings(image: Path | str, *, terminal: dict[str, Any] | None = None, **given: Any) -> TerminalSettings:
    """The section `terminal` with an image."""
    return TerminalSettings.model_validate(
        {"env": "singularity", **(terminal or {}), "singularity": {"image": str(image), **given}}
    )


def outcomes(place: SingularityEnvironment, *commands: str, timeout: float = 20) -> list[Outcome]:
    """How commands end, one after another in one shell."""

    async def run() -> list[Outcome]:
        shell = Shell(place)
        try:
            return [await shell.run(command, timeout=timeout) for command in commands]
        finally:
            shell.close()

    return anyio.run(run)


def printed(place: SingularityEnvironment, command: str) -> str:
    """What one command prints."""
    return outcomes(place, command)[0].output


def readable_by_others(python: str) -> bool:
    """Whether other users can run a Python."""
    return os.access(python, os.X_OK) and not os.path.realpath(python).startswith("/root/")
