"""Search copies of files as UTF-8: for environments without a search program, and for other encodings."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from hermes_editing.encodings import HEAD, codec_name, declared_encoding, encoding_of
from hermes_tools_terminal.search.file_walk import open_file
from hermes_tools_terminal.search.matches import Record
from hermes_tools_terminal.search.program_runner import LocalSearchRoot, SearchError, SearchRoot
from hermes_tools_terminal.search.python_engine import PythonEngine
from hermes_tools_terminal.search.query import Query

MAX_BYTES = 256_000_000
"""How many bytes one search copies at most."""

_BATCH = 32_000_000
"""How many bytes are held in memory at once."""

_TRIES = 3
"""How often to read files again that change while they are read."""

_SIZES = "xargs -0 wc -c 2>/dev/null; :"
_CONTENTS = "xargs -0 cat 2>/dev/null; :"
_INSTALL = "Install ripgrep or python3 there, or search in a smaller folder."


class CopySearch:
    """Searches copies of files."""

    def __init__(self, root: SearchRoot, query: Query) -> None:
        self._root = root
        self._query = query

    def counts(self, files: Sequence[bytes], *, declared: bool = False) -> Iterator[tuple[bytes, int]]:
        """Yield the files with matching lines, and their number.

        Args:
            files: The files.
            declared: Search only files that declare an encoding other than UTF-8, and report them even if nothing
                matches.
        """
        with self._scanner() as scanner:
            for paths, texts in self._batches(files, declared=declared):
                found = dict(scanner.counts_of(texts))
                for number, path in enumerate(paths):
                    if found.get(number) or declared:
                        yield path, found.get(number, 0)

    def lines(self, files: Sequence[bytes], limit: int, skip: int = 0) -> Iterator[Record]:
        """Yield lines of files."""
        with self._scanner() as scanner:
            for paths, texts in self._batches(files):
                yield from scanner.lines(paths, limit, skip, texts)

    @contextlib.contextmanager
    def _scanner(self) -> Iterator[PythonEngine]:
        handle = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield PythonEngine(LocalSearchRoot(self._root.environment, "/", self._root.deadline, handle), self._query)
        finally:
            os.close(handle)

    def _batches(self, files: Sequence[bytes], *, declared: bool = False) -> Iterator[tuple[list[bytes], list[bytes]]]:
        """Yield paths and contents as UTF-8, in batches for one scanner."""
        paths: list[bytes] = []
        texts: list[bytes] = []
        size = 0
        for path, data in contents(self._root, files):
            translated = _translated(data, os.fsdecode(path))
            if declared and translated is None:
                continue
            paths.append(path)
            texts.append(data if translated is None else translated)
            size += len(texts[-1])
            if size > _BATCH:
                yield paths, texts
                paths, texts, size = [], [], 0
        if paths:
            yield paths, texts


def _translated(data: bytes, path: str) -> bytes | None:
    """Return the bytes of a file that declares another encoding as UTF-8; None for every other file."""
    if data.isascii() or not declared_encoding(data[:HEAD].decode("latin-1"), path):
        return None
    how = encoding_of(data, path)
    if not how.declared or how.problem or how.name == "utf-8":
        return None
    return data.decode(how.name, how.errors).encode("utf-8", "surrogateescape")


def declared_codec(root: SearchRoot, path: bytes) -> str:
    """Return the codec that a file declares; empty when it declares none, or one that cannot be used."""
    try:
        if isinstance(root, LocalSearchRoot):
            with open(open_file(root.handle, path), "rb") as file:
                head = file.read(HEAD)
        else:
            head = b"".join(root.run(["head", "-c", str(HEAD), b"./" + path]))
    except (OSError, SearchError):
        return ""
    return codec_name(declared_encoding(head.decode("latin-1"), os.fsdecode(path)))


def contents(root: SearchRoot, files: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield files with their contents; unreadable files are left out.

    Raises:
        SearchError: they are too big, or change continuously.
    """
    if isinstance(root, LocalSearchRoot):
        yield from _local_contents(root, files)
        return
    odd = [path for path in files if b"\n" in path]  # in the output of programs, such a name looks like several
    for some in filter(None, [[path for path in files if b"\n" not in path], *([path] for path in odd)]):
        yield from _remote_contents(root, some)


def _local_contents(root: LocalSearchRoot, files: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    left = MAX_BYTES
    for path in files:
        try:
            with open(open_file(root.handle, path), "rb") as file:
                data = file.read(left + 1)
        except OSError:
            continue
        left -= len(data)
        if left < 0:
            raise _too_much()
        yield path, data


def _remote_contents(root: SearchRoot, files: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    sizes = _sizes(root, files)
    if sum(sizes.values()) > MAX_BYTES:
        raise _too_much()
    some: list[bytes] = []
    total = 0
    for path, size in sizes.items():
        if some and total + size > _BATCH:
            yield from _batch(root, some, sizes)
            some, total = [], 0
        some.append(path)
        total += size
    if some:
        yield from _batch(root, some, sizes)


def _batch(root: SearchRoot, files: Sequence[bytes], sizes: dict[bytes, int]) -> Iterator[tuple[bytes, bytes]]:
    for _ in range(_TRIES):
        present = [path for path in files if path in sizes]
        data = b"".join(root.run(["sh", "-c", _CONTENTS], input=_names(present)))
        if len(data) == sum(sizes[path] for path in present):
            at = 0
            for path in present:
                yield path, data[at : at + sizes[path]]
                at += sizes[path]
            return
        sizes = _sizes(root, files)  # some were changed meanwhile
    raise SearchError("Files changed while they were read. Search again, or in a smaller folder.")


def _sizes(root: SearchRoot, files: Sequence[bytes]) -> dict[bytes, int]:
    output = b"".join(root.run(["sh", "-c", _SIZES], input=_names(files)))
    if len(files) == 1:  # its name may contain a line feed
        size = output.split(None, 1)[:1]
        return {files[0]: int(size[0])} if size else {}
    found = {}
    for line in output.split(b"\n"):
        size_text, _, path = line.lstrip().partition(b" ")
        if path.startswith(b"./"):  # the others are totals
            found[path[2:]] = int(size_text)
    return found


def _names(files: Sequence[bytes]) -> bytes:
    return b"".join(b"./" + path + b"\0" for path in files)


def _too_much() -> SearchError:
    return SearchError(f"The files to look into have more than {MAX_BYTES // 1_000_000} MB. {_INSTALL}")
