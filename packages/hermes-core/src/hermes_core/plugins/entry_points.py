"""Find the entry points of installed distributions without importlib.metadata, whose import alone takes 20 ms."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_core.plugins.names import normalize

if TYPE_CHECKING:
    from importlib.metadata import Distribution

LARGEST_FILE = 16 << 20
"""An entry_points.txt beyond this is not read to its end: it is damage, or a device."""
HEADERS_SIZE = 64 << 10
"""Name and version are the first headers; the rest of METADATA is a README."""

# O_NONBLOCK: a FIFO in the place of a file must not hold up the scan.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class InstalledEntryPoint(NamedTuple):
    """An entry point as an installed distribution declares it.

    With a `problem`, a sentence, it stands for a distribution whose entry_points.txt cannot be read: `name` is then
    the distribution's and `value` is empty.
    """

    group: str
    name: str
    value: str
    distribution: str | None = None
    version: str | None = None
    folder: str | None = None
    problem: str | None = None


def installed_entry_points(
    groups: Sequence[str], *, path: Sequence[str] | None = None
) -> tuple[InstalledEntryPoint, ...]:
    """Every entry point of the groups, in the order of the path; of a distribution's name, the first one counts.

    Args:
        groups: the groups to look for.
        path: the folders to search instead of sys.path.
    """
    folders = list(_absolute(sys.path if path is None else path))
    scan = _Scan(groups)
    if _distributions_come_from_elsewhere() and scan.ask_standard_library(folders):
        return tuple(scan.found)
    for folder in folders:
        scan.read_folder(folder)
    return tuple(scan.found)


def _absolute(path: Sequence[str]) -> Iterator[str]:
    """The entries of a path as imports see them. Not normalised: `..` after a symbolic link means another folder."""
    for entry in path:
        if not isinstance(entry, str):  # sys.path is everybody's, and imports skip it, too
            continue
        if os.path.isabs(entry):
            yield entry
            continue
        try:
            yield os.path.join(os.getcwd(), entry) if entry else os.getcwd()
        except OSError:  # the current folder was removed
            pass


def _distributions_come_from_elsewhere() -> bool:
    """Whether a finder that is not Python's own brings distributions."""
    return any(
        getattr(finder, "find_distributions", None) is not None
        and getattr(finder, "__module__", None) not in {"_frozen_importlib", "_frozen_importlib_external"}
        for finder in sys.meta_path
    )


class _Scan:
    """One pass over a path, and what it found. Nothing is cached: whoever writes the cache would choose the plugins."""

    __slots__ = ("_groups", "_names", "_needles", "found")

    def __init__(self, groups: Sequence[str]) -> None:
        self._groups = groups
        self._needles = [(group, group.encode("utf-8", "surrogatepass")) for group in groups]
        self._names: set[str] = set()
        self.found: list[InstalledEntryPoint] = []

    def read_folder(self, folder: str) -> None:
        """Read every distribution of one entry of the path."""
        if folder.lower().endswith(".egg"):
            self.ask_standard_library([folder])
            return
        try:
            children = os.listdir(folder)
        except NotADirectoryError:  # a zip file, perhaps
            self.ask_standard_library([folder])
            return
        except (OSError, ValueError):  # ValueError: a NUL in the name
            return
        for child in children:
            if child.lower().endswith((".dist-info", ".egg-info")):
                self._read_distribution(folder, child)

    def _read_distribution(self, folder: str, child: str) -> None:
        info = f"{folder}{os.sep}{child}"
        if not self._is_first(_name_and_version(child)[0]):
            return
        file = f"{info}{os.sep}entry_points.txt"
        try:
            content = _read_file(file, LARGEST_FILE)
        except OSError:
            return
        if self._group_in(content) is not None:
            self._add(content, *self._who(info), folder)

    def _who(self, info: str) -> tuple[str | None, str | None]:
        for name in ("METADATA", "PKG-INFO"):
            try:
                content = _read_file(f"{info}{os.sep}{name}", HEADERS_SIZE)
            except OSError:
                continue
            if content:
                return _headers(content, info)
        return _headers(b"", info)

    def ask_standard_library(self, path: list[str]) -> bool:
        """Read what this scan does not understand (zip files, eggs, finders of others); False when that fails."""
        from importlib.metadata import distributions

        try:
            found = list(distributions(path=path))
        except Exception:  # a finder is foreign code; the other distributions count, whatever it does
            return False
        for distribution in found:
            try:
                self._add_foreign(distribution)
            except Exception:  # noqa: S112 - so is a distribution: a damaged zip file, for one
                continue
        return True

    def _add_foreign(self, distribution: Distribution) -> None:
        headers = _read_foreign(distribution, "METADATA") or _read_foreign(distribution, "PKG-INFO")
        name, version = _headers(headers, _place_of(distribution))
        if not self._is_first(name):
            return
        content = _read_foreign(distribution, "entry_points.txt")
        if self._group_in(content) is not None:
            try:
                folder = str(distribution.locate_file("")).rstrip("/\\")
            except Exception:  # a distribution need not be in a folder
                folder = None
            self._add(content, name, version, folder)

    def _add(self, content: bytes, distribution: str | None, version: str | None, folder: str | None) -> None:
        try:
            if len(content) > LARGEST_FILE:
                raise ValueError("it is too large")
            entries = parse_entry_points(content.decode("utf-8"), self._groups)
        except ValueError as error:
            problem = f"its entry_points.txt cannot be read: {error}."
            group = self._group_in(content) or ""
            self.found.append(
                InstalledEntryPoint(group, distribution or "?", "", distribution, version, folder, problem)
            )
        else:
            self.found += [InstalledEntryPoint(*entry, distribution, version, folder) for entry in entries]

    def _group_in(self, content: bytes) -> str | None:
        return next((group for group, needle in self._needles if needle in content), None)

    def _is_first(self, name: str | None) -> bool:
        """Whether this is the first distribution of its name, which hides the others. The nameless hide nobody."""
        name = normalize(name or "")
        if name in self._names:
            return False
        if name:
            self._names.add(name)
        return True


