"""Files of a place that only a shell reaches."""

from __future__ import annotations

import errno
import os
from typing import Protocol

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.files import FileInfo

_TROUBLES = {
    "no such file": errno.ENOENT,
    "permission denied": errno.EACCES,
    "is a directory": errno.EISDIR,
    "not a directory": errno.ENOTDIR,
    "no space left": errno.ENOSPC,
    "read-only": errno.EROFS,
    "nonexistent directory": errno.ENOENT,  # busybox
    "directory nonexistent": errno.ENOENT,  # dash
    "can't open": errno.ENOENT,  # last: others say so first and then why
}

# Beside the file, then in its place; its permissions stay. A plain sh has no mktemp everywhere.
_WRITE = """
path=$(readlink -f -- "$1" 2>/dev/null) || path=$1; [ -n "$path" ] || path=$1
beside="${path%/*}/.${path##*/}.$$.tmp"; case $path in */*) ;; *) beside=".$path.$$.tmp";; esac
cat >"$beside" || { rm -f -- "$beside"; exit 1; }
size=$(wc -c <"$beside"); [ "$size" -eq "$2" ] || { rm -f -- "$beside"; echo "no space left" >&2; exit 1; }
if [ -e "$path" ]; then
  mode=$(stat -c %a -- "$path" 2>/dev/null || stat -f %Lp -- "$path" 2>/dev/null) && chmod "$mode" "$beside"
fi
mv -f -- "$beside" "$path"
"""
_INFO = """
[ -e "$1" ] || { echo "no such file or directory" >&2; exit 1; }
stat -L -c '%F|%s|%a|%Y' -- "$1" 2>/dev/null || stat -L -f '%HT|%z|%Lp|%m' -- "$1"
"""
_READ = """
if [ -d "$1" ]; then echo "is a directory" >&2; exit 1; fi
if [ "$2" = 0 ] && [ "$3" = -1 ]; then exec cat <"$1"; fi
if [ "$3" = -1 ]; then exec tail -c +$(($2 + 1)) <"$1"; fi
tail -c +$(($2 + 1)) <"$1" | head -c "$3"
"""


class _Runs(Protocol):
    def run(self, script: str, *args: str, input: bytes | None = None, timeout: float = 60.0) -> bytes: ...


class RemoteFiles:
    """Files reached by small scripts.

    Args:
        place: What runs them.
    """

    def __init__(self, place: _Runs) -> None:
        self._place = place

    def read(self, path: str, offset: int = 0, size: int = -1) -> bytes:
        """Some of a file's bytes, or all."""
        return self._run(path, _READ, str(offset), str(size))

    def write(self, path: str, data: bytes) -> None:
        """Write beside it, then put it in its place."""
        self._run(path, _WRITE, str(len(data)), input=data)

    def info(self, path: str) -> FileInfo:
        """What a path is; a link is followed."""
        what, size, mode, changed = self._run(path, _INFO).decode(errors="replace").strip().split("|")
        what = what.lower()
        kind = "file" if "regular" in what else "folder" if "directory" in what else "other"
        return FileInfo(kind, int(size), int(mode, 8), float(changed))

    def names(self, path: str) -> list[str]:
        """What a folder holds, sorted."""
        listed = self._run(
            path, 'cd -- "$1" && for f in * .*; do [ -e "$f" ] || [ -L "$f" ] && printf "%s\\0" "$f"; done; :'
        )
        names = {name.decode(errors="surrogateescape") for name in listed.split(b"\0") if name}
        return sorted(names - {".", ".."})

    def remove(self, path: str) -> None:
        """Remove one file."""
        self._run(path, 'rm -- "$1"')

    def _run(self, path: str, script: str, *args: str, input: bytes | None = None) -> bytes:
        try:
            return self._place.run(script, path, *args, input=input, timeout=120.0)
        except TerminalEnvironmentError as error:
            if error.gone:
                raise OSError(errno.EHOSTDOWN, str(error), path) from error
            number = next((code for words, code in _TROUBLES.items() if words in str(error).lower()), errno.EIO)
            text = os.strerror(number) if number != errno.EIO else str(error)
            raise OSError(number, text, path) from error
