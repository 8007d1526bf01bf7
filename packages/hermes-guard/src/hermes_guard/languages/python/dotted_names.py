"""Resolves the dotted name of an expression, however it is spelled."""

import ast
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_guard.languages.python.function_names import ACTING, EXEC, TARGETS
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader


class Called(NamedTuple):
    """A called function's dotted name, and the arguments."""

    name: str
    args: Sequence[ast.expr]
    keywords: dict[str, ast.expr]

    @property
    def first(self) -> ast.expr | None:
        """The first argument, which matters in most functions."""
        if self.args:
            return self.args[0]
        return next((self.keywords[key] for key in ("args", "cmd", "command", "path") if key in self.keywords), None)


Action = Callable[["Reader", Called], None]
"""What a reader learns from a call."""


_IMPORTERS = frozenset(["__import__", "importlib.import_module", "importlib.__import__", "import_module"])
#: Modules whose functions are reached by `module["name"]` after `vars` and similar functions.
_OWNERS = frozenset(["__builtins__", "os", "subprocess", "shutil", "builtins.__builtins__"])


def canonical(name: str) -> str:
    """Return the name with aliases of `builtins` and `os` resolved."""
    for prefix in ("builtins.", "__builtins__."):
        name = name.removeprefix(prefix)
    if name in {"posix", "nt"}:
        return "os"
    return re.sub(r"\A(?:posix|nt)\.", "os.", name)


def imported_by_star(reader: "Reader", name: str) -> str:
    """Return the name with its module when `from module import *` may have imported it."""
    reader.spend(len(reader.stars))
    for module in reader.stars:
        full = f"{module}.{name}"
        if full in ACTING or full in TARGETS or EXEC.match(full):
            return full
    return name


def of_call(reader: "Reader", node: ast.Call) -> str | None:
    """Return the name produced by a call: `__import__("os")`, `getattr(os, "system")` and similar calls."""
    called = reader.dotted(node.func)
    args = node.args
    if called in _IMPORTERS and args:
        value = reader.value(args[0])
        return canonical(value) if isinstance(value, str) and HOLE not in value else None
    if called == "getattr" and len(args) > 1:
        name = _attribute(reader, args[0], args[1])
        return name if name and HOLE not in name else None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "__getattribute__" and args:
        return _attribute(reader, node.func.value, args[-1])
    if (
        isinstance(node.func, ast.Call)
        and args
        and node.func.args
        and reader.dotted(node.func.func) in {"operator.attrgetter", "attrgetter"}
    ):
        return _attribute(reader, args[0], node.func.args[0])
    if called == "vars" and args:
        return reader.dotted(args[0])
    return "builtins" if called in {"globals", "locals"} else None


def _attribute(reader: "Reader", owner: ast.expr, attribute: ast.expr) -> str | None:
    name, value = reader.dotted(owner), reader.value(attribute)
    return canonical(f"{name}.{value}") if name and isinstance(value, str) else None


def of_subscript(reader: "Reader", node: ast.Subscript) -> str | None:
    """Return the name behind `sys.modules["os"]`, `os.__dict__["system"]` and similar expressions."""
    key = reader.value(node.slice)
    owner = reader.dotted(node.value)
    if not isinstance(key, str) or not owner or HOLE in key:
        return None
    if owner in {"sys.modules", "builtins", "__dict__"}:
        return canonical(key)
    if owner.endswith(".__dict__"):
        return canonical(f"{owner[:-9]}.{key}")
    return canonical(f"{owner}.{key}") if owner in _OWNERS else None
