"""Detects whether data from another machine can reach a program that the code starts."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_guard.languages.operation import Operation
from hermes_guard.name_sets import names

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

#: Functions that receive data from another machine.
_SOURCES = names(
    "urlopen urlretrieve requests httpx aiohttp urllib3 HTTPConnection HTTPSConnection ftplib FTP wget socket recv "
    "recvfrom makefile create_connection Session ClientSession PoolManager Request urllib http"
)
#: Arguments that feed a program, and functions that write files it may run.
_FEEDING = names("stdin communicate")
_WRITING = names("urlretrieve copyfileobj extractall writelines write")
#: Files that programs read as instructions without an option for it.
_OBEYED = names("Makefile makefile package.json setup.py conftest.py pyproject.toml Dockerfile")


def connected(reader: "Reader", tree: ast.Module) -> None:
    """Report a socket connected to a program's input, or code that is fetched and run."""
    if not reader.spawned and not (reader.socket and reader.redirected):
        return
    if reader.socket and (reader.redirected or reader.shelled or _reached(reader, tree)):
        reader.found.append(Operation("reverse", "a program is connected to a socket"))
    elif (
        (reader.network or reader.socket) and reader.spawned and (_reached(reader, tree) or _reuses_files(reader, tree))
    ):
        reader.found.append(Operation("remote", "code fetches something and starts a program"))


def _reached(reader: "Reader", tree: ast.Module) -> bool:
    """Return True when a name passed to a program may hold data from another machine."""
    sources: dict[str, set[str]] = {}
    for target, held in _flows(reader, tree):
        sources.setdefault(held, set()).add(target)
    tainted = set(_SOURCES)
    waiting = list(tainted)
    while waiting:
        for name in sources.get(waiting.pop(), ()):
            if name not in tainted:
                tainted.add(name)
                waiting.append(name)
    return any(name in tainted for node in reader.handed for name in _names(reader, node))


def _flows(reader: "Reader", tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield which names receive data from which others: by assignment, in a loop, as an argument or as a result."""
    parameters = {
        one.name: [word.arg for word in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs)]
        + [word.arg for word in (one.args.vararg, one.args.kwarg) if word is not None]
        for one in ast.walk(tree)
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    for node in reader.walk(tree):
        targets: list[str] = []
        held: list[ast.AST] = []
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
            bound = node.targets if isinstance(node, ast.Assign) else [node.target]
            targets, held = [name for one in bound for name in _names(reader, one)], [node.value]
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            targets, held = list(_names(reader, node.target)), [node.iter]
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets, held = list(_names(reader, node.optional_vars)), [node.context_expr]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            results = [one.value for one in ast.walk(node) if isinstance(one, (ast.Return, ast.Yield)) and one.value]
            targets, held = [node.name], list(results)
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            targets, held = parameters.get(name, []), [*node.args, *(word.value for word in node.keywords)]
        if targets:
            sources = {name for one in held for name in _names(reader, one)}
            reader.spend(len(targets) * len(sources))
            yield from ((target, source) for target in targets for source in sources)


def _names(reader: "Reader", node: ast.AST) -> Iterator[str]:
    for one in reader.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr


def _reuses_files(reader: "Reader", tree: ast.Module) -> bool:
    """Return True when a program may run or read a file that the code has written."""
    if reader.mentions(tree, _FEEDING):
        return True
    started = " ".join(operation.code for operation in reader.found if operation.kind == "shell")
    written = {operation.path.rsplit("/", 1)[-1] for operation in reader.found if operation.kind == "write"}
    if not written:
        return reader.mentions(tree, _WRITING - {"write"})
    return any(name in started or name in _OBEYED for name in written)
