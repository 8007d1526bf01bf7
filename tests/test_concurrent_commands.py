"""Commands that are started at once and share one home all succeed, on a machine that has no time for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from bench.crowd import run_crowd

COMMANDS = 32
"""`python -m bench crowd` starts 200."""


def test_many_commands_at_once_share_a_new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)  # the families of this workspace are what is tested
    crowd = run_crowd(COMMANDS, tmp_path)
    assert crowd.wrong == []
    assert sorted(crowd.audited) == sorted(["terminal", "read_file", "write_file", "patch"] * (COMMANDS // 4))
    assert crowd.files == sorted(f"{number}.txt" for number in range(COMMANDS))
    left = [name for name in crowd.home if ".lock" in name or ".tmp" in name or name.endswith("~")]
    assert left == []
    timeout = yaml.safe_load((tmp_path / "home" / "config.yaml").read_text())["calls"]["timeout"]
    assert timeout in {100 + number for number in range(0, COMMANDS, 8)}
    grants = json.loads((tmp_path / "home" / "approvals.json").read_text())["grants"]
    assert len(grants) == COMMANDS // 8
