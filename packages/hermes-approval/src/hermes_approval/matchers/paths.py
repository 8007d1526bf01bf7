"""Whether a path lies within a folder, whatever way it is spelt.

Programs disagree about `link/..`: some take both words out, others follow the link first. A guard reckons with each of
them; a permission holds only where all agree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from hermes_approval.matchers.problem import Mistake, shown

_MAX_PATH = 4096
"""Linux opens nothing longer; resolving is quadratic in the number of parts."""

_MAX_GUARDED = 16_384
"""Longer paths are not resolved: a program that goes step by step might still open one."""

_MAX_NAME = 1024
"""No file system holds a longer name: a text with one in it leads nowhere."""

_FILE_URL = re.compile(r"file:(?://(?:localhost)?(?=/))?", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)
_BLANKS = (*range(1, 33), 0x7F, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x2060)
_AROUND = "\"'`<>\u3000\ufeff" + "".join(map(chr, _BLANKS))


# -- where all programs agree ----------------------------------------------------------------------------------------


def normal(path: str) -> str | None:
    """An absolute path without `..`, `.`, `//` and a slash at the end; None when it is not absolute, or no path.

    It is a change of text: links are not looked at.
    """
    if not path.startswith("/") or "\0" in path or len(path) > _MAX_PATH:
        return None
    return "/" + os.path.normpath(path).lstrip("/")  # POSIX lets two slashes at the start stand


def within(folder: str, path: str) -> bool:
    """Whether one normal path is the other, or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def leads_into(folder: str, path: str) -> bool:
    """Whether a path ends in a folder when `..` is taken as text, and also when every link is followed first.

    A link inside of the folder that leads out of it does not count as inside, and neither does anything when the
    folder itself has become a link.
    """
    plain = normal(path)
    try:
        if plain is None or not within(folder, real(plain)):
            return False
        return ".." not in path or within(folder, real(path))
    except (OSError, ValueError):  # no name that this file system can hold
        return False


def real(path: str) -> str:
    """The path with every link followed, as far as it exists."""
    return "/" + os.path.realpath(path).lstrip("/")


# -- what a rule wants -----------------------------------------------------------------------------------------------


def compile_under(folder: str, *, strict: bool) -> Callable[[str], bool]:
    """A function that says whether a path is a folder or lies in it.

    `~`, `..`, `.` and double slashes are worked out, and symbolic links are followed. A relative path starts where the
    process stands. With `strict`, for a rule that guards the folder, one way of reading that leads into it is enough:
    blanks and quotes around the path, variables and `file:` count as well, and so does what is too long to tell. Else
    all ways must lead there.

    Raises:
        Mistake: there can be no such folder.
    """
    try:
        lexical = _spelt_out(folder)
        followed = real(lexical)
    except (ValueError, OSError) as error:
        raise Mistake(f"is {shown(folder)}, not a folder: {error}.", example="{under: ~/.ssh}") from None

    def may_be_under(text: str) -> bool:
        if _may_lead_into(lexical, followed, text):
            return True
        return any(_may_lead_into(lexical, followed, reading) for reading in _other_readings(text))

    def is_under(text: str) -> bool:
        path = os.path.expanduser(text)
        try:
            return leads_into(followed, path if path.startswith("/") else os.path.join(os.getcwd(), path))
        except OSError:  # the folder where the process stands is gone
            return False

    return may_be_under if strict else is_under


def _may_lead_into(lexical: str, followed: str, text: str) -> bool:
    if "\0" in text:  # readers disagree about where such a path ends
        return True
    try:
        path = _spelt_out(text)
        if within(lexical, path) or within(followed, path):
            return True
        if len(text) > _MAX_GUARDED and max(map(len, text.split("/"))) > _MAX_NAME:
            return False
        if len(path) > _MAX_GUARDED or within(followed, real(path)):
            return True
        if ".." not in text:
            return False
        return len(text) > _MAX_GUARDED or within(followed, real(os.path.expanduser(text)))
    except (ValueError, OSError):  # a character that no file name can hold
        return True


def _other_readings(text: str) -> list[str]:
    """A text as programs may see it that tidy up before they open it."""
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


def _spelt_out(path: str) -> str:
    return "/" + os.path.abspath(os.path.expanduser(path)).lstrip("/")
