"""Finds what a call would do, by the name of the called function."""

import ast
from typing import TYPE_CHECKING

from hermes_guard.languages.operation import Operation
from hermes_guard.languages.python import code_execution, files, processes
from hermes_guard.languages.python.clients import client
from hermes_guard.languages.python.dotted_names import Action, Called, canonical
from hermes_guard.languages.python.environment_secrets import sent
from hermes_guard.languages.python.function_definitions import enter, keywords
from hermes_guard.languages.python.function_names import ACTING, EVAL, EXEC, NETWORK
from hermes_guard.languages.python.method_calls import method
from hermes_guard.languages.text_values import UNKNOWN, OneOf, add

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

_MODULES = frozenset({"os", "subprocess", "shutil", "builtins", "__builtins__"})
_CALLED_BY_NAME = frozenset(["map", "filter", "functools.partial", "partial"])
#: Methods that change a list.
_CHANGING = frozenset({"append", "extend", "insert", "remove", "pop", "clear", "reverse", "sort"})
#: Functions that inspect a function without calling it.
_LOOKING = frozenset({"callable", "print", "help", "inspect.getsource", "repr", "type", "hasattr", "str", "id"})


def call(reader: "Reader", node: ast.Call) -> None:
    """Find what a call and the calls in its arguments would do."""
    for child in ast.iter_child_nodes(node):
        reader.visit(child)
    name = reader.dotted(node.func) or ""
    if isinstance(node.func, ast.Name) and node.func.id in reader.functions:
        enter(reader, node.func.id, node)
        _handed_to(reader, node)
    elif isinstance(node.func, ast.Name) and node.func.id in reader.classes:
        enter(reader, f"{node.func.id}()", node, function=reader.classes[node.func.id], bound=True)
    elif isinstance(node.func, ast.Attribute):
        _of_object(reader, node.func, node)
    if name:
        named = keywords(reader, node)
        _act(reader, Called(name, node.args, named))
        _handed_over(reader, name, node, named)
    sent(reader, name, node)
    if isinstance(node.func, ast.Attribute):
        client(reader, node.func, node)
        method(reader, node.func, name, node)
    elif isinstance(node.func, ast.Call):
        _returned(reader, node.func, name, node)
    elif (
        isinstance(node.func, ast.Subscript)
        and not name
        and reader.mentions(node.func, frozenset({"__builtins__", "__globals__"}))
    ):
        reader.found.append(Operation("eval", "a built-in function under an unknown name"))


def _handed_to(reader: "Reader", node: ast.Call) -> None:
    """Lists and dictionaries that a function defined in the code may change."""
    assert isinstance(node.func, ast.Name)
    held = [one.id for one in node.args if isinstance(one, ast.Name)]
    held = [name for name in held if isinstance(reader.values.get(name), (list, dict))]
    if held and any(_changes(reader, part) for part in reader.functions[node.func.id].body):
        reader.values.update(dict.fromkeys(held, UNKNOWN))


def _changes(reader: "Reader", part: ast.AST) -> bool:
    return reader.mentions(part, _CHANGING | {"update", "setdefault"}) or any(
        isinstance(one, ast.Subscript) and isinstance(one.ctx, (ast.Store, ast.Del)) for one in reader.walk(part)
    )


def _of_object(reader: "Reader", func: ast.Attribute, node: ast.Call) -> None:
    """Read a call of a method of a class defined in the code, or of one that changes a list."""
    owner = reader.dotted(func.value) or ""
    if func.attr in reader.methods and func.attr in reader.functions and owner.partition(".")[0] not in reader.packages:
        enter(reader, func.attr, node, bound=True)
    held = reader.values.get(owner)
    if func.attr in {"update", "setdefault"} and isinstance(held, dict):
        reader.values[owner] = UNKNOWN
    elif func.attr in _CHANGING and isinstance(held, (list, OneOf)):
        given = reader.value(node.args[-1]) if node.args else UNKNOWN
        if func.attr == "append":
            reader.values[owner] = add(held, [given])
        else:
            reader.values[owner] = add(held, given) if func.attr == "extend" and isinstance(given, list) else UNKNOWN


def _returned(reader: "Reader", func: ast.Call, name: str, node: ast.Call) -> None:
    """Read a call of the result of another call."""
    if reader.dotted(func.func) in {"operator.methodcaller", "methodcaller"} and func.args and node.args:
        owner, called = reader.dotted(node.args[0]), reader.value(func.args[0])
        if owner and isinstance(called, str):
            _act(reader, Called(canonical(f"{owner}.{called}"), func.args[1:], {}))
    elif reader.dotted(func.func) == "getattr" and not name:
        owner = reader.dotted(func.args[0]) if func.args else None
        if owner in _MODULES:
            reader.found.append(Operation("eval", f"a function of {owner} under an unknown name"))


def _handed_over(reader: "Reader", name: str, node: ast.Call, named: dict[str, ast.expr]) -> None:
    """Read functions that are passed to others as callbacks."""
    for number, argument in enumerate([*node.args, *([named["target"]] if "target" in named else [])]):
        given = reader.dotted(argument) if isinstance(argument, (ast.Name, ast.Attribute)) else None
        if given is None or not (given in ACTING or given in EVAL or EXEC.match(given)):
            continue
        rest = list(node.args[number + 1 :])
        packed = named.get("args")
        if isinstance(packed, (ast.Tuple, ast.List)):
            rest = list(packed.elts)
        if name in _CALLED_BY_NAME and rest and isinstance(rest[0], (ast.List, ast.Tuple)):
            for item in rest[0].elts:
                _act(reader, Called(given, [item], {}))
        elif name in {"map", "filter"}:
            reader.loop += 1
            _act(reader, Called(given, [], {}))
            reader.loop -= 1
        elif rest or name not in _LOOKING:
            _act(reader, Called(given, rest, {}))


def _act(reader: "Reader", called: Called) -> None:
    action = _ACTIONS.get(called.name)
    if action is not None:
        action(reader, called)
    elif EXEC.match(called.name):
        processes.exec_program(reader, called)
    elif NETWORK.match(called.name):
        reader.network = True
    elif called.name.startswith(("sh.", "plumbum.cmd.")):
        processes.by_attribute(reader, called)


def _socket(reader: "Reader", _: Called) -> None:
    reader.socket = True


_ACTIONS: dict[str, Action] = {
    **processes.ACTIONS,
    **code_execution.ACTIONS,
    **files.ACTIONS,
    **dict.fromkeys(("socket.socket", "socket.create_connection", "socket.create_server"), _socket),
}
