"""Every test has a home of its own, without projects and skills of the user."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hermes_tools_skills.plugin
from hermes_core import Hermes


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `HERMES_HOME` and home directory: no test may read or write the user's."""
    for name in list(os.environ):
        if name.startswith("HERMES_"):
            monkeypatch.delenv(name)
    folder = tmp_path / "hermes-home"
    folder.mkdir()
    user = tmp_path / "user"
    user.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(folder))
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.chdir(project)
    return folder


def write_skill(
    root: Path, name: str, description: str = "Do a thing.", body: str = "Do it.\n", *, front: str = "", **files: str
) -> Path:
    """Write a skill and return its directory. `name` may contain a category; `files` are further files by path."""
    directory = root / name
    directory.mkdir(parents=True, exist_ok=True)
    text = f"---\nname: {directory.name}\ndescription: {description}\n{front}---\n{body}"
    (directory / "SKILL.md").write_text(text, encoding="utf-8")
    for path, content in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(content, encoding="utf-8")
    return directory


class Agent:
    """A host with the skills tools, and short ways to call them.

    Args:
        skills: The section `skills` of the settings.
        options: Those of `Hermes`; `plugins` come after `hermes_tools_skills`.
    """

    def __init__(self, *, skills: dict[str, Any] | None = None, **options: Any) -> None:
        sections = {"skills": {"bundled": False, **(skills or {})}}
        plugins = [hermes_tools_skills.plugin, *options.pop("plugins", ())]
        self.hermes = Hermes(plugins=plugins, config=sections, **options)

    def call(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """The result of a call, read."""
        found = json.loads(self.hermes.call(tool, args))
        assert isinstance(found, dict)
        return found

    def use(self, tool: str, **args: Any) -> dict[str, Any]:
        """The result of a call that works."""
        found = self.call(tool, args)
        assert not found.get("error"), found
        return found


@pytest.fixture
def agent() -> Iterator[Callable[..., Agent]]:
    """Makes agents, and closes them when the test is over."""
    made: list[Agent] = []

    def make(**options: Any) -> Agent:
        made.append(Agent(**options))
        return made[-1]

    yield make
    for each in made:
        each.hermes.close()
