"""A call that was cut off because its host was killed is in the audit log all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Audit
from hermes_approval.audit.open_calls import FOLDER_NAME, OpenCalls
from hermes_core import Hermes, tool

HOST = """
import sys, time
from hermes_approval import Audit
from hermes_core import Hermes, tool

@tool(effects=[sys.argv[2]], requires_env=["SOME_KEY"])
def slow(text: str) -> str:
    "Take long."
    print("begun", flush=True)
    time.sleep(100)
    return text

hermes = Hermes(tools=[slow], home=sys.argv[1], plugins=[Audit()], environ={"SOME_KEY": "swordfish"})
hermes.call("slow", {"text": "a swordfish"})
"""


@tool(effects=["write"])
def put(text: str) -> str:
    """Put something somewhere."""
    return text


def audited(home: Path) -> list[dict[str, Any]]:
    """The entries of the audit log."""
    log = home / "audit.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines() if line] if log.exists() else []


def killed_in(home: Path, effect: str) -> None:
    """Have a host killed while a tool runs."""
    with subprocess.Popen([sys.executable, "-c", HOST, str(home), effect], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.kill()


def test_the_next_host_logs_a_call_that_was_cut_off_once(tmp_path: Path) -> None:
    killed_in(tmp_path, "write")
    assert audited(tmp_path) == []
    assert b"swordfish" not in b"".join(file.read_bytes() for file in (tmp_path / FOLDER_NAME).iterdir())
    for _ in range(2):
        with Hermes(tools=[put], home=tmp_path, plugins=[Audit()]) as hermes:
            hermes.call("put", {"text": "x"})
    cut, *others = audited(tmp_path)
    assert (cut["tool"], cut["status"], cut["code"]) == ("slow", "cancelled", "host_died")
    assert cut["began"] < cut["at"]
    assert [each["tool"] for each in others] == ["put", "put"]
    assert all(each["status"] == "ok" and "began" not in each for each in others)
    assert not list((tmp_path / FOLDER_NAME).iterdir())


def test_a_call_that_only_reads_is_not_recorded_before_it_ends(tmp_path: Path) -> None:
    killed_in(tmp_path, "read")
    assert not (tmp_path / FOLDER_NAME).exists()


def test_the_entry_of_a_call_is_the_same_whether_its_beginning_was_recorded(tmp_path: Path) -> None:
    @tool(effects=["read"])
    def look(text: str) -> str:
        """Look at something."""
        return text

    with Hermes(tools=[put, look], home=tmp_path, plugins=[Audit()]) as hermes:
        hermes.call("put", {"text": "same"})
        hermes.call("look", {"text": "same"})
        hermes.call("put", {"wrong": 1})
    written, read, wrong = audited(tmp_path)
    for name in ("at", "id", "tool", "effects", "seconds"):
        assert type(written.pop(name)) is type(read.pop(name))
    assert written == read
    assert (wrong["status"], wrong["code"]) == ("error", "invalid_arguments")


def test_calls_that_run_at_once_have_slots_of_their_own(tmp_path: Path) -> None:
    calls = OpenCalls(str(tmp_path))
    for key in range(5):
        calls.begin(str(key), {"id": str(key)})
    calls.end("1")
    calls.end("3")
    calls.end("9")
    calls.begin("7", {"id": "7"})
    (file,) = (tmp_path / FOLDER_NAME).iterdir()
    assert list(OpenCalls(str(tmp_path)).take_interrupted()) == []  # they are open, and their host lives
    os.close(calls._descriptor)  # as at its death
    found: list[str] = []

    def take() -> None:
        found.extend(each["id"] for each in OpenCalls(str(tmp_path)).take_interrupted())

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["0", "2", "4", "7"]
    assert not file.exists()


def test_a_call_that_was_cancelled_while_its_beginning_is_recorded_is_not_open(tmp_path: Path) -> None:
    calls = OpenCalls(str(tmp_path))
    calls.end("1", cancelled=True)
    calls.begin("1", {"id": "1"})
    calls.begin("2", {"id": "2"})
    os.close(calls._descriptor)  # as at its death
    assert [each["id"] for each in OpenCalls(str(tmp_path)).take_interrupted()] == ["2"]


def test_calls_with_the_same_id_have_slots_of_their_own(tmp_path: Path) -> None:
    calls = OpenCalls(str(tmp_path))
    for number in range(3):
        calls.begin("same", {"id": "same", "number": number})
    calls.end("same")
    os.close(calls._descriptor)  # as at its death
    assert [each["number"] for each in OpenCalls(str(tmp_path)).take_interrupted()] == [0, 1]


@pytest.mark.parametrize("damage", [b"", b'{"id": "hal', b"\0" * 40_000, b"[1]\n", b"[" * 16_000])
def test_a_damaged_file_of_a_dead_host_is_removed(tmp_path: Path, damage: bytes) -> None:
    folder = tmp_path / FOLDER_NAME
    folder.mkdir()
    (folder / "1-ab").write_bytes(damage)
    assert list(OpenCalls(str(tmp_path)).take_interrupted()) == []
    assert not list(folder.iterdir())


def test_calls_run_where_nothing_can_be_recorded(tmp_path: Path) -> None:
    (tmp_path / FOLDER_NAME).write_text("in the way")
    with Hermes(tools=[put], home=tmp_path, plugins=[Audit()]) as hermes:
        assert "x" in hermes.call("put", {"text": "x"})
    assert len(audited(tmp_path)) == 1


def test_a_forked_child_has_a_file_of_its_own(tmp_path: Path) -> None:
    calls = OpenCalls(str(tmp_path))
    calls.begin("1", {"id": "parent"})
    if (child := os.fork()) == 0:
        calls.begin("2", {"id": "child"})
        os._exit(0)
    os.waitpid(child, 0)
    assert [each["id"] for each in OpenCalls(str(tmp_path)).take_interrupted()] == ["child"]
    calls.end("1")
    calls.close()
    assert not list((tmp_path / FOLDER_NAME).iterdir())


def test_a_coroutine_that_is_dropped_is_logged(tmp_path: Path) -> None:
    import asyncio

    @tool(effects=["write"])
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(100)
        return ""

    async def drop() -> None:
        call = hermes.acall("wait")
        call.send(None)
        call.close()

    with Hermes(tools=[wait], home=tmp_path, plugins=[Audit()]) as hermes:
        asyncio.run(drop())
    assert [each["status"] for each in audited(tmp_path)] == ["cancelled"]
    assert not list(tmp_path.glob(f"{FOLDER_NAME}/*"))  # whether the call was cancelled before it was recorded or after
