"""`hermes tools cost`: the bill on paper and as JSON, and `hermes tools` as it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture(autouse=True)
def no_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule counts, whatever is installed where the tests run."""
    monkeypatch.setitem(sys.modules, "tiktoken", None)


def bill(hermes: Run, *args: str) -> dict[str, Any]:
    done = hermes("tools", "cost", "--json", *args)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_bill_names_every_tool_and_toolset_and_how_it_was_counted(hermes: Run) -> None:
    done = hermes("tools", "cost")
    assert done.returncode == 0
    for word in ("roll_dice", "dice", "estimate: 4 characters are one token", "with tool search", "not active"):
        assert word in done.stdout
    assert "hermes-search[tokens]" in done.stderr
    assert "buy_dice" not in done.stdout  # it cannot run here


def test_the_bill_as_json_adds_up(hermes: Run) -> None:
    found = bill(hermes)
    assert (found["exact"], found["method"]) == (False, "estimate: 4 characters are one token")
    assert {tool["name"] for tool in found["tools"]} == {"roll_dice", "burn_dice", "watch_dice", "lose_dice"}
    assert found["toolsets"] == [{"name": "dice", "tools": 4, "tokens": found["total_tokens"], "always_load_tokens": 0}]
    assert found["deferrable_tokens"] == found["total_tokens"] > 100
    assert found["with_tool_search_tokens"] == found["bridge_tokens"]
    assert found["saved_tokens"] == found["total_tokens"] - found["bridge_tokens"]
    assert found["tool_search"]["activated"] is False


def test_a_context_window_says_how_much_of_it_is_gone(hermes: Run) -> None:
    found = bill(hermes, "--context", "1000", "--model", "gpt-4o")
    assert (found["context_length"], found["model"]) == (1000, "gpt-4o")
    assert found["share_of_context"] == round(found["total_tokens"] / 1000, 4)
    assert found["tool_search"]["activated"] is True
    assert found["tool_search"]["threshold_tokens"] == 100
    assert "% of the context" in hermes("tools", "cost", "--context", "1000").stdout


def test_the_settings_decide_whether_tools_are_hidden_and_never_hide_the_bill(hermes: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("tools: {tool_search: {enabled: on}}", encoding="utf-8")
    found = bill(hermes)
    assert found["tool_search"] == {
        "activated": True,
        "reason": "tools.tool_search is on.",
        "threshold_tokens": None,
    }
    assert len(found["tools"]) == 4


def test_the_bill_of_one_toolset_is_its_own(hermes: Run) -> None:
    assert bill(hermes, "--toolset", "dice") == bill(hermes)
    assert bill(hermes, "--toolset", "roll_dice")["tools"][0]["name"] == "roll_dice"
    done = hermes("tools", "cost", "--toolset", "dcie")
    assert done.returncode == 2
    assert "'dice'" in done.stderr


def test_without_tools_the_bill_is_empty(bare: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_PLUGINS", "search")
    done = bare("tools", "cost", "--json")
    assert (done.returncode, json.loads(done.stdout)["total_tokens"]) == (0, 0)
    assert bare("tools", "cost").returncode == 0


@pytest.mark.parametrize("context", ["0", "-5", "many", "1.5"])
def test_a_window_that_is_none_is_refused(context: str, hermes: Run) -> None:
    assert hermes("tools", "cost", "--context", context).returncode == 2


def test_the_list_of_tools_is_as_it_was(hermes: Run) -> None:
    listed = json.loads(hermes("tools", "--json").stdout)["tools"]
    assert "roll_dice" in [row["name"] for row in listed]
    assert hermes("tools", "--toolset", "dice").returncode == 0
    for wrong in (("tools", "--json", "cost"), ("tools", "cots")):
        assert hermes(*wrong).returncode == 2
    assert "cost" in hermes("tools", "--help").stdout
