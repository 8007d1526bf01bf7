"""The first call of a process imports what its tool needs, and nothing of what other tools and commands need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FIRST_CALL = """
import sys
from hermes_core import Hermes
with Hermes.load() as hermes:
    answer = hermes.call(sys.argv[1], {sys.argv[2]: sys.argv[3]})
    print(*sys.modules)
if '"error": "' in answer:
    sys.exit(answer)
"""

NEEDED_BY_NEITHER = (
    "click",
    "pydantic",
    "yaml",
    "hermes_approval.cli",
    "hermes_approval.channels",
    "hermes_approval.grants.grant_store",
    "hermes_approval.policy",
    "hermes_core.cli",
    "hermes_guard.rules.git",
    "hermes_guard.rules.interpreters",
    "hermes_guard.rules.remote_code",
    "hermes_search.catalog",
    "hermes_tools_web",
)


@pytest.mark.parametrize(
    ("tool", "argument", "value", "not_needed"),
    [
        ("terminal", "command", "true", ("hermes_guard.paths.rules", "hermes_tools_terminal.files.text_contents")),
        ("read_file", "file_path", "x.txt", ("anyio", "asyncio", "subprocess", "tree_sitter", "hermes_guard.shell")),
    ],
)
def test_a_first_call_imports_its_tool_and_not_the_family(
    tool: str, argument: str, value: str, not_needed: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)  # the families of this workspace are what is tested
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "x.txt").write_text("x\n")
    command = [sys.executable, "-c", FIRST_CALL, tool, argument, value]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    imported = ran.stdout.split()
    assert f"hermes_tools_terminal.tools.{tool}" in imported
    assert [name for name in (*NEEDED_BY_NEITHER, *not_needed) if name in imported] == []
