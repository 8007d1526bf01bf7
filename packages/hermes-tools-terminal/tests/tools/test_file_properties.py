"""Whatever text a file holds, in whatever encoding: it is read as it is, and nothing changes but what is meant to."""

from __future__ import annotations

import codecs
import itertools
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.undo import UndoStore, undo

Make = Callable[..., Any]

EXAMPLES = int(os.environ.get("HERMES_TEST_EXAMPLES", "60"))
"""How many files are tried; more of them find more."""

QUICKLY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@dataclass(frozen=True)
class Written:
    """How a text is written into a file.

    Attributes:
        name: Python's name of the encoding.
        mark: What the file begins with.
    """

    name: str
    mark: bytes = b""

    def bytes_of(self, text: str) -> bytes:
        """A text as a file."""
        return self.mark + text.encode(self.name)

    def text_of(self, data: bytes) -> str:
        """A file as a text."""
        assert data.startswith(self.mark)
        return data[len(self.mark) :].decode(self.name)


ENCODINGS = {
    "utf-8": Written("utf-8"),
    "utf-8-sig": Written("utf-8", codecs.BOM_UTF8),
    "utf-16-le": Written("utf-16-le", codecs.BOM_UTF16_LE),
    "utf-16-be": Written("utf-16-be", codecs.BOM_UTF16_BE),
    "utf-32-le": Written("utf-32-le", codecs.BOM_UTF32_LE),
    "utf-32-be": Written("utf-32-be", codecs.BOM_UTF32_BE),
    "latin-1": Written("latin-1"),
    "cp1252": Written("cp1252"),
}
SINGLE_BYTE = ("latin-1", "cp1252")
ENDS = {"LF": ["\n"], "CRLF": ["\r\n"], "CR": ["\r"], "mixed": ["\n", "\r\n"]}

# Not only letters: what some take for line ends, bytes that look like others when they are read two by two, and
# characters beyond the first plane.
ODD = "\t\v\f \x1c\x85\xa0\u2028\u0a0d\u0d0a\u0a00\u3042\U0001f600\u0301"
UNICODE = st.one_of(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), st.sampled_from(ODD)
)
LATIN = st.one_of(
    st.characters(min_codepoint=32, max_codepoint=126), st.characters(min_codepoint=0xA0, max_codepoint=0xFF)
)
WINDOWS = st.one_of(LATIN, st.sampled_from("€„…†Œ™žŸ"))  # fmt: skip
CHARACTERS = {"latin-1": LATIN, "cp1252": WINDOWS}

_LOOKS_LIKE_UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


def texts(encoding: str, size: int = 12) -> st.SearchStrategy[str]:
    """Texts without line ends."""
    return st.text(CHARACTERS.get(encoding, UNICODE), max_size=size)


def lines_of(encoding: str) -> st.SearchStrategy[list[str]]:
    """The lines of a file; one of them shows which encoding it is, where that does not show itself."""
    shown = "né: " if encoding in SINGLE_BYTE else ""
    return st.lists(texts(encoding), max_size=12).map(lambda lines: [f"{shown}first", *lines])


@st.composite
def files(draw: st.DrawFn, encoding: str, ends: str) -> tuple[list[str], list[str]]:
    """Lines of a file, and how each of them ends; the last one may have no end."""
    lines = draw(lines_of(encoding))
    own = draw(st.lists(st.sampled_from(ENDS[ends]), min_size=len(lines), max_size=len(lines)))
    if draw(st.booleans()) and lines[-1]:
        own[-1] = ""
    written = ENCODINGS[encoding].bytes_of("".join(map("".join, zip(lines, own, strict=True))))
    # What is UTF-8 by chance is UTF-8: nobody can tell.
    assume(encoding not in SINGLE_BYTE or not _LOOKS_LIKE_UTF_8.search(written))
    return lines, own


