"""`hermes doctor`, as users run it, in homes that a full disk, a crash or an upgrade has broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core.cli.installation_checks import check_dependencies

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def doctor(home: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Run `hermes doctor --json` in a process of its own, and return its answer with its exit status.

    With `mounts`, a shell command, it runs in a mount namespace of its own after that command.
    """
    scratch = tmp_path / "tmp"
    scratch.mkdir()

    def run(mounts: str = "", *options: str, **env: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "hermes_core", "doctor", "--json", *options]
        if mounts:
            script = f'{mounts}; exec "$@"'
            command = ["unshare", "--map-root-user", "--mount", "sh", "-ec", script, "sh", *command]
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "HERMES_HOME": str(home), "TMPDIR": str(scratch), "PYTHONDONTWRITEBYTECODE": "1", **env},
            timeout=60,
            check=False,
        )
        assert done.stdout.startswith("{"), done.stderr
        return {**json.loads(done.stdout), "status": done.returncode}

    return run


Doctor = Callable[..., dict[str, Any]]


def about(answer: dict[str, Any], subject: str, level: str) -> list[str]:
    """Everything that was found about a subject at one level, with the remedy."""
    found = [each for each in answer["symptoms"] if each["subject"] == subject and each["level"] == level]
    return [f"{each['message']} | {each['remedy']}" for each in found]


# -- space and permissions -------------------------------------------------------------------------------------------


def test_a_full_disk_is_an_error(doctor: Doctor, home: Path) -> None:
    home.mkdir()
    fill = f"mount -t tmpfs -o size=64k tmpfs {home}; head -c 64k /dev/zero > {home}/fill || true"
    answer = doctor(fill)
    assert answer["status"] == 1
    assert "the disk is full" in about(answer, "home", "error")[0]


