"""Statements that bind names, loop, or define functions."""

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_guard.languages.operation import Operation
from hermes_guard.languages.python.environment_secrets import bound
from hermes_guard.languages.python.expressions import give
from hermes_guard.languages.python.function_definitions import define
from hermes_guard.languages.python.function_names import BULK
from hermes_guard.languages.text_values import UNKNOWN, add, one_of
from hermes_guard.name_sets import names

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

_ENDLESS = frozenset({"iter", "count", "cycle", "repeat"})
#: Calls that create a process, and those that keep an endless loop from creating more.
_MAKERS = names("os.fork fork multiprocessing.Process subprocess.Popen os.forkpty os.posix_spawn")
_WAITING = names("sleep wait waitpid wait3 wait4 accept communicate join recv get input")
#: Decorators that do not change a function's arguments.
_PLAIN = names("staticmethod classmethod contextmanager contextlib.contextmanager functools.cache functools.lru_cache")
#: The depth of nested loops up to which a second iteration is read.
_ROUNDS = 2
#: A loop over at most this many known items is read once for each of them.
_FEW = 16


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
    if isinstance(node.value, ast.Lambda) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        reader.visit(node.value.args)
        define(reader, node.targets[0].id, node.value.args, [node.value.body], known=True)
        return
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
        elif isinstance(target, (ast.Tuple, ast.List)):
            give(reader, target, reader.value(node.value))
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
    if isinstance(target, ast.Attribute):
        if isinstance(target.value, ast.Name):
            reader.values[f"{target.value.id}.{target.attr}"] = reader.value(value)
        return
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        reader.values.pop(target.value.id, None)
    if not isinstance(target, ast.Name):
        return
    name = reader.dotted(value)
    reader.names.pop(target.id, None)
    if name and name != target.id:
        reader.names[target.id] = name
    reader.values[target.id] = reader.value(value)
    bound(reader, target.id, value)


def _if(reader: "Reader", node: ast.If) -> None:
    reader.visit(node.test)
    _branches(reader, [node.body, node.orelse])


def _try(reader: "Reader", node: ast.Try) -> None:
    for handler in node.handlers:
        if handler.type is not None:
            reader.visit(handler.type)
    _branches(reader, [[*node.body, *node.orelse], *(handler.body for handler in node.handlers)])
    for child in node.finalbody:
        reader.visit(child)


def _match(reader: "Reader", node: ast.Match) -> None:
    reader.visit(node.subject)
    for case in node.cases:
        reader.visit(case.pattern)
        if case.guard is not None:
            reader.visit(case.guard)
    _branches(reader, [*(case.body for case in node.cases), []])


def _branches(reader: "Reader", bodies: list[list[ast.stmt]]) -> None:
    """Read each branch with the values known before, and merge the values afterwards."""
    before = reader.values
    reader.spend(len(before) >> 3)
    branches: list[dict[str, Any]] = []
    for body in bodies:
        reader.values = dict(before)
        for child in body:
            reader.visit(child)
        if not body or not isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            branches.append(reader.values)
    reader.values = dict(before)
    for name in dict.fromkeys(name for branch in branches for name in branch):
        held = [branch[name] for branch in branches if name in branch]
        if any(one is not held[0] for one in held[1:]) or before.get(name, UNKNOWN) is not held[0]:
            reader.values[name] = one_of(held)


def _classdef(reader: "Reader", node: ast.ClassDef) -> None:
    """Read a class, whose attributes its methods read from their object."""
    for child in (*node.decorator_list, *node.bases, *node.keywords):
        reader.visit(child)
    methods = [one.name for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    reader.methods.update(methods)
    for child in node.body:
        reader.visit(child)
        if isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Name):
            name = child.targets[0].id
            reader.values[f"self.{name}"] = reader.values[f"cls.{name}"] = reader.value(child.value)
    if "__init__" in methods:
        reader.classes[node.name] = reader.functions["__init__"]


def _endless(reader: "Reader", iterated: ast.expr, body: list[ast.AST]) -> None:
    """Report a fork in an endless loop."""
    if not isinstance(iterated, ast.Call) or (reader.dotted(iterated.func) or "").rsplit(".", 1)[-1] not in _ENDLESS:
        return
    calls = [one for part in body for one in reader.walk(part) if isinstance(one, ast.Call)]
    if any(reader.dotted(one.func) == "os.fork" for one in calls):
        reader.found.append(Operation("bomb", "forks without end"))


