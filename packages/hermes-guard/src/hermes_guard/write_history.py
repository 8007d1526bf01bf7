"""Records which earlier commands of a shell have written which files, for rules about the origin of a file."""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.shell.command import Command, Redirect
from hermes_guard.shell.file_writes import COPIERS, WRITERS
from hermes_guard.shell.word import HOLE, Word

#: The span of commands from earlier texts, which have no position. Findings about them were reported when they ran.
PAST = (-1, -1)
#: The maximum number of commands stored per file, judged together with one command, and of words checked per command.
_MAX_PER_FILE, _MAX_RELATED, _MAX_WORDS = 8, 64, 32
#: The maximum number of files whose writers are stored, and of characters in all of them.
MAX_FILES, MAX_CHARACTERS = 4_000, 1_000_000
_FETCHERS = frozenset(
    {"aria2c", "axel", "curl", "fetch", "ftp", "http", "https", "lwp-download", "scp", "sftp", "wget"}
)
_PACKERS = frozenset(
    {"base64", "bunzip2", "bzip2", "gpg", "gunzip", "gzip", "openssl", "unxz", "unzstd", "xxd", "xz", "zip", "zstd"}
)
_INTERPRETERS = re.compile(r"(?:python|node|ruby|perl|php)[\d.]*\Z")
_WRITING_CODE = re.compile(r"write|open|put|copy|rename|link")
_QUOTED = re.compile(r"['\"]([^'\"\n]{1,200})['\"]")
_EXTRACTORS = frozenset({"7z", "7za", "bsdtar", "cpio", "gtar", "tar", "unar", "unrar", "unzip"})
_COMPILERS = frozenset({"c++", "cc", "clang", "clang++", "g++", "gcc", "go", "javac", "rustc", "tcc", "zig"})
_CAPTURES = frozenset({"arecord", "grim", "import", "logkeys", "screencapture", "scrot", "wl-paste", "xclip", "xsel"})
_EDITORS = frozenset({"awk", "ed", "emacs", "ex", "gawk", "nvim", "patch", "vi", "vim"})
_LEAVING = frozenset(
    {*COPIERS, *WRITERS, *_FETCHERS, *_PACKERS, *_EXTRACTORS, *_COMPILERS, *_CAPTURES, "mkfifo", "mknod"}
)
#: Files that programs read by default.
_DEFAULTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake", "bmake"), ("GNUmakefile", "makefile", "Makefile")),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), ("package.json",)),
    "just": ("justfile", "Justfile", ".justfile"),
    "rake": ("Rakefile",),
}
_ON_PATH = re.compile(r"(?:^|/)s?bin/([^/]+)\Z")


class _Entry(NamedTuple):
    """A command, and its sequence number."""

    number: int
    command: Command


class WriteHistory:
    """Commands by the files that they have written. It is immutable; `plus` returns a new one.

    Attributes:
        size: The number of characters in the commands.
        lost: True once commands were dropped because there were too many.
    """

    __slots__ = ("_by_path", "_count", "lost", "size")

    def __init__(self) -> None:
        self._by_path: dict[str, tuple[_Entry, ...]] = {}
        self._count = 0
        self.size = 0
        self.lost = False

    def plus(self, commands: Iterable[Command]) -> WriteHistory:
        """Return a history that includes what the commands of another text have written."""
        made: WriteHistory | None = None
        for command in commands:
            if not command.called or command.piece or command.guessed:
                continue
            hidden = _runs_hidden_code(command)
            paths = dict.fromkeys(_output_files(command))
            if not paths and not hidden:
                continue
            made = made or self._copy()
            made.lost = made.lost or hidden
            made._add(dataclasses.replace(command, span=PAST), paths)
        return made or self

    def _copy(self) -> WriteHistory:
        made = WriteHistory()
        made._by_path, made._count, made.size, made.lost = self._by_path.copy(), self._count, self.size, self.lost
        return made

    def _add(self, command: Command, paths: Iterable[str]) -> None:
        size = _size(command)
        if self.size + size > MAX_CHARACTERS or len(self._by_path) > MAX_FILES:
            self.lost = True
            return
        self.size += size
        self._count += 1
        for path in paths:
            known = [entry for entry in self._by_path.get(path, ()) if entry.command.texts != command.texts]
            self._by_path[path] = (*known[1 - _MAX_PER_FILE :], _Entry(self._count, command))

    def related(self, commands: Iterable[Command]) -> list[Command]:
        """Return the earlier commands that wrote what these commands name, in the order in which they ran."""
        if not self._by_path:
            return []
        found: dict[int, Command] = {}
        waiting = list(commands)
        while waiting and len(found) < _MAX_RELATED:
            for path in named(waiting.pop()):
                for number, writer in self._by_path.get(path, ()):
                    if number not in found:
                        found[number] = writer
                        waiting.append(writer)
        return [found[number] for number in sorted(found)]


