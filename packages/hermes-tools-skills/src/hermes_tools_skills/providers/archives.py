"""Reads zip and tar archives into memory, within limits, and refuses links, devices and encrypted files."""

from __future__ import annotations

import io
import stat
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING

from hermes_tools_skills.providers.file_checks import is_left_out, require_safe_name
from hermes_tools_skills.providers.protocol import FileNameError, SizeLimits, SkillFile, SourceError

if TYPE_CHECKING:
    import zipfile

_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP_START = b"\x1f\x8b"
_MAX_MEMBERS = 50_000
_MAX_RATIO = 200
_RATIO_FROM = 1024 * 1024
"""Smaller files may have any compression ratio."""
_PIECE = 256 * 1024
_ENCRYPTED = 0x1
_TAR_HEADERS = 8 << 20
"""The limit of headers and padding in a tar archive."""


def is_archive(data: bytes) -> bool:
    """Return whether these bytes begin like an archive that can be read."""
    return data.startswith((*_ZIP_STARTS, _GZIP_START))


def read_archive(data: bytes, limits: SizeLimits) -> list[SkillFile]:
    """Return the files of a zip or `.tar.gz` archive.

    Raises:
        SourceError: The archive is damaged, a limit is exceeded, or a name is unsafe.
    """
    import tarfile
    import zipfile

    try:
        if data.startswith(_GZIP_START):
            return list(_tar_files(data, limits))
        return list(_zip_files(data, limits))
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        raise SourceError(f"The archive is damaged or incomplete: {error}.") from error
    except (AttributeError, NotImplementedError, RuntimeError, TypeError, UnicodeError, ValueError, OSError) as error:
        # What the standard library raises for unknown compression, wrong names and wrong checksums
        raise SourceError(f"The archive cannot be read: {error}.") from error


def _zip_files(data: bytes, limits: SizeLimits) -> Iterator[SkillFile]:
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        _require_members(len(members))
        budget = _Budget(limits, len(data))
        for member in members:
            _require_plain_member(member)
            if member.is_dir() or is_left_out(member.filename):
                continue
            with archive.open(member) as opened:
                content = budget.read(member.filename, opened)
            executable = bool(member.external_attr >> 16 & 0o111)
            yield SkillFile(path=member.filename, data=content, executable=executable)


def _require_plain_member(member: zipfile.ZipInfo) -> None:
    name = member.orig_filename  # the library cuts `filename` at a NUL
    require_safe_name(name.removesuffix("/"))
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise FileNameError(name, "is a link or a device")
    if member.flag_bits & _ENCRYPTED:
        raise FileNameError(name, "is encrypted, so it cannot be scanned")


def _tar_files(data: bytes, limits: SizeLimits) -> Iterator[SkillFile]:
    import gzip
    import tarfile

    allowed = limits.bytes + _TAR_HEADERS
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        unpacked = packed.read(allowed + 1)  # all of it, because the library fails in odd ways on damaged streams
    if len(unpacked) > allowed:
        raise SourceError(f"The archive is larger than {limits.bytes >> 20:,} MiB.", kind="refused")
    budget = _Budget(limits, len(data))
    with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
        for number, member in enumerate(archive):
            _require_members(number)
            name = member.name.removeprefix("./")
            if name in ("", ".", "pax_global_header"):
                continue
            require_safe_name(name)
            if not member.isfile() and not member.isdir():
                raise FileNameError(name, "is a link or a device")
            if member.isdir() or is_left_out(name):
                continue
            opened = archive.extractfile(member)
            assert opened is not None
            yield SkillFile(path=name, data=budget.read(name, opened), executable=bool(member.mode & 0o111))


def _require_members(count: int) -> None:
    if count > _MAX_MEMBERS:
        raise SourceError(f"The archive has more than {_MAX_MEMBERS:,} entries.", kind="refused")


class _Budget:
    """Counts what was decompressed, so that an archive that expands excessively is refused early."""

    def __init__(self, limits: SizeLimits, packed: int) -> None:
        self._limits = limits
        self._packed = packed
        self._count = self._total = 0

    def read(self, name: str, opened: IO[bytes]) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while piece := opened.read(_PIECE):
            size += len(piece)
            self._total += len(piece)
            self._limits.require_file(name, size)
            self._limits.require(self._count, self._total)
            if self._total > _RATIO_FROM and self._total > self._packed * _MAX_RATIO:
                raise SourceError("The archive expands to much more than its size.", kind="refused")
            pieces.append(piece)
        self._count += 1
        self._limits.require(self._count, self._total)
        return b"".join(pieces)


def strip_top(files: Iterable[SkillFile]) -> list[SkillFile]:
    """Remove the directory that contains everything, as in archives that GitHub makes."""
    found = list(files)
    tops = {file.path.partition("/")[0] for file in found}
    if len(tops) != 1 or not all("/" in file.path for file in found):
        return found
    return [SkillFile(path=file.path.partition("/")[2], data=file.data, executable=file.executable) for file in found]
