"""Every engine finds the same: ripgrep, Python, GNU's programs, busybox's, and a Python that lacks most modules."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import Environment
from hermes_tools_terminal.files.filesystem import FileInfo
from hermes_tools_terminal.search.query import Request
from hermes_tools_terminal.search.search import SearchContext, search

Searchers = Callable[[str], Any]
Places = Callable[[Path], Environment]
GNU = ("sh", "find", "xargs", "grep", "cat", "wc", "head", "stat")

PIECES = [
    "foo",
    "Foo",
    "bar",
    " ",
    "\t",
    "_",
    "0",
    "9",
    "é",
    "É",
    "ß",
    "ſ",
    "K",
    "日本",
    "😀",
    "--",
    "./a:1:",
    "(x)",
    "-e",
    ".",
]
PATTERNS = [
    "foo", "(?i)FOO", "(?i)sk", r"\bbar\b", r"\w+", r"[^\W\d]+0", "é", "(?i)É", "[À-ÿ]", "日", r"^\s*foo", "bar$",
    r"\.", "-e", "--", "fo{2}", "(?:foo|bar){2}", "x?", "o.r", r"a:\d", r"[\Wx]\)", "größe",
]  # fmt: skip


def tree(folder: Path) -> None:
    """Files of every kind that engines are known to differ in."""
    chance = random.Random(7)

    def line() -> str:
        return "".join(chance.choices(PIECES, k=chance.randint(0, 8)))

    for number in range(40):
        path = folder / chance.choice(["", "a", "a/b c", "-d", "é"]) / f"{number}.{chance.choice(['py', 'txt', 'md'])}"
        path.parent.mkdir(parents=True, exist_ok=True)
        end = chance.choice(["\n", "\n", "\r\n"])
        text = end.join(line() for _ in range(chance.randint(0, 30))) + chance.choice(["", end])
        kind = chance.choice(["utf-8"] * 6 + ["utf-8-sig", "utf-16", "latin-1", "nul"])
        data = text.encode("latin-1", "replace") if kind == "latin-1" else text.encode(kind.replace("nul", "utf-8"))
        path.write_bytes(data + (b"foo\0bar\n" if kind == "nul" else b""))
    (folder / "declared.py").write_bytes("# coding: latin-1\nx = 'größe foo é'\n".encode("latin-1"))
    (folder / "declared.xml").write_bytes("<?xml version='1.0' encoding='UTF-8'?>größe\n".encode())
    (folder / "name\nwith a line").write_text("foo bar\n")
    (folder / "empty").touch()
    (folder / "a" / ".gitignore").write_text("*.md\n")
    (folder / ".git").mkdir()


def looked(place: Environment, folder: Path, pattern: str, engine: str, **more: Any) -> dict[str, Any]:
    real = os.path.realpath(folder)
    scene = SearchContext(
        environment=place, found=FileInfo(asked=real, path=real, kind="folder"), engine=engine, guarded=False
    )
    told = search(Request(pattern=pattern, **more), scene)
    assert told.pop("engine", engine or "python") == (engine or "python"), told
    assert "error" not in told, told
    return told


@pytest.fixture
def linked(tmp_path: Path) -> Callable[..., Path]:
    """Makes folders with links to some programs of this machine."""

    def make(*names: str) -> Path:
        programs = tmp_path / "programs"
        programs.mkdir()
        for name in names:
            real = shutil.which(name)
            assert real is not None
            (programs / name).symlink_to(real)
        return programs

    return make


OPTIONS: list[dict[str, Any]] = [
    {"limit": 1000},
    {"context": 2, "limit": 7, "offset": 3},
    {"mode": "count"},
    {"glob": "*.py", "mode": "files_only", "ignore_case": True},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_all_engines_find_the_same_on_a_generated_tree(
    searcher: Searchers, bare: Places, linked: Callable[..., Path], applets: Path, folder: Path, options: dict[str, Any]
) -> None:
    tree(folder)
    gnu, busybox = bare(linked(*GNU)), bare(applets)
    found = 0
    for pattern in PATTERNS:
        expected = searcher("ripgrep")(pattern, scene={"guarded": False}, **options)
        expected.pop("engine")
        found += expected["total_count"]
        assert looked(searcher("python").environment, folder, pattern, "python", **options) == expected, pattern
        assert looked(gnu, folder, pattern, "grep", **options) == expected, pattern
        assert looked(busybox, folder, pattern, "grep", **options) == expected, pattern
    assert found > 100


def test_a_place_without_an_engine_is_searched_by_its_shell(bare: Places, applets: Path, folder: Path) -> None:
    (folder / "a.txt").write_text("one\nhit 1\nthree\n")
    told = looked(bare(applets), folder, r"hit\b", "grep", context=1)
    assert told["matches"] == [{"path": "a.txt", "line": 2, "content": "hit 1", "before": ["one"], "after": ["three"]}]


def test_what_a_place_lacks_is_named(bare: Places, linked: Callable[..., Path], folder: Path) -> None:
    place = bare(linked("sh", "cat", "head", "wc", "grep"))
    scene = SearchContext(
        environment=place, found=FileInfo(asked=str(folder), path=os.path.realpath(folder), kind="folder")
    )
    told = search(Request(pattern="x"), scene)
    assert "lacks programs that files are searched with: find xargs" in told["error"]
    assert "ripgrep or python3" in told["error"]


def test_more_than_can_be_copied_is_an_error_that_says_what_to_do(
    bare: Places, applets: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tools_terminal.search.copy_search.MAX_BYTES", 1000)
    (folder / "a.txt").write_text("x\n" * 600)
    (folder / "b.txt").write_text("hit\n")
    place = bare(applets)
    scene = SearchContext(
        environment=place, found=FileInfo(asked=str(folder), path=os.path.realpath(folder), kind="folder")
    )
    assert "Install ripgrep or python3" in search(Request(pattern=r"\w"), scene)["error"]
    assert search(Request(pattern="hit"), scene)["total_count"] == 1  # only that file is copied


def test_a_python_without_most_modules_is_enough(
    searcher: Searchers, bare: Places, linked: Callable[..., Path], stripped_python: Path, folder: Path
) -> None:
    tree(folder)
    programs = linked(*GNU)
    (programs / "python3").symlink_to(stripped_python)
    for pattern in ("foo", r"\w+", "é"):
        expected = searcher("ripgrep")(pattern, scene={"guarded": False})
        expected.pop("engine")
        assert looked(bare(programs), folder, pattern, "", limit=50) == expected


def test_a_python_that_cannot_scan_is_not_used(bare: Places, linked: Callable[..., Path], folder: Path) -> None:
    programs = linked(*GNU)
    (programs / "python3").write_text("#!/bin/sh\necho No module named re >&2; exit 1\n")
    (programs / "python3").chmod(0o755)
    (folder / "a.txt").write_text("hit\n")
    assert looked(bare(programs), folder, "hit", "grep")["total_count"] == 1


def test_letters_of_declared_encodings_are_found_and_others_are_spelled_out(searching: Any, folder: Path) -> None:
    (folder / "a.py").write_bytes("# coding: cp1251\nx = 'Привет'\n".encode("cp1251"))
    (folder / "b.html").write_bytes("<meta charset=gbk>汉字 x =\n".encode("gbk"))
    (folder / "c.txt").write_bytes("Привет x = \n".encode("cp1251"))
    (folder / "d.py").write_bytes("# coding: utf-8\nПривет\n".encode())
    assert searching.lines("Привет") == [("a.py", 2, "x = 'Привет'"), ("d.py", 2, "Привет")]
    assert searching.lines("字") == [("b.html", 1, "<meta charset=gbk>汉字 x =")]
    told = searching("x =")
    assert [each["content"] for each in told["matches"]] == [
        "x = 'Привет'",
        "<meta charset=gbk>汉字 x =",
        "\\xcf\\xf0\\xe8\\xe2\\xe5\\xf2 x = ",
    ]
    assert "\\xNN is a byte" in told["note"]
    assert "note" not in searching("coding")
