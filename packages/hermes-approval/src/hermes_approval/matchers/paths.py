"""Matches paths against directories, however they are spelled.

Programs disagree about `link/..`: some remove both names, others follow the link first. A rule that guards considers
each of them; a permission applies only where all agree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from hermes_approval.matchers.rule_error import RuleError, quote

_MAX_PATH = 4096
"""Linux opens no longer path; resolving takes quadratic time."""

_MAX_GUARDED = 16_384
"""Longer paths are not resolved, although a program that goes step by step might open one."""

_MAX_NAME = 1024
"""No file system has a longer name: a text with one is not a path."""

_FILE_URL = re.compile(r"file:(?://(?:localhost)?(?=/))?", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)
_BLANKS = (*range(1, 33), 0x7F, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x2060)
_AROUND = "\"'`<>\u3000\ufeff" + "".join(map(chr, _BLANKS))


# -- where all programs agree ----------------------------------------------------------------------------------------


def normal(path: str) -> str | None:
    """Return an absolute path without `..`, `.`, `//` and a final slash; None if it is not an absolute path.

    It only changes text; links are not followed.
    """
    if not path.startswith("/") or "\0" in path or len(path) > _MAX_PATH:
        return None
    return "/" + os.path.normpath(path).lstrip("/")  # POSIX preserves two slashes at the start


def within(folder: str, path: str) -> bool:
    """Return True if a normal path is the directory, or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def leads_into(folder: str, path: str) -> bool:
    """Return True if a path ends in a directory, both with `..` as text and with every link followed first.

    A link in the directory that leads out of it is not inside. If the directory itself has become a link, nothing is.
    """
    plain = normal(path)
    try:
        if plain is None or not within(folder, real(plain)):
            return False
        return ".." not in path or within(folder, real(path))
    except (OSError, ValueError):  # not a valid name in this file system
        return False


def real(path: str) -> str:
    """Return the path with every link followed, as far as it exists."""
    return "/" + os.path.realpath(path).lstrip("/")


# -- conditions of rules ---------------------------------------------------------------------------------------------


def compile_under(folder: str, *, strict: bool) -> Callable[[str], bool]:
    """Return a function that checks whether a path is a directory or in it.

    `~`, `..`, `.`, double slashes and symbolic links are resolved; a relative path starts at the process's directory.
    With `strict`, for a rule that guards the directory, one reading that leads into it is enough: blanks and quotes
    around the path, variables and `file:` count as well, and so does a path too long to resolve. Otherwise all readings
    must lead into it.

    Raises:
        RuleError: there can be no such directory.
    """
    try:
        lexical = _absolute(folder)
        followed = real(lexical)
    except (ValueError, OSError) as error:
        raise RuleError(f"is {quote(folder)}, not a directory: {error}.", example="{under: ~/.ssh}") from None

    def may_be_under(text: str) -> bool:
        if _may_lead_into(lexical, followed, text):
            return True
        return any(_may_lead_into(lexical, followed, reading) for reading in _other_readings(text))

    def is_under(text: str) -> bool:
        path = os.path.expanduser(text)
        try:
            return leads_into(followed, path if path.startswith("/") else os.path.join(os.getcwd(), path))
        except OSError:  # the process's directory is gone
            return False

    return may_be_under if strict else is_under


def _may_lead_into(lexical: str, followed: str, text: str) -> bool:
    if "\0" in text:  # programs disagree about where such a path ends
        return True
    try:
        path = _absolute(text)
        if within(lexical, path) or within(followed, path):
            return True
        if len(text) > _MAX_GUARDED and max(map(len, text.split("/"))) > _MAX_NAME:
            return False
        if len(path) > _MAX_GUARDED or within(followed, real(path)):
            return True
        if ".." not in text:
            return False
        return len(text) > _MAX_GUARDED or within(followed, real(os.path.expanduser(text)))
    except (ValueError, OSError):  # not a valid character in a file name
        return True


def _other_readings(text: str) -> list[str]:
    """Return how programs may read a text that they clean up before they open it."""
    if text[:1] == "/" and text[-1] not in _AROUND and "$" not in text:
        return []
    tidy = text.strip(_AROUND)
    found = [tidy] if tidy != text else []
    if "$" in tidy:
        found.append(_VARIABLE.sub(lambda name: os.environ.get(name[1] or name[2], name[0]), tidy))
    url = _FILE_URL.match(tidy)
    if url is not None:
        from urllib.parse import unquote

        rest = tidy[url.end() :]
        found += [rest, unquote(re.split("[?#]", rest, maxsplit=1)[0])]
    return found


def _absolute(path: str) -> str:
    return "/" + os.path.abspath(os.path.expanduser(path)).lstrip("/")
