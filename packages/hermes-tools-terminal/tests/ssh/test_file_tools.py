"""The tools for files on another machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[..., Any]
Story = Callable[[Any, str], None]


def test_files_of_another_machine_are_files(sshd: Any, agent: Make, files_story: Story) -> None:
    me = agent(terminal={"env": "ssh", "ssh": sshd.settings()})
    files_story(me, f"/home/{sshd.user}/project")
    me.run("rm -r ~/project/new ~/project/sub/a.py")


def test_secrets_of_another_machine_are_asked_about(sshd: Any, agent: Make) -> None:
    me = agent(terminal={"env": "ssh", "ssh": sshd.settings()})
    assert me.call("read_file", {"file_path": "project/.env"})["code"] == "denied"
