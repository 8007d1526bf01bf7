"""The whole text of a page is saved where a model can read on."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from hermes_tools_web.extraction.tool_result import save_text


def test_a_text_is_saved_for_its_user_alone(tmp_path: Path) -> None:
    saved = save_text("a\nb\nc", shown="a\nb", name="example.org", folder=tmp_path / "results")
    assert saved
    assert saved.path.read_text() == "a\nb\nc"
    assert saved.line == 2
    assert saved.path.name.startswith("web_extract-example.org-")
    assert stat.S_IMODE(saved.path.stat().st_mode) == 0o600


def test_a_name_cannot_leave_the_folder(tmp_path: Path) -> None:
    saved = save_text("a", shown="", name="../../x/" + "y" * 500, folder=tmp_path / "results")
    assert saved
    assert list((tmp_path / "results").iterdir()) == [saved.path]


def test_lines_are_short_enough_to_be_read(tmp_path: Path) -> None:
    text = "short\n" + "word " * 2_000 + "\n" + "x" * 4_000
    saved = save_text(text, shown="short\n" + "word " * 600, name="h", folder=tmp_path)
    assert saved
    lines = saved.path.read_text().split("\n")
    assert max(map(len, lines)) <= 1_500
    assert "".join(lines) == text.replace("\n", "")
    assert lines[saved.line - 1].startswith("word")
    assert sum(map(len, lines[1 : saved.line])) >= 3_000


def test_a_disk_that_takes_nothing_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert save_text("a", shown="", name="h", folder=tmp_path / "file") is None


def test_old_texts_go(tmp_path: Path) -> None:
    old = tmp_path / "web_extract-old-00000000.txt"
    other = tmp_path / "another-00000000.txt"
    for path in (old, other):
        path.write_text("x")
        os.utime(path, (1, 1))
    for number in range(210):
        path = tmp_path / f"web_extract-h-{number:08}.txt"
        path.write_text("x")
    saved = save_text("a", shown="", name="h", folder=tmp_path)
    assert saved
    left = {path.name for path in tmp_path.glob("web_extract-*")}
    assert len(left) == 200
    assert saved.path.name in left
    assert not old.exists()
    assert other.exists()


@pytest.mark.parametrize("text", ["\ud800", "é\n" * 10])
def test_any_text_can_be_saved(tmp_path: Path, text: str) -> None:
    assert save_text(text, shown="", name="h", folder=tmp_path)


def test_all_texts_together_have_a_bound(tmp_path: Path) -> None:
    for number in range(4):
        path = tmp_path / f"web_extract-h-{number:08}.txt"
        with path.open("wb") as file:
            file.truncate(60_000_000)  # a hole, which takes no room
        os.utime(path, (time.time() - 100 + number,) * 2)
    saved = save_text("a" * 10, shown="", name="h", folder=tmp_path)
    assert saved
    left = {path.name for path in tmp_path.glob("web_extract-*")}
    assert left == {saved.path.name, *(f"web_extract-h-{number:08}.txt" for number in (1, 2, 3))}
