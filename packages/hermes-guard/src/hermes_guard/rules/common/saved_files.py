"""Tracks the content of files that earlier commands in a text have written, for rules about running or reading them."""

import posixpath
from collections.abc import Iterable, Sequence

from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word

#: The maximum number of characters stored per file, equal to the maximum length of a command.
LIMIT = 32_768
#: The maximum number of commands in a group whose output is collected.
_GROUP = 32
_COPIERS = frozenset({"cp", "gcp", "mv", "gmv", "ln", "install"})


class SavedFiles:
    """The content of files by path; with `by_name` also by file name."""

    def __init__(self, *, by_name: bool = False) -> None:
        self._by_name = by_name
        self.texts: dict[str, str] = {}
        #: Files with more content than is stored.
        self.cut: set[str] = set()

    def follow(self, command: Command, commands: Sequence[Command], number: int) -> None:
        """Record what the command at this index writes or copies."""
        if command.program in _COPIERS:
            self._copied(command)
            return
        for redirect in command.redirects:
            if redirect.writes and redirect.fd in {None, 1}:
                text = command.output or _of_group(command, commands, number)
                self._keep(command, [redirect.target], text, append=redirect.operator in {">>", "&>>"})
        if command.program in {"tee", "sponge"} and command.stdin is not None and command.stdin.text:
            words = [word for word in command.args if not word.raw.startswith("-")]
            appends = any(word.raw in {"-a", "--append"} for word in command.args)
            self._keep(command, words, command.stdin.text, append=appends)

    def copy(self, source: str, target: str) -> None:
        """Record a copy; the target may be a directory."""
        for path in (target, posixpath.join(target, posixpath.basename(source))):
            self._write(path, self.texts[source], append=False)
            if source in self.cut:
                self.cut.add(path)

    def _keep(self, command: Command, words: Iterable[Word], text: str, *, append: bool) -> None:
        if text:
            for name in dict.fromkeys(name for word in words for name in self._names(command, word)):
                self._write(name, text, append=append)

    def _names(self, command: Command, word: Word) -> tuple[str, ...]:
        path = command.path(word)
        if self._by_name:
            return (path or word.raw, word.raw)
        return (path,) if path else ()

    def _write(self, path: str, text: str, *, append: bool) -> None:
        if append and path in self.cut:
            return
        whole = self.texts.get(path, "") + text if append else text
        self.texts[path] = whole[:LIMIT]
        if len(whole) > LIMIT:
            self.cut.add(path)
        else:
            self.cut.discard(path)

    def _copied(self, command: Command) -> None:
        words = [word for word in command.args if not word.raw.startswith("-")]
        if len(words) != 2 or not self.texts:
            return
        source = next((name for name in self._names(command, words[0]) if name in self.texts), None)
        for target in self._names(command, words[1]) if source is not None else ():
            self.copy(source or "", target)


def _of_group(command: Command, commands: Sequence[Command], number: int) -> str:
    """Return the output of a group of commands that is redirected as a whole."""
    if command.argv:
        return ""
    start, end = command.span
    outputs = []
    for inside in commands[number + 1 : number + 1 + _GROUP]:
        if not start <= inside.span[0] < end:
            break
        outputs.append(inside.output or "")
    return "".join(outputs)
