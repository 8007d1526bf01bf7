"""Recognizes conditions that always or never hold."""

import operator
from collections.abc import Callable

from hermes_guard import lazy_re as re
from hermes_guard.shell.arithmetic import calculate

_TRUE = frozenset({"true", ":", "/bin/true", "/usr/bin/true", "command true", "builtin true"})
_FALSE = frozenset({"false", "/bin/false", "/usr/bin/false", "command false", "builtin false"})
_TEST = re.compile(r"(?:\[\[\s(.*)\s\]\]|\[\s(.*?)\s?\]|test(?:\s(.*))?)\Z", re.DOTALL)
_COMPARED = re.compile(r"(.+?)\s*(==?|!=|<=?|>=?|-eq|-ne|-l[te]|-g[te])\s*(.+)\Z", re.DOTALL)
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    **dict.fromkeys(("=", "==", "-eq"), operator.eq),
    **dict.fromkeys(("!=", "-ne"), operator.ne),
    **dict.fromkeys(("<", "-lt"), operator.lt),
    **dict.fromkeys(("<=", "-le"), operator.le),
    **dict.fromkeys((">", "-gt"), operator.gt),
    **dict.fromkeys((">=", "-ge"), operator.ge),
}
#: No intentional constant is longer.
_MAX_LENGTH = 60


def constant(condition: str) -> bool | None:
    """Return whether a condition always or never holds; None when that varies."""
    text = condition.strip().rstrip(";\n").strip()
    if len(text) > _MAX_LENGTH:
        return None
    if text.startswith("! "):
        held = constant(text[2:])
        return None if held is None else not held
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text.startswith("((") and text.endswith("))"):
        return constant_number(text[2:-2])
    if text.startswith("(") and text.endswith(")"):
        return constant(text[1:-1])
    found = _TEST.match(text)
    if found is None:
        return None
    tested = next((group for group in found.groups() if group is not None), "").strip()
    return _tested(tested)


def constant_number(expression: str) -> bool | None:
    """Return the same for an arithmetic expression. An empty one in a `for` always holds."""
    value = calculate(expression)
    if value is not None:
        return value != 0
    return _compared(expression.strip())


def _tested(text: str) -> bool | None:
    if not text:
        return False
    if re.fullmatch(r"\w+|\"\w+\"|'\w+'", text):
        return True
    return _compared(text)


def _compared(text: str) -> bool | None:
    found = _COMPARED.match(text)
    if found is None:
        return None
    left, right = calculate(found.group(1)), calculate(found.group(3))
    return None if left is None or right is None else _COMPARE[found.group(2)](left, right)
