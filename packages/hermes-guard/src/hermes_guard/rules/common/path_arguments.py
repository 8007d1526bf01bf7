"""Finds the paths that a word may name, given the words around it."""

import posixpath
from itertools import pairwise

from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word

_FINDS = frozenset({"find", "gfind", "bfs"})
#: Conditions of find about the names of files.
_NAMED = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex"})
#: Programs that print file names, and the index of the first name.
_PRINTS = {
    **dict.fromkeys(("grep", "rg", "egrep", "fd", "fdfind"), 1),
    **dict.fromkeys(("locate", "mlocate", "plocate", "ls", "echo", "printf", "cat"), 0),
}
#: Programs that pass names on unchanged.
_CHOOSE = frozenset({"sort", "uniq", "head", "tail", "grep", "egrep", "rg", "tac", "shuf", "tee", "xargs"})
_MAX_SOURCES = 16
#: The maximum number of search results substituted for one word.
_MAX_WORDS = 64
#: Programs that list the disks of the machine, and programs that extract names from such a list.
_DISKS = frozenset({"lsblk", "blkid", "fdisk", "sfdisk", "diskutil"})
_CUT = frozenset({"awk", "gawk", "mawk", "cut", "sed", "tr"})
#: Options of xargs whose value is the next word.
_VALUED = frozenset({"-n", "-P", "-L", "-s", "-d", "-E", "-a", "-S", "-R"})


def format_words(words: list[Word]) -> str:
    """Return the first of these words, as shown in a finding."""
    return " ".join(word.text for word in words[:6])[:120]


def renamed(name: str, word: Word) -> Word:
    """Replace a name inside a word."""
    return Word(name, word.source, word.span)


def below(folder: Word, name: str) -> Word:
    """Return a name in a directory."""
    return Word(f"{folder.raw.rstrip('/') or '/'}/{name}", folder.source, folder.span, folder.glob)


def places(word: Word, command: Command, context: Context) -> list[tuple[str, bool]]:
    """Return the paths that a word may name; the flag says that the directory is a guess."""
    raw = word.raw
    if not raw or word.process:
        return []
    if command.wrappers and (names := handed(word, command)):
        return [(path, False) for name in names if (path := command.path(name)) is not None]
    if HOLE not in raw:
        path = command.path(word)
        if path is not None:
            linked = through_links(raw, command)
            return [(path, False), (linked, False)] if linked else [(path, False)]
        path = posixpath.normpath(raw)
        return [(path, False), (f"{context.home}/{path}", True)]
    if not raw.strip(HOLE):
        return []
    text = raw.replace(HOLE, "X")
    if raw[0] != HOLE:
        path = command.path(text)
        return [(path if path is not None else posixpath.normpath(text), False)]
    found = [(posixpath.normpath(text), False)]
    if raw[1:2] == "/":
        found.append((f"{context.home}{text[1:]}", True))
    return found


def through_links(text: str, command: Command) -> str:
    """Return the absolute form of a path in which `..` follows another name; empty for other paths.

    The system follows links before `..`, and a path that is shortened before does not lead to the same file.
    """
    if "/.." not in text:
        return ""
    names = text.split("/")
    first = next((number for number, name in enumerate(names) if name.strip(".")), len(names))
    if ".." not in names[first:]:
        return ""
    if text[0] != "/":
        text = f"{command.cwd}/{text}" if command.cwd else ""
    return text if text.startswith("/") else ""


def handed(word: Word, command: Command) -> list[str]:
    """Return the paths for a word into which find or xargs inserts names."""
    for wrapper in command.wrappers:
        if wrapper.program in _FINDS and "{}" in word.raw:
            names = _found_names(wrapper.argv[1:], command)
            return [word.raw.replace("{}", name) for name in names]
        sign = _sign(wrapper.argv) if wrapper.program == "xargs" else "{}" if wrapper.program == "parallel" else ""
        if sign and sign in word.raw:
            return [word.raw.replace(sign, name) for name in _read_names(command)]
    return []


def _sign(argv: tuple[str, ...]) -> str:
    """Return the placeholder that xargs replaces with names."""
    words = iter(argv[1:16])
    for text in words:
        if text[:2] in {"-I", "-J"}:
            return text[2:] or next(words, "")
        if text in {"-i", "--replace"} or text.startswith("--replace="):
            return text.partition("=")[2] or "{}"
        if text[:1] != "-":
            break
        if text in _VALUED:
            next(words, "")
    return ""


def found_names(command: Command) -> list[str]:
    """Return the names that a find command may find."""
    return _found_names(tuple(word.raw for word in command.args[:_MAX_WORDS]), command)


