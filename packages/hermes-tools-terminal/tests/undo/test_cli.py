"""`hermes undo`, as people use it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hermes_tools_terminal.cli.undo import command, escape_controls
from hermes_tools_terminal.files.filesystem import FileSystem
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.undo import UndoError


def hermes_undo(*words: str) -> Result:
    return CliRunner().invoke(command(), words)


def told(*words: str) -> Any:
    return json.loads(hermes_undo(*words, "--json").stdout)


def test_the_last_call_is_undone(desk: Any) -> None:
    desk.write("a.txt", b"new", tool="write_file")
    done = hermes_undo()
    assert done.exit_code == 0
    assert done.stdout == (f"Undone: receipt 1 (write_file). Its own receipt is 2.\n  {desk.folder / 'a.txt'}\n")
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"


def test_nothing_to_undo_is_1_and_says_so(home: Path) -> None:
    done = hermes_undo()
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", "There is nothing to undo.\n")
    assert not (home / "undo").exists()
    assert told() == {"error": "There is nothing to undo.", "code": "nothing_to_undo", "conflicts": []}


def test_several_steps_go_back_in_reverse(desk: Any) -> None:
    before = desk.snapshot()
    desk.write("in/a.txt", b"1")
    desk.write("in/a.txt", b"2")
    desk.write("in/a.txt", b"3")
    assert [each["receipt"] for each in told("2")["undone"]] == [3, 2]
    assert (desk.folder / "in" / "a.txt").read_bytes() == b"1"
    done = hermes_undo("99")
    assert f"{desk.folder / 'in'}/ was empty and was removed" in done.stdout
    assert desk.snapshot() == before


def test_a_conflict_is_1_and_names_the_file(desk: Any) -> None:
    desk.write("a.txt", b"new")
    (desk.folder / "a.txt").write_bytes(b"by hand")
    done = hermes_undo()
    assert done.exit_code == 1
    assert f"{desk.folder / 'a.txt'} was changed since" in done.stderr
    found = told()
    assert found["code"] == "undo_conflict"
    assert found["conflicts"] == [{"path": str(desk.folder / "a.txt"), "reason": "was changed since"}]
    assert (desk.folder / "a.txt").read_bytes() == b"by hand"


def test_the_list_shows_the_newest_first(desk: Any, home: Path) -> None:
    assert hermes_undo("--list").stdout == "There are no receipts yet.\n"
    desk.write("a.txt", b"1", tool="write_file", task="first")
    desk.apply(*(desk.change(name, b"x") for name in ("b.bin", "c", "d", "e")), task="second")
    hermes_undo()
    (home / "undo" / "stray").write_text("x")
    done = hermes_undo("--list")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["3", "2", "1"]
    assert "undo of 2" in lines[0]
    assert "undone  second" in lines[1]
    assert lines[1].endswith("and 1 more")
    assert lines[2].endswith(f"done    first   {desk.folder / 'a.txt'}")
    assert done.stderr == "damaged: stray: it is not a receipt\n"
    assert len(hermes_undo("--list", "1").stdout.splitlines()) == 2
    assert hermes_undo("--list", "--task", "first").stdout.count("\n") == 1


def test_the_list_as_json_has_every_fact(desk: Any) -> None:
    desk.write("a.txt", b"new", call="c9", session="s9")
    found = told("--list")
    (receipt,) = found["receipts"]
    assert found["damaged"] == []
    assert (receipt["number"], receipt["state"], receipt["place"]) == (1, "done", "local")
    assert (receipt["call"], receipt["session"], receipt["undoable"]) == ("c9", "s9", True)
    assert receipt["files"][0]["before"]["size"] == 7


def test_many_receipts_are_not_all_listed_at_once(desk: Any) -> None:
    for number in range(53):
        desk.write("a.txt", b"%d" % number)
    done = hermes_undo("--list")
    assert done.stdout.endswith("3 older receipts are not shown: hermes undo --list 53\n")
    assert len(hermes_undo("--list", "53").stdout.splitlines()) == 53
    assert len(told("--list")["receipts"]) == 53


def test_a_dry_run_shows_the_diff_and_changes_nothing(desk: Any) -> None:
    desk.write("c.txt", b"one\n\x1b[31mtwo\n")
    before = desk.snapshot()
    done = hermes_undo("--dry-run")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "Would undo receipt 1 (patch):",
        f"--- {desk.folder / 'c.txt'}",
        "+++ /dev/null",
        "@@ -1,2 +0,0 @@",
        "-one",
        "-\\x1b[31mtwo",
    ]
    assert told("--dry-run")["would_undo"][0]["files"] == [str(desk.folder / "c.txt")]
    assert desk.snapshot() == before


def test_a_certain_receipt_is_undone_and_redone(desk: Any) -> None:
    desk.write("a.txt", b"new")
    desk.write("b.bin", b"new")
    assert told("--receipt", "1")["undone"][0]["by"] == 3
    assert (desk.folder / "b.bin").read_bytes() == b"new"
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"
    assert hermes_undo("--redo").stdout.startswith("Redone: receipt 3 (undo). Its own receipt is 4.")
    assert (desk.folder / "a.txt").read_bytes() == b"new"
    assert hermes_undo("--receipt", "77").exit_code == 1
    assert "There is no receipt 77" in hermes_undo("--receipt", "77").stderr
    assert "nothing to finish" in hermes_undo("--finish", "2").stderr


def test_an_interrupted_call_is_finished(desk: Any, home: Path) -> None:
    desk.apply(desk.change("a.txt", b"new a"), desk.change("b.bin", b"new b"))
    (home / "undo" / "000001.done").rename(home / "undo" / "000001.unfinished")
    (desk.folder / "b.bin").write_bytes(bytes(range(256)))  # as if it had been killed between the two
    assert " unfinished " in hermes_undo("--list").stdout
    assert "Would finish receipt 1" in hermes_undo("--finish", "1", "--dry-run").stdout
    done = hermes_undo("--finish", "1")
    assert done.stdout == f"Finished: receipt 1 (patch).\n  {desk.folder / 'b.bin'}\n"
    assert (desk.folder / "b.bin").read_bytes() == b"new b"


@pytest.mark.parametrize(
    "words",
    [
        ["0"],
        ["x"],
        ["--receipt", "0"],
        ["2", "--receipt", "1"],
        ["--redo", "--finish", "1"],
        ["--list", "--redo"],
        ["--list", "--dry-run"],
        ["--receipt", "1", "--task", "t"],
    ],
)
def test_what_does_not_go_together_is_wrong_usage(words: list[str]) -> None:
    assert hermes_undo(*words).exit_code == 2


def test_other_places_are_opened_by_who_knows_them(desk: Any) -> None:
    class Elsewhere(LocalFileSystem):
        def __init__(self) -> None:
            super().__init__()
            self.name = "docker:task"

    def open_filesystem(name: str) -> FileSystem:
        if name != "docker:task":
            raise UndoError(f"{name} is not known.")
        return Elsewhere()

    desk.tree = Elsewhere()
    desk.write("a.txt", b"new")
    done = hermes_undo()
    assert done.exit_code == 1
    assert "docker:task" in done.stderr
    assert "docker:task: " in hermes_undo("--list").stdout
    done = CliRunner().invoke(command(open_filesystem), [])
    assert done.exit_code == 0, done.output
    assert (desk.folder / "a.txt").read_bytes() == b"old a\r\n"


def test_names_that_would_steer_a_terminal_are_shown_harmlessly(desk: Any) -> None:
    desk.write(os.fsdecode(b"\x1b]0;x\x07\xff\n"), b"x", task="\u202egnihton", tool="a\nb")
    listed = hermes_undo("--list").stdout
    assert "\\x1b]0;x\\x07\\udcff\\n" in listed
    assert "\\u202egnihton" in listed
    assert hermes_undo().stdout.startswith("Undone: receipt 1 (a\\nb).")


def test_ordinary_text_stays_as_it_is() -> None:
    assert escape_controls("naïve 文字 \t 'x'") == "naïve 文字 \t 'x'"
