"""What the shell knows at one moment: variables, positions, functions, aliases and the folder."""

import posixpath
from typing import TYPE_CHECKING

from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from tree_sitter import Node

    from hermes_guard.shell.command import Command, Stdin
    from hermes_guard.shell.frames import Frame

#: What every shell knows. A hole stands for what differs.
_KNOWN = {"IFS": " \t\n", "PATH": "/" + HOLE, "SHELL": "/bin/" + HOLE, "TMPDIR": "/" + HOLE}

#: Of a longer value only the beginning is known.
MAX_VALUE = 8192


class Scope:
    """The state of one shell or subshell."""

    __slots__ = (
        "aliases",
        "arrays",
        "cwd",
        "functions",
        "home",
        "inputs",
        "made",
        "name",
        "patterns",
        "positions",
        "references",
        "variables",
    )

    def __init__(self, *, cwd: str | None, home: str) -> None:
        self.variables: dict[str, str] = {}
        #: Elements by key.
        self.arrays: dict[str, dict[str, str]] = {}
        #: Variables whose value is a pattern for file names, as in `for i in /*`: quotes do not make it a name.
        self.patterns: set[str] = set()
        #: `$1` and following; None when nobody knows them.
        self.positions: list[str] | None = None
        #: The commands whose output a variable holds.
        self.made: dict[str, tuple[Command, ...]] = {}
        #: `$0` when that is certain.
        self.name: str | None = None
        #: Variables that stand for others, as after `declare -n`.
        self.references: dict[str, str] = {}
        #: What the shell can read on its descriptors, as after `exec 3<<< text`.
        self.inputs: dict[int, Stdin] = {}
        self.functions: dict[str, tuple[Frame, Node]] = {}
        self.aliases: dict[str, str] = {}
        self.cwd = cwd
        self.home = home

    def child(self) -> "Scope":
        """A copy for a subshell: what changes there stays there."""
        scope = Scope(cwd=self.cwd, home=self.home)
        scope.variables = dict(self.variables)
        scope.arrays = dict(self.arrays)
        scope.patterns = set(self.patterns)
        scope.positions = self.positions
        scope.made = dict(self.made)
        scope.name = self.name
        scope.references = dict(self.references)
        scope.inputs = dict(self.inputs)
        scope.functions = dict(self.functions)
        scope.aliases = dict(self.aliases)
        return scope

    def lookup(self, name: str) -> str | None:
        """The value of a variable, with holes; None when nothing says what it is."""
        name = self.references.get(name, name)
        value = self.variables.get(name)
        if value is not None:
            return value
        if name == "HOME":
            return self.home
        if name == "PWD":
            return self.cwd if self.cwd and self.cwd.startswith("/") else "/" + HOLE
        if name in {"USER", "LOGNAME"}:
            return user_of(self.home)
        if name == "0":
            return self.name
        if name.isdigit() and self.positions is not None:
            number = int(name)
            return self.positions[number - 1] if number <= len(self.positions) else ""
        if name == "#" and self.positions is not None:
            return str(len(self.positions))
        return _KNOWN.get(name)

    def assign(self, name: str, value: str, commands: "tuple[Command, ...]" = (), *, append: bool = False) -> None:
        """Set a variable, or add to it."""
        name = self.references.get(name, name)
        if append:
            value = (self.lookup(name) or HOLE) + value if name in self.variables else HOLE + value
        self.variables[name] = value if len(value) <= MAX_VALUE else value[:MAX_VALUE] + HOLE
        self.arrays.pop(name, None)
        self.patterns.discard(name)
        self.made.pop(name, None)
        if commands:
            self.made[name] = commands

    def forget(self, name: str) -> None:
        """From here on nobody knows this variable."""
        self.variables[name] = HOLE
        self.arrays.pop(name, None)

    def change_folder(self, target: str) -> None:
        """Follow a `cd`."""
        before = self.cwd
        if target == "-":
            target = self.variables.get("OLDPWD", HOLE)
        self._change_folder(target)
        self.variables["OLDPWD"] = before if before and before.startswith("/") else HOLE

    def _change_folder(self, target: str) -> None:
        if HOLE in target:
            self.cwd = None
        elif target.startswith("/"):
            self.cwd = posixpath.normpath(target).replace("//", "/")
        elif self.cwd is not None:
            self.cwd = posixpath.normpath(posixpath.join(self.cwd, target))


def user_of(home: str) -> str | None:
    """The user whose home this is; None when its place does not say."""
    folder, name = posixpath.split(home.rstrip("/"))
    return name if folder in {"/home", "/Users"} or name == "root" else None
