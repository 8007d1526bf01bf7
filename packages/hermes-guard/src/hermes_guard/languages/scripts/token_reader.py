"""Walks the tokens of a script and finds what its calls would do."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_guard.languages.operation import Operation, runs
from hermes_guard.languages.scripts.assignments import APPENDING, assign, bind, give, pushed
from hermes_guard.languages.scripts.block_types import Block, Function, Loop, Span
from hermes_guard.languages.scripts.code_execution import by_name, evaluate
from hermes_guard.languages.scripts.deletions import delete, empty, statement
from hermes_guard.languages.scripts.expressions import filled
from hermes_guard.languages.scripts.files import chmod, chown, open_file, setuid, syscall, touch, truncate, write
from hermes_guard.languages.scripts.function_names import Named
from hermes_guard.languages.scripts.processes import (
    fork,
    kill,
    ran,
    runs_what_it_writes,
    spawn,
    starts_programs,
)
from hermes_guard.languages.text_values import UNKNOWN, one_of, sides, text
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

_DEFINING = frozenset({"sub", "def", "function", "$", "class"})
#: The maximum number of items for which a loop is read, of tokens in that list, and of nested calls.
_MAX_ITEMS, _LONGEST_LIST, _MAX_DEPTH = 32, 256, 4
#: The maximum nesting of functions and loops. Deeper code is read without its context.
_MAX_BLOCKS = 40


def read(script: "Script") -> None:
    """Find what a script would do."""
    starting = starts_programs(script)
    _walk(script, (0, len(script.tokens)), starting)
    if script.unsure:
        # A later iteration of a loop may find something new.
        script.again()
        _walk(script, (0, len(script.tokens)), starting)
    script.found = _remaining(script)
    if script.sockets and (script.reached or script.shelled or script.names & {"STDIN", "dup2", "reopen"}):
        script.found.append(Operation("reverse", "a program is connected to a socket"))
    elif script.fetches and (script.reached or (script.spawned and runs_what_it_writes(script))):
        script.found.append(Operation("remote", "code fetches something and starts a program"))


def _walk(script: "Script", span: Span, starting: Callable[[Named], bool]) -> None:
    """Find what the tokens in a span, and the functions they call, would do."""
    at, end = span
    while at < end:
        block = script.blocks.at.get(at)
        if block is not None and at < block.end <= end and script.level < _MAX_BLOCKS:
            script.level += 1
            _enter(script, block, starting)
            script.level -= 1
            at = block.end
            continue
        _token(script, at, starting)
        at += 1


def _enter(script: "Script", block: Block, starting: Callable[[Named], bool]) -> None:
    if isinstance(block, Loop):
        _repeat(script, block, starting)
        return
    # The arguments are still unknown.
    kept = script.values
    script.values = {**kept}
    script.budget.reads(len(kept) // 8)
    if block.params is None:
        script.values["@_"] = UNKNOWN
    bind(script, block.params or [], UNKNOWN)
    start = len(script.found)
    _walk(script, block.body, starting)
    _leave(script, kept, block)
    block.readings.append((start, len(script.found)))


def _leave(script: "Script", kept: dict[str, Any], block: Function) -> None:
    """Restore the values after a function, which may have changed outer variables."""
    own = {token.text for part in block.params or () for token in part}
    for name in kept.keys() & script.values.keys() - own - {"@_"}:
        if script.values[name] is not kept[name]:
            kept[name] = one_of([kept[name], script.values[name]])
    script.values = kept


def _repeat(script: "Script", loop: Loop, starting: Callable[[Named], bool]) -> None:
    """Read the body of a loop for each item of a literal list."""
    first, last = loop.items
    items = script.value(script.tokens[first : min(last, first + _LONGEST_LIST)]) if last > first else UNKNOWN
    if isinstance(items, dict):
        single = list(items.values()) if script.language.name == "php" else list(items)
        items = [[key, held] for key, held in items.items()] if len(loop.target) > 1 else single
    if isinstance(items, str) and HOLE not in items:
        items = [items]
    _walk(script, loop.header, starting)
    size = loop.body[1] - loop.body[0]
    if not isinstance(items, list) or len(items) > _MAX_ITEMS or len(items) * size > script.for_calls:
        items = [UNKNOWN]
    elif len(items) > 1:
        script.for_calls -= len(items) * size
    for item in items:
        if not script.budget.reads(2 + size // 2):
            break
        if len(loop.target) > 1:
            bind(script, loop.target, item)
        elif loop.target:
            give(script, loop.target[0], item)
        _walk(script, loop.body, starting)


def _token(script: "Script", at: int, starting: Callable[[Named], bool]) -> None:
    token = script.tokens[at]
    if token.kind == "code":
        script.spawned = True
        for code in sides(filled(script, token)):
            ran(script, runs(text(code), "a command in backticks"))
    elif token.kind == "op" and at and _gives(script, token.text):
        assign(script, at)
    elif token.kind == "pattern" and token.parts:
        changed = script.text(at - 2) if script.text(at - 1) == "=~" else "$_"
        script.values[changed.strip("()")] = UNKNOWN
    elif (named := _named(script, at)) is not None:
        pushed(script, named.at)
        if named.name in script.blocks.functions and named.before not in _DEFINING:
            _call(script, named, starting)
        _by_verbs(script, named, starting)
        _by_further_verbs(script, named)


def _gives(script: "Script", sign: str) -> bool:
    return sign == "=" or sign in APPENDING or (sign == "<<" and script.language.name == "ruby")


def _call(script: "Script", named: Named, starting: Callable[[Named], bool]) -> None:
    """Read the body of a function with the arguments of a call."""
    function = script.blocks.functions[named.name]
    at = named.at
    if script.text(at + 1) in {".", "->"} and script.text(at + 2) in {"call", "("}:
        # Functions in variables: `f.call(x)`, `f.(x)` and `$f->(x)`.
        at += 1 if script.text(at + 2) == "(" else 2
    bare = script.language.bare_calls and script.tokens[at].text[:1] not in "$@" and named.before not in {"=", ":"}
    if script.text(at + 1) != "(" and not bare:
        return
    function.called += 1
    size = function.body[1] - function.body[0]
    if function.open or named.name in script.entered or len(script.entered) >= _MAX_DEPTH or size > script.for_calls:
        function.open = True
        return
    args = script.args(at)
    given = script.spread(args)
    if given is None or script.cut(at) or not script.budget.reads(4 + size // 2):
        function.open = True
        return
    kept = script.values
    script.values = {**kept}
    if function.params is None:
        script.values["@_"] = given
    bind(script, function.params or [], given)
    script.entered.append(named.name)
    script.for_calls -= size
    _walk(script, function.body, starting)
    script.entered.pop()
    _leave(script, kept, function)


def _remaining(script: "Script") -> list[Operation]:
    """Return the findings, without those of functions whose calls are all known."""
    shown = {name: one for name, one in script.blocks.functions.items() if one.called and not one.open}
    for at, token in enumerate(script.tokens if shown else ()):
        called = token.kind == "name" and _is_called(script, at)
        if token.kind in {"name", "text"} and token.text in shown and not called:
            del shown[token.text]
    dropped = {place for one in shown.values() for start, end in one.readings for place in range(start, end)}
    return [operation for place, operation in enumerate(script.found) if place not in dropped]


def _is_called(script: "Script", at: int) -> bool:
    """Return True when arguments follow a name, or when the function is defined there."""
    after = script.text(at + 1)
    return (
        after in {"(", "=", ":"}
        or (after in {".", "->"} and script.text(at + 2) in {"call", "("})
        or script.text(at - 1) in {"sub", "def", "function"}
        or (script.language.bare_calls and script.text(at - 1) in {"", ";", "\n", "{", "}", "|", "do", "then"})
    )


def _named(script: "Script", at: int) -> Named | None:
    """Return the function name at this position, which may be a string: `fs["rmSync"]` and `("sys" . "tem")("ls")`."""
    kind, name, _ = script.tokens[at]
    if script.language.name == "perl" and (symbolic := _symbolic(script, at)) is not None:
        return symbolic
    if kind == "text":
        around = script.text(at - 1), script.text(at + 1)
        called = script.language.name == "php" and around == ("(", ")") and script.text(at + 2) == "("
        return Named(at + 1, name, name) if (around == ("[", "]") or called) and name not in _DEFINING else None
    if kind != "name":
        return None
    if script.language.name == "php" and name.startswith("$") and script.text(at + 1) == "(":
        held = script.values.get(name, name)
        name = held if isinstance(held, str) else name
    before = script.text(at - 1)
    return None if before in _DEFINING else Named(at, script.aliases.get(name, name), before)


def _symbolic(script: "Script", at: int) -> Named | None:
    """Return a Perl call of a function named by a string: `&$name("ls")`, `&{"name"}("ls")` and `$name->("ls")`."""
    after = script.text(at + 1), script.text(at + 2)
    if after[1] == "(" and (after[0] == "->" or (after[0] == "}" and script.text(at - 2) == "&")):
        place = at + 1
    elif after[0] == "(" and script.text(at - 1) == "&":
        place = at
    else:
        return None
    token = script.tokens[at]
    held = token.text if token.kind == "text" else script.values.get(token.text)
    return Named(place, held, "&") if isinstance(held, str) else None


def _by_verbs(script: "Script", named: Named, starting: Callable[[Named], bool]) -> None:
    functions = script.functions
    name = named.name
    if name in functions.statements:
        statement(script, named)
    if name in functions.empties:
        empty(script, named)
    if name in functions.shell or name in functions.spawn:
        if starting(named) and script.text(named.at + 1) not in {":", "as"}:
            script.spawned = True
            spawn(script, named)
    elif name in functions.evals:
        evaluate(script, named)
    elif name in functions.trees or name in functions.files:
        delete(script, named)
    elif name in functions.writes:
        write(script, named)


def _by_further_verbs(script: "Script", named: Named) -> None:
    functions = script.functions
    name = named.name
    if name in functions.opens:
        open_file(script, named)
    elif name in functions.reads and (named.before not in {"->", ""} or script.language.name in {"php", "node"}):
        touch(script, named, 0, "read")
    elif name in functions.forks:
        fork(script, named)
    elif (action := _ACTIONS.get(name)) is not None:
        action(script, named)


#: Names with the same meaning in every language.
_ACTIONS: dict[str, Callable[["Script", Named], None]] = {
    **dict.fromkeys(("kill", "posix_kill"), kill),
    **dict.fromkeys(("chmod", "chmodSync"), chmod),
    **dict.fromkeys(("chown", "chownSync", "lchown"), chown),
    **dict.fromkeys(("setuid", "POSIX::setuid", "posix_setuid"), setuid),
    **dict.fromkeys(("truncate", "truncateSync"), truncate),
    "syscall": syscall,
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
