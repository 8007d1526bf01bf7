"""Search an environment that has neither ripgrep nor a usable Python, with `find` and `grep`.

Their behavior differs between systems: the grep of busybox treats classes, word boundaries, letters beyond ASCII, NUL
bytes and context unlike that of GNU. So `grep` only finds files that contain a literal, which is the same everywhere;
the files are copied and searched here. Ignore files are applied here, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from hermes_tools_terminal.search.copy_search import CopySearch
from hermes_tools_terminal.search.file_walk import LONGEST, NAMES, IgnoreRules, parent_directories
from hermes_tools_terminal.search.matches import Record, read_names
from hermes_tools_terminal.search.pattern_translation import required_texts
from hermes_tools_terminal.search.program_runner import SearchRoot
from hermes_tools_terminal.search.query import Query

# Prints the files, and the ignore files and repositories among them, which are found whatever their names.
_FIND = """
for tool in find xargs cat wc head; do
  command -v "$tool" >/dev/null 2>&1 || lacking="$lacking $tool"
done
if [ -n "$lacking" ]; then
  echo "This environment lacks programs that files are searched with:$lacking. Install ripgrep or python3 there." >&2
  exit 3
fi
find . -name .git -prune -print0 -o -name '.?*' -type d ! -name . "$@" -prune -o -type f -print0 2>/dev/null; :
"""
# Prints the size and the content of each existing file.
_CONTENTS = """
xargs -0 sh -c 'for f; do
  if [ -f "$f" ] && [ -r "$f" ]; then size=$(wc -c <"$f"); echo $size; head -c $size <"$f"
  elif [ -e "$f" ]; then echo 0; else echo -; fi
done' sh
"""
# Files in UTF-16 always pass, because their bytes do not contain the literal. Without a grep all files pass.
_FILTER = """
export LC_ALL=C
command -v grep >/dev/null 2>&1 || { printf '\\0'; exit 0; }
xargs -0 grep -l -i -F "$@" -e "$(printf '\\377\\376')" -e "$(printf '\\376\\377')" 2>/dev/null; :
"""
_MAX_NEEDLES = 50


class GrepEngine:
    """The programs `grep`, `find` and `xargs`."""

    name = "grep"

    def __init__(self, root: SearchRoot, query: Query) -> None:
        self._root = root
        self._query = query

    def counts(self) -> Iterator[tuple[bytes, int]]:
        """Yield the files with matching lines, and their number."""
        files = [self._query.file] if self._query.file is not None else [path for path, _ in self.names()]
        return CopySearch(self._root, self._query).counts(self._candidates(files))

    def _candidates(self, files: Sequence[bytes]) -> list[bytes]:
        """Return the files that may match, and possibly some others."""
        assert self._query.pattern is not None
        texts = required_texts(self._query.pattern)
        plain = [path for path in files if b"\n" not in path]
        if not texts or len(texts) > _MAX_NEEDLES or not plain:
            return list(files)
        options = [word for text in texts for word in ("-e", text)]
        requested = b"".join(b"./" + path + b"\0" for path in plain)
        output = b"".join(self._root.run(["sh", "-c", _FILTER, "sh", *options], input=requested))
        found = {line[2:] for line in output.split(b"\n")}
        return list(files) if output[:1] == b"\0" else [path for path in files if path in found or b"\n" in path]

    def names(self) -> Iterator[tuple[bytes, int | None]]:
        """Yield all files, without their modification times."""
        hidden = ["-name", ".git"] if self._query.hidden else []
        paths = [path.removeprefix(b"./") for path in read_names(self._root.run(["sh", "-c", _FIND, "sh", *hidden]))]
        rules = _Rules(self._query.root, self._ignore_files(paths))
        for path in paths:
            name = path.rpartition(b"/")[2]
            if len(path) > LONGEST:
                continue
            if name != b".git" and (self._query.hidden or name[:1] != b".") and not rules.leave_out(path):
                yield path, None

    def lines(self, files: Sequence[bytes], limit: int, skip: int = 0) -> Iterator[Record]:
        """Yield lines of files."""
        return CopySearch(self._root, self._query).lines(files, limit, skip)

    def _ignore_files(self, paths: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the contents of ignore files by absolute path; empty for repositories."""
        root = os.fsencode(self._query.root).rstrip(b"/")
        words = (b".git", *NAMES)
        requested = [os.path.join(folder, name) for folder in parent_directories(root) for name in words]
        requested += [root + b"/" + path for path in paths if path.rpartition(b"/")[2] in words]
        if not requested:
            return {}
        output = b"".join(self._root.run(["sh", "-c", _CONTENTS], input=b"".join(path + b"\0" for path in requested)))
        found = {}
        for path in requested:
            size, _, output = output.partition(b"\n")
            if size.strip().isdigit():
                found[path], output = output[: int(size)], output[int(size) :]
        return found


class _Rules:
    """Applies ignore files to the paths of a tree."""

    def __init__(self, root: str, files: dict[bytes, bytes]) -> None:
        self._root = os.fsencode(root).rstrip(b"/")
        self._files = files
        self._known: dict[bytes, tuple[IgnoreRules | None, bool]] = {}
        above: IgnoreRules | None = None
        for folder in parent_directories(self._root):
            above = self._read(folder, above)
        self._known[b""] = (self._read(self._root, above), False)

    def leave_out(self, path: bytes) -> bool:
        """Return whether a file, or a directory above it, is ignored."""
        folder = path.rpartition(b"/")[0]
        rules, gone = self._folder(folder)
        return gone or (rules is not None and rules.ignores(self._root + b"/" + path, False))

    def _folder(self, folder: bytes) -> tuple[IgnoreRules | None, bool]:
        waiting = []
        while folder not in self._known:
            waiting.append(folder)
            folder = folder.rpartition(b"/")[0]
        for each in reversed(waiting):
            above, gone = self._known[each.rpartition(b"/")[0]]
            path = self._root + b"/" + each
            gone = gone or (above is not None and above.ignores(path, True))
            self._known[each] = (self._read(path, above), gone)
        return self._known[waiting[0] if waiting else folder]

    def _read(self, folder: bytes, above: IgnoreRules | None) -> IgnoreRules | None:
        files = [self._files.get(os.path.join(folder or b"/", name)) for name in NAMES]
        repository = os.path.join(folder or b"/", b".git") in self._files
        return IgnoreRules(folder, above, files, repository) if repository or any(files) else above