def test_a_full_temporary_directory_is_an_error(doctor: Doctor, tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    fill = f"mount -t tmpfs -o size=64k tmpfs {folder}; head -c 64k /dev/zero > {folder}/fill || true"
    answer = doctor(fill, TMPDIR=str(folder))
    assert answer["status"] == 1
    assert "the disk is full" in about(answer, "temp", "error")[0]


def test_little_space_is_a_warning(doctor: Doctor, home: Path) -> None:
    home.mkdir()
    answer = doctor(f"mount -t tmpfs -o size=1m tmpfs {home}")
    assert "MB are free" in about(answer, "home", "warning")[0]


def test_few_inodes_are_a_warning(doctor: Doctor, home: Path) -> None:
    home.mkdir()
    answer = doctor(f"mount -t tmpfs -o size=100m,nr_inodes=50 tmpfs {home}")
    assert "more files fit" in about(answer, "home", "warning")[0]


def test_a_home_that_cannot_be_written_is_an_error(doctor: Doctor, home: Path) -> None:
    home.mkdir()
    answer = doctor(f"mount --bind {home} {home}; mount -o remount,bind,ro {home}")
    assert answer["status"] == 1
    assert "cannot be written" in about(answer, "home", "error")[0]


@pytest.mark.parametrize("closed", [".", "home"])
def test_a_home_that_cannot_even_be_looked_into_is_an_error(doctor: Doctor, tmp_path: Path, closed: str) -> None:
    home = tmp_path / "closed" / "home"
    home.mkdir(parents=True)
    barrier = home.parent / closed
    # Without the capabilities by which root ignores modes.
    caps = "-dac_override,-dac_read_search"
    drop = f'set -- setpriv --bounding-set={caps} --inh-caps={caps} "$@"'
    try:
        answer = doctor(f"chmod 000 {barrier}; {drop}", HERMES_HOME=str(home))
    finally:
        barrier.chmod(0o700)
    assert answer["status"] == 1
    assert "cannot be written" in about(answer, "home", "error")[0]


def test_a_home_below_a_file_is_an_error(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    answer = doctor(HERMES_HOME=str(tmp_path / "file" / "home"))
    assert "is not a directory" in about(answer, "home", "error")[0]


def test_a_home_that_is_a_broken_link_is_an_error(doctor: Doctor, home: Path) -> None:
    home.symlink_to("nowhere")
    assert "broken symbolic link" in about(doctor(), "home", "error")[0]


@pytest.mark.parametrize(
    ("name", "mode", "wrong"),
    [
        (".env", 0o644, "others can read"),
        ("approvals.json", 0o640, "others can read"),
        ("config.yaml", 0o666, "others can change"),
        ("plugins", 0o777, "others can change"),
        ("plugins/mine.py", 0o664, "others can change"),
    ],
)
def test_what_others_can_read_or_change_is_a_warning(
    doctor: Doctor, home: Path, name: str, mode: int, wrong: str
) -> None:
    (home / "plugins").mkdir(parents=True)
    path = home / name
    if name != "plugins":
        path.write_text('{"version": 1, "grants": []}' if name.endswith("json") else "", encoding="utf-8")
    path.chmod(mode)
    answer = doctor()
    (found,) = about(answer, "modes", "warning")
    assert wrong in found
    assert f"chmod {'700' if name == 'plugins' else '600'} {path}" in found
    assert answer["status"] == 1


# -- files of the core -----------------------------------------------------------------------------------------------


def test_a_lock_of_a_newer_version_is_named_with_its_version(doctor: Doctor, home: Path) -> None:
    home.mkdir()
    (home / "hermes.lock").write_text('{"format": 5, "plugins": {}, "tools": {}}', encoding="utf-8")
    (found,) = about(doctor(), "lock", "error")
    assert "hermes.lock" in found
    assert "format 5; this one reads format 1" in found


@pytest.mark.parametrize("name", ["trusted-plugins.json"])
@pytest.mark.parametrize("content", ['{"version": 1, "gra', "[]", "\0\0\0"])
def test_a_damaged_state_file_is_an_error(doctor: Doctor, home: Path, name: str, content: str) -> None:
    home.mkdir()
    (home / name).write_text(content, encoding="utf-8")
    (home / name).chmod(0o600)
    (found,) = about(doctor(), "state", "error")
    assert str(home / name) in found


# -- leftovers -------------------------------------------------------------------------------------------------------


def test_old_temporary_files_are_noted_and_new_ones_are_not(doctor: Doctor, home: Path) -> None:
    home.mkdir()
    for name in (f".{'0' * 16}.tmp", f".{'1' * 16}.tmp"):
        (home / name).write_text("half", encoding="utf-8")
    an_hour_ago = time.time() - 3600
    os.utime(home / f".{'0' * 16}.tmp", (an_hour_ago, an_hour_ago))
    answer = doctor()
    (found,) = about(answer, "leftovers", "note")
    assert f".{'0' * 16}.tmp" in found
    assert f".{'1' * 16}.tmp" not in found
    assert answer["status"] == 0


def test_the_doctor_leaves_nothing_behind(doctor: Doctor, home: Path, tmp_path: Path) -> None:
    assert doctor()["status"] == 0
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not home.exists() or list(home.iterdir()) == []


# -- plugins/ --------------------------------------------------------------------------------------------------------


def test_what_is_no_plugin_in_the_plugins_directory_is_named_with_what_to_do(doctor: Doctor, home: Path) -> None:
    plugins = home / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "fine.py").write_text(
        "from hermes_core import hookimpl\n@hookimpl\ndef hermes_tools():\n    return []\n", encoding="utf-8"
    )
    (plugins / "folder").mkdir()
    (plugins / "package").mkdir()
    (plugins / "package" / "__init__.py").touch()
    (plugins / "project").mkdir()
    (plugins / "project" / "pyproject.toml").touch()
    (plugins / "notes.txt").touch()
    (plugins / "hermes-plugin.json").touch()
    (plugins / "lost.py").symlink_to("nowhere")
    (plugins / "folder.py").mkdir()
    os.mkfifo(plugins / "pipe.py")
    (plugins / "__pycache__").mkdir()
    (plugins / "_helper.py").touch()
    (plugins / ".hidden").touch()
    answer = doctor()
    found = {Path(line.split(" is ignored")[0]).name: line for line in about(answer, "plugins directory", "warning")}
    assert set(found) == {
        *("folder", "package", "project", "notes.txt", "hermes-plugin.json", "lost.py", "folder.py", "pipe.py")
    }
    assert "pip install" in found["project"]
    assert "it is a package" in found["package"]
    assert "the link leads nowhere" in found["lost.py"]
    assert about(answer, "plugin fine", "ok")
    assert answer["status"] == 1


def test_a_plugin_file_that_cannot_be_read_is_an_error(doctor: Doctor, home: Path) -> None:
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "torn.py").write_bytes(b"\xff\xfe\0\0 not python")
    assert about(doctor(), "plugin torn", "error")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"manifest": 1, ', "not valid JSON"),
        ('{"manifest": 1, "plugin": "shed", "api": ">=1.0", "tools": {}}', "not a list"),
        ('{"manifest": 2, "plugin": "shed", "api": ">=1.0"}', "reads format 1"),
        ('{"manifest": 1, "plugin": "shed", "api": ">=1.0", "hooks": ["hermes_tools", "hermes_settings"]}', "stale"),
        ("[]", "does not contain an object"),
        (None, "cannot be read"),
    ],
)
def test_a_broken_manifest_is_named(doctor: Doctor, tmp_path: Path, content: str | None, said: str) -> None:
    package = tmp_path / "site" / "hermes_doctor_test_shed"
    package.mkdir(parents=True)
    source = "import hermes_core\n\n@hermes_core.hookimpl\ndef hermes_tools():\n    return []\n"
    (package / "__init__.py").write_text(source, encoding="utf-8")
    manifest = package / "hermes-plugin.json"
    if content is None:
        manifest.mkdir()
    else:
        manifest.write_text(content, encoding="utf-8")
    info = package.parent / "hermes_tools_shed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-tools-shed\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[hermes.plugins]\nshed = hermes_doctor_test_shed\n", encoding="utf-8")
    path = os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])
    answer = doctor(PYTHONPATH=path)
    (found,) = about(answer, "plugin shed", "warning")
    assert "hermes-plugin.json" in found
    assert said in found
    assert answer["status"] == 1


