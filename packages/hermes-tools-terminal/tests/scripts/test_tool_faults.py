"""What tools do wrong does not reach the script that calls them, nor what the script prints."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import CallRecord, Tool, ToolContext, hookimpl

Make = Callable[..., Any]
KEY = "script-secret-4711"
SCRIPT = "from hermes_tools import web_search\nprint(web_search())"


class Watcher:
    """Sees every call."""

    def __init__(self) -> None:
        self.records: list[CallRecord] = []

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        """Keep what was seen."""
        self.records.append(record)


def searching(handler: Callable[..., Any], **fields: Any) -> list[Tool]:
    """The tool that scripts may call, with this handler behind it."""
    return [Tool.from_schema({"name": "web_search"}, handler, toolset="web", **fields)]


def test_a_script_does_not_get_the_key_of_the_tool_that_it_calls(coder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_KEY", KEY)
    watcher = Watcher()

    def leak(args: dict[str, Any]) -> Any:
        return {"key": os.environ["SEARCH_KEY"]}

    made = coder(tools=searching(leak, requires_env=["SEARCH_KEY"]), plugins=[watcher])
    found = made.run("from hermes_tools import web_search\nfound = web_search()['key']\nprint(found, len(found))")
    assert KEY not in json.dumps(found)
    assert "[secret:SEARCH_KEY" in found["output"]
    assert KEY not in "".join(record.result for record in watcher.records)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_a_tool_raises_by_itself_is_an_error_for_the_script(coder: Make, kind: type[BaseException]) -> None:
    def stop(args: dict[str, Any]) -> str:
        raise kind("mine")

    watcher = Watcher()
    made = coder(tools=searching(stop), plugins=[watcher])
    assert f"{kind.__name__}: mine" in made.says(SCRIPT)
    assert [record.status for record in watcher.records] == ["error", "ok"]


def test_a_result_without_end_is_cut_for_a_script(coder: Make) -> None:
    made = coder(tools=searching(lambda args: itertools.count()))
    assert made.says("from hermes_tools import web_search\nprint(web_search()['truncated'])") == "True\n"


def test_scripts_that_call_tools_that_run_scripts_are_limited(coder: Make) -> None:
    def again(args: dict[str, Any], ctx: ToolContext) -> str:
        return ctx.call_tool("execute_code", {"code": SCRIPT})

    made = coder(tools=searching(again, timeout=60), calls={"max_depth": 4})
    assert "4 are allowed" in json.dumps(made.run(SCRIPT))
