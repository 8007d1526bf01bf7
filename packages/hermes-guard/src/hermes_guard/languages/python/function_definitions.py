"""Functions that code defines and calls: `def sh(cmd): subprocess.run(cmd, shell=True)`, then `sh("ls")`.

A body is read at its definition with unknown parameters, and again for each call with that call's arguments. When the
known calls are all there are, the findings of the first reading are dropped.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_guard.languages.operation import Operation
from hermes_guard.languages.text_values import UNKNOWN
from hermes_guard.name_sets import names

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

#: Steps for reading the bodies of all calls together, including nested calls; a part of the budget of one text.
STEPS = 4_000
_MAX_DEPTH = 4


@dataclass(slots=True)
class Defined:
    """A function defined in the code, and the findings of the first reading of its body."""

    arguments: ast.arguments
    body: Sequence[ast.AST]
    start: int
    end: int = 0
    #: The number of steps that reading its body took.
    steps: int = 0
    called: int = 0
    #: True when it may be called with unknown arguments.
    open: bool = False


def define(reader: "Reader", name: str, arguments: ast.arguments, body: Sequence[ast.AST], *, known: bool) -> None:
    """Read the body of a function with unknown parameters, and keep it for its calls if it is `known`."""
    _forget(reader, arguments)
    function = Defined(arguments, body, len(reader.found), open=not known)
    left = reader.budget.left
    for child in body:
        reader.visit(child)
    function.end, function.steps = len(reader.found), left - reader.budget.left
    if name in reader.functions:
        # Which of the two is called is unknown.
        reader.functions[name].open = function.open = True
    reader.functions[name] = function


def enter(reader: "Reader", name: str, node: ast.Call, *, function: Defined | None = None, bound: bool = False) -> None:
    """Read the body of a function with the arguments of a call; a `bound` method also receives its object."""
    function = function or reader.functions[name]
    function.called += 1
    if (
        function.open
        or name in reader.entered
        or len(reader.entered) >= _MAX_DEPTH
        or function.steps > reader.for_calls
    ):
        function.open = True
        return
    given = _bind_arguments(reader, function.arguments, node, bound=bound)
    if given is None:
        function.open = True
        return
    names, values, left = reader.names, reader.values, reader.budget.left
    reader.names = {key: value for key, value in names.items() if key not in given}
    reader.values = {**values, **given}
    reader.entered.append(name)
    for child in function.body:
        reader.visit(child)
    reader.entered.pop()
    kept = {key: value for key, value in reader.values.items() if bound and key.startswith("self.")}
    reader.names, reader.values = names, {**values, **kept} if kept else values
    reader.for_calls -= left - reader.budget.left


def _bind_arguments(
    reader: "Reader", arguments: ast.arguments, node: ast.Call, *, bound: bool = False
) -> dict[str, Any] | None:
    """Return the parameters of a call by name; None when they cannot be matched."""
    words = [*arguments.posonlyargs, *arguments.args]
    # The object is not an explicit argument of the call, and static methods have none.
    words = words[1:] if bound and words and words[0].arg in {"self", "cls"} else words
    given: dict[str, Any] = {one.arg: UNKNOWN for one in (*words, *arguments.kwonlyargs)}
    defaults = zip(words[max(0, len(words) - len(arguments.defaults)) :], arguments.defaults, strict=False)
    for word, default in (*defaults, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
        given[word.arg] = UNKNOWN if default is None else reader.value(default)
    values = spread(reader, node.args)
    if values is None or any(word.arg is None for word in node.keywords):
        return None
    for word, value in zip(words, values, strict=False):
        given[word.arg] = value
    if arguments.vararg is not None:
        given[arguments.vararg.arg] = values[len(words) :]
    rest: dict[str, Any] = {}
    for keyword in node.keywords:
        known = given if keyword.arg in given else rest
        known[keyword.arg or ""] = reader.value(keyword.value)
    if arguments.kwarg is not None:
        given[arguments.kwarg.arg] = rest
    return given


def spread(reader: "Reader", args: Sequence[ast.expr]) -> list[Any] | None:
    """Return the values of arguments, with `*items` expanded; None when their number is unknown."""
    values: list[Any] = []
    for one in args:
        if not isinstance(one, ast.Starred):
            values.append(reader.value(one))
            continue
        items = reader.value(one.value)
        if not isinstance(items, (list, tuple)):
            return None
        values.extend(items)
    return values


def keywords(reader: "Reader", node: ast.Call) -> dict[str, ast.expr]:
    """Return the keyword arguments of a call, with `**options` expanded where it is known."""
    found = {word.arg: word.value for word in node.keywords if word.arg}
    for word in node.keywords:
        held = reader.values.get(word.value.id) if word.arg is None and isinstance(word.value, ast.Name) else None
        for key, value in held.items() if isinstance(held, dict) else ():
            if value is None or isinstance(value, (str, bool, int)):
                found.setdefault(key, ast.Constant(value))
    return found


def remaining(reader: "Reader", tree: ast.Module) -> list[Operation]:
    """Return the findings, without the first reading of functions whose calls are all known."""
    shown = {name: one for name, one in reader.functions.items() if one.called and not one.open and one.end > one.start}
    if shown:
        reflects = reader.mentions(tree, _REFLECTION)
        called = {id(one.func) for one in reader.walk(tree) if isinstance(one, ast.Call)}
        for one in reader.walk(tree):
            by_call = id(one) in called and (
                isinstance(one, ast.Name) or (isinstance(one, ast.Attribute) and one.attr in reader.methods)
            )
            name = "" if by_call else _mentioned(reader, one, reflects)
            if name in shown and not (isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)):
                del shown[name]
    dropped = {place for one in shown.values() for place in range(one.start, one.end)}
    return [operation for place, operation in enumerate(reader.found) if place not in dropped]


#: Functions that look up another function by a string.
_REFLECTION = names("globals locals vars getattr eval exec __dict__ __main__ methodcaller")


def _mentioned(reader: "Reader", node: ast.AST, reflects: bool) -> str:
    """Return the function that an expression may refer to: by its name, as a method, or by a string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        return "" if owner in reader.packages or owner in reader.names else node.attr
    return node.value if reflects and isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _forget(reader: "Reader", given: ast.arguments) -> None:
    """Mark a function as called with unknown arguments."""
    extra = [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, *extra):
        reader.values[argument.arg] = UNKNOWN
        reader.names.pop(argument.arg, None)
