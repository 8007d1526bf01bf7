"""Shows what an undo would change, as a diff that is never longer to make than to read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from hermes_tools_terminal.undo.plan import Plan

_MOST_LINES = 2000
"""So many lines that differ are compared with each other; comparing takes as much as one number times the other."""

_CONTEXT = 3


def diff_of(plan: Plan) -> Iterator[str]:
    """The lines of a diff for all files of a plan, from what they are to what they would be."""
    for change in plan.changes:
        yield f"--- {change.path}" if change.before is not None else "--- /dev/null"
        yield f"+++ {change.path}" if change.after is not None else "+++ /dev/null"
        yield from _diff(change.before or b"", change.after or b"")


def _diff(old: bytes, new: bytes) -> Iterator[str]:
    if b"\0" in old or b"\0" in new:
        yield f"binary content: {len(old):,} bytes become {len(new):,}"
        return
    old_lines, new_lines = _lines(old), _lines(new)
    start, end = _same_ends(old_lines, new_lines)
    start, end = max(0, start - _CONTEXT), max(0, end - _CONTEXT)
    left, right = old_lines[start : len(old_lines) - end], new_lines[start : len(new_lines) - end]
    if len(left) + len(right) > _MOST_LINES:
        yield f"@@ -{start + 1},{len(left)} +{start + 1},{len(right)} @@ too many lines to show"
        return
    yield from _hunks(left, right, start)


def _lines(data: bytes) -> list[bytes]:
    """Lines with their ends; only a line feed ends one."""
    *whole, rest = data.split(b"\n")
    lines = [line + b"\n" for line in whole]
    return [*lines, rest] if rest else lines


def _same_ends(old: list[bytes], new: list[bytes]) -> tuple[int, int]:
    """How many lines are the same at the start and at the end."""
    most = min(len(old), len(new))
    start = next((index for index in range(most) if old[index] != new[index]), most)
    end = next((index for index in range(most - start) if old[-1 - index] != new[-1 - index]), most - start)
    return start, end


def _hunks(old: list[bytes], new: list[bytes], start: int) -> Iterator[str]:
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        yield f"@@ -{_range(start + i1, i2 - i1)} +{_range(start + j1, j2 - j1)} @@"
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from _marked(" ", old[a:b])
            else:
                yield from _marked("-", old[a:b])
                yield from _marked("+", new[c:d])


def _range(first: int, count: int) -> str:
    return f"{first + 1 if count else first},{count}"


def _marked(mark: str, lines: list[bytes]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix(b"\n").decode("utf-8", "replace")
        if not line.endswith(b"\n"):
            yield "\\ No newline at end of file"
