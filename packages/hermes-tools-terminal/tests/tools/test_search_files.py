"""`search_files` as an agent uses it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core import ApprovalRequest
from hermes_tools_terminal.file_access.session import accesses

Make = Callable[..., Any]


@pytest.fixture
def me(me: Any) -> Any:
    """With something in the project to be found."""
    (me.project / "src").mkdir()
    (me.project / "src" / "a.py").write_text("import os\nhit = 1\n")
    (me.project / "b.txt").write_text("hit\n")
    return me


def find(me: Any, pattern: str, **args: Any) -> dict[str, Any]:
    found: dict[str, Any] = me.call("search_files", {"pattern": pattern, **args})
    return found


def paths(told: dict[str, Any]) -> list[str]:
    return [match["path"] for match in told["matches"]]


def test_lines_are_found_from_where_the_shell_is(me: Any) -> None:
    told = find(me, "hit")
    assert told["matches"] == [
        {"path": "b.txt", "line": 1, "content": "hit"},
        {"path": "src/a.py", "line": 2, "content": "hit = 1"},
    ]
    me.run("cd src")
    assert paths(find(me, "hit")) == ["a.py"]


def test_paths_are_told_as_the_folder_was_named(me: Any) -> None:
    assert paths(find(me, "hit", path="src")) == ["src/a.py"]
    assert paths(find(me, "hit", path="./src/")) == ["src/a.py"]
    assert paths(find(me, "hit", path="src/a.py")) == ["src/a.py"]
    assert paths(find(me, "hit", path=str(me.project / "src"))) == [str(me.project / "src" / "a.py")]
    me.run("cd src")
    assert paths(find(me, "hit", path="..")) == ["../b.txt", "../src/a.py"]


def test_both_words_for_each_target_are_known(me: Any) -> None:
    assert find(me, "hit", target="grep")["total_count"] == 2
    assert find(me, "*.py", target="find")["files"] == find(me, "*.py", target="files")["files"] == ["src/a.py"]


def test_a_missing_folder_names_those_that_are_like_it(me: Any) -> None:
    told = find(me, "hit", path="scr")
    assert "scr" in told["error"]
    assert told["similar_files"] == [str(me.project / "src")]


def test_what_is_neither_file_nor_folder_is_not_searched(me: Any) -> None:
    os.mkfifo(me.project / "pipe")
    assert "pipe" in find(me, "hit", path="pipe")["error"]


def test_numbers_out_of_range_are_brought_back(me: Any) -> None:
    told = find(me, "hit", limit=0, offset=-3, context=-1)
    assert (len(told["matches"]), told["truncated"]) == (1, True)


def test_the_same_search_again_and_again_is_stopped(me: Any) -> None:
    answers = [find(me, "hit") for _ in range(4)]
    assert all("error" not in answer for answer in answers[:3])
    assert "BLOCKED" in answers[3]["error"]
    assert "error" not in find(me, "other")
    assert "error" not in find(me, "hit")


def test_searches_are_in_the_access_log(me: Any) -> None:
    with me.hermes.session() as session:
        session.call("search_files", {"pattern": "hit", "path": "src"})
        (access,) = accesses(session)
    assert (access.what, access.path) == ("search", str(me.project / "src"))


def test_a_protected_folder_is_searched_when_somebody_says_yes(agent: Make, tmp_path: Path) -> None:
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> str:
        asked.append(request)
        return "once" if len(asked) > 1 else "deny"

    home = tmp_path / "me"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "config").write_text("Host hit\n")
    made = agent(terminal={"cwd": str(tmp_path)}, approver=approve)
    path = str(home / ".ssh")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        assert "error" in find(made, "hit", path=path)
        assert paths(find(made, "hit", path=path)) == [f"{path}/config"]
    assert len(asked) == 2


def test_protected_files_are_left_out_and_counted(me: Any) -> None:
    (me.project / "id_rsa").write_text("hit\n")
    told = find(me, "hit")
    assert paths(told) == ["b.txt", "src/a.py"]
    assert told["skipped_protected"] == 1


def test_a_pattern_that_is_none_is_told_how_to_search_literally(me: Any) -> None:
    told = find(me, "f(")
    assert "literal=true" in told["hint"]
    assert find(me, "f(", literal=True)["total_count"] == 0


def test_without_ripgrep_the_same_is_found(me: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if shutil.which("rg") is None:
        pytest.skip("There is no rg: install ripgrep.")
    expected = find(me, "h.t", context=1)
    assert expected.pop("engine") == "ripgrep"
    monkeypatch.setattr("hermes_tools_terminal.search.search.which", lambda *_, **__: None)
    found = find(me, "h.t", context=1)
    assert found.pop("engine") == "python"
    assert found == expected


def test_every_answer_is_json_whatever_is_in_the_files(me: Any) -> None:
    (me.project / "odd.txt").write_bytes(b"hit \xff\xfe \x1b[31m \x7f \xed\xa0\x80\n")
    text = me.hermes.call("search_files", {"pattern": "hit"})
    told = json.loads(text)
    assert told["total_count"] == 3
    text.encode()
