"""The session `fresh` covers every tool and family, and installs what the README says."""

from __future__ import annotations

import json
from pathlib import Path
from tomllib import loads

from tests.fresh.calls import CALLS, COMMANDS, uncovered
from tests.fresh.check import first_block

ROOT = Path(__file__).parents[1]
TOOLS = sorted(
    tool["name"]
    for manifest in ROOT.glob("packages/*/src/*/hermes-plugin.json")
    for tool in json.loads(manifest.read_text(encoding="utf-8")).get("tools", ())
)
FAMILIES = sorted(
    name
    for project in ROOT.glob("packages/*/pyproject.toml")
    for name in loads(project.read_text(encoding="utf-8"))["project"].get("entry-points", {}).get("hermes.plugins", {})
)


def test_every_tool_and_family_of_the_checkout_is_called() -> None:
    assert uncovered(TOOLS, FAMILIES) == []
    assert sorted(CALLS) == TOOLS
    assert sorted(COMMANDS) == FAMILIES


def test_a_new_tool_or_family_fails_the_session_until_it_is_covered() -> None:
    problems = uncovered([*TOOLS, "browser_open"], [*FAMILIES, "browser"])
    assert [line.partition(":")[0] for line in problems] == [
        "the tool browser_open has no entry in CALLS",
        "the family browser has no entry in COMMANDS",
    ]


def test_the_block_is_the_first_of_the_readme_and_ends_with_the_demo() -> None:
    block = first_block((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "pip install" in block
    assert block.rstrip().endswith("hermes demo")


def test_the_default_sessions_have_it() -> None:
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    line = next(line for line in noxfile.splitlines() if line.startswith("nox.options.sessions"))
    assert '"fresh"' in line
