"""Goes through the tokens of a script and finds what its verbs would do."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_guard.rules.languages.deed import Deed, runs
from hermes_guard.rules.languages.scripts import rights
from hermes_guard.rules.languages.scripts.code import by_name, evaluate
from hermes_guard.rules.languages.scripts.deletions import delete
from hermes_guard.rules.languages.scripts.files import open_file, touch, truncate, write
from hermes_guard.rules.languages.scripts.named import Named
from hermes_guard.rules.languages.scripts.processes import fork, kill, spawn, starts_programs
from hermes_guard.rules.languages.scripts.statements import empty, statement

if TYPE_CHECKING:
    from hermes_guard.rules.languages.scripts.script import Script

_DEFINING = frozenset({"sub", "def", "function", "$", "class"})


def read(script: "Script") -> None:
    """Find what a script would do."""
    starting = starts_programs(script)
    for at, token in enumerate(script.tokens):
        if token.kind == "code":
            script.spawned = True
            script.found.append(runs(token.text, "a command in backticks"))
        elif token.kind == "op" and token.text == "=" and at:
            script.assign(at)
        elif (named := _named(script, at)) is not None:
            _by_verbs(script, named, starting)
            _by_further_verbs(script, named)
    if script.sockets and (script.spawned or script.names & {"STDIN", "dup2", "reopen"}):
        script.found.append(Deed("reverse", "a program is connected to a socket"))
    elif script.fetches and script.spawned:
        script.found.append(Deed("remote", "code fetches something and starts a program"))


def _named(script: "Script", at: int) -> Named | None:
    """The name of a function at this place, which may be a text: `fs["rmSync"]` and `("sys" . "tem")("ls")`."""
    kind, name = script.tokens[at]
    if kind == "text":
        around = script.text(at - 1), script.text(at + 1)
        called = script.language.name == "php" and around == ("(", ")") and script.text(at + 2) == "("
        return Named(at + 1, name, name) if (around == ("[", "]") or called) and name not in _DEFINING else None
    if kind != "name":
        return None
    if script.language.name == "php" and name.startswith("$") and script.text(at + 1) == "(":
        name = script.values.get(name, name)
    before = script.text(at - 1)
    return None if before in _DEFINING else Named(at, name, before)


def _by_verbs(script: "Script", named: Named, starting: Callable[[Named], bool]) -> None:
    verbs = script.verbs
    name = named.name
    if name in verbs.statements:
        statement(script, named)
    if name in verbs.empties:
        empty(script, named)
    if name in verbs.shell or name in verbs.spawn:
        if starting(named):
            script.spawned = True
            spawn(script, named)
    elif name in verbs.evals:
        evaluate(script, named)
    elif name in verbs.trees or name in verbs.files:
        delete(script, named)
    elif name in verbs.writes:
        write(script, named)


def _by_further_verbs(script: "Script", named: Named) -> None:
    verbs = script.verbs
    name = named.name
    if name in verbs.opens:
        open_file(script, named)
    elif name in verbs.reads and (named.before not in {"->", ""} or script.language.name in {"php", "node"}):
        touch(script, named, 0, "read")
    elif name in verbs.forks:
        fork(script, named)
    elif (action := _ACTIONS.get(name)) is not None:
        action(script, named)


#: Names that mean the same in every language.
_ACTIONS: dict[str, Callable[["Script", Named], None]] = {
    **dict.fromkeys(("kill", "posix_kill"), kill),
    **dict.fromkeys(("chmod", "chmodSync"), rights.chmod),
    **dict.fromkeys(("chown", "chownSync", "lchown"), rights.chown),
    **dict.fromkeys(("setuid", "POSIX::setuid", "posix_setuid"), rights.setuid),
    **dict.fromkeys(("truncate", "truncateSync"), truncate),
    "syscall": rights.syscall,
    **dict.fromkeys(
        (
            "send",
            "public_send",
            "method",
            "__send__",
            "call_user_func",
            "call_user_func_array",
            "array_map",
            "array_walk",
        ),
        by_name,
    ),
}
