"""What a call would do, by the name of what is called."""

import ast
from typing import TYPE_CHECKING

from hermes_guard.rules.languages.deed import Deed
from hermes_guard.rules.languages.python import code, files, processes
from hermes_guard.rules.languages.python.called import Action, Called
from hermes_guard.rules.languages.python.clients import client
from hermes_guard.rules.languages.python.environment import sent
from hermes_guard.rules.languages.python.methods import method
from hermes_guard.rules.languages.python.names import canonical
from hermes_guard.rules.languages.python.vocabulary import ACTING, EVAL, EXEC, NETWORK

if TYPE_CHECKING:
    from hermes_guard.rules.languages.python.reader import Reader

_MODULES = frozenset({"os", "subprocess", "shutil", "builtins", "__builtins__"})
_CALLED_BY_NAME = frozenset(["map", "filter", "functools.partial", "partial"])
#: Functions that look at a function and do not call it.
_LOOKING = frozenset({"callable", "print", "help", "inspect.getsource", "repr", "type", "hasattr", "str", "id"})


def call(reader: "Reader", node: ast.Call) -> None:
    """Find what a call would do, and what the calls in its arguments would."""
    for child in ast.iter_child_nodes(node):
        reader.visit(child)
    name = reader.dotted(node.func) or ""
    if name:
        keywords = {word.arg: word.value for word in node.keywords if word.arg}
        _act(reader, Called(name, node.args, keywords))
        _handed_over(reader, name, node, keywords)
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
        reader.found.append(Deed("eval", "a built-in function under a name that nobody knows"))


def _returned(reader: "Reader", func: ast.Call, name: str, node: ast.Call) -> None:
    """A call of what another call returned."""
    if reader.dotted(func.func) in {"operator.methodcaller", "methodcaller"} and func.args and node.args:
        owner, called = reader.dotted(node.args[0]), reader.value(func.args[0])
        if owner and isinstance(called, str):
            _act(reader, Called(canonical(f"{owner}.{called}"), func.args[1:], {}))
    elif reader.dotted(func.func) == "getattr" and not name:
        owner = reader.dotted(func.args[0]) if func.args else None
        if owner in _MODULES:
            reader.found.append(Deed("eval", f"a function of {owner} under a name that nobody knows"))


def _handed_over(reader: "Reader", name: str, node: ast.Call, keywords: dict[str, ast.expr]) -> None:
    """Functions that are given to others to be called."""
    for number, argument in enumerate([*node.args, *([keywords["target"]] if "target" in keywords else [])]):
        given = reader.dotted(argument) if isinstance(argument, (ast.Name, ast.Attribute)) else None
        if given is None or not (given in ACTING or given in EVAL or EXEC.match(given)):
            continue
        rest = list(node.args[number + 1 :])
        packed = keywords.get("args")
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
    **code.ACTIONS,
    **files.ACTIONS,
    **dict.fromkeys(("socket.socket", "socket.create_connection", "socket.create_server"), _socket),
}
