"""Tracks the files that the text itself creates: their content, copies, and link targets."""

import dataclasses
import posixpath
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.command_output import output
from hermes_guard.shell.eval_output import emits
from hermes_guard.shell.file_writes import (
    COPIERS,
    WRITERS,
    Output,
    copied_by,
    handed_on,
    meant,
    named_by,
    outputs_of,
    symbolic,
)
from hermes_guard.shell.shell_code import SHELLS, script_of, start_up_of
from hermes_guard.shell.word import HOLE, Word

#: A shebang for another interpreter.
_FOREIGN = re.compile(r"#!(?!.*\b(?:ba|z|da|k|a|fi)?sh\b)")
_PROGRAM = re.compile(rf"(?:{HOLE}|/(?:usr/)?(?:local/)?s?bin|/(?:usr/)?lib/systemd)/[\w.+-]+\Z")
#: Lines of which nothing is known.
_HOLES = re.compile(rf"^{HOLE}+$", re.MULTILINE)
#: The maximum number of files and groups tracked per text.
_LIMIT = 200
#: Programs that write or create a file named in their arguments.
_NOTED = frozenset({*COPIERS, *WRITERS, "mkfifo", "mknod"})


class _Group(NamedTuple):
    """A group of commands whose output goes to a file."""

    #: The number of commands before it.
    start: int
    span: tuple[int, int]
    target: Output


class Script(NamedTuple):
    """A script that the text has written and a command runs."""

    #: Empty when it is unknown.
    text: str
    #: Its arguments; None when they are unknown.
    positions: list[str] | None
    #: Read by the current shell, as with `source`.
    same_shell: bool = False


