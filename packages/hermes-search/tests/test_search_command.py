"""`hermes search`: finding tools from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., CompletedProcess[str]]


def found(hermes: Run, *args: str) -> dict[str, Any]:
    done = hermes("search", "--json", *args)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_tool_is_found_by_what_it_does(hermes: Run) -> None:
    answer = found(hermes, "burn all dice")
    assert answer["query"] == "burn all dice"
    first = answer["matches"][0]
    assert (first["name"], first["toolset"], first["source"]) == ("burn_dice", "dice", "plugin")
    assert first["available"]
    assert first["why"]
    assert first["score"] > 0
    assert found(hermes, "burn", "all", "dice") == answer


def test_people_see_a_table(hermes: Run) -> None:
    done = hermes("search", "burn dice")
    assert done.returncode == 0
    assert "burn_dice" in done.stdout
    assert "Burn all dice." in done.stdout


def test_a_chatty_description_does_not_stretch_the_table(hermes: Run, home: Path) -> None:
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "chatty.py").write_text(
        "from hermes_core import Tool, hookimpl\n"
        "@hookimpl\n"
        "def hermes_tools():\n"
        "    schema = {'name': 'chat', 'description': 'Talk and talk. ' * 1000}\n"
        "    return [Tool.from_schema(schema, lambda args: '{}', toolset='mcp-talk')]\n",
        encoding="utf-8",
    )
    lines = hermes("search", "talk").stdout.splitlines()
    assert lines[1].startswith("chat")
    assert max(map(len, lines)) < 400
    assert len(found(hermes, "talk")["matches"][0]["description"]) > 10_000


def test_what_cannot_run_here_is_found_and_says_so(hermes: Run) -> None:
    first = found(hermes, "buy dice")["matches"][0]
    assert (first["name"], first["available"]) == ("buy_dice", False)
    assert "DICE_SHOP_KEY" in first["reason"]
    assert "DICE_SHOP_KEY" in hermes("search", "buy dice").stdout


def test_as_many_are_shown_as_are_asked_for(hermes: Run) -> None:
    assert len(found(hermes, "dice", "--limit", "2")["matches"]) == 2
    assert len(found(hermes, "dice")["matches"]) == 5
    assert found(hermes, "dice", "--toolset", "roll_dice")["total_available"] == 1
    for wrong in ("0", "51", "many"):
        assert hermes("search", "dice", "--limit", wrong).returncode == 2


def test_nothing_found_is_no_failure(hermes: Run) -> None:
    assert found(hermes, "zzqqxx")["matches"] == []
    done = hermes("search", "zzqqxx")
    assert (done.returncode, done.stdout) == (0, "")
    assert "None of 5 tools matches" in done.stderr


@pytest.mark.parametrize("args", [(), ("",), ("  ", " ")])
def test_a_search_for_nothing_is_refused(args: tuple[str, ...], hermes: Run) -> None:
    assert hermes("search", *args).returncode == 2


def test_the_bridge_tools_are_described_like_any_other(hermes: Run) -> None:
    done = hermes("describe", "tool_call")
    assert done.returncode == 0
    assert "Call a tool that tool_search found." in done.stdout
