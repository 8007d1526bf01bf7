"""Finds distributions that an installed plugin requires and that are missing, as installers may leave them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata

from hermes_core.cli.checkup import Symptom

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?[^;]*(?:;(.*))?", re.DOTALL)
_EXTRA = re.compile(r"""\(?\s*extra\s*==\s*["']([^"']+)["']\s*\)?\s*""")
_SEPARATORS = re.compile(r"[-_.]+")


def dependencies(distributions: Iterable[str]) -> Iterator[Symptom]:
    """Report what is required by distributions, directly or not, with the extras they ask for, and is not installed.

    Some versions of pip forget the extras of a dependency that was required before without them, and `pip check` does
    not look at extras. Requirements for other platforms or versions of Python are not looked at.
    """
    waiting = [(_normalized(name), "", name) for name in distributions]
    seen = set(waiting)
    while waiting:
        name, extra, plugin = waiting.pop()
        for wanted, extras, marker in _requirements(name) or ():
            selected = _EXTRA.fullmatch(marker)
            if marker and (selected is None or _normalized(selected[1]) != extra):
                continue
            if _requirements(wanted) is None:
                source = f"{name}[{extra}]" if extra else name
                message = f"{wanted} is not installed, and {source} requires it"
                yield Symptom("error", f"dependencies of {plugin}", message, f"Run: pip install {wanted}")
                continue
            more = [(wanted, each, plugin) for each in ("", *extras)]
            waiting += [each for each in more if each not in seen]
            seen.update(more)


@cache
def _requirements(name: str) -> tuple[tuple[str, tuple[str, ...], str], ...] | None:
    """Return the name, the extras and the marker of each requirement; None for a missing distribution."""
    try:
        listed = metadata.requires(name) or ()
    except metadata.PackageNotFoundError:
        return None
    found = []
    for line in listed:
        match = _REQUIREMENT.match(line)
        if match is not None:
            extras = tuple(_normalized(extra) for extra in (match[2] or "").split(",") if extra.strip())
            found.append((_normalized(match[1]), extras, (match[3] or "").strip()))
    return tuple(found)


def _normalized(name: str) -> str:
    return _SEPARATORS.sub("-", name.strip()).lower()
