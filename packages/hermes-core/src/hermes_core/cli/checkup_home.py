"""What `hermes doctor` looks at on the disk: space, modes, state files and leftovers in the user's home."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hermes_core.cli.checkup import Symptom
from hermes_core.errors import ConfigError
from hermes_core.plugins.trust import FILE as TRUST_FILE
from hermes_core.plugins.trust import FORMAT as TRUST_FORMAT
from hermes_core.plugins.trust import Trust

_PROBE = b"\0" * 16_384
_LOW_BYTES = 50_000_000
_LOW_FILES = 1_000
_ABANDONED_SECONDS = 600.0
"""A temporary file lives for as long as it takes to write it; one this old was left by a crash."""
_TEMPORARY = re.compile(r"\.(?:hermes-\d+-)?[0-9a-f]{16}\.tmp")
_BROKEN = re.compile(r".+\.broken(?:\.\d+)?")
_LOCK = re.compile(r"\..+\.lock")
_MOST_NAMED = 5
_MOVE = "Upgrade hermes-core, or move the file away."


# -- space and permissions -------------------------------------------------------------------------------------------


def home_directory(folder: Path) -> Iterator[Symptom]:
    """Check that settings and state can be stored."""
    existing = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if not os.path.isdir(existing):
        what = (
            "is a broken symbolic link"
            if os.path.islink(existing) and not os.path.exists(existing)
            else "is not a directory"
        )
        yield Symptom("error", "home", f"{existing} {what}", "Move it away, or set HERMES_HOME to a directory.")
        return
    problems = list(_space("home", existing, "Fix its owner and mode, or set HERMES_HOME."))
    yield from problems
    if not problems:
        missing = "" if existing == folder else " does not exist yet; it is created when something is stored there"
        yield Symptom("ok", "home", f"{folder}{missing}")


def temp_directory() -> Iterator[Symptom]:
    """Check that temporary files can be written where programs expect to write them."""
    wanted = next((os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), "/tmp")  # noqa: S108
    problems = list(_space("temp", Path(wanted), "Free some space, or set TMPDIR to another directory."))
    yield from problems
    if not problems:
        yield Symptom("ok", "temp", wanted)


def _space(subject: str, folder: Path, remedy: str) -> Iterator[Symptom]:
    """Write a few KB, and look how much space is left."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:  # without a name: nothing stays, even if we are killed
            probe.write(_PROBE)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            yield Symptom("error", subject, f"the disk is full: {folder} cannot be written", "Free some space.")
        else:
            why = error.strerror or error
            yield Symptom("error", subject, f"{folder} cannot be written ({why})", remedy)
        return
    facts = os.statvfs(folder)
    free = facts.f_bavail * facts.f_frsize
    if free < _LOW_BYTES:
        yield Symptom("warning", subject, f"only {free / 1e6:.1f} MB are free in {folder}", "Free some space.")
    if facts.f_files and facts.f_favail < _LOW_FILES:
        message = f"only {facts.f_favail:,} more files fit on the file system of {folder}"
        yield Symptom("warning", subject, message, "Delete files that are not needed: it has few inodes left.")


def modes(home: Path) -> Iterator[Symptom]:
    """Check who else can read secrets, or change what is trusted."""
    for path, private in _guarded(home):
        try:
            facts = path.stat()
        except OSError:
            continue  # missing, or reported where it is read
        bits = stat.S_IMODE(facts.st_mode)
        right = 0o700 if stat.S_ISDIR(facts.st_mode) else 0o600
        if facts.st_uid not in (os.geteuid(), 0):
            yield Symptom("warning", "modes", f"{path} belongs to another user", f"Run: chown {os.geteuid()} {path}")
        elif bits & 0o022:
            yield Symptom("warning", "modes", f"others can change {path}", f"Run: chmod {right:o} {path}")
        elif private and bits & 0o077:
            yield Symptom("warning", "modes", f"others can read {path}", f"Run: chmod {right:o} {path}")


def _guarded(home: Path) -> Iterator[tuple[Path, bool]]:
    """Yield what others must not change, and whether they must not read it, either."""
    yield home, False
    yield home / "config.yaml", False
    yield home / "plugins", False
    for file in _files(home / "plugins"):
        yield file, False
    for name in (".env", "approvals"):
        yield home / name, True
    for file in _files(home):
        if file.suffix in (".json", ".jsonl"):  # state
            yield file, True


# -- state files -----------------------------------------------------------------------------------------------------


