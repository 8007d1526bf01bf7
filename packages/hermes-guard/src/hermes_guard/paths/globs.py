"""Says which protected files a caller's own glob would reach."""

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

_WILD = re.compile(r"[*?\[]")
_LITERAL = re.compile(r"[A-Za-z0-9]")
# More than anybody writes; each one costs time in the comparison.
_MOST_WILD = 32


def has_glob(text: str) -> bool:
    """Whether a shell would look for other names."""
    return _WILD.search(text) is not None


def probes_hit(glob: str, probes: Iterable[str]) -> list[str]:
    """The protected examples that a glob stands for.

    Only names with a letter beside the wildcards count, and as in a shell a wildcard does not stand for a leading
    dot. Else `src/*` and `*.json` would reach something protected everywhere.
    """
    names = [name for name in glob.split("/") if name != "."]
    wild = [name for name in names if has_glob(name)]
    if len(_WILD.findall(glob)) > _MOST_WILD or not all(_LITERAL.search(name) for name in wild):
        return []
    if not glob.startswith(("/", "~")) and not all(name.startswith(".") for name in wild):
        return []
    return [probe for probe in probes if _reaches(names, probe)]


def beginning_reaches(glob: str, folder: str) -> str | None:
    """Return what a glob looks for below a folder; None when its beginning does not stand for the folder."""
    names = [name for name in glob.split("/") if name != "."]
    above = folder.rstrip("/").split("/")
    return "/".join(names[len(above) :]) if _reaches(names[: len(above)], "/".join(above)) else None


def _reaches(names: list[str], probe: str) -> bool:
    parts = probe.split("/")
    return len(parts) == len(names) and all(map(_fits, names, parts))


def _fits(name: str, part: str) -> bool:
    if name == part:
        return True
    if not has_glob(name) or (part.startswith(".") and not name.startswith((".", "["))):
        return False
    return _compiled(name).fullmatch(part) is not None


@lru_cache(maxsize=256)
def _compiled(name: str) -> re.Pattern[str]:
    try:
        return re.compile(fnmatch.translate(name), re.IGNORECASE)
    except re.error:  # a range the wrong way round: no shell matches it either
        return re.compile(r"(?!)")
