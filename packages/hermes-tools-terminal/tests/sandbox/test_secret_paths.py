"""Secrets are found wherever they lie, and as soon as they are there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hermes_tools_terminal.environments.sandbox import secret_paths as module
from hermes_tools_terminal.environments.sandbox.secret_paths import find_secret_paths

LIMIT_SECONDS = 20.0
STRANGER = 61234


def _remembered(home: Path) -> bool:
    """Look, and whether the home's content is kept in mind by now."""
    find_secret_paths([str(home)])
    return str(home) in module._home_patterns()._seen


def test_a_secret_is_found_as_soon_as_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SETTLED_NANOSECONDS", 50_000_000)
    deadline = time.monotonic() + LIMIT_SECONDS
    while not _remembered(tmp_path):
        assert time.monotonic() < deadline
    for name in (".netrc", ".AWS", ".pgpass"):
        (tmp_path / name).touch()
        assert str(tmp_path / name) in find_secret_paths([str(tmp_path)]), name
    (tmp_path / ".netrc").unlink()
    assert str(tmp_path / ".netrc") not in find_secret_paths([str(tmp_path)])


def test_a_folder_that_has_just_changed_is_not_taken_to_stay(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    assert not _remembered(tmp_path)


def test_a_secret_in_a_folder_that_came_later_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SETTLED_NANOSECONDS", 50_000_000)
    deadline = time.monotonic() + LIMIT_SECONDS
    while not _remembered(tmp_path):
        assert time.monotonic() < deadline
    (tmp_path / ".config" / "pip").mkdir(parents=True)
    secret = tmp_path / ".config" / "pip" / "pip.conf"
    assert str(secret) not in find_secret_paths([str(tmp_path)])
    secret.touch()
    assert str(secret) in find_secret_paths([str(tmp_path)])


def test_links_lead_to_what_is_hidden(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "keys").mkdir(parents=True)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".ssh").symlink_to(kept / "keys")
    (tmp_path / "other").symlink_to(kept)
    found = find_secret_paths([str(home)], hidden=[str(tmp_path / "other" / "keys" / ".."), f"{tmp_path}/other/keys/"])
    assert {str(kept), str(kept / "keys")} <= found
    assert not any("/home/" in path or "/other" in path for path in found if path.startswith(str(tmp_path)))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees what it cannot get to by its own rights")
def test_what_lies_in_a_strangers_closed_folder_needs_no_mask(tmp_path: Path) -> None:
    kept, home = tmp_path / "kept", tmp_path / "home"
    for folder in (kept, home):
        folder.mkdir()
        (folder / "agent.sock").touch()
    asked = [str(folder / "agent.sock") for folder in (kept, home)]
    kept.chmod(0o710)
    os.chown(kept, STRANGER, STRANGER)
    assert find_secret_paths([], hidden=asked) & set(asked) == {asked[1]}
    for mode, group in ((0o711, STRANGER), (0o710, os.getegid()), (0o700, STRANGER)):
        kept.chmod(mode)
        os.chown(kept, STRANGER, group)
        assert (asked[0] in find_secret_paths([], hidden=asked)) == (mode != 0o700)
    kept.chmod(0)
    os.chown(kept, os.geteuid(), -1)
    assert asked[0] in find_secret_paths([], hidden=asked)  # who owns it can open it
