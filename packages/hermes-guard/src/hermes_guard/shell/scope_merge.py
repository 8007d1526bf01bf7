"""Merges the state of the shell after branches of which only one runs."""

from collections.abc import Sequence

from hermes_guard.shell.scope import Body, Scope, Value, merged
from hermes_guard.shell.word import HOLE


def join(scope: Scope, worlds: Sequence[Scope]) -> None:
    """Replace a scope with the combination of several."""
    if not worlds:
        return
    first, *others = worlds
    if first is not scope:
        scope.take(first)
    for other in others:
        widen(scope, other)


def widen(scope: Scope, other: Scope) -> None:
    """Extend a scope with the possibilities of another one."""
    _variables(scope, other)
    if scope.positions != other.positions or "@" in scope.choices or "@" in other.choices:
        scope.become("@", merged(scope.state("@"), other.state("@")))
    if scope.functions != other.functions or scope.bodies != other.bodies:
        _functions(scope, other)
    if scope.aliases != other.aliases or scope.meanings != other.meanings:
        _aliases(scope, other)
    for name, commands in other.made.items():
        if scope.made.setdefault(name, commands) is not commands:
            scope.made[name] += commands
    for name, letters in other.attributes.items():
        scope.attributes[name] = "".join(dict.fromkeys(scope.attributes.get(name, "") + letters))
    scope.patterns |= other.patterns
    scope.removed |= other.removed
    scope.references.update(other.references)
    scope.inputs.update(other.inputs)
    for stdin, lines in other.taken.items():
        scope.taken[stdin] = max(lines, scope.taken.get(stdin, 0))
    _locals(scope, other)
    scope.unknown = scope.unknown or other.unknown
    scope.replaced = scope.replaced and other.replaced
    scope.sourced |= other.sourced
    scope.options.update(other.options)
    for signal, code in other.traps.items():
        scope.traps[signal] = code if scope.traps.get(signal, code) == code else None
    if scope.name != other.name:
        scope.name = None
    if scope.cwd != other.cwd:
        scope.cwd = None


def same(scope: Scope, other: Scope) -> bool:
    """Return True when both agree on everything that a loop iteration may change."""
    return (
        scope.variables == other.variables
        and scope.arrays == other.arrays
        and scope.choices == other.choices
        and scope.positions == other.positions
        and scope.cwd == other.cwd
        and scope.functions == other.functions
        and scope.bodies == other.bodies
        and scope.aliases == other.aliases
        and scope.meanings == other.meanings
    )


def forget_changed(scope: Scope, before: Scope, *, numbers: bool = False) -> None:
    """Mark as unknown what still changes after several iterations; for numbers, after one."""
    for name in [name for name in scope.variables if scope.state(name) != before.state(name)]:
        if not numbers or _counts(scope.state(name)):
            scope.become(name, (HOLE,))
    if not numbers and scope.state("@") != before.state("@"):
        scope.become("@", (HOLE,))


def _counts(values: tuple[Value, ...]) -> bool:
    return all(isinstance(value, str) and (value.isdigit() or HOLE in value) for value in values)


def _variables(scope: Scope, other: Scope) -> None:
    if scope.variables == other.variables and scope.arrays == other.arrays and scope.choices == other.choices:
        return
    special = {*scope.arrays, *other.arrays, *scope.choices, *other.choices}
    for name in {**scope.variables, **other.variables}:
        if name not in special and scope.variables.get(name) == other.variables.get(name):
            continue
        mine, theirs = scope.state(name), other.state(name)
        if mine != theirs:
            removed = name in scope.removed
            scope.become(name, merged(mine, theirs))
            if removed:
                scope.removed.add(name)


def _functions(scope: Scope, other: Scope) -> None:
    for name in {**scope.functions, **other.functions}:
        bodies: list[Body | None] = []
        for world in (scope, other):
            for body in (world.functions.get(name), *world.bodies.get(name, ())):
                if body not in bodies:
                    bodies.append(body)
        known = next(body for body in bodies if body is not None)
        scope.functions[name] = known
        rest = tuple(body for body in bodies if body is not known)
        if rest:
            scope.bodies[name] = rest


def _aliases(scope: Scope, other: Scope) -> None:
    # An alias defined in one branch stands for itself in the other: names are always judged too.
    for name, meaning in other.aliases.items():
        if name not in scope.aliases:
            scope.aliases[name] = meaning
        theirs = (meaning, *other.meanings.get(name, ()))
        rest = dict.fromkeys((*scope.meanings.get(name, ()), *theirs))
        rest.pop(scope.aliases[name], None)
        if rest:
            scope.meanings[name] = tuple(rest)


def _locals(scope: Scope, other: Scope) -> None:
    for mine, theirs in zip(scope.locals, other.locals, strict=False):
        for name in {**mine, **theirs}:
            values, certain = mine.get(name) or theirs[name]
            mine[name] = (values, certain and name in mine and name in theirs and theirs[name][1])