def state_files(home: Path) -> Iterator[Symptom]:
    """Check that the files of the core can be read by this version."""
    if os.path.isdir(home):
        yield from _versioned(home / TRUST_FILE, TRUST_FORMAT, lambda: Trust(home).read())


def _versioned(file: Path, known: int, read: Callable[[], object]) -> Iterator[Symptom]:
    """Report a file that a newer version wrote, or that its reader refuses."""
    data = _json(file)
    version = data.get("version") if isinstance(data, dict) else None
    if known and isinstance(version, int) and version > known:
        message = f"{file} was written by a newer version (format {version}; this one reads {known})"
        yield Symptom("error", "state", message, _MOVE)
        return
    try:
        read()
    except ConfigError as error:
        yield Symptom("error", "state", str(error), "Repair the file, or move it away.")
    except ValueError as error:
        message = f"{file} is damaged: {error}"
        yield Symptom("error", "state", message, "Repair the file. Otherwise it is moved aside when it is next read.")


def _json(file: Path) -> object:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


# -- leftovers -------------------------------------------------------------------------------------------------------


def leftovers(home: Path) -> Iterator[Symptom]:
    """Report temporary files and locks that killed processes left."""
    now = time.time()
    abandoned: list[Path] = []
    for folder in (home, home / "approvals", home / "cache", home / "undo"):
        for path in _files(folder):
            if _TEMPORARY.fullmatch(path.name) and now - _written(path, now) > _ABANDONED_SECONDS:
                abandoned.append(path)
            elif _LOCK.fullmatch(path.name):
                yield from _lock(path)
            elif _BROKEN.fullmatch(path.name):
                message = f"{path} is a damaged file that was moved aside"
                yield Symptom("note", "leftovers", message, "Look at it, then delete it.")
    if abandoned:
        named = ", ".join(str(path) for path in abandoned[:_MOST_NAMED])
        more = f" and {len(abandoned) - _MOST_NAMED} more" if len(abandoned) > _MOST_NAMED else ""
        yield Symptom(
            "note", "leftovers", f"temporary files of a process that was killed: {named}{more}", "Delete them."
        )


def _lock(path: Path) -> Iterator[Symptom]:
    """Report a lock file by whether anything still holds it. The kernel frees a lock when its holder dies."""
    try:
        with path.open("rb") as opened:
            holder = opened.read(20).decode("ascii", "replace").strip()
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        message = f"process {holder or '?'} holds {path}"
        yield Symptom("note", "leftovers", message, "If it does not go away, see what that process is doing.")
    except OSError:
        return  # gone meanwhile, or reported by what needs it
    else:
        if holder.isdecimal() and not Path("/proc", holder).exists() and Path("/proc/self").exists():
            message = f"{path} was left by process {holder}, which has ended; nothing waits for it"
            yield Symptom("note", "leftovers", message, "Delete it.")


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if os.path.isfile(path))
    except OSError:
        return []


def _written(path: Path, otherwise: float) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return otherwise


# -- plugins/ --------------------------------------------------------------------------------------------------------


def plugin_directory(folder: Path) -> Iterator[Symptom]:
    """Report entries of `$HERMES_HOME/plugins` that are not plugins and are therefore ignored."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return  # missing, or in the load report
    for name in names:
        if name.startswith((".", "_")):
            continue  # helpers and caches
        path = folder / name
        reason, remedy = _why_ignored(path)
        if reason:
            yield Symptom("warning", "plugins directory", f"{path} is ignored: {reason}", remedy)


def _why_ignored(path: Path) -> tuple[str, str]:
    """Return why an entry is not loaded, and what to do; two empty texts when it is."""
    if os.path.islink(path) and not os.path.exists(path):
        return "the link leads nowhere", "Fix the link, or delete it."
    if os.path.isdir(path):
        if os.path.isfile(path / "pyproject.toml"):
            return "it is a project, not a single file", f"Install it: pip install {path}"
        if os.path.isfile(path / "__init__.py"):
            return "it is a package, not a single file", "Make it a distribution and install it with pip."
        return "it is a directory", "Move its .py files here, or install it with pip as a distribution."
    if path.name.endswith(".py"):
        return ("", "") if os.path.isfile(path) else ("it is not a regular file", "Replace it with a file.")
    if path.name == "hermes-plugin.json":
        return "a manifest belongs to an installed package", "Delete it; single files need none."
    return "its name does not end in .py", "Rename it if it is a plugin, or move it away."
