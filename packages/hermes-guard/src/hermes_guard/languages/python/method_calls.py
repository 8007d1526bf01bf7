"""Method calls whose effect is known from the method name alone, whatever the object is."""

import ast
import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from hermes_guard.languages.operation import DESTRUCTIVE, Operation, deletes, runs
from hermes_guard.languages.python.clients import native
from hermes_guard.languages.python.files import LOOSE, path_of, unlinked
from hermes_guard.languages.python.processes import run_shell
from hermes_guard.languages.text_values import text
from hermes_guard.name_sets import names

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

#: Modules whose functions are matched by their full names.
_KNOWN = frozenset({"os", "shutil", "platform", "subprocess"})


class _Method(NamedTuple):
    """A method call, with the path that its object denotes."""

    name: str
    owner: ast.expr
    path: str | None
    args: list[ast.expr]

    @property
    def first(self) -> ast.expr | None:
        """The first argument."""
        return self.args[0] if self.args else None


def method(reader: "Reader", func: ast.Attribute, name: str, node: ast.Call) -> None:
    """Find what a method would do. `name` is its full dotted name, or empty."""
    owner = name.rpartition(".")[0]
    action = _ACTIONS.get(func.attr)
    if action is None or owner in _KNOWN:
        native(reader, func, owner)
        return
    base = reader.value(func.value)
    action(reader, _Method(func.attr, func.value, base if isinstance(base, str) else None, node.args))


def _rmtree(reader: "Reader", called: _Method) -> None:
    target = path_of(reader, called.first) if called.args else called.path
    reader.found += deletes(target, called.name, recursive=True)


def _unlink(reader: "Reader", called: _Method) -> None:
    unlinked(reader, path_of(reader, called.first) if called.args else called.path, called.name)


def _rmdir(reader: "Reader", called: _Method) -> None:
    if reader.bulk:
        reader.found += deletes(called.path, called.name, many=True)


def _write(reader: "Reader", called: _Method) -> None:
    if called.path:
        reader.found.append(Operation("write", called.name, path=called.path))


def _rename(reader: "Reader", called: _Method) -> None:
    target = path_of(reader, called.first)
    if called.path and target and len(called.args) == 1:  # `str.replace` takes two
        reader.found += [Operation("move", called.name, path=called.path), Operation("write", called.name, path=target)]


def _read(reader: "Reader", called: _Method) -> None:
    if called.path and not called.args:
        reader.found.append(Operation("read", called.name, path=called.path))


def _parse(reader: "Reader", called: _Method) -> None:
    """`configparser.ConfigParser().read(path)`."""
    path = text(reader.value(called.first)) if called.args and "configparser" in reader.packages else None
    if path:
        reader.found.append(Operation("read", called.name, path=path))


def _open(reader: "Reader", called: _Method) -> None:
    if called.path:
        mode = reader.value(called.first) if called.first is not None else "r"
        writes = set(mode) & set("wax+") if isinstance(mode, str) else {"w"}
        reader.found.append(Operation("write" if writes else "read", called.name, path=called.path))


def _shell(reader: "Reader", called: _Method) -> None:
    # `platform.system` and similar functions take no arguments.
    if called.args or called.name == "popen":
        run_shell(reader, called.name, called.first)


def _reboot(reader: "Reader", called: _Method) -> None:
    reader.found.append(runs("reboot", called.name))


def _setuid(reader: "Reader", _: _Method) -> None:
    reader.found.append(Operation("permission", "changes the user it runs as"))


def _chmod(reader: "Reader", called: _Method) -> None:
    mode = reader.value(called.first)
    if isinstance(mode, int) and mode & LOOSE:
        reader.found.append(Operation("permission", f"chmod to {mode:o}"))


def _execute(reader: "Reader", called: _Method) -> None:
    statement = called.first
    if (
        isinstance(statement, ast.Call)
        and reader.dotted(statement.func) in {"text", "sqlalchemy.text"}
        and statement.args
    ):
        statement = statement.args[0]
    sql = text(reader.value(statement))
    if sql and not reader.in_memory and DESTRUCTIVE.match(sql):
        reader.found.append(Operation("sql", "a statement for a database", sql))


def _kill(reader: "Reader", called: _Method) -> None:
    if called.name == "terminate" and "boto3" in reader.packages and "subprocess" not in reader.packages:
        reader.found.append(Operation("delete", "machines of a cloud"))
    elif reader.loop:
        reader.found.append(Operation("kill", "signals processes that it does not name"))
    elif reader.knows_parent and "psutil" in reader.packages:
        reader.found.append(Operation("kill", "signals the process that started it"))


def _extract(reader: "Reader", called: _Method) -> None:
    target = path_of(reader, called.first)
    if target:
        reader.found.append(Operation("write", called.name, path=posixpath.join(target, "x")))


def _receive(reader: "Reader", _: _Method) -> None:
    reader.socket = True


def _delete(reader: "Reader", called: _Method) -> None:
    if reader.packages & _STORES:
        reader.found.append(Operation("delete", "something in a cloud"))
    elif (
        not called.args
        and reader.mentions(called.owner, frozenset({"objects"}))
        and reader.mentions(called.owner, frozenset({"all"}))
    ):
        reader.found.append(Operation("delete", "every record of a table"))


#: Cloud libraries whose objects delete the resource they represent.
_STORES = frozenset(
    {"boto3", "aioboto3", "google", "azure", "kubernetes", "openstack", "digitalocean", "minio", "gcsfs"}
)


def _subclasses(reader: "Reader", called: _Method) -> None:
    """`().__class__.__base__.__subclasses__()` reaches every loaded class."""
    if reader.mentions(called.owner, frozenset({"__base__", "__bases__", "__mro__", "mro"})):
        reader.found.append(Operation("eval", "a class under an unknown name"))


#: Methods whose first argument is a database statement.
_STATING = names(
    "execute executescript executemany exec_driver_sql exec sql query command raw run fetch fetchall execute_sql"
)
_ACTIONS: dict[str, Callable[["Reader", _Method], None]] = {
    "rmtree": _rmtree,
    "unlink": _unlink,
    "rmdir": _rmdir,
    "write_text": _write,
    "write_bytes": _write,
    "rename": _rename,
    "replace": _rename,
    "read_text": _read,
    "read_bytes": _read,
    "read": _parse,
    "open": _open,
    "system": _shell,
    "popen": _shell,
    "reboot": _reboot,
    "setuid": _setuid,
    "chmod": _chmod,
    **dict.fromkeys(_STATING, _execute),
    "__subclasses__": _subclasses,
    "kill": _kill,
    "terminate": _kill,
    "extractall": _extract,
    "recv": _receive,
    "delete": _delete,
}