def _read_file(path: str, limit: int) -> bytes:
    """At most one byte more than the limit."""
    descriptor = os.open(path, _READ_FLAGS)
    try:
        parts = []
        missing = limit + 1
        while missing and (part := os.read(descriptor, min(missing, 1 << 16))):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def parse_entry_points(text: str, groups: Sequence[str]) -> list[tuple[str, str, str]]:
    """The group, name and value of every entry of the groups, in the order of the text.

    Raises:
        ValueError: in one of the groups, a line is not an entry.
    """
    found = []
    group: str | None = None
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if not line or line[0] in "#;":
            continue
        if line[0] == "[" and line[-1] == "]":
            group = line.strip("[]")
        elif group is not None and group in groups:
            name, equals, value = line.partition("=")
            if not equals:
                raise ValueError(f'line {number} has no "="')
            found.append((group, name.strip(), value.strip()))
    return found


def _headers(content: bytes, place: str) -> tuple[str | None, str | None]:
    """Name and version by the first of each header; what is missing is taken from the name of the info folder."""
    name = version = None
    headers = content.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    for line in headers.decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(":")
        key = key.lower()
        if key == "name":
            name = name or value.strip()
        elif key == "version":
            version = version or value.strip()
    if name and not _is_folder_of(name, place):
        name = None  # installers name the folder after the distribution, and check that: METADATA cannot be trusted
    if name and version:
        return name, version
    other_name, other_version = _name_and_version(place)
    return name or other_name, version or other_version


def _is_folder_of(name: str, place: str) -> bool:
    """Whether a metadata folder is called like the distribution, with or without a version behind it."""
    stem, _, kind = os.path.basename(place).lower().rpartition(".")
    if kind not in ("dist-info", "egg-info"):
        return True
    folder = normalize(stem)
    rest = folder.removeprefix(normalize(name))
    return rest != folder and (not rest or (rest[0] == "-" and rest[1:2].isdigit()))


def _name_and_version(place: str) -> tuple[str | None, str | None]:
    """Both from a folder such as `name-1.0.dist-info`, `name.egg-info` or `name-1.0-py3.11.egg`."""
    stem, _, _ = os.path.basename(place).rpartition(".")
    name, _, rest = stem.partition("-")
    return name or None, rest.partition("-")[0] or None


def _read_foreign(distribution: Distribution, name: str) -> bytes:
    try:
        return (distribution.read_text(name) or "").encode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        return error.object


def _place_of(distribution: Distribution) -> str:
    """The folder of a distribution's metadata, or of the egg that holds it; empty when it has none."""
    place = str(getattr(distribution, "_path", "")).rstrip("/\\")
    return os.path.dirname(place) if os.path.basename(place).lower() == "egg-info" else place
