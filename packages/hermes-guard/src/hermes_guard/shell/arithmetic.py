"""Evaluates arithmetic on known numbers."""

import ast
import operator
from collections.abc import Callable

from hermes_guard import lazy_re as re

_NUMBERS = re.compile(r"[\d\s+\-*/%()&|^]{1,60}$")
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b),
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


#: The assignments in an expression: `x=1`, `x+=1`, `x++`, `--x`.
_CHANGED = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_SIMPLE_CHANGE = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:(\+\+|--)|([-+*/%]?)=(?!=)([^=,]+))\s*\Z")
_LOOP = re.compile(
    r"\s*([A-Za-z_]\w*)\s*=\s*(\d{1,6})\s*;\s*\1\s*(<=?|>=?)\s*(\d{1,6})\s*;"
    r"\s*(?:\1(\+\+|--)|(\+\+|--)\1|\1\s*([-+])=\s*(\d{1,6}))\s*\Z"
)


def changes(expression: str) -> dict[str, str]:
    """Return the variables that an expression sets, with their new values; empty when that is unclear."""
    names = {found.group(1) or found.group(2): "" for found in _CHANGED.finditer(expression)}
    simple = _SIMPLE_CHANGE.match(expression) if len(names) == 1 else None
    if simple:
        name, step, sign, value = simple.groups()
        return {name: f"{name}{step[0]}1" if step else f"{name}{sign}({value})" if sign else value}
    return names


def counted(header: str) -> tuple[str, range] | None:
    """Return the variable of `for ((i=0; i<9; i++))` and its numbers; None for any other loop."""
    found = _LOOP.match(header)
    if not found:
        return None
    name, start, sign, end, after, before, way, step = found.groups()
    down = (after or before or way)[0] == "-"
    width = int(step or 1) * (-1 if down else 1)
    if not width or down != (sign[0] == ">"):
        return None
    return name, range(int(start), int(end) + (len(sign) - 1) * (-1 if down else 1), width)


def calculate(expression: str) -> int | None:
    """Return the value of a plain numeric expression; None for anything else."""
    expression = expression.strip()
    if expression.isdigit() and len(expression) < 18:
        return int(expression, 8 if expression.startswith("0") and set(expression) <= set("01234567") else 10)
    if not _NUMBERS.match(expression) or "**" in expression:
        return None
    try:
        return _value(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError
