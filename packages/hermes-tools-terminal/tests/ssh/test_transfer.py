"""Files and folders that are copied there and back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.ssh.environment import SshEnvironment

Places = Callable[..., SshEnvironment]


def test_a_folder_goes_there_and_comes_back(sshd: Any, place: Places, tmp_path: Path) -> None:
    opened = place(sshd)
    source = tmp_path / "source"
    (source / "deep er").mkdir(parents=True)
    (source / "deep er" / "data").write_bytes(os.urandom(3_000_000))
    (source / "tool").write_text("#!/bin/sh\necho runs\n")
    (source / "tool").chmod(0o755)
    (source / "link").symlink_to("tool")
    opened.send(str(source), f"{opened.folder}/new/copy")
    assert opened.run('"$1"', f"{opened.folder}/new/copy/link") == b"runs\n"
    back = tmp_path / "back"
    opened.fetch(f"{opened.folder}/new/copy", str(back))
    assert (back / "deep er" / "data").read_bytes() == (source / "deep er" / "data").read_bytes()
    assert os.readlink(back / "link") == "tool"
    assert os.access(back / "tool", os.X_OK)


def test_a_file_goes_there_and_comes_back(sshd: Any, place: Places, tmp_path: Path) -> None:
    opened = place(sshd)
    source = tmp_path / "it's one"
    source.write_bytes(os.urandom(100_000))
    opened.send(str(source), f"{opened.folder}/else/named so")
    opened.fetch(f"{opened.folder}/else/named so", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == source.read_bytes()


def test_a_link_that_leads_out_of_the_folder_is_refused(sshd: Any, place: Places, tmp_path: Path) -> None:
    opened = place(sshd)
    opened.run('mkdir -p "$1" && ln -sfn /etc "$1/out"', f"{opened.folder}/evil")
    with pytest.raises(TerminalEnvironmentError, match="not copied"):
        opened.fetch(f"{opened.folder}/evil", str(tmp_path / "back"))


def test_what_is_not_there_is_told(sshd: Any, place: Places, tmp_path: Path) -> None:
    opened = place(sshd)
    with pytest.raises(TerminalEnvironmentError, match="no such file"):
        opened.fetch("/nowhere", str(tmp_path / "back"))
    with pytest.raises(FileNotFoundError):
        opened.send(str(tmp_path / "nothing"), f"{opened.folder}/x")
    source = tmp_path / "file"
    source.write_bytes(b"x" * 1_000_000)
    with pytest.raises(TerminalEnvironmentError, match="not copied"):
        opened.send(str(source), "/proc/nowhere/x")
