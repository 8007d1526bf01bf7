"""The paths that a word may name, as far as the words around it say."""

import posixpath
import re
from itertools import pairwise

from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

_HERMES = re.compile(r"[\"']?\$\{?HERMES_HOME\b")
_FINDS = frozenset({"find", "gfind", "bfs"})
#: Programs that print names of files, and after how many words the names begin.
_PRINTS = {
    **dict.fromkeys(("grep", "rg", "egrep", "fd", "fdfind"), 1),
    **dict.fromkeys(("locate", "mlocate", "plocate", "ls", "echo", "printf", "cat"), 0),
}


def shown(words: list[Word]) -> str:
    """The first of these words, as a finding names them."""
    return " ".join(word.text for word in words[:6])[:120]


def renamed(name: str, word: Word) -> Word:
    """Another name that was written in a word."""
    return Word(name, word.source, word.span)


def below(folder: Word, name: str) -> Word:
    """A name in a folder."""
    return Word(f"{folder.raw.rstrip('/') or '/'}/{name}", folder.source, folder.span, folder.glob)


def places(word: Word, command: Command, context: Context) -> list[tuple[str, bool]]:
    """The paths that a word may name; the flag says that the folder is only a guess."""
    raw = word.raw
    if not raw or word.process:
        return []
    if raw == "{}" and command.wrapped_by("find"):
        return [(path, False) for path in _found(command)]
    if HOLE not in raw:
        path = command.path(word)
        if path is not None:
            return [(path, False)]
        path = posixpath.normpath(raw)
        return [(path, False), (f"{context.home}/{path}", True)]
    if not raw.strip(HOLE):
        return []
    text = raw.replace(HOLE, "X")
    if raw[0] != HOLE:
        path = command.path(text)
        return [(path if path is not None else posixpath.normpath(text), False)]
    if _HERMES.match(word.source):
        return [(posixpath.normpath(f"{context.home}/.hermes{text[1:]}"), False)]
    found = [(posixpath.normpath(text), False)]
    if raw[1:2] == "/":
        found.append((f"{context.home}{text[1:]}", True))
    return found


def _found(command: Command) -> list[str]:
    """What the find around a command finds."""
    for wrapper in command.wrappers:
        if wrapper.program == "find":
            return _found_names(wrapper.argv[1:], command)
    return []


def _found_names(words: tuple[str, ...], command: Command) -> list[str]:
    """The names that the words of a find stand for."""
    names: list[str] = []
    for text, after in pairwise(words):
        if text in {"-name", "-iname"}:
            names.append(after)
        elif text in {"-path", "-ipath", "-wholename"}:
            names.append(after.lstrip("*/"))
    starts: list[str] = []
    for text in words:
        if text[:1] in {"-", "(", "!"} and text not in {"-H", "-L", "-P"}:
            break
        if text[:1] != "-":
            starts.append(text)
    found: list[str] = []
    for start in starts[:8] or ["."]:
        folder = command.path(start) or start
        found.extend(f"{folder.rstrip('/')}/{name}" for name in (names[:8] or ["X"]))
    return found


def piped_names(command: Command) -> list[Word]:
    """The names that a command before this one prints."""
    if command.stdin is None:
        return []
    found: list[Word] = []
    for source in command.stdin.commands:
        program = source.program or ""
        if program in _FINDS:
            names = _found_names(tuple(word.raw for word in source.args), source)
            found.extend(renamed(name, source.argv[0]) for name in names)
        elif program in _PRINTS:
            found.extend([word for word in source.args if not word.raw.startswith("-")][_PRINTS[program] :])
    return found[:16]


def outside_path(path: str, command: Command) -> str | None:
    """The path on this machine: a container's own files are nobody's loss, its mounts are."""
    if not command.contained:
        return path
    for wrapper in command.wrappers:
        for outside, inside in wrapper.mounts:
            if not inside or outside[:1] not in {"/", "~", "."}:
                continue
            if path == inside or path.startswith(inside.rstrip("/") + "/") or inside == "/":
                return posixpath.normpath(outside + "/" + path[len(inside.rstrip("/")) :])
    return None
