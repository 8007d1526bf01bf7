"""Read the `charset` that .editorconfig files set for a file, by the rules of https://spec.editorconfig.org."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tools_terminal.files.filesystem import FileSystem

NAME = ".editorconfig"
_LARGEST = 262_144
_MAX_SECTIONS = 1_000
_LONGEST_GLOB = 1_024
"""The length that the specification requires; longer globs are ignored."""

_NUMBERS = re.compile(r"([+-]?\d{1,18})\.\.([+-]?\d{1,18})\}")
_NUMBER = re.compile(r"[+-]?\d{1,18}")
_SET = re.compile(r"([!^]?)([^]/]+)\]")
_PAIR = re.compile(r"([^=:]+?)\s*[=:]\s*(.*)")
_COMMENT = re.compile(r"\s[#;].*")


def charset_for(filesystem: FileSystem, path: str) -> str:
    """Return the charset that applies to a file, missing or not, in lower case; empty when none does."""
    files = []
    for folder, data in filesystem.upward(os.path.dirname(path), NAME, limit=_LARGEST):
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        files.append((folder, text))
        if any(section == "" and key == "root" and value == "true" for section, key, value in _pairs(text)):
            break
    charset = ""
    for folder, text in reversed(files):  # the nearest file wins, and in each file the last section
        below = os.path.relpath(path, folder)
        matching: dict[str, bool] = {}
        for section, key, value in _pairs(text):
            if key == "charset" and section:
                if section not in matching:
                    matching[section] = _matches(section, below)
                charset = value if matching[section] else charset
    return "" if charset == "unset" else charset


def _pairs(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the settings with the glob of their section, which is empty before the first section."""
    section, sections = "", 0
    for line in map(str.strip, text.splitlines()):
        if not line or line[0] in "#;":
            continue
        if line[0] == "[" and line.endswith("]"):
            section, sections = line[1:-1] or "\0", sections + 1
            if sections > _MAX_SECTIONS:
                return
        elif pair := _PAIR.fullmatch(_COMMENT.sub("", line)):
            yield section, pair[1].lower(), pair[2].strip().lower()


def _matches(glob: str, path: str) -> bool:
    """Return whether a glob matches a path relative to its .editorconfig file."""
    if len(glob) > _LONGEST_GLOB:
        return False
    glob = glob.removeprefix("/") if "/" in glob else f"**/{glob}"
    # A glob of a name matches in every directory, this one included.
    return len(path) in _ends(glob, path, {0}) or (glob[:3] == "**/" and len(path) in _ends(glob[3:], path, {0}))


def _ends(glob: str, path: str, starts: set[int]) -> set[int]:
    """Return where matches of a glob can end in a path, given where they can begin.

    All alternatives are followed at once, so the time is bounded by the length of the glob times that of the path.
    """
    at = 0
    while at < len(glob) and starts:
        character, at = glob[at], at + 1
        if character == "/" and glob.startswith("**/", at):
            at += 3
            starts = {start + 1 for start in starts if path[start : start + 1] == "/"}
            starts |= {end + 1 for end in _stretched(path, starts, "") if path[end : end + 1] == "/"}
        elif character == "*":
            spans_folders = glob[at : at + 1] == "*"
            at += spans_folders
            starts = _stretched(path, starts, "" if spans_folders else "/")
        elif character == "?":
            starts = {start + 1 for start in starts if path[start : start + 1] not in ("", "/")}
        elif character == "[" and (members := _SET.match(glob, at)):
            at = members.end()
            starts = {start + 1 for start in starts if start < len(path) and _is_member(path[start], members)}
        elif character == "{" and (numbers := _NUMBERS.match(glob, at)):
            at = numbers.end()
            starts = {end for start in starts for end in _number_ends(path, start, numbers)}
        elif character == "{" and (choice := _choice(glob, at)):
            branches, at = choice
            starts = set().union(*(_ends(branch, path, starts) for branch in branches))
        else:
            if character == "\\" and at < len(glob):
                character, at = glob[at], at + 1
            starts = {start + 1 for start in starts if path[start : start + 1] == character}
    return starts


def _stretched(path: str, starts: set[int], stop: str) -> set[int]:
    found: set[int] = set()
    for start in sorted(starts):
        end = start
        while end not in found:
            found.add(end)
            if end == len(path) or path[end] == stop:
                break
            end += 1
    return found


def _is_member(character: str, members: re.Match[str]) -> bool:
    text, at = members[2], 0
    while at < len(text):
        low = high = text[at]
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            high, at = text[at + 2], at + 2
        if low <= character <= high:
            return not members[1]
        at += 1
    return bool(members[1]) and character != "/"


def _number_ends(path: str, start: int, limits: re.Match[str]) -> list[int]:
    low, high = sorted((int(limits[1]), int(limits[2])))
    found = _NUMBER.match(path, start)
    return [found.end()] if found and low <= int(found[0]) <= high else []


def _choice(glob: str, at: int) -> tuple[list[str], int] | None:
    """Return the alternatives of a brace group and where it ends; None if the brace is an ordinary character."""
    branches, begin, depth = [], at, 1
    while at < len(glob):
        character = glob[at]
        if character == "\\":
            at += 1
        elif character == "{":
            depth += 1
        elif character == "," and depth == 1:
            branches.append(glob[begin:at])
            begin = at + 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return ([*branches, glob[begin:at]], at + 1) if branches else None
        at += 1
    return None
