"""The state of a shell at one moment: variables, positional parameters, functions, aliases and the directory."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hermes_guard.shell.arithmetic import calculate
from hermes_guard.shell.command import PARENT, Command
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from tree_sitter import Node

    from hermes_guard.shell.command import Stdin
    from hermes_guard.shell.reader_state import Frame

#: Variables of every shell. A hole stands for a value that varies.
_KNOWN = {"IFS": " \t\n", "PATH": "/" + HOLE, "SHELL": "/bin/" + HOLE, "TMPDIR": "/" + HOLE}

#: Of a longer value only the beginning is stored.
MAX_VALUE = 8192

#: The value of a variable: a string, the elements of an array by key, or the words of `$@`.
Value = str | dict[str, str] | list[str]


@dataclass(frozen=True, slots=True)
class Definition:
    """The body of a function that an earlier command defined; None when it is unknown."""

    text: str | None


Body = tuple["Frame", "Node"] | Definition
#: The values of a variable outside of a function, and whether it is certainly local.
_Kept = tuple[tuple[Value, ...] | None, bool]


#: More files are not tracked.
_MAX_SOURCED = 16


class EarlierValue(str):
    """A value that earlier commands left, as opposed to one from the current text."""

    __slots__ = ()


class Recorder(Protocol):
    """Records what a text uses of what earlier commands left.

    Attributes:
        environment: Variables that the shell inherited.
    """

    environment: Mapping[str, str]

    def variable(self, name: str, scope: "Scope") -> None:
        """Record that the value of a variable matters."""

    def function(self, name: str, body: str | None) -> None:
        """Record a call of an earlier command's function; its body is None when it is unknown."""

    def alias(self, name: str, meaning: str) -> None:
        """Record that an alias is used."""

    def source(self, path: str) -> None:
        """Record that the shell reads unknown code from this file; the path is empty for other sources."""


