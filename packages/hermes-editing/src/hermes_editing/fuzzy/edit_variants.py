"""Interpretations of an edit: as written, without line numbers, or with escapes decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hermes_editing.fuzzy.text_index import lines_of, plain

_NUMBER: Final = re.compile(r"[ \t]*(\d{1,9})[|→]")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r"}


Kept = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class EditVariant:
    """One interpretation of an edit.

    Attributes:
        old: The text to find.
        new: The replacement.
        name: What was removed from both; empty if nothing was.
        kept: Pairs of indexes of old and new lines that are the same, as far as the edit says so; None if it does not.
    """

    old: str
    new: str
    name: str = ""
    kept: Kept | None = None


def stripped_lines(text: str) -> list[str]:
    """Return the lines of a pattern with plain typography, stripped, without surrounding blank lines."""
    return [line.strip() for line in lines_of(plain(text).strip())]


def edit_variants(old: str, new: str, kept: Kept | None = None) -> Iterator[EditVariant]:
    """Yield the interpretations of an edit, likeliest first."""
    yield EditVariant(old, new, kept=kept)
    if (bare := _without_numbers(old)) is not None:
        yield EditVariant(bare[0], _less_numbers(new, *bare[1]), "line_numbers", kept)
    if "\\" in old:
        yield from _unescaped(old, new, None if kept is None else ())


def _without_numbers(old: str) -> tuple[str, tuple[int, int]] | None:
    """Remove consecutive line numbers from all lines; also return the first and the last number."""
    ended = old.endswith("\n")
    lines = lines_of(old)
    found = [_NUMBER.match(line) for line in lines]
    numbers = [int(each[1]) for each in found if each]
    if not lines or len(numbers) < len(lines) or numbers != list(range(numbers[0], numbers[0] + len(lines))):
        return None
    bare = [line[each.end() :] for line, each in zip(lines, found, strict=True) if each]
    return "\n".join(bare) + "\n" * ended, (numbers[0], numbers[-1])


def _less_numbers(new: str, first: int, last: int) -> str:
    """Remove line numbers that the edit can have added."""
    lines = new.split("\n")
    for index, line in enumerate(lines):
        found = _NUMBER.match(line)
        if found and first <= int(found[1]) <= last + len(lines):
            lines[index] = line[found.end() :]
    return "\n".join(lines)


def _unescaped(old: str, new: str, kept: Kept | None) -> Iterator[EditVariant]:
    r"""Decode `\n`, `\t` and `\"` if the pattern contains them only with the backslash."""
    end = "\n" if old.endswith("\n") else ""
    old, new, end_new = old.removesuffix(end), new.removesuffix(end), end if new else ""
    escapes = {letter for letter in _ESCAPE.findall(old) if letter in "ntr\"'"}
    escapes = {letter for letter in escapes if _CONTROLS.get(letter, letter) not in _ESCAPE.sub("", old)}
    shared = escapes if "n" not in escapes or "\n" not in new else escapes - {"n"}
    if "n" in shared and old.endswith("\\n") and new.endswith("\\n"):
        end = end_new = ""  # as these escapes do
    for more in ("", "\\"):
        unescaped, written = _replace_escapes(old, escapes | set(more)), _replace_escapes(new, shared | set(more))
        if unescaped != old:
            yield EditVariant(unescaped + end, written + end_new, "escapes", kept)


def _replace_escapes(text: str, escapes: set[str]) -> str:
    return _ESCAPE.sub(lambda found: _CONTROLS.get(found[1], found[1]) if found[1] in escapes else found[0], text)