def _found_names(words: tuple[str, ...], command: Command) -> list[str]:
    """Return the names that the words of a find command may find."""
    words = words[:_MAX_WORDS]
    names: list[str] = []
    for text, after in pairwise(words):
        if text in {"-name", "-iname"}:
            # System names are lower case.
            names.append(after.lower() if text == "-iname" else after)
        elif text in {"-path", "-ipath", "-wholename"}:
            names.append(after.lstrip("*/"))
    found: list[str] = []
    for start in _starts(words):
        folder = command.path(start) or start
        found.extend(f"{folder.rstrip('/')}/{name}" for name in (names[:8] or ["X"]))
    return found


def _starts(words: tuple[str, ...]) -> list[str]:
    """Return the directories in which the words of a find command search."""
    starts: list[str] = []
    for text in words:
        if text[:1] in {"-", "(", "!"} and text not in {"-H", "-L", "-P"}:
            break
        if text[:1] != "-":
            starts.append(text)
    return starts[:8] or ["."]


def searched(command: Command) -> list[Word]:
    """Return the directories of which find hands every file to a command."""
    finds = [wrapper.argv[1:] for wrapper in command.wrappers if wrapper.program in _FINDS]
    if command.stdin is not None and command.wrapped_by("xargs", "gxargs", "parallel"):
        sources = _sources(command.stdin.commands)
        finds += [tuple(word.raw for word in each.args) for each in sources if each.program in _FINDS]
    every = [words[:_MAX_WORDS] for words in finds if not _NAMED.intersection(words[:_MAX_WORDS])]
    return [renamed(start, command.argv[0]) for words in every for start in _starts(words)]


def piped_names(command: Command) -> list[Word]:
    """Return the names that the previous command in a pipe prints."""
    if command.stdin is None:
        return []
    found: list[Word] = []
    for source in _sources(command.stdin.commands):
        program = source.program or ""
        if program in _FINDS:
            found.extend(renamed(name, source.argv[0]) for name in found_names(source))
        elif program in _PRINTS:
            found.extend([word for word in source.args if not word.raw.startswith("-")][_PRINTS[program] :])
    return found[:16]


def _read_names(command: Command) -> list[str]:
    """Return the paths that a command receives as lines. The lines of a file are not treated as paths."""
    found: list[str] = []
    for source in _sources(command.stdin.commands) if command.stdin is not None else ():
        args = source.args[:_MAX_WORDS]
        words = [word for word in args if not word.raw.startswith("-")]
        flags = "".join(word.raw for word in args if word.raw.startswith("-"))
        if source.program in _FINDS:
            found += found_names(source)
        elif source.program in {"fd", "fdfind"}:
            found += [f"{word.raw.rstrip('/')}/{words[0].raw}" for word in words[1:]]
        elif source.program == "ls":
            # For a directory it prints the bare names.
            found += [word.raw for word in words if word.glob or "d" in flags]
        elif source.program in _DISKS and _prints_paths(source, flags):
            found.append("/dev/sda")
        elif source.program in {"locate", "mlocate", "plocate"}:
            found += [word.raw for word in words]
    return found[:_MAX_SOURCES]


def _prints_paths(command: Command, flags: str) -> bool:
    """Return True when a list of disks, or a program that filters it, prefixes the names with the device directory."""
    if command.program != "lsblk" or "p" in flags or "PATH" in flags:
        return True
    return any("/dev/" in word.raw for reader in command.feeds for word in reader.args)


def _sources(last: tuple[Command, ...]) -> list[Command]:
    """Return the commands that print names, skipping those that only sort or filter them."""
    found: list[Command] = []
    left = list(last)
    for command in left:
        feeding = command.stdin.commands if command.stdin is not None and len(left) < _MAX_SOURCES else ()
        cuts = command.program in _CUT and any(source.program in _DISKS for source in feeding)
        if feeding and (command.program in _CHOOSE or cuts):
            left.extend(feeding)
        else:
            found.append(command)
    return found


def outside_path(path: str, command: Command) -> str | None:
    """Return the corresponding path on this machine: a container's own files do not matter, its mounts do."""
    if not command.contained:
        return path
    for wrapper in command.wrappers:
        for outside, inside in wrapper.mounts:
            if not inside or outside[:1] not in {"/", "~", "."}:
                continue
            if path == inside or path.startswith(inside.rstrip("/") + "/") or inside == "/":
                return posixpath.normpath(f"{outside.rstrip('/')}/{path[len(inside.rstrip('/')) :].lstrip('/')}")
    return None
