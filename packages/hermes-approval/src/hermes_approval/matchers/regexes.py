"""Regular expressions in linear time: parsed by Python, searched by RE2.

Python's engine backtracks, and a crafted text keeps even `push.*main` busy for hours. RE2 does not, but the same
pattern may silently mean something else, as `a{,2}` and `$` do. So Python parses a pattern, and this module rewrites it
for RE2.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from hermes_approval.matchers.rule_error import RuleError

MAX_PATTERN = 1000
MAX_TEXT = 1_000_000
"""Longer texts are not searched: they are in doubt."""

_MAX_PROGRAM = 20_000
"""The maximum number of instructions; counted repeats are unrolled."""

_MAX_WORK = 320_000_000
"""Places in the pattern times bytes of the text: two to four seconds at worst, without RE2's cache.

A pattern of 300 places may search the longest text.
"""

_MAX_MEMORY = 4 * 1024 * 1024
"""Bytes that RE2 may use for one pattern, most of them for its cache."""

_REFUSED = {
    "GROUPREF": "refers back to a group",
    "GROUPREF_EXISTS": "asks whether a group matched",
    "ASSERT": "looks ahead or behind",
    "ASSERT_NOT": "looks ahead or behind",
    "FAILURE": "looks ahead or behind",
    "ATOMIC_GROUP": "has an atomic group",
    "POSSESSIVE_REPEAT": "has a possessive repeat",
}
_PLACES = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN", "AT"})
_EXAMPLE = r'{regex: "^git push\\b.*\\b(main|master)$"}'
_TOO_LARGE = "is too large: its counted repeats multiply."

_Ranges = tuple[tuple[int, int], ...]
_ASCII_SPACE: _Ranges = ((0x09, 0x0D), (0x20, 0x20))
_SPACE: _Ranges = (
    (0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
_LAST = 0x10FFFF


def compile_regex(pattern: str, *, strict: bool) -> Callable[[str], bool]:
    """Return a function that searches a text for a pattern: anywhere, unless `^` and `$` anchor it.

    Syntax and flags are Python's, without what linear time rules out: backreferences, lookaround, atomic groups. `\\w`,
    `\\d` and `\\b` only know ASCII letters and digits. A text that is too long, or has a lone surrogate, is in doubt:
    it matches only with `strict`.

    Raises:
        RuleError: the pattern is invalid, too large, or needs one of those.
    """
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.never_capture = True
    options.log_errors = False
    written, places = _rewritten(pattern)
    try:
        program = re2.compile(written.encode(), options)
    except re2.error:  # everything else that Python accepts was translated
        raise RuleError(_TOO_LARGE, example=_EXAMPLE) from None
    if program.programsize > _MAX_PROGRAM:
        raise RuleError(_TOO_LARGE, example=_EXAMPLE)
    search = program.search
    most = _MAX_WORK // max(places, 1)

    def found(text: str) -> bool:
        if len(text) > MAX_TEXT:
            return strict
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return strict
        return search(data) is not None if len(data) <= most else strict

    return found


def _rewritten(pattern: str) -> tuple[str, int]:
    """Return a pattern in RE2's syntax, and the number of its places."""
    from re import _parser  # type: ignore[attr-defined]

    if len(pattern) > MAX_PATTERN:
        raise RuleError(f"is longer than {MAX_PATTERN} characters.", example=_EXAMPLE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such a pattern may mean something else in the next Python
            tree = _parser.parse(pattern)
        writer = _Writer()
        written = writer.sequence(tree, tree.state.flags)
    except RecursionError:
        raise RuleError("is nested too deeply.", example=_EXAMPLE) from None
    except (re.error, OverflowError, Warning) as error:
        raise RuleError(f"is not a regular expression: {error}.", example=_EXAMPLE) from None
    if writer.has_boundary and writer.has_foreign:
        reason = r"has \b or \B beside letters that are not ASCII, which these do not know: write (^|\W) and (\W|$)."
        raise RuleError(reason, example=_EXAMPLE)
    return written, writer.places


class _Writer:
    def __init__(self) -> None:
        self.places = 0
        self.has_boundary = False
        self.has_foreign = False

    def sequence(self, parts: Iterable[tuple[Any, Any]], flags: int) -> str:
        written = ""
        for code, what in parts:  # a generator would be one more frame for each level
            written += self._part(str(code), what, flags)
        return written

    def _part(self, name: str, what: Any, flags: int) -> str:
        self.places += name in _PLACES
        if name == "LITERAL":
            return _folded(self._char(what), flags)
        if name == "NOT_LITERAL":
            return _folded(f"[^{self._char(what)}]", flags)
        if name == "ANY":
            return "(?s:.)" if flags & re.DOTALL else "."
        if name == "IN":
            return _folded(self._class(what, flags), flags)
        if name == "AT":
            return self._place(str(what), flags)
        if name == "SUBPATTERN":
            _group, added, removed, inner = what
            return f"(?:{self.sequence(inner, (flags | added) & ~removed)})"
        if name == "BRANCH":
            return f"(?:{'|'.join(self.sequence(branch, flags) for branch in what[1])})"
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = what
            before = self.places
            written = f"(?:{self.sequence(inner, flags)}){_count(least, str(most))}"
            self.places = before + (self.places - before) * (least + 1 if str(most) == "MAXREPEAT" else most)
            return written
        raise RuleError(f"{_REFUSED.get(name, name)}, which takes more than linear time.", example=_EXAMPLE)

    def _char(self, code: int) -> str:
        if 0xD800 <= code <= 0xDFFF:
            raise RuleError("has half a character: a lone surrogate.", example=_EXAMPLE)
        self.has_foreign |= code > 0x7F and chr(code).isalnum()
        return rf"\x{{{code:x}}}"

    def _class(self, items: Iterable[tuple[Any, Any]], flags: int) -> str:
        written = []
        sign = ""
        for code, what in items:
            name = str(code)
            if name == "NEGATE":
                sign = "^"
            elif name == "LITERAL":
                written.append(self._char(what))
            elif name == "RANGE":
                written.append("-".join(map(self._char, what)))
            else:
                written.append(_category(str(what), flags))
        return f"[{sign}{''.join(written)}]"

    def _place(self, name: str, flags: int) -> str:
        if name in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
            self.has_boundary = True
        if flags & re.MULTILINE and name in ("AT_BEGINNING", "AT_END"):
            return "(?m:^)" if name == "AT_BEGINNING" else "(?m:$)"
        return {
            "AT_BEGINNING": r"\A",
            "AT_BEGINNING_STRING": r"\A",
            "AT_END": r"(?:\n?\z)",  # Python lets a line break follow
            "AT_END_STRING": r"\z",
            "AT_BOUNDARY": r"\b",
            "AT_NON_BOUNDARY": r"\B",
        }[name]


def _folded(written: str, flags: int) -> str:
    return f"(?i:{written})" if flags & re.IGNORECASE else written


def _count(minimum: int, maximum: str) -> str:
    if maximum == "MAXREPEAT":
        return "*" if minimum == 0 else f"{{{minimum},}}"
    return f"{{{minimum},{maximum}}}"


def _category(name: str, flags: int) -> str:
    known = {
        "CATEGORY_DIGIT": r"\d",
        "CATEGORY_NOT_DIGIT": r"\D",
        "CATEGORY_WORD": r"\w",
        "CATEGORY_NOT_WORD": r"\W",
    }.get(name)
    space = _ASCII_SPACE if flags & re.ASCII else _SPACE
    return known or _ranges(space if name == "CATEGORY_SPACE" else _others(space))


def _others(ranges: _Ranges) -> _Ranges:
    starts = [0, *(last + 1 for _, last in ranges)]
    ends = [*(first - 1 for first, _ in ranges), _LAST]
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)


def _ranges(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in ranges)
