"""Detects secret environment variables that are sent to another machine."""

import ast
from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.python.function_names import NETWORK
from hermes_guard.languages.secret_variables import (
    HEADERS,
    LOGIN_KEY,
    here,
    logs_in,
    own_vendor,
    secret,
)
from hermes_guard.languages.text_values import text

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

_EVERYTHING = "the environment"
#: Methods that send data, once the network is in use.
_SENDING = re.compile(
    r"(?:post|put|patch|get|request|urlopen|send|sendall|sendto|sendmail|send_message|publish|emit|delete)\Z"
)
#: Functions that reveal nothing about an environment passed as a whole.
_HARMLESS_FUNCTIONS = frozenset({"len", "bool", "type", "sorted", "os.environ.copy", "set"})


def bound(reader: "Reader", name: str, value: ast.expr) -> None:
    """Remember a variable that holds a secret from the environment."""
    if reader.watches_environment:
        held = _held(reader, value)
        if held:
            reader.secrets[name] = held
        else:
            reader.secrets.pop(name, None)


def sent(reader: "Reader", name: str, node: ast.Call) -> None:
    """Report a call that sends a secret to another machine."""
    if not reader.watches_environment:
        return
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    known = NETWORK.match(name) is not None
    connected = (
        reader.network or reader.socket or reader.packages & {"requests", "httpx", "aiohttp", "smtplib", "urllib3"}
    )
    if not known and not (connected and _SENDING.match(method)) and not (reader.socket and _SENDING.match(method)):
        return
    given = [*node.args, *(word.value for word in node.keywords if word.arg is None or not HEADERS.match(word.arg))]
    address = next((one for argument in node.args if "://" in (one := text(reader.value(argument)) or "")), "")
    if here(address):
        return
    for number, argument in enumerate(given):
        if number == 0 and node.args and not method.startswith("send") and _is_address(reader, argument):
            continue
        held = _held(reader, argument)
        if held and not own_vendor(address, held):
            reader.found.append(Operation("send", held))
            return


def _is_address(reader: "Reader", node: ast.expr) -> bool:
    """Return True when a URL, or its beginning, comes from the environment."""
    while isinstance(node, ast.BinOp):
        node = node.left
    if isinstance(node, ast.JoinedStr) and node.values:
        first = node.values[0]
        node = first.value if isinstance(first, ast.FormattedValue) else first
    if isinstance(node, ast.Name):
        return node.id in reader.secrets and "://" not in (text(reader.value(node)) or "")
    return isinstance(node, (ast.Subscript, ast.Call)) and bool(_variable(reader, node))


def _held(reader: "Reader", node: ast.AST) -> str:
    """Return the secret that an expression holds, or an empty string."""
    waiting: list[tuple[ast.AST, str]] = [(node, "")]
    while waiting:
        one, before = waiting.pop()
        reader.spend(1)
        found = reader.secrets.get(one.id, "") if isinstance(one, ast.Name) else _variable(reader, one)
        if found is None:
            continue
        if found:
            if not logs_in(before, found):
                return found
        else:
            waiting += _parts(reader, one)
    return ""


def _variable(reader: "Reader", node: ast.AST) -> str | None:
    """Return the environment variable that a node reads; an empty string for none, None for a harmless one."""
    if isinstance(node, ast.Subscript) and reader.dotted(node.value) == "os.environ":
        return _named(reader, node.slice)
    if isinstance(node, ast.Call):
        name = reader.dotted(node.func) or ""
        if name in {"os.getenv", "os.environ.get", "os.environ.pop"} and node.args:
            return _named(reader, node.args[0])
        if name in _HARMLESS_FUNCTIONS:
            return None
    if isinstance(node, (ast.Name, ast.Attribute)) and reader.dotted(node) == "os.environ":
        return _EVERYTHING
    return None if isinstance(node, (ast.Compare, ast.Lambda)) else ""


def _named(reader: "Reader", key: ast.expr) -> str | None:
    name = reader.value(key)
    return name if isinstance(name, str) and secret(name) else None


def _parts(reader: "Reader", node: ast.AST) -> list[tuple[ast.AST, str]]:
    """Return the child nodes, each with the text directly before it."""
    if isinstance(node, ast.Dict):
        keys = [text(reader.value(key)) or "" if key is not None else "" for key in node.keys]
        return [
            (value, f"{key}=" if LOGIN_KEY.match(key) else "") for key, value in zip(keys, node.values, strict=True)
        ]
    if isinstance(node, ast.BinOp):
        left = reader.value(node.left)
        return [(node.left, ""), (node.right, left if isinstance(left, str) else "")]
    if isinstance(node, ast.JoinedStr):
        pieces = [one.value if isinstance(one, ast.FormattedValue) else one for one in node.values]
        values = ["", *(text(reader.value(one)) or "" for one in pieces)]
        return list(zip(pieces, values, strict=False))
    if isinstance(node, ast.Call):
        words = [
            (word.value, f"{word.arg}=" if word.arg and LOGIN_KEY.match(word.arg) else "") for word in node.keywords
        ]
        return [*((one, "") for one in (node.func, *node.args)), *words]
    return [(child, "") for child in ast.iter_child_nodes(node)]
