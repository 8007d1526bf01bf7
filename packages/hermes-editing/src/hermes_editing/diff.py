"""Compare texts line by line, and format the differences like `diff -u`."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Final

Block = tuple[int, int, int]
"""Equal lines: where they begin in each text, and how many there are."""

_SMALL: Final = 10_000
"""The maximum product of lengths for which stretches without unique common lines are compared line by line."""

_DEEPEST: Final = 12
"""The maximum recursion depth; the remaining lines count as changed."""


def matching_blocks(before: list[str], after: list[str]) -> list[Block]:
    """Return the stretches of equal lines of two texts, in order, in nearly linear time.

    Lines that occur once on each side are matched first; then the stretches between them are compared likewise.
    """
    found: list[Block] = []
    _compare(before, after, (0, 0), 0, found)
    return found


def _compare(before: list[str], after: list[str], at: tuple[int, int], depth: int, found: list[Block]) -> None:
    begin = _equal(before, after)
    if begin:
        found.append((*at, begin))
        before, after, at = before[begin:], after[begin:], (at[0] + begin, at[1] + begin)
    end = _equal(reversed(before), reversed(after))
    before, after = before[: len(before) - end], after[: len(after) - end]
    if before and after and depth < _DEEPEST:
        _compare_between(before, after, at, depth, found)
    if end:
        found.append((at[0] + len(before), at[1] + len(after), end))


def _compare_between(before: list[str], after: list[str], at: tuple[int, int], depth: int, found: list[Block]) -> None:
    anchors = _common_unique_lines(before, after)
    if not anchors and len(before) * len(after) <= _SMALL:
        for line, other, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()[:-1]:
            found.append((at[0] + line, at[1] + other, size))
    if not anchors:
        return
    line = other = 0
    last = (-1, -1)
    end = (len(before), len(after))
    for place in [*anchors, end]:
        if place == end or place != (last[0] + 1, last[1] + 1):  # consecutive lines are found together
            _compare(before[line : place[0]], after[other : place[1]], (at[0] + line, at[1] + other), depth + 1, found)
            line, other = place
        last = place


def _common_unique_lines(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """Return the longest sequence of lines that occur once on each side, in the order of both."""
    once = {line for line, number in Counter(before).items() if number == 1}
    once &= {line for line, number in Counter(after).items() if number == 1}
    where = {line: index for index, line in enumerate(after) if line in once}
    pairs = [(index, where[line]) for index, line in enumerate(before) if line in once]
    ends: list[int] = []  # for each length, the sequence that ends earliest in `after`: its end
    rows: list[int] = []  # and its last pair
    earlier: list[int] = []
    for number, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        earlier.append(rows[length - 1] if length else -1)
        ends[length : length + 1] = [other]
        rows[length : length + 1] = [number]
    row = []
    number = rows[-1] if rows else -1
    while number >= 0:
        row.append(pairs[number])
        number = earlier[number]
    return row[::-1]


def _equal(before: Iterable[str], after: Iterable[str]) -> int:
    number = 0
    for line, other in zip(before, after, strict=False):
        if line != other:
            break
        number += 1
    return number


LIMIT: Final = 20_000
"""The default maximum length of a diff in characters."""

_STEP: Final = 1 << 16
"""How many characters are compared at once."""


def unified(before: str, after: str, name: str = "", *, context: int = 3, limit: int = LIMIT) -> str:
    """Return a unified diff of at most `limit` characters; empty if the texts are equal."""
    if before == after:
        return ""
    skipped, old, new = changed_part(before, after, context)
    shown = name.lstrip("/").replace("\n", "\\n")
    lines = [f"--- a/{shown}", f"+++ b/{shown}"]
    size = sum(map(len, lines))
    for line in hunks(old, new, skipped, context):
        size += len(line) + 1
        if size > limit:
            lines += [line[: max(0, len(line) - (size - limit))], f"[The diff is truncated after {limit} characters.]"]
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def changed_part(before: str, after: str, context: int = 3) -> tuple[int, list[str], list[str]]:
    """Return the number of common first lines, and the lines of both texts without common first and last lines."""
    start = _line_start(before, _common_begin(before, after), context)
    rest, other = before[start:], after[start:]
    end = _line_end(rest, _common_end(rest, other), context)
    return before.count("\n", 0, start), _lines(rest[: len(rest) - end]), _lines(other[: len(other) - end])


def _common_begin(before: str, after: str) -> int:
    place, most = 0, min(len(before), len(after))
    while place < most and before[place : place + _STEP] == after[place : place + _STEP]:
        place += _STEP
    low, high = min(place, most), min(place + _STEP, most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[low:middle] == after[low:middle] else (low, middle - 1)
    return low


def _common_end(before: str, after: str) -> int:
    length, most = 0, min(len(before), len(after))
    while length < most and before.endswith(
        after[len(after) - min(length + _STEP, most) : len(after) - length], 0, len(before) - length
    ):
        length = min(length + _STEP, most)
    low, high = length, min(length + _STEP, most)
    while low < high:
        middle = (low + high + 1) // 2
        equal = before.endswith(after[len(after) - middle : len(after) - low], 0, len(before) - low)
        low, high = (middle, high) if equal else (low, middle - 1)
    return low


def _line_start(text: str, place: int, lines: int) -> int:
    """Return the start of the line that is a number of lines before a position."""
    for _ in range(lines + 1):
        place = text.rfind("\n", 0, max(place, 0))
        if place < 0:
            return 0
    return place + 1


def _line_end(text: str, length: int, lines: int) -> int:
    """Return how much of the end of a text can be omitted while keeping a number of lines."""
    place = len(text) - length
    for _ in range(lines + 1):
        place = text.find("\n", place) + 1
        if not place:
            return 0
    return len(text) - place


def _lines(text: str) -> list[str]:
    """Split a text into lines, keeping their endings."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + [last] * bool(last)


def hunks(old: list[str], new: list[str], skipped: int, context: int = 3) -> Iterator[str]:
    """Yield the lines of the hunks of a unified diff."""
    for group in _groups(_changes(old, new), context):
        first, other_first = max(0, group[0][0] - context), max(0, group[0][2] - context)
        last, other_last = min(len(old), group[-1][1] + context), min(len(new), group[-1][3] + context)
        old_range, new_range = (
            _range(skipped + first, last - first),
            _range(skipped + other_first, other_last - other_first),
        )
        yield f"@@ -{old_range} +{new_range} @@"
        for start, end, other, other_end in group:
            yield from _marked(" ", old[first:start])
            yield from _marked("-", old[start:end])
            yield from _marked("+", new[other:other_end])
            first = end
        yield from _marked(" ", old[first:last])


def _changes(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Return which ranges of lines replace which, as start and end in each text."""
    changes = []
    line = other = 0
    for start, other_start, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        if line < start or other < other_start:
            changes.append((line, start, other, other_start))
        line, other = start + size, other_start + size
    return changes


def _groups(changes: list[tuple[int, int, int, int]], context: int) -> list[list[tuple[int, int, int, int]]]:
    groups: list[list[tuple[int, int, int, int]]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _range(first: int, count: int) -> str:
    if count == 1:
        return str(first + 1)
    return f"{first + 1 if count else first},{count}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield "\\ No newline at end of file"