def joined(lines: list[str], ends: list[str]) -> str:
    return "".join(line + end for line, end in zip(lines, ends, strict=True))


def snapshot(folder: Path) -> dict[str, tuple[int, bytes] | None]:
    """Every file with mode and content, and every folder."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes()) if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


class Project:
    """A folder, an agent in it, and its receipts.

    Args:
        folder: Where everything is.
        agent: Makes agents.
    """

    def __init__(self, folder: Path, agent: Make) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        stated = [f"[*.{name}]\ncharset = {name}\n" for name in SINGLE_BYTE]
        (self.folder / ".editorconfig").write_text("".join(stated))
        self.me = agent(terminal={"cwd": str(self.folder)}, home=folder / "home")
        self.store = UndoStore(folder / "home" / "undo")
        self._numbers = itertools.count()

    def new(self, data: bytes, mode: int = 0o640, *, encoding: str = "txt") -> Path:
        """A file that was not there before, with a name for which .editorconfig states its encoding if it has to."""
        path = self.folder / f"file-{next(self._numbers)}.{encoding}"
        path.write_bytes(data)
        path.chmod(mode)
        return path

    def all_pages(self, path: Path, limit: int) -> list[str]:
        """All lines of a file, read one page after another; their numbers are right."""
        lines: list[str] = []
        while True:
            told = self.me.use("read_file", file_path=str(path), offset=len(lines) + 1, limit=limit)
            page = told["content"].split("\n") if told["content"] else []
            for line in page:
                number, bar, text = line.partition("|")
                assert (number, bar) == (str(len(lines) + 1), "|")
                lines.append(text)
            if not told["truncated"]:
                assert told["total_lines"] == len(lines)
                return lines
            assert page


@pytest.fixture
def project(agent: Make) -> Iterator[Project]:
    """A project in memory, since thousands of files are written."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        yield Project(Path(folder), agent)


encodings, line_ends = st.sampled_from(list(ENCODINGS)), st.sampled_from(list(ENDS))


# -- reading -----------------------------------------------------------------------------------------------------


@QUICKLY
@given(encoding=encodings, ends=line_ends, data=st.data(), limit=st.sampled_from([1, 2, 3, 500]))
def test_what_is_read_is_what_was_written(
    project: Project, encoding: str, ends: str, data: st.DataObject, limit: int
) -> None:
    lines, own = data.draw(files(encoding, ends))
    path = project.new(ENCODINGS[encoding].bytes_of(joined(lines, own)), encoding=encoding)
    assert project.all_pages(path, limit) == lines


@QUICKLY
@given(encoding=encodings, data=st.data(), limit=st.sampled_from([1, 2, 500]))
def test_a_carriage_return_within_a_line_of_a_file_with_other_line_ends_belongs_to_the_line(
    project: Project, encoding: str, data: st.DataObject, limit: int
) -> None:
    lines, own = data.draw(files(encoding, "LF"))
    at = data.draw(st.integers(0, len(lines) - 1))
    lines = [*lines[:at], lines[at] + "\rreturned", *lines[at + 1 :]]
    own[0] = "\n"
    path = project.new(ENCODINGS[encoding].bytes_of(joined(lines, own)), encoding=encoding)
    assert project.all_pages(path, limit) == lines


PAGED = {
    "utf-16 that ends like cut utf-8": (b"\xff\xfe" + "\n한글\n쀀".encode("utf-16-le"), ["", "한글", "쀀"]),
    "utf-16 the other way round": (b"\xfe\xff" + "a\nb\né".encode("utf-16-be"), ["a", "b", "é"]),
    "a last line with a carriage return": (b"x\ny\rz", ["x", "y\rz"]),
    "a mark that does not begin the file": ("x\n\ufeffy\n".encode(), ["x", "\ufeffy"]),
}  # fmt: skip


