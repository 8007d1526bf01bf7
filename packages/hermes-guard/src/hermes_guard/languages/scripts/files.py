"""Functions of scripts that open, read, write or truncate files, or change permissions."""

from typing import TYPE_CHECKING, Literal

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import Operation, quoted, runs, starts
from hermes_guard.languages.scripts.function_names import Named
from hermes_guard.languages.tokens import Token
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

_WRITING = re.compile(r"[wax+]|>")
_MOVES = frozenset({"rename", "renameSync", "mv", "move"})
_RUBY_OWNERS = frozenset({"File", "IO", "FileUtils", "Pathname"})


def write(script: "Script", named: Named) -> None:
    """Report a function that writes a file, unless it is a method of another object."""
    language = script.language.name
    if (
        (language == "ruby" and script.tokens[named.at - 2].text not in _RUBY_OWNERS)
        or (language == "lua" and named.before != ".")
        or (language == "perl" and named.before == "->")
    ):
        return
    touch(script, named, script.functions.writes[named.name], "write")
    if named.name in _MOVES:
        touch(script, named, 0, "move")


def touch(script: "Script", named: Named, place: int, kind: Literal["read", "write", "move"]) -> None:
    """Report a file in the argument at this index."""
    args = script.args(named.at)
    for path in script.constants(args[place]) if len(args) > place else ():
        if path and "://" in path:
            script.fetches = True
        elif path and path.strip(HOLE):
            script.found.append(Operation(kind, named.name, path=path))


def truncate(script: "Script", named: Named) -> None:
    """Report a file that is truncated."""
    if script.language.name not in {"perl", "ruby", "node"}:
        return
    path = script.first(script.args(named.at))
    if path and path.strip(HOLE):
        script.found.append(Operation("shell", named.name, f"truncate -s 0 -- {quoted(path)}"))


def open_file(script: "Script", named: Named) -> None:
    """Report a file that is opened, or a program behind a pipe."""
    args = script.args(named.at)
    language = script.language.name
    if language == "perl":
        _perl(script, named, args)
    elif language == "ruby":
        _ruby(script, named, args)
    elif language in {"lua", "php", "julia", "node"}:
        path = script.first(args)
        kind = _kind(script, args)
        if path and path.strip(HOLE) and "://" not in path and not (language == "lua" and named.before != "."):
            script.found.append(Operation(kind, named.name, path=path))


def _kind(script: "Script", args: list[list[Token]]) -> Literal["read", "write"]:
    mode = script.constant(args[1]) if len(args) > 1 else "r"
    return "write" if mode is None or _WRITING.search(mode) else "read"


def _ruby(script: "Script", named: Named, args: list[list[Token]]) -> None:
    owner = script.text(named.at - 2) if named.before in {".", "::"} else ""
    if named.name == "new" and owner != "File":
        return
    first = script.first(args)
    if owner in {"", "Kernel"} and first and first.startswith("|"):
        script.spawned = script.reached = True
        script.found.append(runs(first[1:], named.name))
        return
    kind = _kind(script, args)
    if first:
        script.found.append(Operation(kind, named.name, path=first))


def _perl(script: "Script", named: Named, args: list[list[Token]]) -> None:
    mode = script.constant(args[1]) if len(args) > 1 else None
    if mode is None:
        return
    mode = mode.strip()
    if len(args) > 2:
        _perl_with_mode(script, named.name, mode, args[2:])
    elif mode.startswith("|") or mode.endswith("|"):
        script.spawned = script.reached = True
        script.found.append(runs(mode.strip("| "), named.name))
    elif not mode.startswith((">&", "<&")) and (path := mode.lstrip("+<> ")):
        script.found.append(Operation("write" if ">" in mode[:3] else "read", named.name, path=path))


def _perl_with_mode(script: "Script", name: str, mode: str, args: list[list[Token]]) -> None:
    if mode.startswith(("|-", "-|")):
        script.spawned = script.reached = True
        words = [script.constant(arg) for arg in args]
        script.found.append(starts(words, name) if len(words) > 1 else runs(words[0], name))
        return
    path = script.constant(args[0])
    if path and not mode.endswith("&"):
        script.found.append(Operation("write" if _WRITING.search(mode) else "read", name, path=path))


_MODE = re.compile(r"0?o?[0-7]{3,4}")
#: Setuid, setgid, and world-writable.
_LOOSE = 0o6002


def chmod(script: "Script", named: Named) -> None:
    """Report permissions that are too broad."""
    for arg in script.args(named.at):
        for token in arg:
            if token.kind == "number" and _MODE.fullmatch(token.text) and int(token.text.replace("o", ""), 8) & _LOOSE:
                script.found.append(Operation("permission", f"chmod to {token.text}"))


def chown(script: "Script", named: Named) -> None:
    """Report a change of a file's owner."""
    if script.language.name != "node" or named.before == ".":
        script.found.append(Operation("permission", f"{named.name} gives a file to another user"))


def setuid(script: "Script", _: Named) -> None:
    """Report a change of the current user."""
    script.found.append(Operation("permission", "changes the user it runs as"))


def syscall(script: "Script", _: Named) -> None:
    """Report a direct system call."""
    if script.language.name in {"perl", "ruby"}:
        script.found.append(Operation("native", "calls the kernel by number"))
