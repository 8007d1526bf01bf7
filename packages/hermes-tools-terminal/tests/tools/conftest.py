"""An agent with a project, which most tests of the tools for files begin with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def me(agent: Callable[..., Any], tmp_path: Path) -> Any:
    """An agent whose shell is in a project of its own."""
    project = tmp_path / "project"
    project.mkdir()
    made = agent(terminal={"cwd": str(project)})
    made.project = project
    return made