class Scope:
    """The state of one shell or subshell."""

    __slots__ = (
        "aliases", "arrays", "attributes", "bodies", "choices", "cwd", "followed", "functions", "home", "inputs",
        "locals", "made", "meanings", "name", "options", "patterns", "positions", "references", "removed", "replaced",
        "sourced", "taken", "traps", "unknown", "uses", "variables",
    )  # fmt: skip

    def __init__(self, *, cwd: str | None, home: str) -> None:
        self.variables: dict[str, str] = {}
        #: Array elements by key.
        self.arrays: dict[str, dict[str, str]] = {}
        #: All values of a variable that depends on a branch; its text is then a hole. `@` stands for the positional
        #: parameters.
        self.choices: dict[str, tuple[Value, ...]] = {}
        #: Variables that are certainly unset.
        self.removed: set[str] = set()
        #: The attributes of `declare`: i(nteger), l(ower), u(pper), r(ead only), A(ssociative), n(ame reference), and x
        #: for exported variables.
        self.attributes: dict[str, str] = {}
        #: Variables whose value is a file name pattern, as in `for i in /*`: quoting does not make it a name.
        self.patterns: set[str] = set()
        #: `$1` and following; None when they are unknown.
        self.positions: list[str] | None = None
        #: The commands whose output a variable contains.
        self.made: dict[str, tuple[Command, ...]] = {"PPID": (PARENT,)}
        #: `$0` when that is certain.
        self.name: str | None = None
        #: Variables that refer to others, as after `declare -n`.
        self.references: dict[str, str] = {}
        #: What the shell can read on its descriptors, as after `exec 3<<< text`.
        self.inputs: dict[int, Stdin] = {}
        #: The number of lines that were read of an input.
        self.taken: dict[Stdin, int] = {}
        #: The input whose lines the current loop iterates over.
        self.followed: Stdin | None = None
        self.functions: dict[str, Body] = {}
        #: Other bodies that a function may have after a branch; None if it may be undefined.
        self.bodies: dict[str, tuple[Body | None, ...]] = {}
        self.aliases: dict[str, str] = {}
        #: Other meanings that an alias may have after a branch.
        self.meanings: dict[str, tuple[str, ...]] = {}
        #: The local variables of each function that is being called.
        self.locals: list[dict[str, _Kept]] = []
        #: Enabled options of `set -o` and `shopt`.
        self.options: dict[str, bool] = {}
        #: Code by signal, as after `trap code DEBUG`; None when it is unknown.
        self.traps: dict[str, str | None] = {}
        #: Why anything may have been defined or changed: this shell ran unreadable code. Otherwise empty.
        self.unknown = ""
        #: True after an `exec` that replaced this shell.
        self.replaced = False
        #: Files that this shell has sourced and whose content is unknown; an empty name for other sources.
        self.sourced: frozenset[str] = frozenset()
        self.cwd = cwd
        self.home = home
        #: Records what the text uses; None when that is not needed.
        self.uses: Recorder | None = None

    def child(self) -> "Scope":
        """Return a copy for a subshell, whose changes do not affect this scope."""
        scope = Scope.__new__(Scope)  # `take` gives it everything else
        scope.home = self.home
        scope.take(self)
        return scope

    def take(self, other: "Scope") -> None:
        """Take over the state of another scope."""
        self.cwd, self.name, self.positions, self.followed = other.cwd, other.name, other.positions, other.followed
        self.uses = other.uses
        self.unknown, self.replaced, self.sourced = other.unknown, other.replaced, other.sourced
        self.options, self.traps = other.options.copy(), other.traps.copy()
        self.variables = other.variables.copy()
        self.arrays = other.arrays.copy()
        self.choices = other.choices.copy()
        self.removed = other.removed.copy()
        self.attributes = other.attributes.copy()
        self.patterns = other.patterns.copy()
        self.made = other.made.copy()
        self.references = other.references.copy()
        self.inputs = other.inputs.copy()
        self.taken = other.taken.copy()
        self.functions = other.functions.copy()
        self.bodies = other.bodies.copy()
        self.aliases = other.aliases.copy()
        self.meanings = other.meanings.copy()
        self.locals = [kept.copy() for kept in other.locals] if other.locals else []

    def record(self, uses: Recorder) -> None:
        """Start recording which of the current values are used."""
        self.uses = uses
        self.variables = {name: EarlierValue(value) for name, value in {**uses.environment, **self.variables}.items()}
        self.aliases = {name: EarlierValue(meaning) for name, meaning in self.aliases.items()}

    def stop_recording(self) -> None:
        """Stop recording: from now on, known values count as known whatever their origin."""
        if self.uses is not None:
            self.uses = None
            self.variables = {name: str(value) for name, value in self.variables.items()}
            self.aliases = {name: str(meaning) for name, meaning in self.aliases.items()}

    def source(self, path: str) -> None:
        """Track a `source` of a file with unknown content."""
        self.sourced |= {path if len(self.sourced) < _MAX_SOURCED else ""}
        if self.uses is not None:
            self.uses.source(path)

    def use(self, name: str) -> None:
        """Record that a command's effect depends on a variable."""
        if self.uses is not None:
            self.uses.variable(self.references.get(name, name), self)

    def lookup(self, name: str) -> str | None:
        """Return the value of a variable, with holes; None when it is unknown."""
        name = self.references.get(name, name)
        value = self.variables.get(name)
        if value is not None:
            return value
        if name == "HOME":
            return self.home
        if name == "HERMES_HOME":  # rules use this form for the agent's home at any location
            return f"{self.home}/.hermes"
        if name == "PWD":
            return self.cwd if self.cwd and self.cwd.startswith("/") else "/" + HOLE
        if name in {"USER", "LOGNAME"}:
            return user_of(self.home)
        if name == "0":
            return self.name
        if name.isdigit() and self.positions is not None:
            number = int(name[:9])
            return self.positions[number - 1] if number <= len(self.positions) else ""
        if name == "#" and self.positions is not None:
            return str(len(self.positions))
        return _KNOWN.get(name)

    def state(self, name: str) -> tuple[Value, ...]:
        """Return all values that a variable may have; of `@`, the positional parameters."""
        choices = self.choices.get(name)
        if choices is not None:
            return choices
        if name == "@":
            return (HOLE if self.positions is None else self.positions,)
        array = self.arrays.get(name)
        if array is not None:
            return (array,)
        value = self.lookup(name)
        return (HOLE if value is None else value,)

    def become(self, name: str, values: tuple[Value, ...]) -> None:
        """Set the values that a variable may have."""
        self.choices.pop(name, None)
        self.removed.discard(name)
        value = values[0] if len(values) == 1 else _common(values)
        if len(values) > 1:
            self.choices[name] = values
        if name == "@":
            self.positions = value if isinstance(value, list) else None
            return
        self.arrays.pop(name, None)
        if isinstance(value, dict):
            self.arrays[name] = value
            self.variables[name] = value.get("0", "")
        elif isinstance(value, str):
            self.variables[name] = value if len(value) <= MAX_VALUE else value[:MAX_VALUE] + HOLE

    def assign(self, name: str, value: str, commands: "tuple[Command, ...]" = (), *, append: bool = False) -> None:
        """Set a variable, or append to it."""
        letters = self.attributes.get(name, "") if self.attributes else ""
        if "n" in letters and name not in self.references and value.isidentifier() and value != name:
            self.references[name] = self.references.get(value, value)
            return
        name = self.references.get(name, name)
        if append:
            value = (self.lookup(name) or HOLE) + value if name in self.variables else HOLE + value
        value = _converted(value, letters) if letters else value
        # Some shells stop when a read-only variable is assigned, others continue.
        self.become(name, merged(self.state(name), (value,)) if "r" in letters else (value,))
        self.patterns.discard(name)
        self.made.pop(name, None)
        if commands:
            self.made[name] = commands

    def forget(self, name: str) -> None:
        """Mark a variable as unknown."""
        self.become(name, (HOLE,))

    def remove(self, name: str) -> None:
        """Track an `unset` of a variable."""
        name = self.references.get(name, name)
        if "r" not in self.attributes.pop(name, ""):
            self.assign(name, "")
            self.removed.add(name)

    def keep(self, name: str) -> None:
        """Make a variable local to the current function: its value is restored on return."""
        if self.locals and name not in self.locals[-1]:
            known = name in self.variables or name in self.choices
            self.locals[-1][name] = (self.state(name) if known else None, True)

    def leave(self) -> None:
        """Return from a function."""
        for name, (values, certain) in self.locals.pop().items():
            if not certain:
                self.become(name, merged(values or (HOLE,), self.state(name)))
            elif values is None:
                for known in (self.variables, self.arrays, self.choices, self.made):
                    known.pop(name, None)
                self.removed.discard(name)
            else:
                self.become(name, values)
            self.attributes.pop(name, None)
            self.references.pop(name, None)

    def define(self, name: str, body: Body) -> None:
        """Track the definition of a function."""
        self.functions[name] = body
        self.bodies.pop(name, None)

    def rename(self, name: str, meaning: str) -> None:
        """Track the definition of an alias."""
        self.aliases[name] = meaning
        self.meanings.pop(name, None)

    def restart(self, functions: dict[str, Body]) -> None:
        """Track an `exec` of another shell: variables and exported functions remain."""
        self.functions = functions
        self.positions = None
        for known in (self.bodies, self.aliases, self.meanings, self.inputs, self.options, self.traps):
            known.clear()
        self.unknown, self.replaced, self.sourced = "", False, frozenset()

    def change_folder(self, target: str) -> None:
        """Track a `cd`."""
        before = self.cwd
        if target == "-":
            self.use("OLDPWD")
            target = self.variables.get("OLDPWD", HOLE)
        self._change_folder(target)
        self.variables["OLDPWD"] = before if before and before.startswith("/") else HOLE

    def _change_folder(self, target: str) -> None:
        if HOLE in target:
            # Every process sees the same files in its own /proc directory.
            whole = target if target[0] == "/" else f"{self.cwd}/{target}"
            self.cwd = posixpath.normpath(whole.replace(HOLE, "X")) if whole.startswith("/proc/") else None
        elif target.startswith("/"):
            self.cwd = posixpath.normpath(target).replace("//", "/")
        elif self.cwd is not None:
            self.cwd = posixpath.normpath(posixpath.join(self.cwd, target))


#: A variable with more possible values is unknown.
_MAX_VALUES = 8


def merged(values: tuple[Value, ...], more: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the values of both, each once."""
    found = list(values)
    found.extend(value for value in more if value not in found)
    return tuple(found) if len(found) <= _MAX_VALUES else (HOLE,)


def _common(values: tuple[Value, ...]) -> str:
    """Return the directories that all values have in common at either end, with a hole for the rest."""
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values):
        return HOLE
    start = posixpath.commonprefix(texts)
    start = start[: start.rfind("/") + 1]
    end = posixpath.commonprefix([text[len(start) :][::-1] for text in texts])
    return start + HOLE + end[: end.rfind("/") + 1][::-1]


def _converted(value: str, letters: str) -> str:
    """Apply the attributes of `declare` to a value."""
    if "i" in letters:
        number = calculate(value)
        return HOLE if number is None else str(number)
    return value.lower() if "l" in letters else value.upper() if "u" in letters else value


def user_of(home: str) -> str | None:
    """Return the user whose home this is; None when the path does not say."""
    folder, name = posixpath.split(home.rstrip("/"))
    return name if folder in {"/home", "/Users"} or name == "root" else None