def writer(path: str, text: str) -> Command:
    """Return a command that writes a text to a file."""
    target = Word(path, path, PAST)
    command = Command("cat", (Word("cat", "cat", PAST),), PAST, (Redirect(">", None, target),))
    command.output = text
    return command


def rewritten(command: Command) -> Iterator[str]:
    """Yield the files that a command may change in an unknown way."""
    program = command.program or ""
    in_place = any(word.raw[:1] == "-" and word.raw[:2] != "--" and "i" in word.raw for word in command.args)
    if _INTERPRETERS.match(program):
        yield from _written_by_code(command)
    if program in _EDITORS or program in _FETCHERS or (in_place and _INTERPRETERS.match(program)):
        for word in command.args[:_MAX_WORDS]:
            if path := command.path(word):
                yield path


def scattered(command: Command) -> Iterator[str]:
    """Yield the names of files that a command writes to unknown directories."""
    for redirect in command.redirects if command.called else ():
        folder, slash, name = redirect.target.raw.rpartition("/")
        if slash and redirect.writes and HOLE in folder and HOLE not in name:
            yield name


def _size(command: Command) -> int:
    text = command.stdin.text if command.stdin is not None else ""
    return 200 + len(text or "") + sum(len(word.raw) for word in command.argv)


def _output_files(command: Command) -> Iterator[str]:
    """Yield the files that a command may write, and the names by which programs among them are called."""
    program = command.program or ""
    words = [redirect.target for redirect in command.redirects if redirect.writes]
    if program in _LEAVING:
        words += [value for word in command.args[:_MAX_WORDS] for value in _values(word)]
    if program in _EXTRACTORS and command.cwd:
        yield command.cwd  # the names of unpacked files are unknown
    if program in _COMPILERS and (path := command.path("a.out")):
        yield path
    for word in words:
        if path := command.path(word):
            yield from _keys(path)
    if program in _FETCHERS and command.cwd:
        for word in command.args[:_MAX_WORDS]:  # it is saved under the last component of its URL
            if "/" in word.raw and (path := command.path(word.raw.rstrip("/").rpartition("/")[2])):
                yield from _keys(path)
    if _INTERPRETERS.match(program):
        yield from _written_by_code(command)


def _runs_hidden_code(command: Command) -> bool:
    """Return True when an interpreter runs code that is too long or unknown: it may write any file."""
    if not _INTERPRETERS.match(command.program or ""):
        return False
    return any(after.raw == HOLE and word.raw in {"-c", "-e", "-r"} for word, after in pairwise(command.args))


def _written_by_code(command: Command) -> Iterator[str]:
    texts = [word.raw for word in command.args[:_MAX_WORDS]]
    texts += [command.stdin.text] if command.stdin is not None and command.stdin.text else []
    for text in texts:
        if _WRITING_CODE.search(text):
            for name in _QUOTED.findall(text)[:_MAX_WORDS]:
                if path := command.path(name):
                    yield from _keys(path)


def _keys(path: str) -> Iterator[str]:
    if path.startswith("/dev/"):
        return
    yield path
    if found := _ON_PATH.search(path):
        yield f"bin/{found[1]}"
    stem, suffix = posixpath.splitext(path)
    if suffix:
        yield stem  # unpacked files have the name without its suffix


def named(command: Command) -> Iterator[str]:
    """Yield the files that a command names, their parent directories, and its program."""
    if command.program:
        yield f"bin/{command.program}"
    words: list[Word | str] = [value for word in command.argv[: _MAX_WORDS + 1] for value in _values(word)]
    words += [redirect.target for redirect in command.redirects]
    if command.stdin is not None and command.stdin.file is not None:
        words.append(command.stdin.file)
    for name in _DEFAULTS.get(command.program or "", ()):
        words += [name, *(f"{word.raw}/{name}" for word in command.args[:_MAX_WORDS])]
    for word in words:
        path = command.path(word)
        while path and path != "/":
            yield path
            path = posixpath.dirname(path)


def _values(word: Word) -> Iterator[Word]:
    """Yield a word, the value in `of=x`, `--output=x`, `f=@x` and `-ox`, and the words in it."""
    yield word
    start = word.raw.find("=") + 1
    if word.raw[start : start + 1] == "@":
        start += 1
    elif not start and word.raw[:1] == "-":
        start = 2
    if start and len(word.raw) > start:
        yield word.tail(start)
    if " " in word.raw:
        for text in word.raw.split(None, _MAX_WORDS)[:_MAX_WORDS]:
            yield Word(text, text, word.span)