@pytest.mark.parametrize("what", PAGED)
@pytest.mark.parametrize("limit", [1, 500])
def test_a_part_of_a_file_is_read_as_in_the_whole(project: Project, what: str, limit: int) -> None:
    data, lines = PAGED[what]
    assert project.all_pages(project.new(data), limit) == lines


# -- writing -----------------------------------------------------------------------------------------------------


@QUICKLY
@given(encoding=encodings, ends=line_ends, data=st.data())
def test_what_is_written_over_a_file_is_in_its_encoding_and_undone_byte_for_byte(
    project: Project, encoding: str, ends: str, data: st.DataObject
) -> None:
    lines, own = data.draw(files(encoding, ends))
    written = ENCODINGS[encoding]
    before = written.bytes_of(joined(lines, own))
    content = "\n".join(data.draw(st.lists(texts(encoding), max_size=8)))
    path = project.new(before, mode=0o604, encoding=encoding)
    project.me.use("write_file", file_path=str(path), content=content)
    assert path.stat().st_mode & 0o7777 == 0o604
    after = written.text_of(path.read_bytes())
    assert re.sub("\r\n?", "\n", after) == content
    if ends != "mixed" and any(own):
        assert after == content.replace("\n", ENDS[ends][0])
    undo(project.store)
    assert (path.read_bytes(), path.stat().st_mode & 0o7777) == (before, 0o604)


@QUICKLY
@given(content=st.text(UNICODE | st.sampled_from("\r\n"), max_size=80))
def test_what_is_written_into_a_new_file_is_read_back(project: Project, content: str) -> None:
    path = project.new(b"")
    path.unlink()
    project.me.use("write_file", file_path=str(path), content=content)
    assert path.read_bytes() == content.encode()
    text = content.replace("\r\n", "\n") if "\n" in content else content.replace("\r", "\n")
    lines = text.split("\n")
    assert project.all_pages(path, 500) == (lines if lines[-1] else lines[:-1])
    undo(project.store)
    assert not path.exists()


# -- patching ----------------------------------------------------------------------------------------------------

MODES = st.sampled_from([0o644, 0o600, 0o755, 0o640, 0o666])


def by_replacing(path: Path, old: list[str], new: list[str]) -> dict[str, str]:
    return {"mode": "replace", "path": str(path), "old_string": "\n".join(old), "new_string": "\n".join(new)}


def by_patching(path: Path, old: list[str], new: list[str]) -> dict[str, str]:
    hunk = "".join(f"{sign}{line}\n" for sign, lines in (("-", old), ("+", new)) for line in lines)
    return {"mode": "patch", "patch": f"*** Begin Patch\n*** Update File: {path}\n@@\n{hunk}*** End Patch\n"}


WAYS = {"replace": by_replacing, "patch": by_patching}


@pytest.mark.parametrize("way", WAYS)
@QUICKLY
@given(encoding=encodings, ends=line_ends, data=st.data(), mode=MODES)
def test_nothing_but_the_meant_lines_changes_and_undo_brings_them_back(
    project: Project, encoding: str, ends: str, way: str, data: st.DataObject, mode: int
) -> None:
    lines, own = data.draw(files(encoding, ends))
    at = data.draw(st.integers(0, len(lines) - 1))
    count = data.draw(st.integers(1, min(3, len(lines) - at)))
    lines[at] = f"{lines[at]}<the only one of its kind>"
    new = [f"{line}, changed" for line in lines[at : at + count]]
    written = ENCODINGS[encoding]
    before = written.bytes_of(joined(lines, own))
    path = project.new(before, mode, encoding=encoding)
    project.me.use("patch", **WAYS[way](path, lines[at : at + count], new))
    wanted = [*lines[:at], *new, *lines[at + count :]]
    assert path.read_bytes() == written.bytes_of(joined(wanted, own))
    assert path.stat().st_mode & 0o7777 == mode
    undo(project.store)
    assert (path.read_bytes(), path.stat().st_mode & 0o7777) == (before, mode)


