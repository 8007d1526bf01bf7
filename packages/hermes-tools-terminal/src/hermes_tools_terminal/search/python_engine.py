"""Search with Python in a separate process, which can be killed, and which runs in any environment with Python."""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hermes_tools_terminal.search.matches import Record, read_counts, read_names, read_records, with_path
from hermes_tools_terminal.search.pattern import Node, Text
from hermes_tools_terminal.search.pattern import Sequence as Row
from hermes_tools_terminal.search.pattern_translation import to_python
from hermes_tools_terminal.search.program_runner import LocalSearchRoot, SearchRoot
from hermes_tools_terminal.search.query import Query

_PACKAGE = "hermes_tools_terminal.search"
_MODULES = ("globs", "file_walk", "scanner")
"""Each only needs those before it."""

_FORMAT = 2
"""The format of `marshal` that every Python from 3.8 on reads; unlike `json`, no build lacks the module."""

# Loads only these modules: the package needs libraries that a bare Python lacks.
_HERE = """
import sys, types
for name, folder in (("hermes_tools_terminal", None), ("hermes_tools_terminal.search", sys.argv[1])):
    sys.modules[name] = module = types.ModuleType(name)
    module.__path__ = [folder] if folder else []
from hermes_tools_terminal.search.scanner import run
run()
"""
_ELSEWHERE = """
import marshal, sys, types
order = marshal.loads(sys.stdin.buffer.read())
for name, source in order.pop("modules"):
    sys.modules[name] = module = types.ModuleType(name)
    module.__path__ = []
    exec(compile(source, name, "exec"), module.__dict__)
sys.modules["hermes_tools_terminal.search.scanner"].main(order)
"""


class PythonEngine:
    """Python, running the modules of this package that need only the standard library."""

    name = "python"

    def __init__(self, root: SearchRoot, query: Query, program: str = "") -> None:
        self._root = root
        self._query = query
        self._program = program

    def counts(self) -> Iterator[tuple[bytes, int]]:
        """Yield the files with matching lines, and their number."""
        query = self._query
        task = {"task": "scan"} if query.file is None else {"task": "one", "file": os.fsdecode(query.file)}
        return read_counts(self._run({**task, **self._pattern()}))

    def counts_of(self, contents: Sequence[bytes]) -> Iterator[tuple[int, int]]:
        """Yield the index of each content with matching lines, and their number."""
        for number, count in read_counts(self._run({"task": "some", "contents": list(contents), **self._pattern()})):
            yield int(number), count

    def names(self) -> Iterator[tuple[bytes, int | None]]:
        """Yield all files and their modification times."""
        for name in read_names(self._run({"task": "names"})):
            changed, _, path = name.partition(b" ")
            yield path, int(changed)

    def lines(
        self, files: Sequence[bytes], limit: int, skip: int = 0, contents: Sequence[bytes] = ()
    ) -> Iterator[Record]:
        """Yield lines of files, or of the given contents."""
        paths = [os.fsdecode(path) for path in files]
        order = {
            "task": "show",
            "files": paths,
            "contents": list(contents),
            "most": limit,
            "skip": skip,
            "context": self._query.context,
        }
        for record in read_records(self._run({**order, **self._pattern()})):
            yield with_path(record, files[int(record.path)])

    def _pattern(self) -> dict[str, str]:
        node = self._query.pattern
        assert node is not None
        return {"plain": _plain(node), "ascii": to_python(node, "ascii"), "text": to_python(node, "text")}

    def _run(self, order: dict[str, Any]) -> Iterator[bytes]:
        query = self._query
        order = {"root": query.root, "hidden": query.hidden, "globs": query.globs, **order}
        if isinstance(self._root, LocalSearchRoot):
            argv = [self._program or sys.executable, "-I", "-S", "-c", _HERE, str(Path(__file__).parent)]
            return self._root.run(argv, input=marshal.dumps(order, _FORMAT))
        sent = marshal.dumps({**order, "modules": _sources()}, _FORMAT)
        return self._root.run([self._program or "python3", "-I", "-S", "-c", _ELSEWHERE], input=sent)


def _plain(node: Node) -> str:
    """Return a literal pattern as an expression over UTF-8 bytes; empty for other patterns."""
    nodes = node.nodes if isinstance(node, Row) else (node,)
    codes = [each.code for each in nodes if isinstance(each, Text) and not each.fold]
    if not codes or len(codes) != len(nodes):
        return ""
    return "".join(f"\\x{byte:02x}" for byte in "".join(map(chr, codes)).encode())


@cache
def _sources() -> tuple[tuple[str, str], ...]:
    folder = Path(__file__).parent
    packages = tuple((name, "") for name in (_PACKAGE.partition(".")[0], _PACKAGE))
    return packages + tuple((f"{_PACKAGE}.{name}", (folder / f"{name}.py").read_text("utf-8")) for name in _MODULES)
