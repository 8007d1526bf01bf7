"""Walks the syntax tree of Python code and tracks known values."""

import ast
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import TOO_LONG, Operation
from hermes_guard.languages.python.calls import call
from hermes_guard.languages.python.data_flow import connected
from hermes_guard.languages.python.dotted_names import (
    canonical,
    imported_by_star,
    of_call,
    of_subscript,
)
from hermes_guard.languages.python.expressions import COMPUTERS
from hermes_guard.languages.python.function_definitions import STEPS, Defined, remaining
from hermes_guard.languages.python.parser import (
    HOLE_NAME,
    TooLongError,
    harmless,
    parse,
)
from hermes_guard.languages.python.statements import STATEMENTS
from hermes_guard.languages.text_values import UNKNOWN
from hermes_guard.shell.word import HOLE

_LEAVES = (ast.expr_context, ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.alias)
_HANDLERS: dict[type[ast.AST], Callable[["Reader", Any], None]] = {**STATEMENTS, ast.Call: call}
#: The maximum nesting of code in strings.
_MAX_DEPTH = 4


def read(
    code: str, *, home: str = "~", depth: int = 0, budget: Budget | None = None, argv: list[str] | None = None
) -> list[Operation]:
    """Return what this Python code would do, with these arguments if they are known."""
    budget = budget or Budget()
    reader = Reader(home, depth, budget)
    if argv is not None:
        reader.values["sys.argv"] = list(argv)
    reader.watches_environment = "environ" in code or "getenv" in code
    reader.in_memory = ":memory:" in code
    reader.knows_parent = "getppid" in code or ("psutil" in code and ".parent" in code)
    try:
        tree = parse(code, budget)
        if tree is None:
            return [] if depth == 0 and harmless(code) else [Operation("unreadable", "Python code that cannot be read")]
        if "global " in code or "nonlocal " in code:
            reader.shared = {
                name for one in reader.walk(tree) if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names
            }
        reader.by_field = "setattr" in code or "__dict__" in code or "vars(" in code
        reader.visit(tree)
        reader.found = remaining(reader, tree)
        connected(reader, tree)
    except RecursionError:
        return [*reader.found, Operation("unreadable", "Python code that is nested too deeply")]
    except (TooLongError, ValueError, MemoryError):
        # Numbers too long to convert also count as too long.
        return [*reader.found, TOO_LONG]
    return reader.found


class Reader:
    """The names and values known at a position in the code, and the findings so far."""

    def __init__(self, home: str, depth: int, budget: Budget) -> None:
        self.budget = budget
        self.home = home
        self.depth = depth
        self.found: list[Operation] = []
        #: What names refer to: dotted names of modules and functions, and values.
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {"__file__": UNKNOWN}
        self.stars: list[str] = []
        #: The imported top-level packages.
        self.packages: set[str] = set()
        #: Functions that the code defines, those being read for a call, and the steps left for that.
        self.functions: dict[str, Defined] = {}
        #: Names of methods, and the functions that create the instances of a class.
        self.methods: set[str] = set()
        #: Names that functions assign outside their own scope, and whether attributes are set by name.
        self.shared: set[str] = set()
        self.by_field = False
        self.classes: dict[str, Defined] = {}
        self.entered: list[str] = []
        self.for_calls = STEPS
        self.loop = 0
        self.bulk = False
        self.network = False
        self.socket = False
        self.spawned = False
        self.redirected = False
        #: The arguments of started programs, and whether one of them is a shell that reads any input.
        self.handed: list[ast.AST] = []
        self.shelled = False
        #: Variables that hold secrets from the environment, and whether the environment is used at all.
        self.secrets: dict[str, str] = {}
        self.watches_environment = False
        #: The database exists in memory only.
        self.in_memory = False
        #: True when the code asks for its parent process.
        self.knows_parent = False

    def inner(self, code: str) -> list[Operation] | None:
        """Return what code in a string would do; None when it is nested too deeply or has unknown parts."""
        if HOLE in code or self.depth >= _MAX_DEPTH:
            return None
        return read(code, home=self.home, depth=self.depth + 1, budget=self.budget)

    def spend(self, steps: int) -> None:
        """Spend steps of the budget, or stop reading."""
        if not self.budget.reads(steps):
            raise TooLongError

    def walk(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield every node below, at the cost of one step each."""
        for one in ast.walk(node):
            self.spend(1)
            yield one

    def mentions(self, node: ast.AST, names: frozenset[str]) -> bool:
        """Return True when one of the names occurs below."""
        return any(
            (isinstance(one, ast.Name) and one.id in names) or (isinstance(one, ast.Attribute) and one.attr in names)
            for one in self.walk(node)
        )

    # Each level of nesting needs few stack frames, and must stay that way so that deep code can be read.

    def visit(self, node: ast.AST) -> None:
        """Find what this node and its children would do."""
        if isinstance(node, _LEAVES):
            return
        self.spend(2)
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            for child in ast.iter_child_nodes(node):
                self.visit(child)

    def dotted(self, node: ast.AST) -> str | None:
        """Return the dotted name that an expression refers to."""
        self.spend(1)
        if isinstance(node, ast.Name):
            name = self.names.get(node.id, node.id)
            if name == node.id and self.stars and name not in self.values:
                return imported_by_star(self, name)
            return name
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            return None if owner is None else canonical(f"{owner}.{node.attr}")
        if isinstance(node, ast.Call):
            return of_call(self, node)
        return of_subscript(self, node) if isinstance(node, ast.Subscript) else None

    def value(self, node: ast.AST | None) -> Any:
        """Return the value of an expression, UNKNOWN, or a string with holes."""
        if node is None:
            return None
        self.spend(1)
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, str) and HOLE_NAME in value:
                return value.replace(HOLE_NAME, HOLE)
            return value
        computer = COMPUTERS.get(type(node))
        if computer is None:
            return UNKNOWN
        try:
            found = computer(self, node)
            if isinstance(found, (str, bytes, list)) and len(found) > 256:
                self.spend(len(found) >> 8)
            return found
        except (ValueError, TypeError, LookupError, OverflowError, ArithmeticError, zlib.error, UnicodeError):
            return UNKNOWN