@QUICKLY
@given(encoding=encodings, ends=line_ends, data=st.data())
def test_lines_that_come_or_go_leave_the_others_as_they_are(
    project: Project, encoding: str, ends: str, data: st.DataObject
) -> None:
    lines, own = data.draw(files(encoding, ends))
    assume(all(own))  # a last line without an end gets one when a line follows
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = f"{lines[at]}<the only one of its kind>"
    more = data.draw(st.lists(texts(encoding), max_size=3))
    # Where the new lines are around it already, the edit may have been made before, and is not made again.
    assume(not more or lines[max(0, at - len(more)) : at] != more)
    written = ENCODINGS[encoding]
    before = written.bytes_of(joined(lines, own))
    path = project.new(before, encoding=encoding)
    project.me.use("patch", **by_patching(path, [lines[at]], [*more, lines[at], *more] if more else []))
    after = path.read_bytes()
    head, tail = (joined(lines[part], own[part]).encode(written.name) for part in (slice(0, at), slice(at + 1, None)))
    assert after.startswith(written.mark + head)
    assert after.endswith(tail)
    middle = after[len(written.mark + head) : len(after) - len(tail)].decode(written.name)
    found = re.split("\r\n|\n|\r", middle)[:-1]
    assert found == ([*more, lines[at], *more] if more else [])
    undo(project.store)
    assert path.read_bytes() == before


@QUICKLY
@given(data=st.data(), modes=st.lists(MODES, min_size=4, max_size=4))
def test_a_patch_of_several_files_and_its_undo_are_as_if_nothing_had_been(
    project: Project, data: st.DataObject, modes: list[int]
) -> None:
    kinds = [(data.draw(st.sampled_from(list(ENCODINGS))), data.draw(st.sampled_from(list(ENDS)))) for _ in range(4)]
    drawn = [data.draw(files(*kind)) for kind in kinds]
    first, gone, moved, both = (
        project.new(ENCODINGS[encoding].bytes_of(joined(lines, own)), mode, encoding=encoding)
        for (encoding, _), (lines, own), mode in zip(kinds, drawn, modes, strict=True)
    )
    before = snapshot(project.folder)
    heads = [f"-{lines[0]}\n+{lines[0]} and more\n" for lines, _ in drawn]
    assume(all(lines.count(lines[0]) == 1 for lines, _ in drawn))
    added = "".join(f"+{line}\n" for line in data.draw(st.lists(texts("utf-8"), max_size=5)))
    patch = (
        f"*** Begin Patch\n*** Update File: {first.name}\n@@\n{heads[0]}*** Delete File: {gone.name}\n"
        f"*** Move File: {moved.name} -> in/deep/{moved.name}\n*** Add File: new/{first.stem}.txt\n{added}"
        f"*** Update File: {both.name}\n@@\n{heads[3]}*** End Patch\n"
    )
    project.me.use("patch", mode="patch", patch=patch)
    there = project.folder / "in" / "deep" / moved.name
    assert (there.stat().st_mode, there.read_bytes()) == before[moved.name]
    assert not gone.exists()
    undo(project.store)
    assert snapshot(project.folder) == before
    for path in (first, gone, moved, both):
        path.unlink()


@QUICKLY
@given(raw=st.binary(max_size=60), mark=st.sampled_from([b"", *(each.mark for each in ENCODINGS.values())]))
def test_bytes_that_are_no_text_of_any_kind_survive_a_patch_and_its_undo(
    project: Project, raw: bytes, mark: bytes
) -> None:
    word = b"<the only one of its kind>"
    assume(b"\0" not in raw)
    before = mark + raw + word + raw
    path = project.new(before)
    told = project.me.call("patch", by_replacing(path, [word.decode()], ["<another>"]))
    if "error" in told:
        assert path.read_bytes() == before
    else:
        assert path.read_bytes() == before.replace(word, b"<another>")
        undo(project.store)
        assert path.read_bytes() == before
