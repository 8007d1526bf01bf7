"""The charset of .editorconfig: which section counts, which file, and that hostile ones cost no time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hermes_tools_terminal.files.editorconfig import charset_for
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem

GLOBS = [
    ("*", "a/b.c", True),
    ("*.py", "x/y.py", True),
    ("*.py", "y.pyc", False),
    ("/*.py", "y.py", True),
    ("/*.py", "d/y.py", False),
    ("d/*.py", "d/y.py", True),
    ("d/*.py", "d/e/y.py", False),
    ("d/**.py", "d/e/y.py", True),
    ("d/**/y.py", "d/y.py", True),
    ("**/y.py", "y.py", True),
    ("a**z", "am/nz", True),
    ("{a,b}.c", "x/b.c", True),
    ("{*.py,Make{file,.in}}", "Make.in", True),
    ("{single}.b", "{single}.b", True),
    ("{single}.b", "single.b", False),
    ("f{1..3}", "f2", True),
    ("f{3..-1}", "f-1", True),
    ("f{1..3}", "f4", False),
    ("[ab].c", "a.c", True),
    ("[!ab].c", "a.c", False),
    ("[a-c]?", "b1", True),
    ("a[/b", "a[/b", True),
    ("\\*", "x", False),
    ("\\*", "*", True),
    ("é*", "été", True),
]


def charset(folder: Path, path: str) -> str:
    return charset_for(LocalFileSystem(()), os.path.join(os.path.realpath(folder), path))


@pytest.mark.parametrize(("glob", "path", "matches"), GLOBS)
def test_globs_match_as_the_specification_says(tmp_path: Path, glob: str, path: str, matches: bool) -> None:
    (tmp_path / ".editorconfig").write_text(f"root = true\n[{glob}]\ncharset = latin1\n", "utf-8")
    assert charset(tmp_path, path) == ("latin1" if matches else "")


def test_the_nearest_file_and_in_it_the_last_section_counts(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / ".editorconfig").write_text("[*]\ncharset = utf-16le\n[*.md]\ncharset=utf-8\n")
    (tmp_path / "a" / ".editorconfig").write_bytes(
        b"\xef\xbb\xbf; c\r\n[*]\r\nCharSet : Latin1 ; why\r\n[*.x]\r\nindent=1"
    )
    assert charset(tmp_path, "f.txt") == "utf-16le"
    assert charset(tmp_path, "f.md") == "utf-8"
    assert charset(tmp_path, "a/b/f.md") == "latin1"
    (tmp_path / "a" / "b" / ".editorconfig").write_text("root = True\n[*.txt]\ncharset = unset\n")
    assert charset(tmp_path, "a/b/f.md") == ""
    assert charset(tmp_path, "a/b/not/there/f.txt") == ""


def test_roots_links_pipes_and_huge_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / ".editorconfig").write_text("[*]\ncharset = latin1\n")
    real = os.path.realpath(tmp_path)
    assert charset_for(LocalFileSystem([os.path.join(real, "in")]), os.path.join(real, "in", "f")) == ""
    os.mkfifo(tmp_path / "in" / ".editorconfig")
    assert charset(tmp_path, "in/f") == "latin1"
    (tmp_path / "in" / ".editorconfig").unlink()
    (tmp_path / "in" / ".editorconfig").write_text("[*]\ncharset = utf-8\n" + "#" * 300_000)
    assert charset(tmp_path, "in/f") == "latin1"


def test_a_hostile_file_costs_no_time(tmp_path: Path) -> None:
    globs = ["*" * 1000, "{" * 1000, "{a," * 200 + "}" * 200, "**a" * 300, "[" * 1000, "{*,**}" * 150]
    (tmp_path / ".editorconfig").write_text("".join(f"[{glob}]\ncharset = latin1\n" for glob in globs * 5))
    began = time.monotonic()
    charset(tmp_path, "a" * 200 + "/" + "b" * 200)
    assert time.monotonic() - began < 5
