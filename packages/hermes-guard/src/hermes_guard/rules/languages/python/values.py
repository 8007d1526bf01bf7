"""What expressions are worth, as far as it can be computed."""

import ast
import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_guard.rules.languages.python.functions import FUNCTIONS
from hermes_guard.rules.languages.python.parsing import HOLE_NAME
from hermes_guard.rules.languages.python.text_methods import METHODS
from hermes_guard.rules.languages.python.texts import LIMIT, MOST_ITEMS, UNKNOWN, add, fitting, piece, whole
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.rules.languages.python.reader import Reader


def _binary(reader: "Reader", node: ast.BinOp) -> Any:
    left, right = reader.value(node.left), reader.value(node.right)
    if isinstance(node.op, ast.Add):
        return add(left, right)
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        values = right if isinstance(right, (list, tuple)) else [right]
        pieces = fitting(piece(value) for value in values)
        return left % tuple(pieces) if re.search(r"%(?!s|%)", left) is None else UNKNOWN
    if isinstance(node.op, ast.Mult):
        text, count = (left, right) if isinstance(right, int) else (right, left)
        most = LIMIT if isinstance(text, (str, bytes)) else MOST_ITEMS
        if isinstance(text, (str, bytes, list)) and isinstance(count, int) and len(text) * max(count, 0) <= most:
            return text * count
        if isinstance(left, int) and isinstance(right, int) and abs(left) < 1 << 32 and abs(right) < 1 << 32:
            return left * right
    if isinstance(node.op, ast.Div) and (isinstance(left, str) or isinstance(right, str)):
        return posixpath.join(*fitting((piece(left), piece(right))))
    if isinstance(node.op, (ast.BitOr, ast.BitXor, ast.Sub)) and isinstance(left, int) and isinstance(right, int):
        return {ast.BitOr: left | right, ast.Sub: left - right, ast.BitXor: left ^ right}[type(node.op)]
    return UNKNOWN


def _unary(reader: "Reader", node: ast.UnaryOp) -> Any:
    value = reader.value(node.operand)
    return -value if isinstance(node.op, ast.USub) and isinstance(value, int) else UNKNOWN


def _joined(reader: "Reader", node: ast.JoinedStr) -> str:
    pieces = [reader.value(one.value if isinstance(one, ast.FormattedValue) else one) for one in node.values]
    return "".join(fitting(piece(one) for one in pieces))


def _sequence(reader: "Reader", node: ast.List | ast.Tuple) -> Any:
    items: list[Any] = []
    for one in node.elts:
        if isinstance(one, ast.Starred):
            inner = reader.value(one.value)
            items.extend(inner if isinstance(inner, (list, tuple)) else [UNKNOWN])
        else:
            items.append(reader.value(one))
    return whole(items, MOST_ITEMS)


def _name(reader: "Reader", node: ast.Name) -> Any:
    if node.id == HOLE_NAME:
        return HOLE
    return reader.values.get(node.id, UNKNOWN)


def _attribute(reader: "Reader", node: ast.Attribute) -> Any:
    name = reader.dotted(node)
    if name == "sys.executable":
        return "python3"
    if name == "os.sep":
        return "/"
    if name in {"signal.SIGKILL", "signal.SIGTERM"}:
        return 9
    if node.attr == "parent":
        base = reader.value(node.value)
        return posixpath.dirname(base) if isinstance(base, str) else UNKNOWN
    return UNKNOWN


def _subscript(reader: "Reader", node: ast.Subscript) -> Any:
    name = reader.dotted(node.value)
    if name == "os.environ":
        return reader.home if reader.value(node.slice) == "HOME" else UNKNOWN
    base = reader.value(node.value)
    if not isinstance(base, (str, bytes, list, tuple)):
        return UNKNOWN
    if isinstance(node.slice, ast.Slice):
        places = [reader.value(one) for one in (node.slice.lower, node.slice.upper, node.slice.step)]
        return base[slice(*places)] if all(one is None or isinstance(one, int) for one in places) else UNKNOWN
    key = reader.value(node.slice)
    return base[key] if isinstance(key, int) else UNKNOWN


def _called(reader: "Reader", node: ast.Call) -> Any:
    name = reader.dotted(node.func) or ""
    function = FUNCTIONS.get(name)
    if function is not None and not any(isinstance(one, ast.Starred) for one in node.args):
        given = [reader.value(one) for one in node.args]
        reader.spend(_size(given) >> 6)
        return function(reader.home, given)
    if name in {"os.environ.get", "os.getenv"}:
        return reader.home if node.args and reader.value(node.args[0]) == "HOME" else UNKNOWN
    if not isinstance(node.func, ast.Attribute):
        return UNKNOWN
    base = reader.value(node.func.value)
    args = [reader.value(one) for one in node.args]
    reader.spend(_size([base, *args]) >> 6)
    method = METHODS.get(node.func.attr)
    return UNKNOWN if method is None else method(reader.home, base, args)


def _size(values: list[Any]) -> int:
    return sum(len(one) for one in values if isinstance(one, (str, bytes, list)))


def _generator(reader: "Reader", node: ast.ListComp | ast.GeneratorExp) -> Any:
    """`chr(c) for c in (1, 2)`: a text in disguise."""
    if len(node.generators) != 1 or node.generators[0].ifs or not isinstance(node.generators[0].target, ast.Name):
        return UNKNOWN
    items = reader.value(node.generators[0].iter)
    if not isinstance(items, (list, tuple, str, bytes)) or len(items) > 1024:
        return UNKNOWN
    name = node.generators[0].target.id
    before = reader.values.get(name, UNKNOWN)
    found: list[Any] = []
    for item in items:
        reader.values[name] = item
        found.append(reader.value(node.elt))
    reader.values[name] = before
    return found


def _conditional(reader: "Reader", node: ast.IfExp) -> Any:
    left, right = reader.value(node.body), reader.value(node.orelse)
    return left if left == right else UNKNOWN


COMPUTERS: dict[type[ast.AST], Callable[["Reader", Any], Any]] = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.JoinedStr: _joined,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _called,
    ast.ListComp: _generator,
    ast.GeneratorExp: _generator,
    ast.IfExp: _conditional,
}
