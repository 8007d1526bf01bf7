"""Searches with the grep and find of a place that has neither ripgrep nor Python; busybox's are enough.

Ignore files are read here and heeded here. What cannot be had is the place of a match in its line, so long lines are
shown from their beginning, and files are taken for text by grep's own measure.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence

from hermes_tools_terminal.searching.ignoring import NAMES, Folder, above_of
from hermes_tools_terminal.searching.query import Query
from hermes_tools_terminal.searching.records import Record, read_names
from hermes_tools_terminal.searching.running import Ground
from hermes_tools_terminal.searching.translation import for_grep

# The files, and between them what tells about ignoring: those are found whatever their names begin with.
_FIND = """
find . -name .git -prune -print0 -o -name '.?*' -type d ! -name . "$@" -prune -o -type f -print0 2>/dev/null; :
"""
# The size of each file that is there, then its content.
_CONTENTS = """
xargs -0 sh -c 'for f; do
  if [ -f "$f" ] && [ -r "$f" ]; then size=$(wc -c <"$f"); echo $size; head -c $size <"$f"
  elif [ -e "$f" ]; then echo 0; else echo -; fi
done' sh
"""
# GNU's grep passes over what is no text when it is told to; busybox's takes no notice, and each file is looked at.
_GREP = """
export LC_ALL=C.UTF-8
text=; if [ "$(printf 'x\\0\\n' | grep -c -I x 2>/dev/null)" = 0 ]; then text=-I; fi
xargs -0 grep $text -H -E "$@" 2>/dev/null; :
"""
_BINARY = """
if [ "$(printf 'x\\0\\n' | grep -c -I x 2>/dev/null)" = 0 ]; then exit 0; fi
xargs -0 sh -c 'for f; do
  if [ "$(tr -cd "\\000" <"$f" | head -c 1 | wc -c)" -gt 0 ]; then printf "%s\\0" "$f"; fi
