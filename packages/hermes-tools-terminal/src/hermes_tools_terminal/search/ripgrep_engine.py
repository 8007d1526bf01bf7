"""Search with ripgrep, without its configuration, in the same files as every engine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from hermes_tools_terminal.search.file_walk import open_file
from hermes_tools_terminal.search.matches import Record, read_counts, read_names, read_records, with_path
from hermes_tools_terminal.search.pattern_translation import to_ripgrep
from hermes_tools_terminal.search.program_runner import LocalSearchRoot, SearchRoot
from hermes_tools_terminal.search.query import Query

# Configuration outside the searched tree would give different results on different machines.
_ALWAYS = ("--no-config", "--color=never", "--no-messages")
_WALKING = ("--no-ignore-global", "--no-ignore-exclude", "--no-ignore-messages", "--glob=!.git")
_LINES = ("--with-filename", "--null", "--no-heading", "--line-number", "--column", "--no-mmap")
_FINE = (0, 1)
_AT_ONCE = 100
"""How many files one process gets: each needs a descriptor."""

_MAX_NAMES = 30_000
"""How many bytes of names one process gets: some environments pass a command as one text of limited size."""

_SIMPLE = re.compile(r"[A-Za-z0-9_.*?+@-]+")


class RipgrepEngine:
    """The program `rg`."""

    name = "ripgrep"

    def __init__(self, root: SearchRoot, query: Query, program: str = "rg") -> None:
        self._root = root
        self._query = query
        self._program = program

    def counts(self) -> Iterator[tuple[bytes, int]]:
        """Yield the files with matching lines, and their number.

        A file with a NUL anywhere counts none: ripgrep drops its count when it sees one.
        """
        argv = [self._program, *_ALWAYS, *self._files(), "--count", "--with-filename", "--null"]
        return read_counts(self._run(argv, ["./"]))

    def names(self) -> Iterator[tuple[bytes, int | None]]:
        """Yield all files, without their modification times."""
        argv = [self._program, *_ALWAYS, *self._files(), "--files", "--null", "--", "./"]
        for path in read_names(self._root.run(argv, ok_codes=_FINE)):
            yield path.removeprefix(b"./"), None

    def lines(self, files: Sequence[bytes], limit: int, skip: int = 0) -> Iterator[Record]:
        """Yield lines of files."""
        show = self._opened if isinstance(self._root, LocalSearchRoot) else self._named
        for some in _batches(files):
            yield from show(some, limit, skip)

    def _opened(self, files: Sequence[bytes], limit: int, skip: int) -> Iterator[Record]:
        """Yield lines of local files, which are opened first, so that they cannot be replaced in between."""
        root = self._root
        assert isinstance(root, LocalSearchRoot)
        with ExitStack() as opened:
            known: dict[bytes, bytes] = {}
            handles = []
            for path in files:
                try:
                    handle = open_file(root.handle, path)
                except OSError:
                    continue  # it is gone, or was replaced by a link
                opened.callback(os.close, handle)
                handles.append(handle)
                known[b"/dev/fd/%d" % handle] = path
            if known:
                for record in read_records(self._run(self._showing(limit), [*known], handles), skip):
                    yield with_path(record, known[record.path])

    def _named(self, files: Sequence[bytes], limit: int, skip: int) -> Iterator[Record]:
        said = self._run(self._showing(limit), [b"./" + path for path in files])
        for record in read_records(said, skip):
            yield with_path(record, record.path.removeprefix(b"./"))

    def _showing(self, limit: int) -> list[str | bytes]:
        context = [f"--context={self._query.context}"] if self._query.context else []
        return [self._program, *_ALWAYS, *_LINES, f"--max-count={limit}", *context]

    def _run(
        self, argv: Sequence[str | bytes], files: Sequence[str | bytes], passed: Sequence[int] = ()
    ) -> Iterator[bytes]:
        """Run it with the pattern, which remotely comes by the input: it may be too long for a command."""
        assert self._query.pattern is not None
        pattern = to_ripgrep(self._query.pattern)
        if isinstance(self._root, LocalSearchRoot):
            return self._root.run([*argv, "-e", pattern, "--", *files], ok_codes=_FINE, passed=passed)
        return self._root.run([*argv, "-f", "-", "--", *files], input=f"{pattern}\n".encode(), ok_codes=_FINE)

    def _files(self) -> list[str]:
        query = self._query
        if query.file is not None:
            # As one of a directory's files: a file that is named is searched even if it is binary.
            glob = "/" + re.sub(r"([^\w.-])", r"\\\1", os.fsdecode(query.file))
            return ["--no-ignore", "--hidden", "--max-depth=1", f"--glob={glob}"]
        return [*_WALKING, *(["--hidden"] if query.hidden else []), *_types(query.globs)]


def _batches(files: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Yield the files in order, in batches that fit into one process."""
    some: list[bytes] = []
    size = 0
    for path in files:
        if some and (len(some) >= _AT_ONCE or size + len(path) > _MAX_NAMES):
            yield some
            some, size = [], 0
        some.append(path)
        size += len(path)
    if some:
        yield some


def _types(globs: Sequence[str]) -> list[str]:
    """Return globs of names as a file type: unlike other globs, types do not override ignore files.

    The results are filtered by the globs again, so an approximation is enough, and so is no type.
    """
    names = [glob.rpartition("/")[2] for glob in globs]
    if not names or not all(_SIMPLE.fullmatch(name) and "**" not in name for name in names):
        return []
    return [*(f"--type-add=hermes:{name}" for name in names), "--type=hermes"]
