"""Computes the values of expressions, as far as possible."""

import ast
import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_guard import lazy_re as re
from hermes_guard.languages.python.parser import HOLE_NAME
from hermes_guard.languages.python.pure_functions import FUNCTIONS
from hermes_guard.languages.python.text_methods import METHODS, known_variables
from hermes_guard.languages.text_values import (
    LIMIT,
    MAX_ITEMS,
    UNKNOWN,
    OneOf,
    add,
    fitting,
    lifted,
    one_of,
    piece,
    whole,
)
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader


_WHOLE_NUMBER = re.compile(r"(%%)|%[di]")


def _binary(reader: "Reader", node: ast.BinOp) -> Any:
    left, right = reader.value(node.left), reader.value(node.right)
    if isinstance(node.op, ast.Add):
        return add(left, right)
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        values = right if isinstance(right, (list, tuple)) else [right]
        pieces = fitting(piece(value) for value in values)
        left = _WHOLE_NUMBER.sub(lambda found: found[1] or "%s", left)
        return left % tuple(pieces) if re.search(r"%(?!s|%)", left) is None else UNKNOWN
    if isinstance(node.op, ast.Mult):
        text, count = (left, right) if isinstance(right, int) else (right, left)
        most = LIMIT if isinstance(text, (str, bytes)) else MAX_ITEMS
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


def _joined(reader: "Reader", node: ast.JoinedStr) -> Any:
    pieces = [reader.value(one.value if isinstance(one, ast.FormattedValue) else one) for one in node.values]
    return lifted(lambda *made: "".join(fitting(piece(one) for one in made)), *pieces)


def _sequence(reader: "Reader", node: ast.List | ast.Tuple) -> Any:
    items: Any = []
    for one in node.elts:
        if not isinstance(one, ast.Starred):
            made: Any = [reader.value(one)]
        else:
            made = reader.value(one.value)
            if not isinstance(made, (list, tuple, OneOf)):
                made = [UNKNOWN]
        if not isinstance(items, list) or isinstance(made, OneOf):
            items = add(items, made)
        else:
            items.extend(made)
    return items if isinstance(items, OneOf) or items is UNKNOWN else whole(items, MAX_ITEMS)


def _table(reader: "Reader", node: ast.Dict) -> Any:
    if len(node.keys) > MAX_ITEMS or any(key is None for key in node.keys):
        return UNKNOWN
    keys = [reader.value(key) for key in node.keys]
    if not all(isinstance(key, (str, int)) for key in keys):
        return UNKNOWN
    return dict(zip(keys, (reader.value(one) for one in node.values), strict=True))


def _name(reader: "Reader", node: ast.Name) -> Any:
    if node.id == HOLE_NAME:
        return HOLE
    if node.id in reader.shared:
        return UNKNOWN
    name = node.id if node.id in reader.values else reader.names.get(node.id, "")
    return reader.values.get(name, UNKNOWN)


def _attribute(reader: "Reader", node: ast.Attribute) -> Any:
    name = reader.dotted(node)
    if name in reader.values and not reader.by_field:
        # `sys.argv`, and attributes of an object.
        return reader.values[name]
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
        return _variable(reader, node.slice)
    base = reader.value(node.value)
    if isinstance(base, dict):
        key = reader.value(node.slice)
        return base.get(key, UNKNOWN) if isinstance(key, (str, int)) else one_of(base.values())
    if not isinstance(base, (str, bytes, list, tuple)):
        return UNKNOWN
    if isinstance(node.slice, ast.Slice):
        places = [reader.value(one) for one in (node.slice.lower, node.slice.upper, node.slice.step)]
        return base[slice(*places)] if all(one is None or isinstance(one, int) for one in places) else UNKNOWN
    key = reader.value(node.slice)
    if not isinstance(key, int):
        return one_of(base) if isinstance(base, (list, tuple)) else UNKNOWN
    return base[key]


def _variable(reader: "Reader", key: ast.expr) -> Any:
    """Return the value of an environment variable, as far as it is known."""
    name = reader.value(key)
    return known_variables(reader.home).get(name, UNKNOWN) if isinstance(name, str) else UNKNOWN


def _called(reader: "Reader", node: ast.Call) -> Any:
    name = reader.dotted(node.func) or ""
    function = FUNCTIONS.get(name)
    if function is not None and not any(isinstance(one, ast.Starred) for one in node.args):
        given = [reader.value(one) for one in node.args]
        reader.spend(_size(given) >> 6)
        return lifted(lambda *args: function(reader.home, list(args)), *given)
    if name in {"os.environ.get", "os.getenv"}:
        return _variable(reader, node.args[0]) if node.args else UNKNOWN
    if not isinstance(node.func, ast.Attribute):
        return UNKNOWN
    base = reader.value(node.func.value)
    args = [reader.value(one) for one in node.args]
    reader.spend(_size([base, *args]) >> 6)
    method = METHODS.get(node.func.attr)
    if method is None or base is UNKNOWN:
        return UNKNOWN
    return lifted(lambda one, *rest: method(reader.home, one, list(rest)), base, *args)


def _size(values: list[Any]) -> int:
    return sum(len(one) for one in values if isinstance(one, (str, bytes, list)))


def _generator(reader: "Reader", node: ast.ListComp | ast.GeneratorExp) -> Any:
    """`chr(c) for c in (1, 2)`: a disguised string."""
    if len(node.generators) != 1 or node.generators[0].ifs:
        return UNKNOWN
    items = reader.value(node.generators[0].iter)
    if not isinstance(items, (list, tuple, str, bytes)) or len(items) > 1024:
        return UNKNOWN
    before = reader.values
    reader.values = dict(before)
    reader.spend(len(before) >> 4)
    found: list[Any] = []
    for item in items:
        give(reader, node.generators[0].target, item)
        found.append(reader.value(node.elt))
    reader.values = before
    return found


def give(reader: "Reader", target: ast.AST, value: Any) -> None:
    """Bind a value to a name, or its items to several names."""
    if isinstance(target, ast.Name):
        reader.names.pop(target.id, None)
        reader.values[target.id] = value
    elif isinstance(target, ast.Starred):
        give(reader, target.value, UNKNOWN)
    elif isinstance(target, (ast.Tuple, ast.List)):
        known = isinstance(value, (list, tuple)) and len(value) == len(target.elts)
        for place, one in enumerate(target.elts):
            give(reader, one, value[place] if known else UNKNOWN)


def _conditional(reader: "Reader", node: ast.IfExp) -> Any:
    return one_of([reader.value(node.body), reader.value(node.orelse)])


def _either(reader: "Reader", node: ast.BoolOp) -> Any:
    """`x or "ls"` is the first truthy operand."""
    values = [reader.value(one) for one in node.values]
    if isinstance(node.op, ast.And):
        return UNKNOWN
    known = next((one for one in values if isinstance(one, (str, list)) and one), None)
    return known if known is not None and known is values[0] else one_of(values)


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
    ast.BoolOp: _either,
    ast.Dict: _table,
}
