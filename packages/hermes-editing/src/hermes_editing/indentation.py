"""Translate the indentation of new lines to that of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Final

_INDENT: Final = re.compile(r"[ \t]*")


class UnclearIndentError(ValueError):
    """Raised when the quoted lines do not show how to indent a new line."""


class Indents:
    """The indentation of a file, as far as quoted lines show it.

    Args:
        pairs: The indentation of each quoted line, as quoted and in the file.
        others: All indentations of the new text.
        step: Returns the indentation width of the file; 0 if unknown.
    """

    def __init__(
        self, pairs: Iterable[tuple[str, str]], others: Iterable[str] = (), step: Callable[[], int] = int
    ) -> None:
        self._others = frozenset(others)
        self._step = step
        self._pairs = tuple(dict.fromkeys(pairs))
        self._known = dict(self._pairs)
        self._clear = len(self._known) == len(self._pairs)

    @property
    def same(self) -> bool:
        """Whether all lines are indented as quoted."""
        return all(quoted == actual for quoted, actual in self._pairs)

    @property
    def regular(self) -> bool:
        """Whether all lines are shifted or converted in the same way."""
        return any(all(way(one) == other for one, other in self._pairs) for way in (self._shifted, self._converted))

    def of(self, indent: str) -> str:
        """Return the file's indentation for a quoted one.

        The indentation of a quoted line maps to that of the line in the file. Any other is shifted like all lines, or
        converted like all lines from spaces to tabs or from narrow to wide steps.

        Raises:
            UnclearIndentError: The quoted lines contradict each other or do not show it.
        """
        if self.same:
            return indent
        if not self._clear:
            raise UnclearIndentError
        found = self._known.get(indent)
        if found is None:
            shifted, converted = self._shifted(indent), self._converted(indent)
            found = converted if shifted is None or (converted is not None and self._prefer_converted) else shifted
        if found is None:
            raise UnclearIndentError
        return found

    @cached_property
    def _prefer_converted(self) -> bool:
        """Whether to convert, as shifting would not match the indentation width of the file."""
        if any(self._converted(indent) is None for indent in self._others):
            return False
        shifted = [self._shifted(indent) for indent in self._others]
        base, step = len(self._pairs[0][1]), self._step()
        return step > 0 and any(each is None or (len(each) - base) % step for each in shifted)

    def _shifted(self, indent: str) -> str | None:
        quoted, actual = self._pairs[0]
        found: str | None = None
        if actual.endswith(quoted):
            shift = actual[: len(actual) - len(quoted)]
            if all(other == shift + one for one, other in self._pairs):
                found = shift + indent
        elif quoted.endswith(actual):
            shift = quoted[: len(quoted) - len(actual)]
            if indent.startswith(shift) and all(one == shift + other for one, other in self._pairs):
                found = indent[len(shift) :]
        return found if found is not None and (self._mixed or not _is_mixed(found)) else None

    def _converted(self, indent: str) -> str | None:
        quoted, actual = {*"".join(one for one, _ in self._pairs)}, {*"".join(other for _, other in self._pairs)}
        if len(actual) != 1 or len(quoted | {*indent}) != 1:
            return None
        first, *others = sorted((len(one), len(other)) for one, other in self._pairs)
        last = others[-1] if others else (0, 0)
        run, rise = last[0] - first[0], last[1] - first[1]
        if (
            not run
            or (others and not rise)
            or any((width - first[0]) * rise != (other - first[1]) * run for width, other in others)
        ):
            return None
        width, rest = divmod((len(indent) - first[0]) * rise, run)
        return None if rest or first[1] + width < 0 else actual.pop() * (first[1] + width)

    @cached_property
    def _mixed(self) -> bool:
        return any(_is_mixed(actual) for _, actual in self._pairs)


def indent_of(line: str) -> str:
    """Return the leading spaces and tabs of a line."""
    found = _INDENT.match(line)
    return found.group() if found else ""


def _is_mixed(indent: str) -> bool:
    return " " in indent and "\t" in indent
