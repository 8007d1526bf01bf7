"""Limits the stored state of a shell, and marks what exceeds the limits as unknown."""

from typing import Any

from hermes_guard.shell.scope import Definition, Scope, Value
from hermes_guard.shell.word import HOLE

#: Names of each kind that are stored. A working day defines some dozens; a table of this size is copied in 50 us.
MAX_NAMES = 1_000
#: Characters of all values of a kind together, and of one value.
MAX_CHARACTERS, LONGEST = 1_000_000, 32_768
#: Variables that change what commands mean without being named in them. They are always stored.
_SPECIAL = frozenset({"BASH_ENV", "CDPATH", "ENV", "HOME", "IFS", "LD_PRELOAD", "OLDPWD", "PATH", "PROMPT_COMMAND"})
_MAX_DESCRIPTORS = 32


def bound_variables(scope: Scope) -> bool:
    """Mark values as unknown that are too long together, and drop excess variables; return whether any were dropped."""
    excess = _excess(scope)
    if excess > 0:
        _forget_longest(scope, excess)
    if scope.positions is not None and _size(scope.positions) > LONGEST:
        scope.become("@", (HOLE,))
    if len(scope.inputs) > _MAX_DESCRIPTORS:
        scope.inputs = dict(list(scope.inputs.items())[:_MAX_DESCRIPTORS])
    tables: list[dict[str, Any]] = [scope.variables, scope.attributes, scope.references, scope.made]
    tables += [scope.choices, scope.arrays]
    if max(len(scope.patterns), *map(len, tables)) <= MAX_NAMES:
        return False
    kept = {*[name for name in scope.variables if name not in scope.removed][:MAX_NAMES], *_SPECIAL, "@", "PPID"}
    for table in tables:
        for name in [name for name in table if name not in kept]:
            del table[name]
    scope.patterns &= kept
    scope.removed &= kept
    return True


def _excess(scope: Scope) -> int:
    """Return the number of characters by which all values exceed the limit."""
    several = [value for values in scope.choices.values() for value in values]
    plain = sum(map(len, scope.variables.values()))
    return plain + sum(map(_size, (*scope.arrays.values(), *several))) - MAX_CHARACTERS


def _forget_longest(scope: Scope, excess: int) -> None:
    sizes = {name: sum(map(_size, scope.state(name))) for name in scope.variables}
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        scope.forget(name)
        excess -= sizes[name]
        if excess <= 0:
            break


def bound_code(scope: Scope) -> None:
    """Mark function bodies as unknown that are too long together. A dropped one may define any name."""
    sizes = {name: len(body.text or "") for name, body in scope.functions.items() if isinstance(body, Definition)}
    excess = sum(sizes.values()) - MAX_CHARACTERS
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True) if excess > 0 else ():
        scope.define(name, Definition(None))
        excess -= sizes[name]
        if excess <= 0:
            break
    if len(scope.functions) > MAX_NAMES:
        scope.unknown = f"more than {MAX_NAMES:,} functions were defined"
        scope.functions = dict(list(scope.functions.items())[:MAX_NAMES])
    if len(scope.aliases) > MAX_NAMES or sum(map(len, scope.aliases.values())) > MAX_CHARACTERS:
        scope.unknown = "more aliases were defined than are kept"
        scope.aliases.clear()
    scope.bodies = {name: bodies for name, bodies in scope.bodies.items() if name in scope.functions}
    scope.meanings = {name: texts for name, texts in scope.meanings.items() if name in scope.aliases}


def _size(value: Value) -> int:
    if isinstance(value, str):
        return len(value)
    return sum(map(len, value if isinstance(value, list) else value.values())) + 8 * len(value)
