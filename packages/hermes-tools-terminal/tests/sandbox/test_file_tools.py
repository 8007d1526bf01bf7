"""The tools for files in a sandbox: they see and change what commands in it do, and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Make = Callable[..., Any]
Story = Callable[[Any, str], None]


def boxed(agent: Make, own: Path, engine: str, **more: Any) -> Any:
    terminal = {"env": "sandbox", "cwd": str(own / "work"), "sandbox": {"engine": engine}}
    return agent(terminal=terminal, **more)


def test_files_in_a_sandbox_are_files(agent: Make, own: Path, engine: str, files_story: Story) -> None:
    files_story(boxed(agent, own, engine), str(own / "work" / "project"))
    assert (own / "work" / "project" / "d.txt").read_bytes() == b"one\r\ntwo\r\n"  # the workspace is this machine's


def test_what_the_sandbox_hides_cannot_be_read_even_with_an_approval(agent: Make, own: Path, engine: str) -> None:
    key = own / "home/.ssh/id_ed25519"
    key.parent.mkdir(exist_ok=True)
    key.write_text("the key itself\n")
    me = boxed(agent, own, engine, approver=lambda request: True)
    told = me.call("read_file", {"file_path": str(key)})
    assert told["error"]
    assert "the key itself" not in str(told)


def test_outside_of_the_workspace_nothing_is_written_even_with_an_approval(agent: Make, own: Path, engine: str) -> None:
    me = boxed(agent, own, engine, approver=lambda request: True)
    for path in (f"{own}/home/new.txt", "/etc/hermes-test"):
        assert me.call("write_file", {"file_path": path, "content": "x"})["error"]
        assert not Path(path).exists()