def _for(reader: "Reader", node: ast.For) -> None:
    _endless(reader, node.iter, list(node.body))
    reader.visit(node.iter)
    reader.visit(node.target)
    items = reader.value(node.iter)
    outer, reader.bulk = reader.bulk, reader.bulk or reader.mentions(node.iter, BULK)
    reader.loop += 1
    known = _few(items)
    for item in known:
        before = reader.values if len(known) > 1 else dict(reader.values)
        give(reader, node.target, item)
        for child in node.body:
            reader.visit(child)
    if len(known) == 1:
        _again(reader, before, node.body)
    for child in node.orelse:
        reader.visit(child)
    reader.loop -= 1
    reader.bulk = outer


def _few(items: Any) -> Any:
    """Return the items for which a loop is read: each of a few known ones, or one unknown item."""
    if isinstance(items, dict):
        items = list(items)
    return items if isinstance(items, (list, tuple)) and len(items) <= _FEW else [UNKNOWN]


def _while(reader: "Reader", node: ast.While) -> None:
    if (
        (isinstance(node.test, ast.Constant) or reader.mentions(node.test, frozenset({"fork"})))
        and any(isinstance(call, ast.Call) and reader.dotted(call.func) in _MAKERS for call in reader.walk(node))
        and not reader.mentions(node, _WAITING)
        and not any(isinstance(one, (ast.Break, ast.Return)) for one in reader.walk(node))
    ):
        reader.found.append(Operation("bomb", "forks without end"))
    reader.loop += 1
    before = dict(reader.values)
    reader.spend(len(before) >> 3)
    for child in ast.iter_child_nodes(node):
        reader.visit(child)
    _again(reader, before, node.body)
    reader.loop -= 1


def _again(reader: "Reader", before: dict[str, Any], body: list[ast.stmt]) -> None:
    """Read another iteration of a loop if it sees other strings or lists than the first."""
    changed = [
        name
        for name, held in reader.values.items()
        if isinstance(before.get(name), (str, list, dict)) and held is not before[name] and held != before[name]
    ]
    if changed and reader.loop <= _ROUNDS:
        reader.values |= {name: one_of([before[name], reader.values[name]]) for name in changed}
        for child in body:
            reader.visit(child)


def _comprehension(reader: "Reader", node: ast.AST) -> None:
    generators: list[ast.comprehension] = getattr(node, "generators", [])
    outer, reader.bulk = reader.bulk, reader.bulk or any(reader.mentions(one.iter, BULK) for one in generators)
    reader.loop += 1
    for one in generators:
        _endless(reader, one.iter, [node])
        reader.visit(one.iter)
        give(reader, one.target, UNKNOWN)
        for test in one.ifs:
            reader.visit(test)
    items = _few(reader.value(generators[0].iter)) if len(generators) == 1 else [UNKNOWN]
    children = [child for name in ("elt", "key", "value") if (child := getattr(node, name, None)) is not None]
    for item in items:
        if len(generators) == 1:
            give(reader, generators[0].target, item)
        for child in children:
            reader.visit(child)
    reader.loop -= 1
    reader.bulk = outer


def _lambda(reader: "Reader", node: ast.Lambda) -> None:
    reader.visit(node.args)
    define(reader, "<lambda>", node.args, [node.body], known=False)


def _functiondef(reader: "Reader", node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    recursive = any(isinstance(one, ast.Call) and reader.dotted(one.func) == node.name for one in reader.walk(node))
    if recursive and any(
        isinstance(one, ast.Call) and reader.dotted(one.func) == "os.fork" for one in reader.walk(node)
    ):
        reader.found.append(Operation("bomb", "forks without end"))
    # Default values and annotations are evaluated where the function is defined.
    for child in (*node.decorator_list, node.args, *([node.returns] if node.returns else ())):
        reader.visit(child)
    plain = all((reader.dotted(one) or "") in _PLAIN for one in node.decorator_list)
    define(reader, node.name, node.args, node.body, known=plain)


#: Handlers by node type.
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
    ast.If: _if,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.ClassDef: _classdef,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.FunctionDef: _functiondef,
    ast.AsyncFunctionDef: _functiondef,
    ast.Lambda: _lambda,
}