# -- dependencies ----------------------------------------------------------------------------------------------------


def test_a_dependency_that_only_an_extra_of_another_requires_is_missed(doctor: Doctor, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    metadata = {
        "hermes-tools-shed": ["Requires-Dist: doctor-parser>=1", 'Requires-Dist: other; python_version < "3"'],
        "doctor-parser": ["Requires-Dist: doctor-tree[html_clean] (>=4.2)"],
        "doctor-tree": ["Provides-Extra: html-clean", 'Requires-Dist: doctor-tree-clean ; extra == "html-clean"'],
    }
    for name, lines in metadata.items():
        info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        text = "\n".join([f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0", *lines])
        (info / "METADATA").write_text(f"{text}\n", encoding="utf-8")
    (folder / "doctor_test_shed.py").write_text("", encoding="utf-8")
    entry_points = folder / "hermes_tools_shed-1.0.dist-info" / "entry_points.txt"
    entry_points.write_text("[hermes.plugins]\nshed = doctor_test_shed\n", encoding="utf-8")
    answer = doctor(PYTHONPATH=os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    (found,) = about(answer, "dependencies of hermes-tools-shed", "error")
    assert "doctor-tree-clean is not installed, and doctor-tree[html-clean] requires it" in found
    assert "pip install doctor-tree-clean" in found


def test_a_package_of_ours_that_is_missing_is_not_sought_on_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "doctor_shed-1.0.dist-info"
    info.mkdir()
    metadata = "Metadata-Version: 2.1\nName: doctor-shed\nVersion: 1.0\nRequires-Dist: hermes-tools-web>=1.0,<2\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])  # nothing else is installed
    (found,) = check_dependencies(["doctor-shed"])
    assert "./packages/hermes-net ./packages/hermes-tools-web (in a checkout" in found.remedy
