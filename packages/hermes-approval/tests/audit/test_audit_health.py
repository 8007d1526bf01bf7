"""`hermes doctor` reports an audit log that cannot be used, and what of it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

from hermes_approval.audit import plugin
from hermes_approval.audit.reader import find_health_problem


def test_the_check_is_one_of_the_plugin() -> None:
    assert [check.name for check in plugin.hermes_health_checks()] == ["audit log"]


def test_a_log_that_is_fine_or_not_there_is_no_problem(tmp_path: Path) -> None:
    assert find_health_problem(tmp_path) is None
    (tmp_path / "audit.jsonl").write_text('{"v": 1}\n{"v": 1}\n')
    assert find_health_problem(tmp_path) is None


def test_a_log_of_a_newer_version_is_named_with_its_version(tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").write_text(json.dumps({"v": 9, "at": "2030-01-01T00:00:00Z"}) + "\n")
    problem = find_health_problem(tmp_path)
    assert problem is not None
    assert problem.level == "error"
    assert "was written by a newer version (format 9; this one reads 1)" in problem.message


def test_damaged_lines_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").write_text('{"v": 1}\n{"v": 1, "to\n{"v": 1}\n')
    problem = find_health_problem(tmp_path)
    assert problem is not None
    assert problem.level == "warning"
    assert "1 of the last lines" in problem.message


def test_a_log_that_is_a_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").mkdir()
    problem = find_health_problem(tmp_path)
    assert problem is not None
    assert problem.level == "error"
    assert "calls are not logged" in problem.message
