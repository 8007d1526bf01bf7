"""The manifest describes the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hermes_approval
from hermes_approval import plugin
from hermes_core.health import HealthProblem

SOURCE = Path(__file__).parents[1]


def test_the_manifest_is_fresh() -> None:
    program = "from hermes_core.cli.main import main; raise SystemExit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "plugin", "manifest", "--check", str(SOURCE)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_facade_holds_what_it_names() -> None:
    assert all(hasattr(hermes_approval, name) for name in hermes_approval.__all__)


@pytest.mark.parametrize("content", ['{"version": 7, "grants": []}', '{"version": 1, "gra', "[]"])
def test_a_file_of_grants_that_cannot_be_read_is_a_health_problem(home: Path, content: str) -> None:
    class Context:
        def __init__(self) -> None:
            self.home = home

    (check,) = plugin.hermes_health_checks()
    assert check.run(Context()) is None  # type: ignore[arg-type]
    home.mkdir()
    (home / "approvals.json").write_text(content, encoding="utf-8")
    (home / "approvals.json").chmod(0o600)
    problem = check.run(Context())  # type: ignore[arg-type]
    assert isinstance(problem, HealthProblem)
    assert str(home / "approvals.json") in problem.message
