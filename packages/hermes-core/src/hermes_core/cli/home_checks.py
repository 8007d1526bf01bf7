"""What `hermes doctor` looks at on the disk: space, modes, state files and leftovers in the user's home."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from hermes_core.cli.installation_checks import Symptom
from hermes_core.errors import ConfigError
from hermes_core.plugins.trust import FILE as TRUST_FILE
from hermes_core.plugins.trust import Trust

_LOW_BYTES = 50_000_000
_LOW_FILES = 1_000
_ABANDONED_SECONDS = 600.0
"""A temporary file lives for as long as it takes to write it; one this old was left by a crash."""
_TEMPORARY = re.compile(r"\.(?:hermes-\d+-)?[0-9a-f]{16}\.tmp")
_BROKEN = re.compile(r".+\.broken(?:\.\d+)?")
_MAX_NAMED = 5


def check_home(home: Path) -> Iterator[Symptom]:
    """Check that settings and state can be stored, and what is stored already."""
    for check in (_home, _temporary_directory, _modes, _trust, _leftovers, _plugin_directory):
        try:
            yield from check(home)
        except OSError as error:  # a disk that does not even let us look
            message = f"{error.filename or 'the disk'} cannot be read ({error.strerror or error})"
            yield Symptom("error", "home", message, "Fix its owner and mode, and check the disk.")


def _home(home: Path) -> Iterator[Symptom]:
    existing = next(path for path in (home, *home.parents) if os.path.lexists(path))
    if os.path.isdir(existing):
        missing = "" if existing == home else " does not exist yet; it is created when something is stored there"
        yield from _space("home", existing, f"{home}{missing}", "Fix its owner and mode, or set HERMES_HOME.")
    else:
        is_broken = os.path.islink(existing) and not os.path.exists(existing)
        what = "is a broken symbolic link" if is_broken else "is not a directory"
        yield Symptom("error", "home", f"{existing} {what}", "Move it away, or set HERMES_HOME to a directory.")


def _temporary_directory(_home: Path) -> Iterator[Symptom]:
    folder = next((os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), "/tmp")  # noqa: S108
    yield from _space("temp", Path(folder), folder, "Free some space, or set TMPDIR to another directory.")


def _space(subject: str, folder: Path, description: str, remedy: str) -> Iterator[Symptom]:
    """Write a few KB, and look how much space is left."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:  # without a name: nothing is left, even if we are killed
            probe.write(b"\0" * 16_384)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            yield Symptom("error", subject, f"the disk is full: {folder} cannot be written", "Free some space.")
        else:
            yield Symptom("error", subject, f"{folder} cannot be written ({error.strerror or error})", remedy)
        return
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if free < _LOW_BYTES:
        yield Symptom("warning", subject, f"only {free / 1e6:.1f} MB are free in {folder}", "Free some space.")
    elif disk.f_files and disk.f_favail < _LOW_FILES:
        message = f"only {disk.f_favail:,} more files fit on the file system of {folder}"
        yield Symptom("warning", subject, message, "Delete files that are not needed: it has few inodes left.")
    else:
        yield Symptom("ok", subject, description)


def _modes(home: Path) -> Iterator[Symptom]:
    """Check who else can read secrets, or change what is trusted."""
    public = (home, home / "config.yaml", home / "plugins", *_files(home / "plugins"))
    state = (file for file in _files(home) if file.suffix in (".json", ".jsonl"))
    private = (home / ".env", home / "approvals", *state)
    for path in (*public, *private):
        try:
            facts = path.stat()
        except OSError:
            continue  # missing, or reported where it is read
        mode = "700" if stat.S_ISDIR(facts.st_mode) else "600"
        if facts.st_uid not in (os.geteuid(), 0):
            yield Symptom("warning", "modes", f"{path} belongs to another user", f"Run: chown {os.geteuid()} {path}")
        elif facts.st_mode & 0o022:
            yield Symptom("warning", "modes", f"others can change {path}", f"Run: chmod {mode} {path}")
        elif path in private and facts.st_mode & 0o077:
            yield Symptom("warning", "modes", f"others can read {path}", f"Run: chmod {mode} {path}")


def _trust(home: Path) -> Iterator[Symptom]:
    """Check that the list of trusted plugins can be read."""
    try:
        Trust(home).read()
    except ConfigError as error:
        yield Symptom("error", "state", str(error), "Repair the file, or move it away.")
    except ValueError as error:
        message = f"{home / TRUST_FILE} is damaged: {error}"
        yield Symptom("error", "state", message, "Repair the file. Otherwise it is moved aside when it is next read.")


def _leftovers(home: Path) -> Iterator[Symptom]:
    """Report temporary files that killed processes left, and damaged files that were moved aside."""
    abandoned: list[Path] = []
    for path in (path for folder in ("", "approvals", "cache", "undo") for path in _files(home / folder)):
        if _TEMPORARY.fullmatch(path.name) and time.time() - os.lstat(path).st_mtime > _ABANDONED_SECONDS:
            abandoned.append(path)
        elif _BROKEN.fullmatch(path.name):
            message = f"{path} is a damaged file that was moved aside"
            yield Symptom("note", "leftovers", message, "Look at it, then delete it.")
    if abandoned:
        more = f" and {len(abandoned) - _MAX_NAMED} more" if len(abandoned) > _MAX_NAMED else ""
        message = f"temporary files of a process that was killed: {', '.join(map(str, abandoned[:_MAX_NAMED]))}{more}"
        yield Symptom("note", "leftovers", message, "Delete them.")


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if os.path.isfile(path))
    except OSError:
        return []


def _plugin_directory(home: Path) -> Iterator[Symptom]:
    """Report entries of `$HERMES_HOME/plugins` that are not plugins and are therefore ignored."""
    folder = home / "plugins"
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return  # missing, or in the load report
    for path in (folder / name for name in names if not name.startswith((".", "_"))):  # not helpers and caches
        if ignored := _why_ignored(path):
            yield Symptom("warning", "plugins directory", f"{path} is ignored: {ignored[0]}", ignored[1])


def _why_ignored(path: Path) -> tuple[str, str] | None:
    """Return why an entry is not loaded, and what to do."""
    if os.path.islink(path) and not os.path.exists(path):
        return "the link leads nowhere", "Fix the link, or delete it."
    if os.path.isfile(path / "pyproject.toml"):
        return "it is a project, not a single file", f"Install it: pip install {path}"
    if os.path.isfile(path / "__init__.py"):
        return "it is a package, not a single file", "Make it a distribution and install it with pip."
    if os.path.isdir(path):
        return "it is a directory", "Move its .py files here, or install it with pip as a distribution."
    if path.name == "hermes-plugin.json":
        return "a manifest belongs to an installed package", "Delete it; single files need none."
    if path.suffix != ".py":
        return "its name does not end in .py", "Rename it if it is a plugin, or move it away."
    return None if os.path.isfile(path) else ("it is not a regular file", "Replace it with a file.")
