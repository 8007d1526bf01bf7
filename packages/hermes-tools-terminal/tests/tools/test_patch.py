"""`patch` as an agent uses it."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hermes_tools_terminal.plugin
from hermes_core import ApprovalRequest, Hermes
from hermes_tools_terminal.file_access.session import FileSessions

Make = Callable[..., Any]


def replace(me: Any, path: object, old: str, new: str, **more: Any) -> dict[str, Any]:
    args = {"mode": "replace", "path": str(path), "old_string": old, "new_string": new, **more}
    told: dict[str, Any] = me.call("patch", args)
    return told


def apply(me: Any, patch: str) -> dict[str, Any]:
    told: dict[str, Any] = me.call("patch", {"mode": "patch", "patch": patch})
    return told


def test_one_place_is_replaced_and_the_difference_is_shown(me: Any) -> None:
    file = me.project / "a.py"
    file.write_text("x = 1\ny = 2\n")
    told = replace(me, "a.py", "x = 1", "x = 3")
    assert file.read_text() == "x = 3\ny = 2\n"
    assert told["success"] is True
    assert "-x = 1\n+x = 3\n" in told["diff"]
    assert told["files_modified"] == [str(file)]
    assert told["lint"]["status"] == "ok"


def test_several_places_need_to_be_meant(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("a\nb\na\n")
    told = replace(me, "a.txt", "a", "c")
    assert "2 matches" in told["error"]
    assert file.read_text() == "a\nb\na\n"
    assert replace(me, "a.txt", "a", "c", replace_all=True)["success"] is True
    assert file.read_text() == "c\nb\nc\n"


def test_a_text_that_is_only_nearly_there_is_found(me: Any) -> None:
    file = me.project / "a.py"
    file.write_text("def f():\n    if x:\n        return  1\n")
    told = replace(me, "a.py", "if x:\n    return 1", "if x:\n    return 2")
    assert told["success"] is True
    assert file.read_text() == "def f():\n    if x:\n        return 2\n"
    assert told["strategy"] != "exact"


def test_a_text_that_is_not_there_comes_with_what_is_like_it(me: Any) -> None:
    (me.project / "a.py").write_text("def total(values):\n    return sum(values)\n\ndef other():\n    pass\n")
    told = replace(me, "a.py", "def total(numbers, start):\n    return sum(numbers) + start + 1\n", "x")
    assert told["error"]
    assert "def total(values)" in json.dumps(told)
    replace(me, "a.py", "not here 1", "x")
    assert "read_file" in replace(me, "a.py", "not here 2", "x")["hint"]


def test_line_ends_and_marks_stay(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb\r\nc\n")
    replace(me, "a.txt", "a\nb", "x\ny\nz")
    assert file.read_bytes() == b"\xef\xbb\xbfx\r\ny\r\nz\r\nc\n"


PATCH = """*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+2
*** Add File: new/b.txt
+hello
*** Delete File: c.txt
*** Move File: d.txt -> e.txt
*** End Patch
"""


@pytest.fixture
def files(me: Any) -> Path:
    """What the patch is about."""
    project: Path = me.project
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    (project / "c.txt").write_text("gone\n")
    (project / "d.txt").write_text("moved\n")
    (project / "d.txt").chmod(0o640)
    return project


def test_a_patch_changes_several_files_at_once(me: Any, files: Path) -> None:
    told = apply(me, PATCH)
    assert told["success"] is True, told
    assert (files / "a.txt").read_text() == "one\n2\nthree\n"
    assert (files / "new/b.txt").read_text().rstrip("\n") == "hello"
    assert not (files / "c.txt").exists()
    assert not (files / "d.txt").exists()
    assert (files / "e.txt").read_text() == "moved\n"
    assert (files / "e.txt").stat().st_mode & 0o777 == 0o640
    assert told["files_created"] == [str(files / "new/b.txt"), str(files / "e.txt")]
    assert sorted(told["files_deleted"]) == [str(files / "c.txt"), str(files / "d.txt")]
    assert told["files_modified"] == [str(files / "a.txt")]


def test_a_patch_that_does_not_fit_changes_nothing(me: Any, files: Path) -> None:
    told = apply(me, PATCH.replace("-two", "-twenty-two thousand"))
    assert "a.txt" in told["error"]
    assert (files / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert not (files / "new").exists()
    assert (files / "c.txt").exists()
    assert (files / "d.txt").exists()


def test_an_empty_patch_is_an_error(me: Any) -> None:
    assert "is empty" in apply(me, "*** Begin Patch\n*** End Patch\n")["error"]


def test_an_edit_that_is_sent_again_changes_nothing(me: Any) -> None:
    file = me.project / "a.py"
    file.write_text("def f(\n    a,\n):\n    pass\n")
    once = "def f(\n    a,\n    review=None,\n):\n    pass\n"
    for _ in range(3):
        told = replace(me, "a.py", "    a,\n", "    a,\n    review=None,\n")
        assert file.read_text() == once
    assert "Already applied" in told["error"]
    assert "line 2" in told["error"]
    told = apply(me, "*** Begin Patch\n*** Update File: a.py\n@@\n     a,\n+    review=None,\n*** End Patch")
    assert "Already applied" in told["error"]
    assert file.read_text() == once


def test_the_rest_of_a_patch_is_applied_when_some_of_it_is_in_place(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("one\nTWO\nthree\nfour\n")
    hunks = "@@\n one\n-two\n+TWO\n three\n@@\n-four\n+FOUR\n"
    told = apply(me, f"*** Begin Patch\n*** Update File: a.txt\n{hunks}*** End Patch")
    assert file.read_text() == "one\nTWO\nthree\nFOUR\n"
    assert "already applied: hunk 1" in told["_warning"]


def test_line_numbers_of_read_file_are_not_written(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("one\ntwo\nthree\n")
    me.call("read_file", {"file_path": "a.txt"})
    told = replace(me, "a.txt", "2|two\n3|three", "2|zwei\n3|three")
    assert file.read_text() == "one\nzwei\nthree\n"
    assert told["strategy"] == "line_numbers"
    assert told["replaced"] == ["two\nthree"]


@pytest.mark.parametrize("missing", ["path", "old_string", "new_string"])
def test_what_is_missing_in_a_call_is_named(me: Any, missing: str) -> None:
    args = {"mode": "replace", "path": "a", "old_string": "b", "new_string": "c"}
    del args[missing]
    assert missing in me.call("patch", args)["error"]
    assert "patch" in me.call("patch", {"mode": "patch"})["error"]


def test_every_file_of_a_patch_is_judged(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> bool:
        asked.append(request)
        return False

    patch = "*** Update File: a.txt\n@@\n-x\n+y\n*** Add File: .env\n+A=1\n"
    me = agent(terminal={"cwd": str(tmp_path)}, approver=approve)
    assert me.call("patch", {"mode": "patch", "patch": patch})["code"] == "denied"
    assert [finding.rule for finding in asked[0].findings] == ["path.dotenv"]
    assert (tmp_path / "a.txt").read_text() == "x\n"


def test_a_stale_patch_says_so(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("one\ntwo\n")
    me.call("read_file", {"file_path": "a.txt"})
    file.write_text("zero\none\ntwo\n")
    assert "changed since" in replace(me, "a.txt", "two", "2")["_warning"]


def _count(folder: str, times: int) -> None:
    config = {"terminal": {"cwd": folder}}
    with Hermes(plugins=[hermes_tools_terminal.plugin], config=config) as hermes:
        done = 0
        while done < times:
            number = int(Path(folder, "n.txt").read_text().strip())
            told = json.loads(
                hermes.call(
                    "patch",
                    {"mode": "replace", "path": "n.txt", "old_string": f"{number}\n", "new_string": f"{number + 1}\n"},
                )
            )
            done += "error" not in told


def test_processes_that_patch_the_same_file_lose_nothing(me: Any) -> None:
    (me.project / "n.txt").write_text("0\n")
    fresh = multiprocessing.get_context("spawn")
    workers = [fresh.Process(target=_count, args=(str(me.project), 20)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    assert (me.project / "n.txt").read_text() == "60\n"


def test_a_shell_script_is_checked_by_its_shell(me: Any) -> None:
    (me.project / "a.sh").write_text("if true; then echo yes; fi\n")
    told = replace(me, "a.sh", "fi", "")
    assert told["lint"]["status"] == "error"
    assert replace(me, "a.sh", "echo yes; ", "echo yes; fi")["lint"]["status"] == "ok"


def test_a_match_that_is_not_exact_is_reported_with_what_was_replaced(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("timeout_in_seconds = 60\nnumber_of_retries = 3\n")
    told = replace(
        me, "a.txt", "timeout_in_seconds = 30\nnumber_of_retries = 3", "timeout_in_seconds = 30\nnumber_of_retries = 5"
    )
    assert file.read_text() == "timeout_in_seconds = 60\nnumber_of_retries = 5\n"
    assert told["strategy"] == "context"
    assert told["replaced"] == ["timeout_in_seconds = 60\nnumber_of_retries = 3"]
    assert "Check the diff" in told["_warning"]


def test_lines_that_were_not_quoted_stay(me: Any) -> None:
    file = me.project / "a.txt"
    file.write_text("a = load()\nb = parse(a)\ndelete_all(b)\n")
    told = replace(me, "a.txt", "a = load()\nb = parse(a)\nsave(b)", "a = load()")
    assert "not found" in told["error"]
    assert file.read_text() == "a = load()\nb = parse(a)\ndelete_all(b)\n"


@pytest.mark.parametrize("what", ["*** Delete File: link", "*** Move File: link -> other"])
def test_a_link_is_not_removed_by_removing_what_it_leads_to(me: Any, what: str) -> None:
    (me.project / "real.txt").write_text("keep\n")
    (me.project / "link").symlink_to("real.txt")
    told = apply(me, f"*** Begin Patch\n{what}\n*** End Patch")
    assert "is a symbolic link to" in told["error"]
    assert (me.project / "real.txt").read_text() == "keep\n"
    (me.project / "folder").symlink_to(".")  # a link on the way is no link at the end
    assert apply(me, "*** Begin Patch\n*** Delete File: folder/real.txt\n*** End Patch")["success"] is True


def test_a_file_cannot_be_put_into_a_file_of_the_same_patch(me: Any) -> None:
    told = apply(me, "*** Begin Patch\n*** Add File: a\n+1\n*** Add File: a/b\n+2\n*** End Patch")
    assert "Nothing was changed" in told["error"]
    assert list(me.project.iterdir()) == []
    (me.project / "x").write_text("1\n")
    assert "x/y" in apply(me, "*** Begin Patch\n*** Add File: x/y\n+2\n*** End Patch")["error"]


def test_files_that_change_places_are_shown_as_they_were_and_are(me: Any) -> None:
    (me.project / "x").write_text("1\n")
    (me.project / "y").write_text("2\n")
    moves = "*** Move File: x -> t\n*** Move File: y -> x\n*** Move File: t -> y\n"
    told = apply(me, f"*** Begin Patch\n{moves}*** End Patch")
    assert "-1\n+2\n" in told["diff"]
    assert "-2\n+1\n" in told["diff"]


def test_a_moved_file_is_not_blamed_for_what_was_broken_before(me: Any) -> None:
    (me.project / "a.py").write_text("def f(:\n    pass\n")
    told = apply(me, "*** Begin Patch\n*** Move File: a.py -> b.py\n*** End Patch")
    [lint] = told["lint"].values()
    assert lint["output"] == ""


def test_a_binary_file_is_moved_unseen_and_never_edited(me: Any) -> None:
    data = bytes(range(256))
    (me.project / "a.bin").write_bytes(data)
    assert "binary" in replace(me, "a.bin", "nothing", "x")["error"]
    told = apply(me, "*** Begin Patch\n*** Move File: a.bin -> b.bin\n*** End Patch")
    assert told["diff"] == ""
    assert (me.project / "b.bin").read_bytes() == data
    assert apply(me, "*** Begin Patch\n*** Delete File: b.bin\n*** End Patch")["diff"] == ""


def test_what_was_judged_for_reading_is_what_is_judged_for_writing(me: Any) -> None:
    (me.project / "a").write_text("harmless\n")
    (me.project / "b").write_text("other\n")
    with me.hermes.session() as session:
        session.call("read_file", {"file_path": "a"})
        [desks] = [each for each in session.state.values() if isinstance(each, FileSessions)]
        [files] = desks
        files.assess_file("read", "a", call="one")
        (me.project / "a").unlink()
        (me.project / "a").symlink_to("b")
        files.assess_file("write", "a", call="one")
        assert files.assessed_file("write", "a", call="one").path == str(me.project / "a")
        assert files.assessed_file("read", "a", call="one").path == str(me.project / "a")


def test_a_secret_is_not_told_by_what_is_said_about_the_syntax(me: Any) -> None:
    token = "ghp_" + "a1B2c3" * 6
    (me.project / "a.json").write_text(f'{{"a": 1,\n "token": "{token}"}}\n')
    told = replace(me, "a.json", "1,", "1")
    assert told["lint"]["status"] == "error"
    assert token not in json.dumps(told)


def test_a_patch_that_is_in_place_in_one_of_two_files_is_refused(me: Any) -> None:
    (me.project / "one").write_text("2\n")
    (me.project / "two").write_text("2\n")
    text = "*** Update File: one\n@@\n-1\n+2\n*** Update File: two\n@@\n-2\n+3\n"
    told = me.call("patch", {"mode": "patch", "patch": text})
    assert "partly applied: one" in told["error"]
    assert (me.project / "two").read_text() == "2\n"
