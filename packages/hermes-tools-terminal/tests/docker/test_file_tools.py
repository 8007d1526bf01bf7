"""The tools for files in a container."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

Make = Callable[..., Any]
Story = Callable[[Any, str], None]


def test_files_in_a_container_are_files(engine: Any, agent: Make, files_story: Story) -> None:
    me = agent(terminal={**asdict(engine.settings()), "env": "docker"})
    files_story(me, "/workspace/project")
    assert not Path("/workspace/project").exists()


def test_a_container_has_no_secrets_of_this_machine_so_nobody_is_asked(engine: Any, agent: Make) -> None:
    me = agent(terminal={**asdict(engine.settings()), "env": "docker"})
    assert me.use("write_file", file_path="/workspace/.env", content="A=1\n")["bytes_written"] == 4
    assert me.use("read_file", file_path="/workspace/.env")["content"] == "1|A=1"
