"""Statements that bind names, repeat something, or define functions."""

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_guard.rules.languages.deed import Deed
from hermes_guard.rules.languages.python.environment import bound
from hermes_guard.rules.languages.python.texts import UNKNOWN, add
from hermes_guard.rules.languages.python.vocabulary import BULK

if TYPE_CHECKING:
    from hermes_guard.rules.languages.python.reader import Reader

_ENDLESS = frozenset({"iter", "count", "cycle", "repeat"})
#: A loop over so few known items is read once for each of them.
_FEW = 8


def _import(reader: "Reader", node: ast.Import) -> None:
    for alias in node.names:
        reader.packages.add(alias.name.partition(".")[0])
        if alias.asname:
            reader.names[alias.asname] = alias.name


def _importfrom(reader: "Reader", node: ast.ImportFrom) -> None:
    reader.packages.add((node.module or "").partition(".")[0])
    for alias in node.names:
        if alias.name == "*":
            if node.module and node.module not in reader.stars[-8:]:
                reader.stars.append(node.module)
        else:
            reader.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"


def _assign(reader: "Reader", node: ast.Assign) -> None:
    reader.visit(node.value)
    for target in node.targets:
        # `x[f()] = 1` calls f.
        reader.visit(target)
        if (
            isinstance(target, ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and len(target.elts) == len(node.value.elts)
        ):
            for one, value in zip(target.elts, node.value.elts, strict=True):
                _bind(reader, one, value)
        else:
            _bind(reader, target, node.value)


def _annassign(reader: "Reader", node: ast.AnnAssign) -> None:
    reader.visit(node.annotation)
    reader.visit(node.target)
    if node.value is not None:
        reader.visit(node.value)
        _bind(reader, node.target, node.value)


def _namedexpr(reader: "Reader", node: ast.NamedExpr) -> None:
    reader.visit(node.value)
    _bind(reader, node.target, node.value)


def _augassign(reader: "Reader", node: ast.AugAssign) -> None:
    reader.visit(node.value)
    reader.visit(node.target)
    if isinstance(node.target, ast.Name):
        old, new = reader.values.get(node.target.id, UNKNOWN), reader.value(node.value)
        reader.values[node.target.id] = add(old, new) if isinstance(node.op, ast.Add) else UNKNOWN


def _bind(reader: "Reader", target: ast.expr, value: ast.expr) -> None:
    if not isinstance(target, ast.Name):
        return
    name = reader.dotted(value)
    reader.names.pop(target.id, None)
    if name and name != target.id:
        reader.names[target.id] = name
    reader.values[target.id] = reader.value(value)
    bound(reader, target.id, value)


def _endless(reader: "Reader", iterated: ast.expr, body: list[ast.AST]) -> None:
    """A fork in a loop over something that never ends."""
    if not isinstance(iterated, ast.Call) or (reader.dotted(iterated.func) or "").rsplit(".", 1)[-1] not in _ENDLESS:
        return
    calls = [one for part in body for one in reader.walk(part) if isinstance(one, ast.Call)]
    if any(reader.dotted(one.func) == "os.fork" for one in calls):
        reader.found.append(Deed("bomb", "forks without end"))


def _for(reader: "Reader", node: ast.For) -> None:
    _endless(reader, node.iter, list(node.body))
    reader.visit(node.iter)
    reader.visit(node.target)
    items = reader.value(node.iter)
    outer, reader.bulk = reader.bulk, reader.bulk or reader.mentions(node.iter, BULK)
    reader.loop += 1
    known = (
        items
        if isinstance(items, (list, tuple)) and len(items) <= _FEW and isinstance(node.target, ast.Name)
        else [UNKNOWN]
    )
    for item in known:
        if isinstance(node.target, ast.Name):
            reader.names.pop(node.target.id, None)
            reader.values[node.target.id] = item
        else:
            _forget(reader, node.target)
        for child in node.body:
            reader.visit(child)
    for child in node.orelse:
        reader.visit(child)
    reader.loop -= 1
    reader.bulk = outer


def _forget(reader: "Reader", target: ast.AST) -> None:
    for name in reader.walk(target):
        if isinstance(name, ast.Name):
            reader.values[name.id] = UNKNOWN
            reader.names.pop(name.id, None)


def _while(reader: "Reader", node: ast.While) -> None:
    if any(
        isinstance(call, ast.Call) and reader.dotted(call.func) in {"os.fork", "fork", "multiprocessing.Process"}
        for call in reader.walk(node)
    ) and (isinstance(node.test, ast.Constant) or reader.mentions(node.test, frozenset({"fork"}))):
        reader.found.append(Deed("bomb", "forks without end"))
    reader.loop += 1
    for child in ast.iter_child_nodes(node):
        reader.visit(child)
    reader.loop -= 1


def _comprehension(reader: "Reader", node: ast.AST) -> None:
    generators: list[ast.comprehension] = getattr(node, "generators", [])
    outer, reader.bulk = reader.bulk, reader.bulk or any(reader.mentions(one.iter, BULK) for one in generators)
    reader.loop += 1
    for one in generators:
        _endless(reader, one.iter, [node])
        reader.visit(one.iter)
        _forget(reader, one.target)
        for test in one.ifs:
            reader.visit(test)
    for name in ("elt", "key", "value"):
        child = getattr(node, name, None)
        if child is not None:
            reader.visit(child)
    reader.loop -= 1
    reader.bulk = outer


def _forget_parameters(reader: "Reader", given: ast.arguments) -> None:
    """Nobody knows what a function is called with."""
    extra = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra):
        reader.values[argument.arg] = UNKNOWN
        reader.names.pop(argument.arg, None)


def _lambda(reader: "Reader", node: ast.Lambda) -> None:
    _forget_parameters(reader, node.args)
    reader.visit(node.args)
    reader.visit(node.body)


def _functiondef(reader: "Reader", node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    _forget_parameters(reader, node.args)
    recursive = any(isinstance(one, ast.Call) and reader.dotted(one.func) == node.name for one in reader.walk(node))
    if recursive and any(
        isinstance(one, ast.Call) and reader.dotted(one.func) == "os.fork" for one in reader.walk(node)
    ):
        reader.found.append(Deed("bomb", "forks without end"))
    # Defaults and annotations run where the function is defined.
    for child in (*node.decorator_list, node.args, *([node.returns] if node.returns else ()), *node.body):
        reader.visit(child)


#: By the type of the node.
STATEMENTS: dict[type[ast.AST], Callable[["Reader", Any], None]] = {
    ast.Import: _import,
    ast.ImportFrom: _importfrom,
    ast.Assign: _assign,
    ast.AnnAssign: _annassign,
    ast.NamedExpr: _namedexpr,
    ast.AugAssign: _augassign,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.FunctionDef: _functiondef,
    ast.AsyncFunctionDef: _functiondef,
    ast.Lambda: _lambda,
}
