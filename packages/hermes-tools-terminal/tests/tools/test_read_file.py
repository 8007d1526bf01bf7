"""`read_file` as an agent uses it."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core import ApprovalRequest
from hermes_tools_terminal.file_access.session import accesses, forget_reads
from hermes_tools_terminal.session_state import interrupt

Make = Callable[..., Any]


def read(me: Any, path: object, **args: Any) -> dict[str, Any]:
    found: dict[str, Any] = me.call("read_file", {"file_path": str(path), **args})
    return found


def test_lines_come_with_their_numbers_and_their_total(me: Any) -> None:
    (me.project / "a.txt").write_text("one\ntwo\nthree")
    told = read(me, "a.txt")
    assert told["content"] == "1|one\n2|two\n3|three"
    assert (told["total_lines"], told["file_size"], told["truncated"]) == (3, 13, False)


def test_the_path_may_be_called_path(me: Any) -> None:
    (me.project / "a.txt").write_text("x\n")
    assert me.call("read_file", {"path": "a.txt"})["content"] == "1|x"


def test_a_relative_path_starts_where_the_shell_is(me: Any) -> None:
    (me.project / "sub").mkdir()
    (me.project / "sub" / "a.txt").write_text("there\n")
    me.run("cd sub")
    assert read(me, "a.txt")["content"] == "1|there"


def test_a_long_file_comes_in_parts_and_the_answer_says_how_to_go_on(me: Any) -> None:
    (me.project / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 1001)))
    told = read(me, "a.txt", limit=10)
    assert told["content"].splitlines()[-1] == "10|line 10"
    assert (told["total_lines"], told["truncated"]) == (1000, True)
    assert "offset=11" in told["hint"]
    last = read(me, "a.txt", offset=991, limit=100)
    assert last["content"].splitlines()[0] == "991|line 991"
    assert last["truncated"] is False


@pytest.mark.parametrize(("offset", "limit"), [(0, 3), (-5, 3)])
def test_an_offset_before_the_beginning_is_the_beginning(me: Any, offset: int, limit: int) -> None:
    (me.project / "a.txt").write_text("1\n2\n3\n4\n")
    assert read(me, "a.txt", offset=offset, limit=limit)["content"] == "1|1\n2|2\n3|3"


def test_an_offset_behind_the_end_says_how_many_lines_there_are(me: Any) -> None:
    (me.project / "a.txt").write_text("1\n2\n")
    told = read(me, "a.txt", offset=10)
    assert told["content"] == ""
    assert "only 2 lines" in told["hint"]


def test_an_empty_file_is_empty(me: Any) -> None:
    (me.project / "a.txt").touch()
    told = read(me, "a.txt")
    assert (told["content"], told["total_lines"]) == ("", 0)
    assert "empty" in told["hint"]


def test_a_huge_line_is_cut_and_says_how_long_it_is(me: Any) -> None:
    (me.project / "a.txt").write_text("short\n" + "x" * 100_000 + "\nend\n")
    lines = read(me, "a.txt")["content"].splitlines()
    assert lines[0] == "1|short"
    assert lines[2] == "3|end"
    assert lines[1].startswith("2|xxx")
    assert "100,000" in lines[1]
    assert len(lines[1]) < 2_100


def test_a_line_is_not_cut_in_the_middle_of_a_character(me: Any) -> None:
    (me.project / "a.txt").write_text("x" + "日本" * 50_000 + "\nend\n")
    told = read(me, "a.txt")
    assert told["content"].startswith("1|x日本日本")
    assert "encoding" not in told


def test_no_more_than_a_hundred_thousand_characters_come_at_once(me: Any) -> None:
    (me.project / "a.txt").write_text(("y" * 1000 + "\n") * 500)
    told = read(me, "a.txt")
    assert 90_000 < len(told["content"]) <= 100_000
    assert told["truncated"] is True
    shown = len(told["content"].splitlines())
    assert f"offset={shown + 1}" in told["hint"]


@pytest.mark.parametrize(
    ("data", "shown", "encoding"),
    [
        ("grün\n".encode(), "1|grün", None),
        (b"\xef\xbb\xbf" + "grün\n".encode(), "1|grün", None),
        (b"gr\xfcn und blau\nrot\n", "1|grün und blau\n2|rot", "uncertain"),
        ("grün\r\nblau\r\n".encode(), "1|grün\n2|blau", None),
        ("eins\nzwei\n".encode("utf-16"), "1|eins\n2|zwei", "utf-16"),
        (b"\xff\xfe\x00\x00" + "eins\nzwei\n".encode("utf-32-le"), "1|eins\n2|zwei", "utf-32"),
        (b"old\rmac\r", "1|old\n2|mac", None),
    ],
)
def test_encodings_marks_and_line_ends_are_understood(me: Any, data: bytes, shown: str, encoding: str | None) -> None:
    (me.project / "a.txt").write_bytes(data)
    told = read(me, "a.txt")
    assert told["content"] == shown
    assert (encoding is None) or told["encoding"].startswith(encoding)


def test_what_is_missing_comes_with_similar_names(me: Any) -> None:
    (me.project / "settings.py").touch()
    (me.project / "other.txt").touch()
    told = read(me, "Settings.yaml")
    assert "File not found" in told["error"]
    assert told["similar_files"] == [str(me.project / "settings.py")]
    assert "settings.py" in told["hint"]


def test_a_folder_says_what_is_in_it(me: Any) -> None:
    (me.project / "sub").mkdir()
    (me.project / "sub" / "a.txt").touch()
    told = read(me, "sub")
    assert "is a directory" in told["error"]
    assert told["entries"] == ["a.txt"]


def test_pipes_sockets_and_devices_are_no_files_and_nobody_waits_for_them(me: Any) -> None:
    os.mkfifo(me.project / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(me.project / "socket"))
        assert "named pipe" in read(me, "pipe")["error"]
        assert "socket" in read(me, "socket")["error"]
    assert "device" in read(me, "/dev/null")["error"]


def test_binary_files_are_not_shown(me: Any) -> None:
    (me.project / "a.bin").write_bytes(bytes(range(256)) * 10)
    told = read(me, "a.bin")
    assert told["is_binary"] is True
    assert "binary" in told["error"]
    assert told["file_size"] == 2560


def test_an_image_is_told_by_its_kind_and_size(me: Any) -> None:
    png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x80\x00\x00\x01\xe0\x08\x06\x00\x00\x00" + bytes(20)
    (me.project / "a.png").write_bytes(png)
    told = read(me, "a.png")
    assert told["is_image"] is True
    assert (told["width"], told["height"]) == (640, 480)
    assert "PNG" in told["error"]


def test_a_notebook_is_read_as_text(me: Any) -> None:
    (me.project / "a.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": ["print(1)\\n"], "outputs": []}], "metadata": {}, "nbformat": 4}'
    )
    told = read(me, "a.ipynb")
    assert "print(1)" in told["content"]
    assert told["document"] == "notebook"


def test_the_same_lines_are_not_given_twice(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("one\n")
    assert read(me, "a.txt")["content"] == "1|one"
    again = read(me, "a.txt")
    assert (again["status"], again["content_returned"]) == ("unchanged", False)
    blocked = read(me, "a.txt")
    assert "BLOCKED" in blocked["error"]
    assert read(me, "a.txt", limit=10)["content"] == "1|one"  # the way out that the hint names
    file.write_text("two\n")
    assert read(me, "a.txt")["content"] == "1|two"


def test_an_application_can_have_everything_given_again(me: Any) -> None:
    (me.project / "a.txt").write_text("one\n")
    with me.hermes.session() as session:
        session.call("read_file", {"file_path": "a.txt"})
        assert "unchanged" in session.call("read_file", {"file_path": "a.txt"})
        forget_reads(session)
        assert "1|one" in session.call("read_file", {"file_path": "a.txt"})
        assert [(access.tool, Path(access.path).name) for access in accesses(session)] == [("read_file", "a.txt")] * 2


def test_secrets_are_hidden_and_the_answer_says_so(me: Any) -> None:
    token = "ghp_" + "a1B2c3" * 6
    (me.project / "a.py").write_text(f"token = '{token}'\nx = 1\n")
    told = read(me, "a.py")
    assert re.fullmatch(r"1\|token = '\[secret:github-token#[0-9a-f]{8}]'\n2\|x = 1", told["content"])
    assert "[secret:...]" in told["hint"]


def test_a_protected_file_needs_an_approval(agent: Make, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\n")
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    assert agent(terminal={"cwd": str(tmp_path)}).call("read_file", {"path": ".env"})["code"] == "denied"
    told = agent(terminal={"cwd": str(tmp_path)}, approver=approve).call("read_file", {"path": ".env"})
    assert told["content"] == "1|A=1"
    assert [finding.rule for finding in asked[0].findings] == ["path.dotenv"]


def test_a_link_is_judged_by_where_it_leads(agent: Make, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / "harmless.txt").symlink_to(".env")
    assert agent(terminal={"cwd": str(tmp_path)}).call("read_file", {"path": "harmless.txt"})["code"] == "denied"


def test_a_link_put_there_after_the_approval_is_not_followed(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the other secret\n")
    file = tmp_path / ".env"
    file.write_text("A=1\n")

    def swap(request: ApprovalRequest) -> bool:
        file.unlink()
        file.symlink_to("secret")
        return True

    told = agent(terminal={"cwd": str(tmp_path)}, approver=swap).call("read_file", {"path": ".env"})
    assert "other secret" not in str(told)
    assert "changed" in told["error"]


def test_a_confined_agent_sees_nothing_outside(agent: Make, tmp_path: Path) -> None:
    inside, extra, outside = (tmp_path / name for name in ("inside", "extra", "outside"))
    for folder in (inside, extra, outside):
        folder.mkdir()
        (folder / "a.txt").write_text("x\n")
    (inside / "link").symlink_to(outside)
    me = agent(
        terminal={"cwd": str(inside)}, files={"confined": True, "extra_roots": [str(extra)]}, approver=lambda _: True
    )
    assert me.call("read_file", {"path": "a.txt"})["content"] == "1|x"
    assert me.call("read_file", {"path": str(extra / "a.txt")})["content"] == "1|x"
    assert me.call("read_file", {"path": str(outside / "a.txt")})["decision"] == "refused"
    assert me.call("read_file", {"path": "link/a.txt"})["decision"] == "refused"
    assert me.call("read_file", {"path": "../outside/a.txt"})["decision"] == "refused"


@pytest.mark.parametrize("path", ["a\0b", "", "x" * 5000, "a" * 300])
def test_a_name_that_cannot_be_is_an_error(me: Any, path: str) -> None:
    assert read(me, path)["error"]


def test_a_running_command_does_not_hold_up_a_read(me: Any) -> None:
    (me.project / "a.txt").write_text("x\n")
    with me.hermes.session() as session:
        command = {"command": "touch started; sleep 60"}
        running = threading.Thread(target=session.call, args=("terminal", command))
        running.start()
        deadline = time.monotonic() + 30
        while not (me.project / "started").exists():
            assert time.monotonic() < deadline
        assert "1|x" in session.call("read_file", {"file_path": "a.txt"})
        assert running.is_alive()
        assert interrupt(session)
        running.join(30)


def test_carriage_returns_in_the_last_line_are_no_line_ends(me: Any) -> None:
    (me.project / "a.log").write_bytes(b"a\nb\n10%\r50%\r100%")
    told = me.use("read_file", file_path="a.log", offset=3)
    assert told["content"] == "3|10%\r50%\r100%"


def test_names_in_a_folder_of_keys_are_not_told_to_who_did_not_ask(
    me: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = tmp_path / "somebody" / ".ssh"
    keys.mkdir(parents=True)
    (keys / "configs-of-production").write_text("x")
    monkeypatch.setenv("HOME", str(keys.parent))
    told = me.call("read_file", {"file_path": "~/.ssh/config"})
    assert "File not found" in told["error"]
    assert "production" not in str(told)


def test_a_broken_notebook_is_shown_as_it_is(me: Any) -> None:
    (me.project / "a.ipynb").write_text('{"cells": [\n')
    assert me.use("read_file", file_path="a.ipynb")["content"] == '1|{"cells": ['


def test_a_path_too_long_for_a_message_is_cut(me: Any) -> None:
    told = me.call("read_file", {"file_path": "a" * 10_000})
    assert told["errno"] == "ENAMETOOLONG"
    assert len(told["error"]) < 500


def test_a_name_whose_accents_are_written_otherwise_is_suggested(me: Any) -> None:
    (me.project / "caf\u00e9").write_text("x")
    told = me.call("read_file", {"file_path": "cafe\u0301"})
    assert told["similar_files"] == [str(me.project / "caf\u00e9")]


def test_what_only_a_script_has_read_is_given_to_the_model(me: Any) -> None:
    (me.project / "a.txt").write_text("one\n")
    with me.hermes.session() as session:
        ran = session.call("execute_code", {"code": "from hermes_tools import read_file\nread_file('a.txt')\n"})
        assert '"tool_calls_made": 1' in ran
        assert "1|one" in session.call("read_file", {"file_path": "a.txt"})
