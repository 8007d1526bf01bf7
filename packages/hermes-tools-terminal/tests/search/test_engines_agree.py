"""Ripgrep and Python find the same, whatever the tree, the ignore files, the contents and the pattern."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.search.matches import read_counts, read_records
from hermes_tools_terminal.search.pattern import read_pattern
from hermes_tools_terminal.search.pattern_translation import to_python
from hermes_tools_terminal.search.program_runner import LocalSearchRoot, SearchError
from hermes_tools_terminal.search.python_engine import _plain
from hermes_tools_terminal.search.query import Query
from hermes_tools_terminal.search.ripgrep_engine import RipgrepEngine
from hermes_tools_terminal.search.scanner import Matcher, blocks, format_lines, scan

pytestmark = pytest.mark.skipif(shutil.which("rg") is None, reason="There is no rg: install ripgrep.")
QUICK = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))

NAMES = st.sampled_from(["a", "b", "c.py", "d.txt", "é", "A", "x y", ".h", "build", "[z]", "b.py", "1"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
GLOB = st.lists(
    st.sampled_from(
        ["a", "b", "c", ".py", "*", "?", "**", "/", "/", "[ab]", "[!a]", "{a,b}", "\\*", "é", ".h", " ", "d.txt"]
    ),
    min_size=1,
    max_size=4,
).map("".join)
IGNORING = st.lists(
    st.tuples(
        st.sampled_from(["", "", "!", "#", "\\!", "/"]), GLOB, st.sampled_from(["", "", "/", " ", "/**", "\\ "])
    ).map("".join),
    max_size=4,
).map("\n".join)
PIECES = [
    b"foo", b"bar", b"Foo", b" ", b"\t", b"\n", b"\n", b"\r\n", b"_", b"0", b"9", "é".encode(), "É".encode(),
    "ß".encode(), "\u0661".encode(), "\u00a0".encode(), "\u2028".encode(), "e\u0301".encode(), b"\xff", b"\xc3",
    b"i", b"I",
    "\u0130".encode(), "\u0131".encode(), b"K", "\u212a".encode(), "\u017f".encode(), b"s", "²".encode(),
    "ⅷ".encode(), "Σςσ".encode(), "日本".encode(), "😀".encode(), b"\x85", b"\x1c", b"(){}[]", b"-", b".",
]  # fmt: skip
CONTENT = st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join)
FILE = st.one_of(
    CONTENT,
    CONTENT.map(lambda text: b"\xef\xbb\xbf" + text),
    CONTENT.map(lambda text: ("\ufeff" + text.decode(errors="replace")).encode("utf-16-le")),
    CONTENT.map(lambda text: ("\ufeff" + text.decode(errors="replace")).encode("utf-16-be")),
    CONTENT.map(lambda text: text + b"\0" + text),
)
ATOMS = st.sampled_from(
    [
        "foo", "o", "i", "s", "k", "é", "ß", "σ", "日", ".", "\\w", "\\d", "\\s", "\\W", "\\D", "\\S", "[a-z]",
        "[^a-z]", "[^o]",
        "[\\w-]", "[^\\s]", "[\\W0]", "[[:alpha:]]", "[À-ÿ]", "^", "$", "\\b", "\\.", "\\x{e9}", "[iı]", "[^i]",
        "{", "()", "-",
    ]
)  # fmt: skip


def _joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map(lambda text: f"({text})"),
        inner.map(lambda text: f"(?i:{text})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "+?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    )


PATTERNS = st.recursive(ATOMS, _joined, max_leaves=6)


@contextmanager
def a_search_root(files: dict[str, bytes], below: str = "") -> Iterator[LocalSearchRoot]:
    """A tree, and its root or a folder in it as what is searched."""
    with tempfile.TemporaryDirectory(prefix="hermes-search-") as made:
        top = Path(os.path.realpath(made))
        for name, content in files.items():
            path = top / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError:
                continue  # a file is where a folder should be, or the other way round
        root = top / below if (top / below).is_dir() else top
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield LocalSearchRoot(LocalEnvironment(str(root)), str(root), time.monotonic() + 60, handle)
        finally:
            os.close(handle)


def query(ground: LocalSearchRoot, pattern: str, **more: object) -> Query:
    fields = {"file": None, "globs": (), "hidden": False, "context": 0, **more}
    return Query(root=ground.folder, pattern=read_pattern(pattern), **fields)  # type: ignore[arg-type]


def matcher(pattern: str) -> Matcher:
    node = read_pattern(pattern)
    return Matcher(_plain(node), to_python(node, "ascii"), to_python(node, "text"))


def scanned(ground: LocalSearchRoot, pattern: str, hidden: bool = False) -> dict[bytes, int]:
    told: list[bytes] = []
    scan(matcher(pattern), ground.handle, {"root": ground.folder, "hidden": hidden, "globs": []}, told.append)
    return dict(read_counts(told))


def visible(found: dict[bytes, int], hidden: bool) -> dict[bytes, int]:
    """Without hidden files that an ignore file lets in again, which the search itself leaves out afterwards."""
    return {path: count for path, count in found.items() if hidden or b"/." not in b"/" + path}


@QUICK
@given(
    files=st.dictionaries(PATHS, st.just(b"foo\n"), min_size=3, max_size=10),
    rules=st.dictionaries(
        st.tuples(
            st.sampled_from(["", "a/", "b/", "a/b/"]), st.sampled_from([".gitignore", ".ignore", ".rgignore"])
        ).map("".join),
        IGNORING.map(str.encode),
        max_size=4,
    ),
    repositories=st.sets(st.sampled_from(["", "a/", "a/b/"])),
    below=st.sampled_from(["", "", "a", "a/b"]),
    hidden=st.booleans(),
)
def test_both_look_at_the_same_files(
    files: dict[str, bytes], rules: dict[str, bytes], repositories: set[str], below: str, hidden: bool
) -> None:
    marks = {f"{each}.git/config": b"foo\n" for each in repositories}
    with a_search_root({**files, **rules, **marks}, below) as ground:
        expected = visible(dict(RipgrepEngine(ground, query(ground, "foo", hidden=hidden)).counts()), hidden)
        assert scanned(ground, "foo", hidden) == expected


@QUICK
@given(files=st.lists(FILE, min_size=1, max_size=6), patterns=st.lists(PATTERNS, min_size=1, max_size=3))
def test_both_find_the_same_lines(files: list[bytes], patterns: list[str]) -> None:
    with a_search_root({f"{number}.txt": content for number, content in enumerate(files)}) as ground:
        for pattern in patterns:
            try:
                expected = dict(RipgrepEngine(ground, query(ground, pattern)).counts())
            except SearchError as error:
                if "size limit" not in str(error):  # that one is an honest refusal
                    raise
                continue
            assert scanned(ground, pattern) == expected, pattern
            paths = sorted(expected)
            lines = {
                (r.path, r.number): (r.column, r.text)
                for r in RipgrepEngine(ground, query(ground, pattern)).lines(paths, 99)
            }
            assert dict(_lines_of(ground, pattern, paths)) == lines, pattern


def _lines_of(ground: LocalSearchRoot, pattern: str, paths: list[bytes]) -> Iterator[tuple[tuple[bytes, int], object]]:
    for path in paths:
        with open(os.path.join(os.fsencode(ground.folder), path), "rb", buffering=0) as file:
            told = [path + b"\0" + line for line in format_lines(blocks(file), matcher(pattern).starts, 99, 0)]
        for record in read_records(told):
            yield (record.path, record.number), (record.column, record.text)


@QUICK
@given(content=CONTENT, limit=st.integers(1, 4), context=st.integers(0, 3))
def test_both_show_the_same_lines_around(content: bytes, limit: int, context: int) -> None:
    with a_search_root({"f": content}) as ground:
        expected = list(RipgrepEngine(ground, query(ground, "o|é", context=context)).lines([b"f"], limit))
        with open(os.path.join(ground.folder, "f"), "rb", buffering=0) as file:
            lines = [b"f\0" + line for line in format_lines(blocks(file), matcher("o|é").starts, limit, context)]
        found = list(read_records(lines))
        assert [(r.number, r.text) for r in found] == [(r.number, r.text) for r in expected]


def test_blocks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"".join(b"line %d\n" % number + b"x" * (number % 5) + b"\n" for number in range(60))
    with a_search_root({"f": text}) as ground:
        expected = [
            (r.number, r.text) for r in RipgrepEngine(ground, query(ground, "7|x{4}", context=2)).lines([b"f"], 9)
        ]
        for size in (1, 2, 7, 64, 1 << 20):
            monkeypatch.setattr("hermes_tools_terminal.search.scanner.SIZE", size)
            with open(os.path.join(ground.folder, "f"), "rb", buffering=0) as file:
                lines = [b"f\0" + line for line in format_lines(blocks(file), matcher("7|x{4}").starts, 9, 2)]
            assert [(r.number, r.text) for r in read_records(lines)] == expected, size


def test_python_has_no_flag_of_its_own_for_any_pattern() -> None:
    assert re.compile(to_python(read_pattern("(?i)k"), "text")).match("\u212a")
