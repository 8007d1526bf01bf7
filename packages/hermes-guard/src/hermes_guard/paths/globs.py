"""Finds the protected files that a glob pattern would match."""

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

_WILD = re.compile(r"[*?\[]")
_LITERAL = re.compile(r"[A-Za-z0-9]")
# More wildcards than in practice; each one makes the comparison slower.
_MAX_WILD = 32


def has_glob(text: str) -> bool:
    """Return True when a shell would expand the text."""
    return _WILD.search(text) is not None


def probes_hit(glob: str, probes: Iterable[str]) -> list[str]:
    """Return the protected example paths that a glob matches.

    Only names with a letter besides the wildcards count, and as in a shell a wildcard does not match a leading dot.
    Otherwise `src/*` and `*.json` would match something protected everywhere.
    """
    names = [name for name in glob.split("/") if name != "."]
    wild = [name for name in names if has_glob(name)]
    if len(_WILD.findall(glob)) > _MAX_WILD or not all(_LITERAL.search(name) for name in wild):
        return []
    if not glob.startswith(("/", "~")) and not all(name.startswith(".") for name in wild):
        return []
    return [probe for probe in probes if _reaches(names, probe)]


def paths_matched(glob: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that a glob matches."""
    names = [name for name in glob.split("/") if name != "."]
    if len(_WILD.findall(glob)) > _MAX_WILD:
        return []
    return [path for path in paths if _reaches(names, path)]


def beginning_reaches(glob: str, folder: str) -> str | None:
    """Return the part of a glob below a directory; None when its beginning does not match the directory."""
    names = [name for name in glob.split("/") if name != "."]
    above = folder.rstrip("/").split("/")
    return "/".join(names[len(above) :]) if _reaches(names[: len(above)], "/".join(above)) else None


def _reaches(names: list[str], probe: str) -> bool:
    parts = probe.split("/")
    return len(parts) == len(names) and all(map(fits, names, parts))


def fits(name: str, part: str) -> bool:
    """Return True when a name, which may be a glob, matches a part of a path."""
    if name == part:
        return True
    if not has_glob(name) or (part.startswith(".") and not name.startswith((".", "["))):
        return False
    return _compiled(name).fullmatch(part) is not None


@lru_cache(maxsize=256)
def _compiled(name: str) -> re.Pattern[str]:
    try:
        return re.compile(fnmatch.translate(name), re.IGNORECASE)
    except re.error:  # a reversed range, which no shell matches either
        return re.compile(r"(?!)")