class VirtualFiles:
    """What is known about the files that earlier commands have created."""

    __slots__ = (
        "_commands", "_copies", "_files", "_groups", "_heard", "_most", "_outputs", "_pipes", "_unknown", "links",
        "lost", "used",
    )  # fmt: skip

    def __init__(self, commands: list[Command]) -> None:
        self._commands = commands
        #: True once there is something to look up.
        self.used = False
        #: True once a written file was not tracked.
        self.lost = False
        self._most = _LIMIT
        #: Content by path.
        self._files: dict[str, str] = {}
        #: Programs by the path of their copy.
        self._copies: dict[str, str] = {}
        #: Link targets.
        self.links: dict[str, str] = {}
        #: Groups that write to a file, by its path. They are read when their content is requested, which is after they
        #: ended.
        self._groups: dict[str, list[_Group]] = {}
        #: The targets of the shell's own descriptors, as after `exec > file`.
        self._outputs: dict[int, Output] = {}
        #: Named pipes, and those of them that a shell already reads.
        self._pipes: set[str] = set()
        self._heard: set[str] = set()
        #: Files written by programs with unknown output.
        self._unknown: set[str] = set()

    def copy(self, commands: list[Command]) -> "VirtualFiles":
        """Return the same files, for the commands of the next text."""
        for path in list(self._groups):
            self.text(path)
        disk = VirtualFiles(commands)
        disk.used, disk.lost = self.used, self.lost
        disk._most = _LIMIT + max(map(len, (self._files, self._copies, self.links, self._unknown)))
        disk._files, disk._copies, disk.links = self._files.copy(), self._copies.copy(), self.links.copy()
        disk._outputs, disk._pipes, disk._heard = self._outputs.copy(), self._pipes.copy(), self._heard.copy()
        disk._unknown = self._unknown.copy()
        return disk

    def unknown(self, path: str) -> bool:
        """Return True when a file with unknown content was written."""
        text = self.text(path)
        return path in self._unknown if text is None else _HOLES.search(text) is not None

    def contents(self) -> dict[str, str | None]:
        """Return the content of all files; None where it is unknown."""
        for path in list(self._groups):
            self.text(path)
        return {**self._files, **dict.fromkeys(self._unknown)}

    def same(self, other: "VirtualFiles") -> bool:
        """Return True when both have the same content."""
        names = [name for name in self.__slots__ if name not in {"_commands", "_most"}]
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def scatter(self, name: str) -> None:
        """Record a file that was written to an unknown directory."""
        self._unknown.add(f"{HOLE}/{name}")

    def scattered(self, path: str) -> bool:
        """Return True when a file of that name was written to an unknown directory."""
        return f"{HOLE}/{posixpath.basename(path)}" in self._unknown

    def write(self, path: str, text: str | None) -> None:
        """Record a file that was not written by a command."""
        self.used = True
        self._copies.pop(path, None)
        self.links.pop(path, None)
        if text is None:
            self._unknown.add(path)
            self._files.pop(path, None)
        else:
            self._unknown.discard(path)
            self._files[path] = text

    def bound(self, limit: int, characters: int, longest: int) -> bool:
        """Mark long content as unknown, and drop excess files; return whether any were dropped."""
        excess = sum(map(len, self._files.values())) - characters
        for path in [path for path, text in self._files.items() if len(text) > longest or excess > 0]:
            if len(self._files[path]) > longest or excess > 0:
                excess -= len(self._files[path])
                self.write(path, None)
        for table in (self._files, self._copies, self.links):
            self.lost = self.lost or len(table) > limit
            for path in list(table)[limit:]:
                del table[path]
        for paths in (self._unknown, self._pipes, self._heard):
            if len(paths) > limit:
                self.lost = True
                paths.intersection_update(sorted(paths)[:limit])
        return self.lost

    def _fits(self, table: Collection[str]) -> bool:
        """Return True when another entry of a table can be tracked."""
        self.lost = self.lost or len(table) >= self._most
        return len(table) < self._most

    # What commands leave behind

    def group(self, command: Command) -> None:
        """Record a group with redirections."""
        target = outputs_of(command, self._outputs).get(1)
        if target is not None and self._fits(self._groups):
            self._groups.setdefault(target.path, []).append(_Group(len(self._commands), command.span, target))
            self.used = True

    def note(self, command: Command, producers: Sequence[Command] = ()) -> list[str]:
        """Record what a command writes, and return the part that a waiting shell reads as code.

        `producers` are the commands that it runs and whose output is its own.
        """
        if not (command.program in _NOTED or command.redirects or self._outputs):
            return []
        heard = self._noted(command, producers)
        self.used = bool(self._files or self._copies or self.links or self._groups or self._pipes or self._unknown)
        return heard

    def _noted(self, command: Command, producers: Sequence[Command]) -> list[str]:
        program = command.program or ""
        if program in COPIERS:
            self._copied(command, *copied_by(command, COPIERS[program]))
        elif program in {"sed", "gsed"} and self._files:
            self._edited(command)
        elif program in {"mkfifo", "mknod"}:
            self._pipes.update(path for word in command.args[:8] if (path := command.path(word)))
        elif program == "exec" and not command.args and command.redirects:
            self._diverted(command)
            return []
        targets = list(named_by(command)) if program in WRITERS else []
        if command.redirects or self._outputs:
            found = outputs_of(command, self._outputs).get(1)
            targets += [found] if found else []
        heard: list[str] = []
        for target in targets:
            heard += self._write(command, producers, target)
        return heard

    def _write(self, command: Command, producers: Sequence[Command], target: Output) -> list[str]:
        path = target.path
        text = command.output
        if text is None:
            text = "".join(found.output or "" for found in producers) or None
        if command.program in WRITERS and command.stdin is not None and not text:
            text = command.stdin.text
        if text is None:
            self._unread(command, target)
            return []
        before = self._files.get(path, "")
        if not target.append:
            self._unknown.discard(path)
            # A branch may not have run; in that case the file has its old content.
            before = before + "\n" if before and command.condition else ""
        if path in self._files or self._fits(self._files):
            self._files[path] = before + text
            self._copies.pop(path, None)
        return [text] if path in self._heard else []

    def _unread(self, command: Command, target: Output) -> None:
        """Record a file with unknown content. A copy is as known as its original."""
        sources = handed_on(command)
        if len(sources) == 1:
            self._copied(command, sources, target.path, folder=False)
            return
        made = any(self.text(path) is not None or path in self._unknown for path in map(command.path, sources))
        if (made or not sources) and not command.condition and not emits(command) and self._fits(self._unknown):
            self._unknown.add(target.path)
            if not target.append:
                self._files.pop(target.path, None)

    def _edited(self, command: Command) -> None:
        """Track `sed -i`: the file contains what would have been printed."""
        flags = [word for word in command.args if word.raw.startswith(("-i", "--in-place"))]
        for word in command.args[:8] if flags else ():
            path = command.path(word)
            text = self.text(path)
            if path is None or text is None:
                continue
            rest = tuple(found for found in command.argv if found is not word and found not in flags)
            made = output(dataclasses.replace(command, argv=rest, stdin=Stdin(text)))
            if made is None:
                self._unknown.add(path)
                made = text
            self._files[path] = made

    def _diverted(self, command: Command) -> None:
        found = outputs_of(command, self._outputs)
        for target in found.values():
            if not target.append:
                self._files[target.path] = ""
        self._outputs = {number: Output(target.path, True) for number, target in found.items()}

    def _copied(self, command: Command, sources: Sequence[Word], target: str | None, *, folder: bool = True) -> None:
        """Record files under their new names: `cp /bin/rm x; ./x -rf d`. Which targets are directories is unknown."""
        if target is None or not (self._fits(self._files) and self._fits(self._copies) and self._fits(self.links)):
            return
        for word in sources[:16]:
            path, name = command.path(word) or "", posixpath.basename(word.raw)
            places = [posixpath.join(target, name)] if folder else []
            if len(sources) == 1 or not folder:
                places.append(target)
            if command.program == "ln" and symbolic(command) and HOLE not in word.raw:
                for place in places:
                    self.links[place] = posixpath.join(posixpath.dirname(place), word.raw)
            original = self._copies.get(path, meant(word))
            if _PROGRAM.match(original):
                self._copies.update(dict.fromkeys(places, original.replace(HOLE, "/bin")))
            for place in places if path else ():
                self._again(path, place)

    def _again(self, path: str, place: str) -> None:
        """Record a file, or the files below a directory, at another path."""
        text = self.text(path)
        if text is not None:
            self._files[place] = text
        if path in self._unknown:
            self._unknown.add(place)
        below = [name for name in (*self._files, *self._groups) if name.startswith(path + "/")]
        for name in below[:_LIMIT]:
            self._files[place + name[len(path) :]] = self.text(name) or ""

    # What later commands find

    def text(self, path: str | None) -> str | None:
        """Return the content of a file, as far as the text has written it."""
        if path is None:
            return None
        if self._groups:
            for group in self._groups.pop(path, ()):
                self._settle(group)
        return self._files.get(path)

    def _settle(self, group: _Group) -> None:
        target = group.target
        start, end = group.span
        printed = [
            command.output
            for command in self._commands[group.start :]
            if start <= command.span[0] and command.span[1] <= end and command.output and not command.feeds
        ]
        if printed:
            before = self._files.get(target.path, "") if target.append else ""
            self._files[target.path] = before + "".join(printed)

    def open(self, command: Command) -> None:
        """Give a command the content of the files that it reads."""
        if command.stdin is not None:
            command.stdin = self._opened(command, command.stdin)
        if command.inputs:
            command.inputs = {number: self._opened(command, found) for number, found in command.inputs.items()}

    def _opened(self, command: Command, stdin: Stdin) -> Stdin:
        if stdin.file is None or stdin.text is not None:
            return stdin
        path = command.path(stdin.file)
        text = self.text(path)
        if text is None:
            self._wait(command, path)
            return stdin
        return Stdin(text, stdin.commands, stdin.file, stdin.span)

    def _wait(self, command: Command, path: str | None) -> None:
        if path in self._pipes and (command.program in SHELLS or command.program in {"source", "."}):
            self._heard.add(path or "")

    def printed(self, command: Command) -> str | None:
        """Return what a command prints of a file that it names."""
        known = {id(word): text for word in command.args[:8] if (text := self.text(command.path(word))) is not None}
        if not known:
            return None
        rest = tuple(word for word in command.argv if id(word) not in known)
        return output(dataclasses.replace(command, argv=rest, stdin=Stdin("".join(known.values()))))

    def original(self, command: Command, folders: str) -> str:
        """Return the program that a command runs through a copy or link; `folders` is the search path."""
        for path in self._places(command, folders):
            linked = self.links.get(path, path)
            if path in self._copies:
                return self._copies[path]
            if posixpath.basename(linked) != command.program and _PROGRAM.match(linked):
                return linked
        return ""

    def _places(self, command: Command, folders: str) -> Iterator[str]:
        """Yield the possible paths of a command's program."""
        name = command.argv[0].raw
        if "/" in name:
            yield command.path(name) or ""
            return
        for folder in folders.split(":")[:32]:
            if HOLE not in folder and (path := command.path(posixpath.join(folder or ".", name))):
                yield path
        for path in (*self._files, *self._groups, *self._copies, *self.links):
            # Directories of that name are usually on the search path.
            if path.endswith(f"bin/{name}") and not _PROGRAM.match(path):
                yield path

    def scripts(self, command: Command, folders: str, start_up: Sequence[str]) -> list[Script]:
        """Return the scripts that a command runs and the text wrote; `start_up` are values of BASH_ENV and ENV."""
        shell, sourced = command.program in SHELLS, command.program in {"source", "."}
        found: list[Script | None] = []
        if shell:
            paths = [*start_up, *(word.raw for word in start_up_of(command))]
            found += [self._script(command.path(path), None) for path in paths]
        if shell or sourced:
            given = script_of(command)
            if given is not None:
                path = command.path(given[0])
                found.append(self._script(path, given[1], same_shell=sourced))
                if path in self._unknown:
                    found.append(Script("", None, same_shell=sourced))
                if self.text(path) is None:
                    self._wait(command, path)
        else:
            arguments = None if any(word.splits for word in command.args) else [word.raw for word in command.args]
            scripts = (self._script(path, arguments) for path in self._places(command, folders))
            # The first match is run.
            found.append(next((script for script in scripts if script is not None), None))
        return [script for script in found if script is not None]

    def _script(self, path: str | None, positions: list[str] | None, *, same_shell: bool = False) -> Script | None:
        text = self.text(path)
        return None if not text or _FOREIGN.match(text) else Script(text, positions, same_shell)
