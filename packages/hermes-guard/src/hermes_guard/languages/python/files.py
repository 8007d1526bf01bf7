"""Calls that delete, write, read or open files, or change their permissions."""

import ast
from typing import TYPE_CHECKING

from hermes_guard.languages.operation import Operation, deletes, quoted
from hermes_guard.languages.python.dotted_names import Action, Called
from hermes_guard.languages.python.function_names import (
    FILES,
    NETWORK,
    TARGETS,
    TREES,
)
from hermes_guard.languages.text_values import UNKNOWN, certain, text

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

#: Flags of `os.open`.
_WRITING = ("O_WRONLY", "O_RDWR", "O_CREAT")
#: Permissions that are too broad: setuid, setgid, and world-writable.
LOOSE = 0o6002


def path_of(reader: "Reader", node: ast.expr | None) -> str | None:
    """Return the path that an expression denotes, or None."""
    return text(reader.value(node)) if node is not None else None


def unlinked(reader: "Reader", path: str | None, what: str) -> None:
    """Report one file that is deleted, or many in a loop."""
    reader.found += deletes(path, what, many=reader.bulk or (bool(reader.loop) and not certain(path)))


def _tree(reader: "Reader", called: Called) -> None:
    reader.found += deletes(path_of(reader, called.first), called.name, recursive=True)


def _file(reader: "Reader", called: Called) -> None:
    unlinked(reader, path_of(reader, called.first), called.name)


def _target(reader: "Reader", called: Called) -> None:
    name, args = called.name, called.args
    place = TARGETS[name]
    _writes(reader, args[place] if len(args) > place else called.keywords.get("dst"), name)
    if name in {"shutil.move", "os.rename", "os.replace", "os.renames"} and args:
        source = path_of(reader, args[0])
        reader.found += [Operation("move", name, path=source)] if source else []
    elif name.startswith("shutil.copy") and args:
        _reads(reader, args[0], name)
    reader.network = reader.network or NETWORK.match(name) is not None


def _open(reader: "Reader", called: Called) -> None:
    args, keywords = called.args, called.keywords
    mode = args[1] if len(args) > 1 else keywords.get("mode")
    how = reader.value(mode) if mode is not None else "r"
    if called.name == "os.open":
        flags = reader.walk(mode) if mode is not None else iter(())
        writes = any((getattr(one, "attr", "") or getattr(one, "value", "")) in _WRITING for one in flags)
        how = "w" if writes else "r"
    touched = _reads if isinstance(how, str) and not set(how) & set("wax+") else _writes
    touched(reader, args[0] if args else keywords.get("file"), called.name)


def _writes(reader: "Reader", node: ast.expr | None, name: str) -> None:
    path = path_of(reader, node)
    if path:
        reader.found.append(Operation("write", name, path=path))


def _reads(reader: "Reader", node: ast.expr | None, name: str) -> None:
    path = path_of(reader, node)
    if path:
        reader.found.append(Operation("read", name, path=path))


def _settings(reader: "Reader", called: Called) -> None:
    node = called.first or called.keywords.get("dotenv_path")
    reader.found.append(
        Operation("read", called.name, path=(path_of(reader, node) if node is not None else None) or ".env")
    )


def _lines(reader: "Reader", called: Called) -> None:
    _reads(reader, called.first, called.name)


def _listed(reader: "Reader", called: Called) -> None:
    """Report a pattern that matches process files, which suggests that they are read."""
    path = path_of(reader, called.first)
    if path and path.startswith("/proc/"):
        reader.found.append(Operation("read", called.name, path=path))


def _mode(reader: "Reader", called: Called) -> None:
    path = path_of(reader, called.args[0] if called.args else None)
    mode = reader.value(called.args[1]) if len(called.args) > 1 else UNKNOWN
    if not isinstance(mode, int):
        return
    if mode & LOOSE:
        reader.found.append(Operation("permission", f"{called.name} to {mode:o}"))
    elif path:
        reader.found.append(Operation("shell", called.name, f"chmod {mode:o} -- {quoted(path)}"))


def _owner(reader: "Reader", called: Called) -> None:
    reader.found.append(Operation("permission", f"{called.name} gives a file to another user"))


def _truncate(reader: "Reader", called: Called) -> None:
    if len(called.args) < 2:
        return
    size = reader.value(called.args[1])
    path = text(reader.value(called.args[0]))
    code = f"truncate -s {size if isinstance(size, int) else 0} -- {quoted(path)}"
    reader.found.append(Operation("shell", called.name, code))


ACTIONS: dict[str, Action] = {
    **dict.fromkeys(TREES, _tree),
    **dict.fromkeys(FILES, _file),
    **dict.fromkeys(TARGETS, _target),
    **dict.fromkeys(("open", "io.open", "codecs.open", "os.open"), _open),
    **dict.fromkeys(("dotenv.dotenv_values", "dotenv_values", "dotenv.get_key"), _settings),
    **dict.fromkeys(("fileinput.input", "linecache.getlines", "linecache.getline", "numpy.loadtxt"), _lines),
    **dict.fromkeys(("glob.glob", "glob.iglob"), _listed),
    "os.chmod": _mode,
    "os.chown": _owner,
    "os.lchown": _owner,
    **dict.fromkeys(("os.truncate", "os.ftruncate"), _truncate),
}