done' sh
"""
_NUMBER = re.compile(rb"([:-])(\d+)([:-])")
_COUNT = re.compile(rb":(\d+)\n")


class Grep:
    """The programs `grep`, `find` and `xargs`.

    Args:
        ground: Where they run.
        query: What is searched for.
    """

    name = "grep"

    def __init__(self, ground: Ground, query: Query) -> None:
        self._ground = ground
        self._query = query

    def counts(self) -> Iterator[tuple[bytes, int]]:
        """The files with lines that match, and how many.

        Raises:
            PatternError: grep cannot be told the pattern.
        """
        pattern = self._pattern()
        files = [self._query.file] if self._query.file is not None else [path for path, _ in self.names()]
        said = self._grep(["-c", *pattern], files)
        found: dict[bytes, int] = {}
        at = 0
        for path in files:
            number = _COUNT.match(said, at + len(path) + 2) if said.startswith(b"./" + path, at) else None
            if number is not None:
                at = number.end()
                found[path] = int(number[1])
        matched = [path for path, number in found.items() if number]
        binary = set(self._run(_BINARY, matched)) if matched else set()
        yield from ((path, found[path]) for path in matched if b"./" + path not in binary)

    def names(self) -> Iterator[tuple[bytes, int | None]]:
        """All files; nobody knows yet when they were changed."""
        hidden = ["-name", ".git"] if self._query.hidden else []
        paths = [path.removeprefix(b"./") for path in read_names(self._ground.run(["sh", "-c", _FIND, "sh", *hidden]))]
        rules = _Rules(self._query.root, self._speaking(paths))
        for path in paths:
            name = path.rpartition(b"/")[2]
            if name != b".git" and (self._query.hidden or name[:1] != b".") and not rules.leave_out(path):
                yield path, None

    def lines(self, files: Sequence[bytes], most: int, skip: int = 0) -> Iterator[Record]:
        """Lines of some files."""
        return itertools.islice(self._lines(files, most), skip, None)

    def _lines(self, files: Sequence[bytes], most: int) -> Iterator[Record]:
        context = ["-C", str(self._query.context)] if self._query.context else []
        said = self._grep(["-n", "-m", str(most), *context, *self._pattern()], files)
        left = iter(files)
        current = b""
        for line in said.split(b"\n"):
            number = _NUMBER.match(line, len(current)) if current and line.startswith(current) else None
            while number is None and line.startswith(b"./"):
                following = next(left, None)
                if following is None:
                    return
                current = b"./" + following
                number = _NUMBER.match(line, len(current)) if line.startswith(current) else None
            if number is not None:
                column = 0 if number[1] == b":" else None
                yield Record(current[2:], int(number[2]), column, line[number.end() :])

    def _pattern(self) -> list[str]:
        assert self._query.pattern is not None
        text, fold = for_grep(self._query.pattern)
        return [*(["-i"] if fold else []), "-e", text, "--"]

    def _grep(self, options: Sequence[str], files: Sequence[bytes]) -> bytes:
        if not files:
            return b""
        asked = b"".join(b"./" + path + b"\0" for path in files)
        return b"".join(self._ground.run(["sh", "-c", _GREP, "sh", *options], input=asked))

    def _run(self, script: str, files: Sequence[bytes]) -> list[bytes]:
        asked = b"".join(b"./" + path + b"\0" for path in files)
        return list(read_names(self._ground.run(["sh", "-c", script, "sh"], input=asked)))

    def _speaking(self, paths: Sequence[bytes]) -> dict[bytes, bytes]:
        """What tells about ignoring, by its absolute path: the content of files, nothing for repositories."""
        root = os.fsencode(self._query.root).rstrip(b"/")
        words = (b".git", *NAMES)
        asked = [os.path.join(folder, name) for folder in above_of(root) for name in words]
        asked += [root + b"/" + path for path in paths if path.rpartition(b"/")[2] in words]
        if not asked:
            return {}
        said = b"".join(self._ground.run(["sh", "-c", _CONTENTS], input=b"".join(path + b"\0" for path in asked)))
        found = {}
        for path in asked:
            size, _, said = said.partition(b"\n")
            if size.strip().isdigit():
                found[path], said = said[: int(size)], said[int(size) :]
        return found


class _Rules:
    """What ignore files say about the paths of a tree.

    Args:
        root: The searched folder.
        files: What tells about ignoring, by its absolute path.
    """

    def __init__(self, root: str, files: dict[bytes, bytes]) -> None:
        self._root = os.fsencode(root).rstrip(b"/")
        self._files = files
        self._known: dict[bytes, tuple[Folder | None, bool]] = {}
        above: Folder | None = None
        for folder in above_of(self._root):
            above = self._read(folder, above)
        self._known[b""] = (self._read(self._root, above), False)

    def leave_out(self, path: bytes) -> bool:
        """Whether a file is left out, or a folder on the way to it."""
        folder = path.rpartition(b"/")[0]
        rules, gone = self._folder(folder)
        return gone or (rules is not None and rules.leaves_out(self._root + b"/" + path, False))

    def _folder(self, folder: bytes) -> tuple[Folder | None, bool]:
        waiting = []
        while folder not in self._known:
            waiting.append(folder)
            folder = folder.rpartition(b"/")[0]
        for each in reversed(waiting):
            above, gone = self._known[each.rpartition(b"/")[0]]
            path = self._root + b"/" + each
            gone = gone or (above is not None and above.leaves_out(path, True))
            self._known[each] = (self._read(path, above), gone)
        return self._known[waiting[0] if waiting else folder]

    def _read(self, folder: bytes, above: Folder | None) -> Folder | None:
        files = [self._files.get(os.path.join(folder or b"/", name)) for name in NAMES]
        repository = os.path.join(folder or b"/", b".git") in self._files
        return Folder(folder, above, files, repository) if repository or any(files) else above
