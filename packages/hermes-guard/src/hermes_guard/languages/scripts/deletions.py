"""Functions of scripts that delete files or data, in the idiom of each language."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import DESTRUCTIVE, Operation, deletes
from hermes_guard.languages.scripts.function_names import Named
from hermes_guard.languages.tokens import Token
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

_RECURSIVE = re.compile(r"-\w*[rR]")
Args = list[list[Token]]
#: Functions of Node that delete even without a module name before them.
_NODE = frozenset({"unlinkSync", "rmSync", "rmdirSync", "rimraf", "rimrafSync", "unlink", "rm"})


def delete(script: "Script", named: Named) -> None:
    """Report files or directories that are deleted."""
    args = script.args(named.at)
    own = _OWN.get(script.language.name)
    if own is not None and own(script, named, args):
        return
    if named.name == "rmdir":
        if script.looped:
            script.found += deletes(None, named.name, many=True)
        return
    for arg in args:
        _deleted(script, named.name, arg)
    if not args:
        script.found += deletes(None, named.name, recursive=named.name in script.functions.trees, many=True)


def _deleted(script: "Script", name: str, arg: list[Token]) -> None:
    value = script.constant(arg)
    unnamed = any(
        token.text in {"glob", "<", "Dir", "list_files", "readdir", "entries"} or token.text.startswith("@")
        for token in arg
    )
    if arg and arg[0].text == "{" and not unnamed:
        # Options, not a path.
        return
    unnamed = unnamed or (script.looped if value is None else "*" in value or (HOLE in value and script.looped))
    path = None if unnamed else _home(script, value)
    script.found += deletes(path, name, recursive=name in script.functions.trees, many=unnamed)


def _home(script: "Script", path: str | None) -> str | None:
    return script.home if path == "HOME" else path


# Each function returns True when it has handled the call.


def _node(script: "Script", named: Named, args: Args) -> bool:
    name = named.name
    if named.before not in {".", "{", ",", "["} and name not in _NODE:
        return True
    if (name == "remove" and "Deno" not in script.names) or not args:
        return True
    path = script.constant(args[0])
    recursive = (
        name in script.functions.trees
        or _RECURSIVE.match(path or "") is not None
        or any(token.text == "recursive" for arg in args[1:] for token in arg)
    )
    script.found += deletes(
        _home(script, path), name, recursive=recursive, many=script.repeats(named.at) and path is None
    )
    return True


def _lua(script: "Script", named: Named, _: Args) -> bool:
    return not (named.before == "." and script.tokens[named.at - 2].text == "os")


def _ruby(script: "Script", named: Named, _: Args) -> bool:
    name, before = named.name, named.before
    if name not in {"delete", "unlink", "rm", "rm_f"}:
        return False
    if before == ":" or (before == "&" and name in {"delete", "unlink"}):
        script.found += deletes(None, name, many=True)
        return True
    owner = script.text(named.at - 2) if before in {".", "&"} else ""
    return owner not in {"File", "FileUtils", "Dir", "Pathname"} and not (script.looped and name == "unlink")


def _r(script: "Script", named: Named, args: Args) -> bool:
    if named.name != "unlink" or _recursive(args):
        return False
    script.found += deletes(script.first(args), named.name, many=script.looped)
    return True


def _julia(script: "Script", named: Named, args: Args) -> bool:
    if _recursive(args):
        return False
    script.found += deletes(script.first(args), named.name, many=script.looped and not args)
    return True


def _recursive(args: Args) -> bool:
    return any(token.text == "recursive" for arg in args for token in arg)


_OWN: dict[str, Callable[["Script", Named, Args], bool]] = {
    "node": _node,
    "lua": _lua,
    "ruby": _ruby,
    "R": _r,
    "julia": _julia,
}


def statement(script: "Script", named: Named) -> None:
    """Report database statements among the arguments of a call."""
    if script.in_memory or not script.budget.reads(4):
        return
    for arg in script.args(named.at):
        text = script.constant(arg)
        if text and DESTRUCTIVE.match(text):
            script.found.append(Operation("sql", f"{named.name} of a statement", text))


def empty(script: "Script", named: Named) -> None:
    """Report a method that empties a table, or deletes part of it when given a condition."""
    if named.before not in {".", "->", "::", "&", ":"} and script.text(named.at - 1) not in {".", "->", "::"}:
        return
    given = [token for arg in script.args(named.at) for token in arg if token.text not in {"{", "}"}]
    if _HALF.match(named.name) and any(token.kind in {"name", "text", "number"} for token in given):
        return
    what = next((token.text for token in given if token.kind == "text"), "").replace(HOLE, "…")
    script.found.append(Operation("delete", f"{named.name} {what}".strip()))


#: With a condition, these delete only some rows.
_HALF = re.compile(r"delete|destroy|remove|del\Z|truncate|drop\Z")
