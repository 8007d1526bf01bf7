"""Reads SQL that reaches a client through a file written by an earlier command, or through a substitution."""

import posixpath
from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.saved_files import LIMIT, SavedFiles
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

#: The maximum number of earlier commands that are checked for written files.
_NEAR = 256
_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,3})\Z")
#: A client command that reads a file.
_INCLUDE = re.compile(
    r"^[^\S\n]{0,8}(?:\\i\w{0,16}|\\\.|\.read|source|start|run|load|@@?)[^\S\n]{0,8}['\"(]{0,2}([^\s'\";)]{1,200})",
    re.IGNORECASE | re.MULTILINE,
)
#: File names that indicate a destructive script.
_DESTRUCTIVE_NAME = re.compile(
    r"(?:\d+[_-])?(?:drop|wipe|nuke|truncate|purge|destroy|delete|reset)[_-]?(?:all|every\w*|db|databases?|tables"
    r"|schemas?|prod\w*)(?:[_-]\w*)?\.(?:p?sql|surql|js|cql|cypher|redis|ddl)\Z",
    re.IGNORECASE,
)


class Saved:
    """What a client can read: its input, and the files written before it."""

    def __init__(self, command: Command, context: Context) -> None:
        self._command, self._context = command, context
        self._texts: dict[str, str] | None = None
        #: True once a file was left unread because of the budget.
        self.exceeded = False

    def file(self, word: Word) -> str:
        """Return the content of a file, or an empty string."""
        if word.process:
            return word.text_inside or ""
        if word.raw in _INPUT:
            return self.input()
        descriptor = _DESCRIPTOR.match(word.raw)
        if descriptor:
            given = self._command.inputs.get(int(descriptor[1]))
            return (given.text or "") if given is not None else ""
        return self._held(self._command, word)

    def input(self) -> str:
        """Return the content of standard input, or an empty string."""
        stdin = self._command.stdin
        if stdin is None:
            return ""
        if stdin.text:
            return stdin.text
        return self._held(self._command, stdin.file) if stdin.file is not None else self._printed(stdin.commands)

    def word(self, word: Word) -> str:
        """Return a word as a client receives it: `$(cat q.sql)` is the content of the file."""
        if HOLE in word.raw and word.commands:
            printed = self._printed(word.commands)
            return word.raw.replace(HOLE, printed, 1) if printed else word.raw
        return word.raw

    def included(self, text: str) -> Iterator[str]:
        """Yield the content of the files that a text includes."""
        for found in _INCLUDE.findall(text[:LIMIT]):
            held = self._held(self._command, found)
            if held:
                yield held

    def _printed(self, commands: Sequence[Command]) -> str:
        """Return the content of files that commands print, however they transform it."""
        for command in commands[:8]:
            words: list[Word] = [word for word in command.args[:8] if word.raw[:1] != "-"]
            words += [found.target for found in command.redirects if found.operator == "<"]
            for word in words:
                held = self._held(command, word)
                if held:
                    return held
        return ""

    def _held(self, command: Command, word: Word | str) -> str:
        commands, budget = self._context.commands, self._context.budget
        if self._texts is None:
            # Many clients may each check many commands.
            self.exceeded = len(commands) > 1 and not budget.runs(min(len(commands), _NEAR) // 4)
            self._texts = {} if self.exceeded else _read_earlier_writes(self._command, commands)
        if not self._texts:
            return ""
        raw = word if isinstance(word, str) else word.raw
        text = self._texts.get(command.path(word) or raw) or self._texts.get(raw, "")
        if text and not budget.runs(len(text) // 2):
            # Many clients may read one long file.
            self.exceeded, text = True, ""
        return text


def destructive_script(words: Sequence[Word | None]) -> str:
    """Return the first of these files whose name indicates that it deletes everything."""
    for word in words:
        if word is not None and word.certain and _DESTRUCTIVE_NAME.match(posixpath.basename(word.raw[:300])):
            return word.raw
    return ""


def _read_earlier_writes(client: Command, commands: Sequence[Command]) -> dict[str, str]:
    """Return the content of files that earlier commands wrote, by path and by name."""
    files = SavedFiles(by_name=True)
    for number, command in enumerate(commands[:_NEAR]):
        if command is client:
            break
        files.follow(command, commands, number)
    return files.texts
