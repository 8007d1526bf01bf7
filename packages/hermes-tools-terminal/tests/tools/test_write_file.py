"""`write_file` as an agent uses it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_core import ApprovalRequest

Make = Callable[..., Any]
TOKEN = "ghp_" + "a1B2c3" * 6


def write(me: Any, path: object, content: str) -> dict[str, Any]:
    told: dict[str, Any] = me.call("write_file", {"file_path": str(path), "content": content})
    return told


def test_a_new_file_holds_what_was_written_and_its_folders_are_made(me: Any) -> None:
    told = write(me, "a/b/c.txt", "grün\n")
    assert (me.project / "a/b/c.txt").read_bytes() == "grün\n".encode()
    assert told["bytes_written"] == 6
    assert told["dirs_created"] is True
    assert told["files_modified"] == [str(me.project / "a/b/c.txt")]
    assert told["resolved_path"] == str(me.project / "a/b/c.txt")


def test_mode_stays(me: Any) -> None:
    file = me.project / "run.sh"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    write(me, "run.sh", "#!/bin/sh\necho hi\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_stays(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("x")
    os.chown(file, 1234, 1234)
    write(me, "a.txt", "y")
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1234)


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"\xef\xbb\xbfa\r\n", "x\ny\n", b"\xef\xbb\xbfx\r\ny\r\n"),
        ("a\n".encode("utf-16"), "x\n", "x\n".encode("utf-16")),
        (b"a\n", "x\r\ny\r\n", b"x\r\ny\r\n"),
        (b"a\r\n", "", b""),
    ],
)
def test_line_ends_marks_and_encodings_stay(me: Any, before: bytes, content: str, after: bytes) -> None:
    file = me.project / "a.txt"
    file.write_bytes(before)
    write(me, "a.txt", content)
    assert file.read_bytes() == after


def test_a_link_stays_a_link_and_its_target_is_written(me: Any) -> None:
    (me.project / "real.txt").write_text("old")
    (me.project / "link.txt").symlink_to("real.txt")
    write(me, "link.txt", "new")
    assert (me.project / "link.txt").is_symlink()
    assert (me.project / "real.txt").read_text() == "new"


def test_a_link_that_leads_to_nothing_makes_its_target(me: Any) -> None:
    (me.project / "link.txt").symlink_to("later.txt")
    write(me, "link.txt", "new")
    assert (me.project / "later.txt").read_text() == "new"


def refused(told: dict[str, Any]) -> bool:
    return "changed since" in told.get("error", "") and "read_file" in told["hint"] and "force" in told["hint"]


def test_a_file_that_changed_since_it_was_read_must_be_read_again(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("one\n")
    me.call("read_file", {"file_path": "a.txt"})
    file.write_text("somebody else\n")
    for _ in range(3):
        assert refused(write(me, "a.txt", "mine\n"))
    assert file.read_text() == "somebody else\n"
    assert "somebody else" in me.call("read_file", {"file_path": "a.txt"})["content"]
    assert "_warning" not in write(me, "a.txt", "mine\n")
    assert "_warning" not in write(me, "a.txt", "mine again\n")


def test_force_replaces_a_file_that_changed(me: Any) -> None:
    file = me.project / "a.txt"
    write(me, "a.txt", "one\n")
    file.write_text("somebody else\n")
    told = me.call("write_file", {"file_path": "a.txt", "content": "mine\n", "force": True})
    assert "changed since" in told["_warning"]
    assert file.read_text() == "mine\n"
    assert "_warning" not in write(me, "a.txt", "mine again\n")


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("patch", {"mode": "replace", "file_path": "a.txt", "old_string": "one", "new_string": "two"}),
        ("terminal", {"command": "echo two >> a.txt"}),
        ("terminal", {"command": "printf 'owe\\n' > new; touch -r a.txt new; mv new a.txt"}),
        ("execute_code", {"code": "open('a.txt', 'a').write('two')"}),
    ],
)
@pytest.mark.parametrize("known", ["read", "written"])
def test_changes_by_other_tools_count(me: Any, tool: str, args: dict[str, Any], known: str) -> None:
    file = me.project / "a.txt"
    file.write_text("one\n")
    if known == "read":
        me.call("read_file", {"file_path": "a.txt"})
    else:
        write(me, "a.txt", "one\n")
    assert not me.call(tool, args).get("error")
    changed = file.read_text()
    assert refused(write(me, "a.txt", "mine\n"))
    assert file.read_text() == changed
    me.call("read_file", {"file_path": "a.txt"})
    assert not write(me, "a.txt", "mine\n").get("error")


def test_a_script_that_writes_all_of_it_knows_it(me: Any) -> None:
    me.call("read_file", {"file_path": "a.txt"})
    code = "from hermes_tools import write_file; print(write_file(file_path='a.txt', content='two\\n'))"
    me.call("execute_code", {"code": code})
    assert not write(me, "a.txt", "mine\n").get("error")


@pytest.mark.parametrize("command", ["touch a.txt", "chmod 600 a.txt", "cp a.txt b && mv b a.txt"])
def test_the_same_content_is_no_change(me: Any, command: str) -> None:
    (me.project / "a.txt").write_text("one\n" * 3000)
    me.call("read_file", {"file_path": "a.txt", "limit": 2000})
    me.call("read_file", {"file_path": "a.txt", "limit": 2000, "offset": 2001})
    assert refused(write(me, "a.txt", "mine\n")) is False
    write(me, "a.txt", "one\n")
    me.run(command)
    assert not write(me, "a.txt", "mine\n").get("error")


def test_a_change_within_one_tick_of_the_clock_is_seen(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("one\n")
    times = (1_000_000_000, 1_000_000_000)
    os.utime(file, ns=times)
    me.call("read_file", {"file_path": "a.txt"})
    with file.open("r+") as opened:
        opened.write("owe\n")
    os.utime(file, ns=times)
    assert refused(write(me, "a.txt", "mine\n"))
    assert "owe" in me.call("read_file", {"file_path": "a.txt"})["content"]
    assert not write(me, "a.txt", "mine\n").get("error")


def test_a_file_that_is_gone_is_written_anew(me: Any) -> None:
    write(me, "a.txt", "one\n")
    (me.project / "a.txt").unlink()
    assert not write(me, "a.txt", "two\n").get("error")


def test_calls_in_a_batch_and_of_scripts_are_held_to_it(agent: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")
    me = agent(terminal={"cwd": str(tmp_path)})
    me.call("read_file", {"file_path": "a.txt"})
    file.write_text("somebody else\n")
    args = {"file_path": "a.txt", "content": "mine\n"}
    (told,) = me.hermes.batch([("write_file", args)])
    assert refused(json.loads(told))
    code = f"from hermes_tools import write_file; print(write_file(**{args})['error'])"
    assert "changed since" in me.call("execute_code", {"code": code})["output"]
    assert file.read_text() == "somebody else\n"


def test_a_file_that_nobody_read_is_a_warning_and_a_new_one_is_not(me: Any) -> None:
    (me.project / "a.txt").write_text("one\n")
    assert "not read" in write(me, "a.txt", "mine\n")["_warning"]
    assert "_warning" not in write(me, "b.txt", "mine\n")


def test_another_task_that_wrote_it_is_named(me: Any) -> None:
    (me.project / "a.txt").write_text("one\n")
    me.call("read_file", {"file_path": "a.txt"}, task_id="first")
    me.call("write_file", {"file_path": str(me.project / "a.txt"), "content": "two\n"}, task_id="second")
    told = me.call("write_file", {"file_path": str(me.project / "a.txt"), "content": "three\n"}, task_id="first")
    assert "the task 'second' wrote it with write_file" in told["error"]
    assert (me.project / "a.txt").read_text() == "two\n"


def test_only_what_the_edit_broke_is_told(me: Any) -> None:
    told = write(me, "a.py", "def f(:\n")
    assert told["lint"]["status"] == "error"
    assert (me.project / "a.py").read_text() == "def f(:\n"
    assert write(me, "b.py", "x = 1\n")["lint"]["status"] == "ok"
    assert write(me, "c.json", "{")["lint"]["status"] == "error"


def test_the_mask_of_a_secret_is_not_written_over_it(me: Any) -> None:
    file = me.project / "a.py"
    before = f"token = '{TOKEN}'\nx = 1\n"
    file.write_text(before)
    shown = me.call("read_file", {"file_path": "a.py"})["content"]
    content = "\n".join(line.partition("|")[2] for line in shown.splitlines()) + "\n"
    told = write(me, "a.py", content.replace("x = 1", "x = 2"))
    assert "Line 1 of the content contains [secret:github-token#" in told["error"]
    assert file.read_text() == before


def test_the_answer_about_an_unchanged_file_is_no_content(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("one\n")
    me.call("read_file", {"file_path": "a.txt"})
    message = me.call("read_file", {"file_path": "a.txt"})["message"]
    assert write(me, "a.txt", message)["error"]
    assert file.read_text() == "one\n"


def test_half_a_character_is_an_error_and_writes_nothing(me: Any) -> None:
    assert write(me, "a.txt", "x\ud800y")["error"]
    assert not (me.project / "a.txt").exists()


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_only_regular_files_are_written(me: Any, kind: str) -> None:
    if kind == "folder":
        (me.project / "x").mkdir()
    else:
        os.mkfifo(me.project / "x")
    assert write(me, "x", "y")["error"]


def test_a_protected_place_needs_an_approval(agent: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    args = {"file_path": "~/.bashrc", "content": "echo hi\n"}
    assert agent(terminal={"cwd": str(tmp_path)}).call("write_file", args)["code"] == "denied"
    assert not (tmp_path / ".bashrc").exists()
    agent(terminal={"cwd": str(tmp_path)}, approver=lambda request: True).call("write_file", args)
    assert (tmp_path / ".bashrc").read_text() == "echo hi\n"


def test_a_link_put_there_after_the_approval_is_not_written_through(agent: Make, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("untouched\n")
    file = tmp_path / ".env"
    file.write_text("A=1\n")

    def swap(request: ApprovalRequest) -> bool:
        file.unlink()
        file.symlink_to("target")
        return True

    me = agent(terminal={"cwd": str(tmp_path)}, approver=swap)
    assert me.call("write_file", {"file_path": ".env", "content": "B=2\n"})["error"]
    assert target.read_text() == "untouched\n"


def test_a_script_that_was_written_is_known_when_it_is_run(me: Any) -> None:
    (me.project / "data").mkdir()
    write(me, "clean.sh", "#!/bin/sh\nrm -rf data\n")
    assert me.run("sh clean.sh")["decision"] == "no-approver"
    assert (me.project / "data").is_dir()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(content=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_what_was_written_is_what_is_there(me: Any, content: str) -> None:
    file = me.project / "new.txt"
    file.unlink(missing_ok=True)
    told = write(me, "new.txt", content)
    assert "error" not in told, told
    assert file.read_bytes() == content.encode()


def test_half_a_character_is_an_answer_and_no_accident(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_bytes("café\n".encode("cp1252"))
    told = me.call("write_file", {"file_path": "a.txt", "content": "x\ud800"})
    assert told["code"] == "file_error"
    assert file.read_bytes() == "café\n".encode("cp1252")


def test_a_mark_that_is_there_is_not_written_twice(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfold\n")
    me.use("write_file", file_path="a.txt", content="\ufeffnew\n")
    assert file.read_bytes() == b"\xef\xbb\xbfnew\n"


def test_what_replaces_a_binary_file_is_utf_8(me: Any) -> None:
    file = me.project / "a.bin"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    me.use("write_file", file_path="a.bin", content="é\nb\n")
    assert file.read_bytes() == "é\nb\n".encode()


def test_a_path_that_names_a_folder_makes_no_file(me: Any) -> None:
    told = me.call("write_file", {"file_path": "new/", "content": "x"})
    assert "directory" in told["error"]
    assert not (me.project / "new").exists()


def test_a_file_too_big_for_memory_is_left_alone(me: Any) -> None:
    file = me.project / "big"
    with file.open("wb") as handle:
        handle.truncate(1 << 33)
    told = me.call("write_file", {"file_path": "big", "content": "x"})
    assert "max_edit_mb" in told["error"]
    assert file.stat().st_size == 1 << 33


def test_receipts_are_neither_read_nor_forged_unasked(me: Any, home: Path) -> None:
    me.use("write_file", file_path="a.txt", content="x\n")
    receipt = next(each for each in (home / "undo").iterdir() if each.name.startswith("0"))
    for tool, args in [
        ("read_file", {"file_path": str(receipt)}),
        ("read_file", {"file_path": str(home / "undo")}),
        ("search_files", {"pattern": "x", "path": str(home / "undo")}),
        ("write_file", {"file_path": str(home / "undo" / "000099.done"), "content": "{}"}),
        ("patch", {"mode": "patch", "patch": f"*** Begin Patch\n*** Delete File: {receipt}\n*** End Patch"}),
    ]:
        assert me.call(tool, args)["code"] == "denied", tool
    assert receipt.exists()


def test_a_shell_whose_folder_is_gone_makes_no_folder_of_a_strange_name(me: Any) -> None:
    me.run("mkdir gone && cd gone && rmdir ../gone")
    told = me.call("write_file", {"file_path": "a.txt", "content": "x"})
    assert "removed" in told["error"]
    assert list(me.project.iterdir()) == []


def test_a_workspace_may_be_named_from_where_commands_start(agent: Any, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    me = agent(terminal={"cwd": str(tmp_path)}, files={"workspace": "inner", "confined": True})
    me.use("write_file", file_path="inner/a.txt", content="x")
    assert me.call("write_file", {"file_path": "a.txt", "content": "x"})["decision"] == "refused"


def test_what_could_not_be_read_back_in_the_old_encoding_becomes_utf_8(me: Any) -> None:
    (me.project / "a.txt").write_bytes("hello there\n".encode("utf-16-le"))
    told = me.use("write_file", file_path="a.txt", content="\u00c3\u00a9\n")
    assert "UTF-8" in told["_warning"]
    assert me.use("read_file", file_path="a.txt")["content"] == "1|\u00c3\u00a9"
