"""What goes wrong while files are changed: death, full disks, missing rights, others who do the same, and size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.undo import UndoStore, undo

Make = Callable[..., Any]
Snapshot = dict[str, tuple[int, bytes] | None]

NOBODY = 61234
"""A number that no user has."""


def snapshot(folder: Path) -> Snapshot:
    """Every file with mode and content, and every folder."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes()) if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def driven(name: str, *words: object, seconds: float) -> str:
    """What a program of this folder prints."""
    line = [sys.executable, "-W", "error", str(Path(__file__).with_name(name)), *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def history() -> Iterator[Path]:
    """A folder whose files need not be brought to a disk, for what writes thousands of times."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        yield Path(folder)


# -- death -------------------------------------------------------------------------------------------------------


def test_calls_that_are_killed_leave_files_that_are_old_or_new_and_a_way_to_go_on(history: Path) -> None:
    told = driven("killed_calls.py", history, 500, 7, seconds=300)
    assert "killed 500" in told
    # It is no proof unless some were killed between two files of a patch, and both ways out were taken.
    for seen in ("mixed undone:", "mixed undone as the last one:", "mixed finished:", "new settled:", "old settled:"):
        assert seen in told


# -- full disks --------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(new_disk: Callable[[str], Path]) -> Path:
    """A disk that is soon full, but holds a receipt or two."""
    return new_disk("size=128k")


def fill(disk: Path) -> None:
    with open(disk / "filler", "wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass


BIG = "a line that takes some room\n" * 6000
SEVERAL = "*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** Move File: c.txt -> in/d.txt\n"
FILLING: dict[str, tuple[str, dict[str, str]]] = {
    "a file written": ("write_file", {"file_path": "a.txt", "content": BIG}),
    "a file made in a new folder": ("write_file", {"file_path": "new/deep/a.txt", "content": BIG}),
    "a text replaced": ("patch", {"mode": "replace", "path": "a.txt", "old_string": "one\n", "new_string": BIG}),
    "a patch of several files": (
        "patch",
        {"mode": "patch", "patch": f"{SEVERAL}*** Add File: in/big.txt\n" + BIG.replace("a line", "+a line")},
    ),
}


@pytest.mark.parametrize("what", FILLING)
def test_a_disk_that_gets_full_leaves_everything_as_it_was(
    agent: Make, home: Path, small_disk: Path, what: str
) -> None:
    tool, args = FILLING[what]
    for name in ("a.txt", "b.txt", "c.txt"):
        (small_disk / name).write_text(f"one\ntwo {name}\n")
        (small_disk / name).chmod(0o640)
    before = snapshot(small_disk)
    me = agent(terminal={"cwd": str(small_disk)})
    told = me.call(tool, args)
    assert "No space left" in told["error"]
    assert told["errno"] == "ENOSPC"
    assert "Free some space" in told["hint"]
    assert snapshot(small_disk) == before
    assert list(UndoStore(home / "undo").receipts()) == []
    assert "error" not in me.call("patch", {"mode": "patch", "patch": SEVERAL})
    undo(UndoStore(home / "undo"))
    assert snapshot(small_disk) == before


def test_a_store_that_is_full_stops_several_changes_at_once_and_is_told_with_a_single_one(
    agent: Make, home: Path, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (project / name).write_text(f"one\n{name}\n" * 900)
    monkeypatch.setenv("HERMES_HOME", str(small_disk / "home"))
    me = agent(terminal={"cwd": str(project)})
    me.use("write_file", file_path="first.txt", content="x\n")
    fill(small_disk)
    before = snapshot(project)
    patch = "*** Delete File: b.txt\n*** Move File: c.txt -> in/d.txt\n"
    told = me.call("patch", {"mode": "patch", "patch": patch})
    assert "No space left" in told["error"]
    assert "Nothing was changed" in told["error"]
    assert str(small_disk) in told["error"]
    assert snapshot(project) == before
    alone = me.use("write_file", file_path="a.txt", content="new\n")
    assert (project / "a.txt").read_text() == "new\n"
    assert "undo" in alone.get("_warning", ""), "nobody said that this one cannot be undone"


# -- missing rights ----------------------------------------------------------------------------------------------


@pytest.fixture
def restricted() -> Iterator[Callable[..., list[Any]]]:
    """Does things as a user to whom rights mean something; what became of them, and how the files are then."""
    with tempfile.TemporaryDirectory() as folder:

        def run(*steps: list[Any]) -> list[Any]:
            Path(folder).chmod(0o755)
            user = NOBODY if os.geteuid() == 0 else os.geteuid()
            answers = json.loads(driven("without_rights.py", folder, user, json.dumps(steps), seconds=120))
            assert isinstance(answers, list)
            return [*answers, snapshot(Path(folder) / "stage")]

        yield run
        for path in Path(folder).rglob("*"):
            if path.is_dir():
                path.chmod(0o755)


MIXED = "*** Add File: new.txt\n+n\n*** Update File: in/a.txt\n@@\n-one\n+two\n*** Delete File: b.txt\n"
CALLS: dict[str, tuple[str, dict[str, str]]] = {
    "write_file": ("write_file", {"file_path": "in/a.txt", "content": "new\n"}),
    "replace": ("patch", {"mode": "replace", "path": "in/a.txt", "old_string": "one", "new_string": "two"}),
    "patch": ("patch", {"mode": "patch", "patch": MIXED}),
    "delete": ("patch", {"mode": "patch", "patch": "*** Delete File: b.txt\n*** Delete File: in/a.txt\n"}),
    "move": ("patch", {"mode": "patch", "patch": "*** Move File: in/a.txt -> c.txt\n"}),
}
MADE: list[list[Any]] = [["make", "b.txt", "b\n"], ["make", "in/a.txt", "one\n"]]


@pytest.mark.parametrize(
    ("closed", "mode", "calls"),
    [("in/a.txt", 0o444, ["write_file", "replace", "patch"]), ("in", 0o555, list(CALLS))],
    ids=["a read-only file", "a read-only folder"],
)
def test_what_may_not_be_written_stays_and_the_error_names_it(
    restricted: Callable[..., list[Any]], closed: str, mode: int, calls: list[str]
) -> None:
    *told, after = restricted(*MADE, ["chmod", closed, mode], *(list(CALLS[call]) for call in calls))
    for call, answer in zip(calls, told[3:], strict=True):
        assert "Permission denied" in answer["error"], (call, answer)
        assert answer["hint"], call
    assert {name: each and each[1] for name, each in after.items()} == {
        "b.txt": b"b\n",
        "in": None,
        "in/a.txt": b"one\n",
    }
    for call, answer in zip(calls, told[3:], strict=True):
        assert "in/a.txt" in answer["error"] or "/stage/in" in answer["error"], (call, answer)


def test_an_undo_without_rights_changes_nothing_and_works_when_they_are_there(
    restricted: Callable[..., list[Any]],
) -> None:
    *told, after = restricted(
        *MADE,
        list(CALLS["patch"]),
        ["chmod", "in/a.txt", 0o444],
        ["undo"],
        ["read_file", {"file_path": "b.txt"}],
        ["chmod", "in/a.txt", 0o644],
        ["chmod", "in", 0o555],
        ["undo"],
        ["read_file", {"file_path": "in/a.txt"}],
        ["read_file", {"file_path": "new.txt"}],
        ["chmod", "in", 0o755],
        ["undo"],
    )
    first, b, second, a, new, third = (told[number] for number in (4, 5, 8, 9, 10, 12))
    for refused, named in ((first, "/stage/in/a.txt"), (second, "/stage/in")):
        assert "Permission denied" in refused["error"]
        assert named in refused["error"]
    assert "File not found" in b["error"]
    assert a["content"] == "1|two"
    assert new["content"] == "1|n"
    assert "error" not in third
    assert {name: each and each[1] for name, each in after.items()} == {
        "b.txt": b"b\n",
        "in": None,
        "in/a.txt": b"one\n",
    }


# -- others who do the same --------------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [2, 4])
def test_processes_that_patch_the_same_files_lose_no_update(history: Path, processes: int) -> None:
    times = 12
    told = driven("patching_together.py", history, processes, times, seconds=200)
    assert json.loads(told) == [0] * processes
    for counter in ("counter", "one/counter", "two/counter"):
        assert int((history / counter).read_text()) == processes * times
    wanted = {f"{number} {turn}" for number in range(processes) for turn in range(times)}
    for lines in ("lines", "patched"):
        *found, last = (history / lines).read_text().splitlines()
        assert last == "end"
        assert len(found) == len(wanted)
        assert set(found) == wanted
        for number in range(processes):  # and everybody's lines are in the order in which they were added
            own = [int(line.split()[1]) for line in found if line.split()[0] == str(number)]
            assert own == list(range(times))
    receipts = list(UndoStore(history / ".hermes-home" / "undo").receipts())
    assert {each.state for each in receipts} == {"done"}


# -- size --------------------------------------------------------------------------------------------------------


def hunks(count: int) -> tuple[str, str, str]:
    """A file, a patch that changes every second line of it, and what it is then."""
    before = [f"line {number} {'x' * (number % 40)}" for number in range(2 * count)]
    after = [f"changed {line}" if number % 2 else line for number, line in enumerate(before)]
    parts = [f"@@\n {before[each]}\n-{before[each + 1]}\n+{after[each + 1]}\n" for each in range(0, 2 * count, 2)]
    patch = f"*** Begin Patch\n*** Update File: a.txt\n{''.join(parts)}*** End Patch\n"
    return "\n".join(before) + "\n", patch, "\n".join(after) + "\n"


def test_ten_thousand_hunks_are_applied_in_a_time_that_grows_with_their_number(agent: Make, history: Path) -> None:
    me = agent(terminal={"cwd": str(history)}, home=history / "home")
    file = history / "a.txt"

    def seconds(count: int) -> float:
        before, patch, after = hunks(count)
        file.write_text(before)
        start = time.process_time()  # of this process alone, whatever else the machine does
        told = me.call("patch", {"mode": "patch", "patch": patch})
        took = time.process_time() - start
        assert told.get("success"), told
        assert file.read_text() == after
        return took

    seconds(100)
    few = min(seconds(2_500) for _ in range(2))
    many = min(seconds(10_000) for _ in range(2))
    assert many < 8 * few  # 4 if it is linear, 16 if it is quadratic


LAST_LINES = """
import json, resource, sys, time
import hermes_tools_terminal.plugin
from hermes_core import Hermes

folder, total = sys.argv[1], int(sys.argv[2])
config = {"terminal": {"cwd": folder}}
with Hermes(plugins=[hermes_tools_terminal.plugin], config=config, home=folder + "/home") as hermes:
    def read(name, **where):
        told = json.loads(hermes.call("read_file", {"file_path": name, **where}))
        assert "error" not in told, told
        return told

    read("small.txt")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    last = read("big.txt", offset=total - 4, limit=100)
    first = read("big.txt", limit=3)
    deadline, counted, limit = time.monotonic() + 100, first["total_lines"], 4
    while counted is None and time.monotonic() < deadline:
        counted, limit = read("big.txt", limit=limit)["total_lines"], limit % 200 + 1
    beyond = read("big.txt", offset=total + 1)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"last": last, "first": first, "counted": counted, "beyond": beyond, "kilobytes": grown}))
"""


def test_a_gigabyte_is_read_at_its_end_without_its_weight(tmp_path: Path) -> None:
    size, lines = 1 << 30, 0
    (tmp_path / "small.txt").write_text("small\n")
    with open(tmp_path / "big.txt", "wb") as file:  # mostly holes, which take no room but have to be read
        for place in range(0, size - 1_000_000, 4 << 20):
            file.seek(place)
            file.write(b"some text of a line\n" * 500)
            lines += 500
        file.seek(size - 60)
        file.write(b"".join(b"\nlast %d" % number for number in range(5)))
        lines += 6  # the hole before them is a line, too
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LAST_LINES, str(tmp_path), str(lines)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["last"]["content"].splitlines() == [f"{lines - 4 + number}|last {number}" for number in range(5)]
    assert told["last"]["total_lines"] == lines
    assert told["last"]["truncated"] is False
    assert told["first"]["content"].splitlines()[0] == "1|some text of a line"
    assert told["counted"] == lines
    assert told["beyond"]["content"] == ""
    assert str(lines) in told["beyond"]["hint"]
    assert told["kilobytes"] < 60_000
