"""Finds installed packages without importing them, and the entry points of distributions.

Entry points are found without importlib.metadata, which takes 20 ms to import: directories of wheels are read here, and
importlib.metadata reads zip files, eggs and the finders of other programs. Nothing is cached: a program that can write
the cache could choose the plugins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_files.regular_files import read_regular_file

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution

LARGEST_FILE = 4 << 20
"""A larger entry_points.txt is damaged."""

_MAX_SOURCE_FILES, _MAX_SOURCE_BYTES = 500, 16 << 20
"""How much of a package is read."""


# -- packages --------------------------------------------------------------------------------------------------------


def find_package(name: str) -> ModuleSpec | None:
    """Return where a top-level package would be imported from. Nothing is imported."""
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__spec__", None) is not None:
        return loaded.__spec__
    for finder in list(sys.meta_path):
        find = getattr(finder, "find_spec", None)
        try:
            spec: ModuleSpec | None = find(name, None) if find is not None else None
        except Exception:  # foreign code: a broken import hook hides only its own packages
            spec = None
        if spec is not None:
            return spec
    return None


def read_sources(place: str) -> Iterator[bytes | None]:
    """Yield the text of every Python file at a path, or of the package of a module; None for what cannot be read."""
    paths = [place]
    if os.sep not in place:
        spec = find_package(place.partition(".")[0])
        paths = (list(spec.submodule_search_locations or ()) or [spec.origin or ""]) if spec is not None else []
    read = 0
    for number, file in enumerate(_python_files(paths)):
        try:
            is_too_much = number == _MAX_SOURCE_FILES or read > _MAX_SOURCE_BYTES
            text = None if is_too_much else read_regular_file(file, _MAX_SOURCE_BYTES)
        except OSError:
            text = None
        if text is None:
            yield None
            return
        read += len(text)
        yield text


def _python_files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isfile(path):
            yield path
        for parent, _, names in os.walk(path):
            yield from (os.path.join(parent, name) for name in sorted(names) if name.endswith(".py"))


# -- entry points ----------------------------------------------------------------------------------------------------


class InstalledEntryPoint(NamedTuple):
    """An entry point of an installed distribution.

    With a `problem`, it stands for a distribution whose entry_points.txt cannot be read, and is named after it.
    """

    group: str
    name: str
    value: str
    distribution: str | None = None
    version: str | None = None
    problem: str | None = None


def installed_entry_points(
    groups: Sequence[str], *, path: Sequence[str] | None = None
) -> tuple[InstalledEntryPoint, ...]:
    """Return every entry point of the groups in the order of the path; of two distributions of one name, the first."""
    found: list[InstalledEntryPoint] = []
    seen: set[str] = set()
    for name, version, content in _distributions(list(_absolute(sys.path if path is None else path))):
        if name in seen:
            continue
        seen.add(name)
        mentioned = next((group for group in groups if group.encode("utf-8", "surrogatepass") in content), None)
        if mentioned is None:
            continue
        try:
            if len(content) > LARGEST_FILE:
                raise ValueError("it is too large")
            entries = parse_entry_points(content.decode("utf-8"), groups)
            found += [InstalledEntryPoint(*entry, name, version) for entry in entries]
        except ValueError as error:
            problem = f"its entry_points.txt cannot be read: {error}."
            found.append(InstalledEntryPoint(mentioned, name, "", name, version, problem))
    return tuple(found)


def normalize(distribution: str) -> str:
    """Return the normalized name of a distribution (PEP 503)."""
    name = distribution.lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name


def _absolute(path: Sequence[str]) -> Iterator[str]:
    """Yield the entries of a path as imports see them. `..` after a symbolic link must stay as it is."""
    for entry in path:
        try:
            if isinstance(entry, str):  # imports skip other entries, too
                yield entry if os.path.isabs(entry) else os.path.join(os.getcwd(), entry)
        except OSError:  # the current directory was removed
            pass


Found = tuple[str, "str | None", bytes]
"""The normalized name and the version of a distribution, and the content of its entry_points.txt."""


def _distributions(folders: list[str]) -> Iterator[Found]:
    if _need_standard_library(folders):
        yield from _read_foreign(folders)
    for folder in folders:
        try:
            children = os.listdir(folder)
        except (OSError, ValueError):  # ValueError: a NUL in the name
            continue
        for child in children:
            if child.endswith((".dist-info", ".egg-info")):
                try:
                    content = read_regular_file(f"{folder}/{child}/entry_points.txt", LARGEST_FILE)
                except OSError:
                    content = b""
                yield *_name_and_version(child), content


def _need_standard_library(folders: list[str]) -> bool:
    """Return True when there are zip files, eggs, or finders of other programs."""
    finders = (finder for finder in sys.meta_path if hasattr(finder, "find_distributions"))
    return any(not getattr(finder, "__module__", "").startswith("_frozen_importlib") for finder in finders) or any(
        folder.lower().endswith(".egg") or os.path.isfile(folder) for folder in folders
    )


def _name_and_version(info: str) -> tuple[str, str | None]:
    """Parse a directory name such as `name-1.0.dist-info`: installers check it, but METADATA may contain any name."""
    name, _, rest = info.rpartition(".")[0].partition("-")
    return normalize(name) or "?", rest.partition("-")[0] or None


def _read_foreign(path: list[str]) -> Iterator[Found]:
    from importlib.metadata import distributions

    found = iter(distributions(path=path))
    while True:
        try:
            distribution = next(found, None)
            if distribution is None:
                return
        except Exception:  # a finder is foreign code; the other distributions are still used
            return
        try:
            yield _describe_foreign(distribution)
        except Exception:  # noqa: S112 - so is a distribution: a damaged zip file, for one
            continue


def _describe_foreign(distribution: Distribution) -> Found:
    try:
        content = (distribution.read_text("entry_points.txt") or "").encode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        content = error.object
    info = str(getattr(distribution, "_path", "")).rstrip("/\\")
    if os.path.basename(info).lower() == "egg-info":
        info = os.path.dirname(info)
    if info:
        return *_name_and_version(os.path.basename(info)), content
    metadata = distribution.metadata  # since Python 3.12, a missing key is a warning
    name, version = (metadata[key] if metadata and key in metadata else None for key in ("Name", "Version"))
    return normalize(name or "?"), version, content


def parse_entry_points(text: str, groups: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the group, name and value of every entry of the groups, in the order of the text.

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
