"""The family as a plugin: what the manifest says is what the code says."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The test kit, which makes manifests."""
    return "hermes-kit"


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


def test_what_it_brings_is_known_without_an_import() -> None:
    manifest = json.loads(files("hermes_tools_web").joinpath("hermes-plugin.json").read_text(encoding="utf-8"))
    assert [tool["name"] for tool in manifest["tools"]] == ["web_crawl", "web_extract", "web_search"]
    assert [section["name"] for section in manifest["settings"]] == ["auxiliary", "security", "web"]
    assert [command["name"] for command in manifest["commands"]] == ["web"]


def test_a_broken_setting_reaches_the_model_as_an_error_it_can_tell(agent: Any) -> None:
    told = agent(web={"cache": {"page_minutes": "soon"}}).call("web_search", {"query": "x"})
    assert "cannot read its settings" in told["error"]
