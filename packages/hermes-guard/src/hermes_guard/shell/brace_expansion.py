"""Expands braces, `{a,b}` and `{1..3}`, with a limit."""

from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.shell.quotes import UnclosedError, ansi_end, closing

_RANGE = re.compile(r"(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,4}))?$")
#: An expansion to more words is left unexpanded.
LIMIT = 64
#: The maximum number of characters processed for one word, counting nested parts again.
_WORK = 100_000


def expand_braces(source: str) -> list[str] | None:
    """Return the words of one expanded word; None when there are too many."""
    done: list[str] = []
    todo = [source]
    work = 0
    while todo:
        word = todo.pop()
        work += len(word) + 64
        if len(done) + len(todo) > LIMIT or work > _WORK:
            return None
        found = _first(word)
        if found is None:
            done.append(word)
        else:
            start, end, items = found
            todo.extend(word[:start] + item + word[end:] for item in reversed(items[: LIMIT + 1]))
    return done if len(done) <= LIMIT else None


def _first(word: str) -> tuple[int, int, list[str]] | None:
    """Return the leftmost group that expands: its start, its end, and its items."""
    if "}" not in word:
        return None
    #: Open groups: the start of each, and its commas.
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[str]] | None = None
    index = 0
    while index < len(word):
        char = word[index]
        if char == "{":
            opened.append((index, []))
        elif char == "," and opened:
            opened[-1][1].append(index)
        elif char == "}" and opened:
            start, commas = opened.pop()
            items = _items(word, start, commas, index) if best is None or start < best[0] else None
            if items:
                best = start, index + 1, items
                if not opened:
                    return best
        else:
            index = _step(word, index)
            continue
        index += 1
    return best


def _items(word: str, start: int, commas: list[int], end: int) -> list[str] | None:
    if not commas:
        return _range(word[start + 1 : end]) if end - start < 40 else None
    edges = [start, *commas, end]
    return [word[before + 1 : after] for before, after in pairwise(edges)]


def _step(word: str, index: int) -> int:
    char = word[index]
    if char == "\\":
        return index + 2
    try:
        if char in "'\"`":
            return closing(word, index)
        if char == "$" and word[index + 1 : index + 2] in {"(", "{"}:
            return closing(word, index)
        if char == "$" and word[index + 1 : index + 2] == "'":
            return ansi_end(word, index + 2)
    except UnclosedError:
        return len(word)
    return index + 1


def _range(text: str) -> list[str] | None:
    found = _RANGE.match(text)
    if not found:
        return None
    first, last, step = found.groups()
    width = max(len(first), len(last)) if (first[0] == "0" or last[0] == "0") and len(first) + len(last) > 2 else 0
    if first.lstrip("-").isdigit() != last.lstrip("-").isdigit():
        return None
    digits = first.lstrip("-").isdigit()
    low, high = (int(first), int(last)) if digits else (ord(first), ord(last))
    by = abs(int(step)) if step and int(step) else 1
    # One more than the limit is enough for the caller to give up.
    count = min(abs(high - low) // by, LIMIT + 1)
    sign = 1 if high >= low else -1
    numbers = [low + sign * by * number for number in range(count + 1)]
    return [str(number).zfill(width) if digits else chr(number) for number in numbers]
