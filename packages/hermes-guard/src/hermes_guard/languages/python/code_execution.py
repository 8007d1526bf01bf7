"""Calls that run code given as a string."""

import ast
from typing import TYPE_CHECKING

from hermes_guard.languages.operation import Operation
from hermes_guard.languages.python.dotted_names import Action, Called
from hermes_guard.languages.python.function_names import CODE_RUNNERS, EVAL
from hermes_guard.languages.text_values import UNKNOWN, certain, text
from hermes_guard.name_sets import names
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

_FETCHING = frozenset(["urlopen", "get", "read", "text", "content", "post", "request", "recv"])
#: Functions that run code and accept only a string, not a function.
_CODE_ONLY = frozenset(["cProfile.run", "cProfile.runctx", "profile.run", "profile.runctx", "pdb.run", "pdb.runeval"])
_HIDING = frozenset({"b64decode", "fromhex", "recv", "stdin", "urlopen", "a2b_base64", "unhexlify"})
_STDIN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_PICKLES = names(
    """
    pickle.loads pickle.load dill.loads dill.load cloudpickle.loads cloudpickle.load joblib.load pickle.Unpickler
    _pickle.loads _pickle.load cPickle.loads cPickle.load jsonpickle.decode yaml.unsafe_load yaml.load
    """
)


def evaluate(reader: "Reader", name: str, first: ast.expr | None) -> None:
    """Read the evaluated code, or report that it is unknown."""
    value = reader.value(first) if first is not None else UNKNOWN
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    inner = reader.inner(value) if isinstance(value, str) else None
    if inner is not None:
        # A string that is not code has no effect.
        reader.found += [operation for operation in inner if operation.kind != "unreadable" or name != "eval"]
        return
    if _compiled(reader, first) or (not reader.network and _own_script(reader, first)):
        return
    if first is not None and (reader.network and reader.mentions(first, _FETCHING)):
        reader.found.append(Operation("remote", f"{name} of code that was fetched"))
    elif name != "compile":
        reader.found.append(Operation("eval", f"{name} of code that is unknown until it runs"))


def _compiled(reader: "Reader", node: ast.expr | None) -> bool:
    """Return True for known code that is compiled here, where it is judged."""
    return (
        isinstance(node, ast.Call)
        and reader.dotted(node.func) == "compile"
        and bool(node.args)
        and certain(text(reader.value(node.args[0])))
    )


def _own_script(reader: "Reader", node: ast.expr | None) -> bool:
    """`open("x.py").read()`: a script on disk, which runs as with `python x.py`."""
    if isinstance(node, ast.Call) and reader.dotted(node.func) == "compile" and node.args:
        node = node.args[0]
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"read", "read_text"}
    ):
        return False
    opened = node.func.value
    path = opened.args[0] if isinstance(opened, ast.Call) and len(opened.args) == 1 else None
    name = reader.value(path) if path is not None else None
    known = isinstance(opened, ast.Call) and reader.dotted(opened.func) in {"open", "pathlib.Path", "Path"}
    return known and isinstance(name, str) and name.endswith(".py") and HOLE not in name


def _evaluated(reader: "Reader", called: Called) -> None:
    evaluate(reader, called.name, called.first)


def _run_code(reader: "Reader", called: Called) -> None:
    """Judge code in a string, with setup code that runs before it. Other arguments are not code."""
    args, keywords = called.args, called.keywords
    before = CODE_RUNNERS[called.name]
    setup = keywords.get("setup") or (args[before] if before is not None and len(args) > before else None)
    texts = [reader.value(one) for one in (setup, args[0] if args else keywords.get("stmt")) if one is not None]
    code = "\n".join(text for text in texts if isinstance(text, str))
    inner = reader.inner(code)
    if inner is None or (not code and called.name in _CODE_ONLY and args):
        inner = [Operation("eval", f"{called.name} of code that is unknown until it runs")]
    reader.found += inner


def _run_fetched(reader: "Reader", called: Called) -> None:
    path = reader.value(called.first) if called.first is not None else UNKNOWN
    if reader.network:
        reader.found.append(Operation("remote", "runs what it has fetched"))
    elif isinstance(path, str) and path.startswith(_STDIN):
        reader.found.append(Operation("eval", f"{called.name} of its input"))


def _built(reader: "Reader", called: Called) -> None:
    reader.found.append(Operation("eval", f"{called.name} builds code"))


def _unpickled(reader: "Reader", called: Called) -> None:
    safe = called.name == "yaml.load" and not any("nsafe" in ast.dump(one) for one in called.args[1:2])
    if not safe and (reader.network or (called.first is not None and reader.mentions(called.first, _HIDING))):
        reader.found.append(Operation("eval", f"{called.name} of data that can run code"))


ACTIONS: dict[str, Action] = {
    **dict.fromkeys(EVAL, _evaluated),
    **dict.fromkeys(CODE_RUNNERS, _run_code),
    **dict.fromkeys(("runpy.run_path", "runpy.run_module"), _run_fetched),
    **dict.fromkeys(("types.FunctionType", "types.CodeType", "marshal.loads"), _built),
    **dict.fromkeys(_PICKLES, _unpickled),
}
