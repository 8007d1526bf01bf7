"""Copies files and folders between this machine and a place, through a pipe that `tar` is at the other end of."""

from __future__ import annotations

import contextlib
import os
import posixpath
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from typing import IO, Protocol

from hermes_tools_terminal.environments.base import StartedProcess, TerminalEnvironmentError

END_SECONDS = 60.0
"""How long `tar` may take once it has everything."""

_TAKE = """
[ "$2" != folder ] || { mkdir -p -- "$1/$3" && cd -- "$1/$3"; } || exit 3
[ "$2" = folder ] || { mkdir -p -- "$1" && cd -- "$1"; } || exit 3
command -v tar >/dev/null || exit 127
exec tar -xf - >/dev/null 2>&1
"""
_GIVE = """
[ -e "$1" ] || exit 3
command -v tar >/dev/null || exit 127
if [ -d "$1" ]; then cd -- "$1" && exec tar -cf - . 2>/dev/null; fi
cd -- "${1%/*}/" && exec tar -chf - -- "${1##*/}" 2>/dev/null
"""


class _Starts(Protocol):
    kind: str

    def start(self, argv: list[str], *, cwd: str | None = None) -> StartedProcess: ...

    def signal(self, group: int, number: int) -> None: ...


def send(place: _Starts, local: str, remote: str) -> None:
    """Copy a file or a folder to an absolute path in a place; what is there already is kept, or replaced by its like.

    Raises:
        OSError: it cannot be read here.
        TerminalEnvironmentError: it cannot be written there.
    """
    os.stat(local)
    folder, name = posixpath.split(remote.rstrip("/"))
    what = "folder" if os.path.isdir(local) else "file"
    with _running(place, ["sh", "-c", _TAKE, "sh", folder or "/", what, name], remote) as (source, _):
        with tarfile.open(fileobj=source, mode="w|", format=tarfile.GNU_FORMAT) as archive:
            archive.add(local, "." if what == "folder" else name)
        source.close()


def fetch(place: _Starts, remote: str, local: str) -> None:
    """Copy a file or a folder from an absolute path in a place. Links that lead out of the folder are refused.

    Raises:
        OSError: it cannot be written here.
        TerminalEnvironmentError: it cannot be read there.
    """
    with _running(place, ["sh", "-c", _GIVE, "sh", remote.rstrip("/") or "/"], remote) as (source, out):
        source.close()
        try:
            with tarfile.open(fileobj=out, mode="r|") as archive:
                _unpack(archive, local)
        except tarfile.ReadError:
            return  # `tar` did not even begin, or ended early; how it ended tells why
        except _UnsafeMember as error:
            raise TerminalEnvironmentError(f"{remote} was not copied: {error}") from error
        while out.read(1 << 16):
            pass


def _unpack(archive: tarfile.TarFile, local: str) -> None:
    for member in archive:
        inside = posixpath.normpath(member.name)
        if inside == "." and member.isdir():
            os.makedirs(local, exist_ok=True)
        elif "/" not in inside and not os.path.isdir(local) and member.isfile():
            data = archive.extractfile(member)
            assert data is not None
            _write(data, local, member.mode)
        else:
            _extract(archive, member, local)


class _UnsafeMember(Exception):  # noqa: N818 - it describes what was in the archive
    """Raised when a member of an archive would be created, or would lead, outside of the target directory."""


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, local: str) -> None:
    """Extract a member as `tarfile.data_filter` would. Python has that filter only since 3.11.4."""
    root = os.path.realpath(local)
    path = os.path.realpath(os.path.join(root, member.name))
    linked = os.path.dirname(path) if member.issym() else root
    target = os.path.realpath(os.path.join(linked, member.linkname)) if member.issym() or member.islnk() else path
    if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        raise _UnsafeMember(f"{member.name!r} is a special file.")
    if (member.issym() or member.islnk()) and os.path.isabs(member.linkname):
        raise _UnsafeMember(f"{member.name!r} is a link to an absolute path.")
    if any(os.path.commonpath([root, each]) != root for each in (path, target)):
        raise _UnsafeMember(f"{member.name!r} leads out of the directory.")
    member.mode = (member.mode | 0o600) & 0o755 if member.isfile() or member.islnk() else 0o755
    member.uid, member.gid, member.uname, member.gname = os.geteuid(), os.getegid(), "", ""
    if hasattr(tarfile, "fully_trusted_filter"):
        archive.extraction_filter = tarfile.fully_trusted_filter
    archive.extract(member, local)


def _write(data: IO[bytes], local: str, mode: int) -> None:
    with open(local, "wb") as file:
        while piece := data.read(1 << 20):
            file.write(piece)
    os.chmod(local, mode & 0o755)


@contextlib.contextmanager
def _running(place: _Starts, argv: list[str], path: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A process in the place, ended whatever happens."""
    started = place.start(argv, cwd="/")
    child = started.child
    assert child.stdin is not None
    assert child.stdout is not None
    done = False
    try:
        try:
            yield child.stdin, child.stdout
        except BrokenPipeError:
            pass  # it ended early; how it ended tells why
        status = child.wait(END_SECONDS)
        done = True
    except subprocess.TimeoutExpired as error:
        raise TerminalEnvironmentError(f"{path} was not copied: {place.kind} does not answer.", gone=True) from error
    finally:
        if not done:
            place.signal(started.group, signal.SIGKILL)
            child.kill()
            child.wait(END_SECONDS)
        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
    if status:
        raise _failed(place, status, path)


def _failed(place: _Starts, status: int, path: str) -> TerminalEnvironmentError:
    if status == 127:
        return TerminalEnvironmentError(
            f"{path} was not copied: there is no tar.", hint=f"Install tar in {place.kind}."
        )
    if status == 3:
        return TerminalEnvironmentError(
            f"{path} was not copied: there is no such file or folder, or it cannot be made."
        )
    if status == 255:
        return TerminalEnvironmentError(f"{path} was not copied: the connection is lost.", gone=True)
    return TerminalEnvironmentError(f"{path} was not copied as a whole: tar ended with {status}.")
