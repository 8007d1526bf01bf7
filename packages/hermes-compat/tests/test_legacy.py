"""Tool files written for Hermes Agent find their names here, and a host behind them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hermes_compat as legacy
from hermes_compat import ToolRegistry
from hermes_core import Deny, Hermes, ToolCall, ToolDefinitionError, hookimpl
from hermes_core.errors import HostClosedError

Schema = dict[str, Any]


def schema(name: str = "echo", **properties: Any) -> Schema:
    return {
        "name": name,
        "description": f"Run {name} for the test.",
        "parameters": {"type": "object", "properties": properties or {"text": {"type": "string"}}},
    }


def echo(args: dict[str, Any], **info: Any) -> str:
    return json.dumps(args)


@pytest.fixture
def registry() -> Iterator[ToolRegistry]:
    """A registry of its own, with a host that it makes itself."""
    made = ToolRegistry()
    yield made
    made.close()


@pytest.fixture
def default() -> Iterator[ToolRegistry]:
    """The registry that the module functions speak for, empty before and after."""
    legacy.registry.close()
    yield legacy.registry
    legacy.registry.close()


# -- register ----------------------------------------------------------------------------------------------------


def test_register_takes_its_arguments_by_position_in_the_order_of_old(registry: ToolRegistry) -> None:
    registry.register(
        "echo", "talk", schema(), echo, None, ["ECHO_KEY"], False, "Say it again, please.", "📣", 5000, None, False
    )
    entry = registry.get_entry("echo")
    assert entry is not None
    assert (entry.toolset, entry.description, entry.emoji) == ("talk", "Say it again, please.", "📣")
    assert registry.get_max_result_size("echo") == 5000


def test_a_description_falls_back_to_that_of_the_schema(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo)
    entry = registry.get_entry("echo")
    assert entry is not None
    assert entry.description == "Run echo for the test."


def test_the_registered_name_wins_over_that_of_the_schema(registry: ToolRegistry) -> None:
    registry.register("say", "talk", schema("echo"), echo)
    assert registry.get_all_tool_names() == ["say"]
    assert registry.get_definitions({"say"})[0]["function"]["name"] == "say"


def test_the_same_toolset_replaces_its_tool(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo)
    registry.register("echo", "talk", schema(), lambda args, **info: '"new"')
    assert registry.dispatch("echo", {}) == '"new"'


def test_another_toolset_is_refused_with_a_logged_error(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.register("echo", "talk", schema(), echo)
    with caplog.at_level(logging.ERROR, "hermes"):
        registry.register("echo", "other", schema(), lambda args, **info: '"shadow"')
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "would shadow" in caplog.text
    assert registry.get_toolset_for_tool("echo") == "talk"
    assert registry.dispatch("echo", {"text": "hi"}) == '{"text": "hi"}'


def test_override_lets_another_toolset_take_the_name(registry: ToolRegistry, caplog: pytest.LogCaptureFixture) -> None:
    registry.register("echo", "talk", schema(), echo)
    with caplog.at_level(logging.INFO, "hermes"):
        registry.register("echo", "other", schema(), echo, override=True)
    assert registry.get_toolset_for_tool("echo") == "other"
    assert "now belongs to other" in caplog.text


def test_servers_of_mcp_may_take_names_from_each_other(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.register("echo", "mcp-a", schema(), echo)
    with caplog.at_level(logging.INFO, "hermes"):
        registry.register("echo", "mcp-b", schema(), echo)
    assert registry.get_toolset_for_tool("echo") == "mcp-b"
    assert caplog.text == ""


def test_a_declaration_that_can_never_work_raises_at_once(registry: ToolRegistry) -> None:
    with pytest.raises(ToolDefinitionError, match="not a function"):
        registry.register("echo", "talk", schema(), "echo")  # type: ignore[arg-type]


def test_deregistering_the_last_tool_takes_check_and_aliases_along(registry: ToolRegistry) -> None:
    registry.register("echo", "mcp-talk", schema(), echo, check_fn=lambda: False)
    registry.register_toolset_alias("talk", "mcp-talk")
    registry.deregister("echo")
    registry.deregister("echo")
    assert registry.get_registered_toolset_names() == []
    assert registry.is_toolset_available("mcp-talk")
    assert registry.host.registry.snapshot.toolset_aliases == {}


def test_an_alias_that_changes_its_meaning_is_worth_a_warning(
    registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.register("echo", "mcp-a", schema(), echo)
    registry.register_toolset_alias("talk", "mcp-a")
    registry.register_toolset_alias("talk", "mcp-a")
    assert caplog.text == ""
    registry.register_toolset_alias("talk", "mcp-b")
    assert "meant mcp-a and now means mcp-b" in caplog.text


# -- dispatch ----------------------------------------------------------------------------------------------------


def test_a_handler_with_keywords_is_told_everything(registry: ToolRegistry) -> None:
    told: dict[str, Any] = {}

    def handler(args: dict[str, Any], **info: Any) -> str:
        told.update(info)
        return "{}"

    registry.register("echo", "talk", schema(), handler)
    registry.dispatch(
        "echo", {}, task_id="t1", session_id="s1", tool_call_id="c1", user_task="be nice", parent_agent="boss"
    )
    assert told == {
        "task_id": "t1",
        "session_id": "s1",
        "tool_call_id": "c1",
        "user_task": "be nice",
        "parent_agent": "boss",
    }


def test_a_handler_is_told_only_what_it_takes(registry: ToolRegistry) -> None:
    registry.register("one", "talk", schema("one"), lambda args, task_id=None: json.dumps([task_id]))
    registry.register("two", "talk", schema("two"), lambda args, *, user_task: json.dumps([user_task]))
    registry.register("none", "talk", schema("none"), lambda args: "[]")
    info = {"task_id": "t1", "user_task": "be nice", "session_id": "s1"}
    answers = [registry.dispatch(name, {}, **info) for name in ("one", "two", "none")]
    assert answers == ['["t1"]', '["be nice"]', "[]"]


def test_what_one_handler_is_told_does_not_reach_the_tools_that_it_calls(registry: ToolRegistry) -> None:
    told: list[list[str]] = []

    def inner(args: dict[str, Any], **info: Any) -> str:
        told.append(sorted(info))
        return "{}"

    registry.register("inner", "talk", schema("inner"), inner)
    registry.register("outer", "talk", schema("outer"), lambda args, **info: registry.host.call("inner"))
    registry.dispatch("outer", {}, user_task="be nice")
    assert told == [["session_id", "task_id", "tool_call_id"]]


@pytest.mark.parametrize("is_async", [True, False])
def test_an_async_handler_is_awaited(registry: ToolRegistry, is_async: bool) -> None:
    async def work(text: str, user_task: str) -> str:
        return json.dumps({"text": text, "user_task": user_task})

    registry.register(
        "echo", "talk", schema(), lambda args, **info: work(args["text"], info["user_task"]), is_async=is_async
    )
    assert registry.dispatch("echo", {"text": "hi"}, user_task="x") == '{"text": "hi", "user_task": "x"}'


def test_a_plain_handler_that_claims_to_be_async_works_all_the_same(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo, is_async=True)
    assert registry.dispatch("echo", {"text": "hi"}) == '{"text": "hi"}'


def test_failures_come_back_as_json(registry: ToolRegistry) -> None:
    def broken(args: dict[str, Any], **info: Any) -> str:
        raise ValueError("<tool_call>no</tool_call>")

    registry.register("echo", "talk", schema(), broken)
    assert json.loads(registry.dispatch("echo", {}))["error"].startswith("Tool execution failed: ValueError: ")
    assert "tool_call" not in registry.dispatch("echo", {})
    assert json.loads(registry.dispatch("nothing", {}))["error"] == "Unknown tool: nothing"


def test_hooks_of_the_host_see_a_dispatched_call(host: Callable[..., Hermes]) -> None:
    class Policy:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
            return Deny(f"{call.session_id} {call.task_id} {call.id}") if call.args["text"] == "bad" else None

    registry = ToolRegistry(host(plugins=[Policy()]))
    registry.register("echo", "talk", schema(), echo)
    refused = json.loads(registry.dispatch("echo", {"text": "bad"}, session_id="s1", task_id="t1", tool_call_id="c1"))
    assert refused["code"] == "denied"
    assert "s1 t1 c1" in refused["error"]
    assert registry.dispatch("echo", {"text": "good"}) == '{"text": "good"}'


def test_a_tool_that_is_not_available_does_not_run(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo, check_fn=lambda: False, requires_env=["ECHO_KEY"])
    answer = json.loads(registry.dispatch("echo", {}))
    assert answer["code"] == "unavailable"
    assert "ECHO_KEY" in answer["hint"]


def test_no_lookup_hands_out_a_handler(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo)
    entry = registry.get_entry("echo")
    assert entry is not None
    assert not hasattr(entry, "handler")
    assert not callable(entry)
    assert registry.get_entry("nothing") is None
    assert registry.get_schema("nothing") is None
    assert registry.get_schema("echo") == schema()


def test_a_session_is_opened_once_and_the_one_of_the_application_is_used(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), lambda args, session_id: json.dumps(session_id))
    assert registry.dispatch("echo", {}, session_id="mine") == '"mine"'
    assert registry._session("mine") is registry._session("mine")
    with registry.host.session(id="theirs", enabled=[]) as theirs:
        assert registry._session("theirs") is theirs
        assert "Unknown tool" in registry.dispatch("echo", {}, session_id="theirs")


def test_sessions_that_nobody_ends_are_ended_when_there_are_many(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo)
    first = registry._session("0")
    for number in range(1, 1001):
        registry._session(str(number))
    assert first.closed
    assert not registry._session("1000").closed


def test_a_session_that_somebody_ended_is_opened_anew(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo)
    registry._session("mine").close()
    assert registry.dispatch("echo", {"text": "hi"}, session_id="mine") == '{"text": "hi"}'


# -- lookups -----------------------------------------------------------------------------------------------------


def test_lookups_are_sorted_and_know_nothing_of_the_unknown(registry: ToolRegistry) -> None:
    for name, toolset in [("b", "two"), ("a", "two"), ("c", "one")]:
        registry.register(name, toolset, schema(name), echo, emoji="🅰️" if name == "a" else "")
    assert registry.get_all_tool_names() == ["a", "b", "c"]
    assert registry.get_registered_toolset_names() == ["one", "two"]
    assert registry.get_tool_names_for_toolset("two") == ["a", "b"]
    assert registry.get_tool_names_for_toolset("three") == []
    assert registry.get_tool_to_toolset_map() == {"a": "two", "b": "two", "c": "one"}
    assert registry.get_toolset_for_tool("nothing") is None
    assert [registry.get_emoji(name) for name in ("a", "b", "nothing")] == ["🅰️", "⚡", "⚡"]
    assert registry.get_emoji("b", default="·") == "·"


def test_the_size_of_results_has_a_default(registry: ToolRegistry) -> None:
    registry.register("echo", "talk", schema(), echo, max_result_size_chars=float("inf"))
    assert registry.get_max_result_size("echo") == float("inf")
    assert registry.get_max_result_size("nothing") == 100_000
    assert registry.get_max_result_size("nothing", default=7) == 7


def test_definitions_leave_out_the_unknown_and_the_unavailable(registry: ToolRegistry) -> None:
    registry.register("b", "two", schema("b"), echo)
    registry.register("a", "two", schema("a"), echo)
    registry.register("c", "two", schema("c"), echo, check_fn=lambda: False)
    shown = registry.get_definitions({"b", "a", "c", "nothing"}, quiet=True)
    assert [entry["function"]["name"] for entry in shown] == ["a", "b"]
    assert shown[0]["type"] == "function"


def test_definitions_are_of_tools_even_where_a_toolset_bears_the_name(registry: ToolRegistry) -> None:
    registry.register("web_search", "x", schema("web_search"), echo)
    registry.register("search", "y", schema("search"), echo)
    assert [entry["function"]["name"] for entry in registry.get_definitions(["search"])] == ["search"]


def test_a_shared_check_runs_once_for_all_its_tools(registry: ToolRegistry) -> None:
    asked: list[int] = []

    def check() -> bool:
        asked.append(1)
        return True

    for name in ("a", "b", "c"):
        registry.register(name, "two", schema(name), echo, check_fn=check, requires_env=["KEY"])
    assert len(registry.get_definitions({"a", "b", "c"})) == 3
    assert asked == [1]


def test_a_dynamic_schema_is_asked_at_every_pass(registry: ToolRegistry) -> None:
    answers = iter([{"description": "First of all."}, {"description": "Second to none."}])
    registry.register("echo", "talk", schema(), echo, dynamic_schema_overrides=lambda: next(answers))
    said = [registry.get_definitions({"echo"})[0]["function"]["description"] for _ in range(2)]
    assert said == ["First of all.", "Second to none."]


def test_requires_env_alone_does_not_make_a_tool_unavailable(
    registry: ToolRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ONE_KEY", raising=False)
    monkeypatch.setenv("OTHER_KEY", "x")
    registry.register("echo", "talk", schema(), echo, requires_env=["ONE_KEY", "OTHER_KEY"])
    assert len(registry.get_definitions({"echo"})) == 1


def test_why_names_the_variables_that_are_not_set(registry: ToolRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONE_KEY", raising=False)
    monkeypatch.setenv("OTHER_KEY", "x")

    def check_keys() -> bool:
        return False

    registry.register("echo", "talk", schema(), echo, check_fn=check_keys, requires_env=["ONE_KEY", "OTHER_KEY"])
    verdict = registry.host.why("echo")
    assert "check_keys fails" in verdict.reason
    assert verdict.remedy == "It looks for ONE_KEY in the environment."


def test_toolsets_say_what_they_require(registry: ToolRegistry) -> None:
    def no() -> bool:
        raise OSError("no network")

    registry.register("a", "closed", schema("a"), echo, check_fn=no, requires_env=["A_KEY"])
    registry.register("b", "closed", schema("b"), echo, requires_env=["B_KEY", "A_KEY"])
    registry.register("c", "open", schema("c"), echo)
    assert registry.check_toolset_requirements() == {"closed": False, "open": True}
    assert registry.get_available_toolsets() == {
        "closed": {"available": False, "tools": ["a", "b"], "description": "", "requirements": ["A_KEY", "B_KEY"]},
        "open": {"available": True, "tools": ["c"], "description": "", "requirements": []},
    }
    assert registry.check_tool_availability() == (
        ["open"],
        [{"name": "closed", "env_vars": ["A_KEY", "B_KEY"], "tools": ["a", "b"]}],
    )
    wanted = registry.get_toolset_requirements()
    assert wanted["open"] == {"name": "open", "env_vars": [], "check_fn": None, "setup_url": None, "tools": ["c"]}
    assert callable(wanted["closed"]["check_fn"])


# -- the host behind it ------------------------------------------------------------------------------------------


def test_a_registry_makes_its_host_at_the_first_need(registry: ToolRegistry, home: Path) -> None:
    assert registry._host is None
    assert registry.get_all_tool_names() == []
    assert registry.host is registry.host
    assert registry.host.home == home


def test_what_was_registered_before_comes_along_to_the_host_of_the_application(
    registry: ToolRegistry, host: Callable[..., Hermes]
) -> None:
    registry.register("echo", "mcp-talk", schema(), echo)
    registry.register_toolset_alias("talk", "mcp-talk")
    registry.create_custom_toolset("mine", "My own.", tools=["echo"])
    before, after = registry.host, host()
    registry.use(after)
    registry.use(after)
    assert after.call("echo", {"text": "hi"}, enabled=["mine"]) == '{"text": "hi"}'
    assert after.call("echo", {"text": "hi"}, enabled=["talk"]) == '{"text": "hi"}'
    with pytest.raises(HostClosedError):
        before.call("echo")


def test_a_tool_that_the_application_has_already_is_not_shadowed(
    registry: ToolRegistry, host: Callable[..., Hermes], caplog: pytest.LogCaptureFixture
) -> None:
    theirs = ToolRegistry(host())
    theirs.register("echo", "theirs", schema(), lambda args, **info: '"theirs"')
    registry.register("echo", "talk", schema(), echo)
    registry.use(theirs.host)
    assert registry.dispatch("echo", {}) == '"theirs"'
    assert "would shadow" in caplog.text


def test_closing_forgets_the_tools_and_leaves_the_host_of_the_application_open(host: Callable[..., Hermes]) -> None:
    theirs = host()
    registry = ToolRegistry(theirs)
    registry.register("echo", "talk", schema(), echo)
    registry.dispatch("echo", {}, session_id="s1")
    registry.close()
    assert theirs.tools() == ()
    assert "Unknown tool" in theirs.call("echo")


# -- the functions of old ----------------------------------------------------------------------------------------


def test_handle_function_call_goes_through_the_pipeline(default: ToolRegistry) -> None:
    default.register(
        "add", "sums", schema("add", a={"type": "integer"}), lambda args, **info: json.dumps([args, info["user_task"]])
    )
    answer = legacy.handle_function_call("add", {"a": "3"}, "t1", user_task="add", turn_id="u1")
    assert json.loads(answer) == [{"a": 3}, "add"]
    assert json.loads(legacy.handle_function_call("add", '{"a": 4}', user_task="x")) == [{"a": 4}, "x"]


def test_handle_function_call_keeps_to_the_toolsets_of_the_caller(
    default: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    default.register("echo", "talk", schema(), echo)
    assert legacy.handle_function_call("echo", {}, enabled_toolsets=["talk"]) == "{}"
    assert "Unknown tool" in legacy.handle_function_call("echo", {}, enabled_toolsets=["web"])
    assert "Unknown tool" in legacy.handle_function_call("echo", {}, disabled_toolsets=["talk"])
    assert "Unknown tool" in legacy.handle_function_call("echo", {}, enabled_toolsets=[])
    assert caplog.text == ""
    assert "Unknown tool" in legacy.handle_function_call("echo", {}, enabled_toolsets=["talc"])
    assert "no toolset talc" in caplog.text
    assert "'talk'" in caplog.text


def test_hooks_cannot_be_skipped(default: ToolRegistry) -> None:
    class No:
        @hookimpl
        def hermes_pre_tool_call(self) -> Deny:
            return Deny("no")

    default.register("echo", "talk", schema(), echo)
    default.host.add_plugin(No())
    answer = legacy.handle_function_call("echo", {}, skip_pre_tool_call_hook=True)
    assert json.loads(answer)["code"] == "denied"


def test_get_tool_definitions_follows_the_toolsets(default: ToolRegistry, capsys: pytest.CaptureFixture[str]) -> None:
    default.register("echo", "talk", schema(), echo)
    default.register("web_search", "web", schema("web_search"), echo)

    def names(enabled: list[str] | None = None, disabled: list[str] | None = None) -> list[str]:
        return [entry["function"]["name"] for entry in legacy.get_tool_definitions(enabled, disabled, quiet_mode=True)]

    assert names() == ["echo", "web_search"]
    assert names(["web_tools"]) == ["web_search"]
    assert names(["debugging", "talk"], ["web"]) == ["echo"]
    assert names([]) == []
    assert capsys.readouterr() == ("", "")
    legacy.get_tool_definitions()
    assert "2 tools" in capsys.readouterr().err


def test_what_is_left_out_is_announced_on_stderr(default: ToolRegistry, capsys: pytest.CaptureFixture[str]) -> None:
    class HidesHidden:
        @hookimpl
        def hermes_adjust_definitions(self, definitions: Any) -> Any:
            return tuple(each for each in definitions if each["name"] != "hidden")

    for name in ("echo", "hidden", "apart"):
        default.register(name, "away" if name == "apart" else "talk", schema(name), echo)
    default.register("keyed", "talk", schema("keyed"), echo, check_fn=lambda: False)
    default.host.add_plugin(HidesHidden())
    legacy.get_tool_definitions(disabled_toolsets=["away"])
    out, announced = capsys.readouterr()
    assert out == ""
    assert "hermes: 1 tools\n" in announced
    assert "hermes: 1 more are hidden by plugins\n" in announced
    assert "hermes: without keyed: " in announced
    assert "apart" not in announced


def test_a_long_list_is_shown_whole_without_tool_search(default: ToolRegistry) -> None:
    for number in range(50):
        default.register(f"t{number}", "talk", {**schema(f"t{number}"), "description": "x" * 2_000}, echo)
    assert len(legacy.get_tool_definitions(quiet_mode=True)) == 50
    assert len(legacy.get_tool_definitions(quiet_mode=True, skip_tool_search_assembly=True)) == 50
    assert len(default.get_definitions({f"t{number}" for number in range(50)}, quiet=True)) == 50


def test_coerce_tool_args_mends_in_place(default: ToolRegistry) -> None:
    default.register("add", "sums", schema("add", a={"type": "integer"}, b={"type": "array"}), echo)
    args: dict[str, Any] = {"a": "3", "b": "x"}
    assert legacy.coerce_tool_args("add", args) is args
    assert args == {"a": 3, "b": ["x"]}
    assert legacy.coerce_tool_args("nothing", {"a": "3"}) == {"a": "3"}


def test_results_and_errors_are_json() -> None:
    assert legacy.tool_error("bad", code=3) == '{"error": "bad", "code": 3}'
    assert legacy.tool_result(a="ü") == '{"a": "ü"}'
    assert legacy.tool_result([1], a=2) == "[1]"


def test_toolsets_are_resolved_without_complaint(default: ToolRegistry) -> None:
    default.register("echo", "talk", schema(), echo)
    assert legacy.resolve_toolset("talk") == ["echo"]
    assert legacy.resolve_toolset("search") == ["web_search"]
    assert legacy.resolve_toolset("nonsense") == []
    assert legacy.resolve_toolset("echo") == []
    assert legacy.resolve_toolset("all") == ["echo"]
    assert legacy.resolve_multiple_toolsets(["talk", "search", "nonsense"]) == ["echo", "web_search"]
    assert [legacy.validate_toolset(name) for name in ("all", "*", "web", "talk", "nonsense")] == [True] * 4 + [False]


def test_toolsets_are_described(default: ToolRegistry) -> None:
    default.register("echo", "talk", schema(), echo)
    default.register("look", "web", schema("look"), echo)
    assert legacy.get_toolset("talk") == {"description": "", "tools": ["echo"], "includes": []}
    found = legacy.get_toolset("web")
    assert found is not None
    assert {"web_search", "look"} <= set(found["tools"])
    assert legacy.get_toolset("nonsense") is None
    assert legacy.get_toolset_info("nonsense") is None
    info = legacy.get_toolset_info("debugging")
    assert info is not None
    assert info["is_composite"]
    assert info["tool_count"] == len(info["resolved_tools"])
    assert "look" in info["resolved_tools"]
    assert set(legacy.get_all_toolsets()) == set(legacy.get_toolset_names())
    assert "talk" in legacy.get_toolset_names()


def test_toolsets_of_mcp_servers_go_by_the_name_of_the_server(default: ToolRegistry) -> None:
    default.register("echo", "mcp-talk", schema(), echo)
    default.register_toolset_alias("talk", "mcp-talk")
    assert "talk" in legacy.get_toolset_names()
    assert "mcp-talk" not in legacy.get_toolset_names()
    assert legacy.get_toolset("talk") == legacy.get_toolset("mcp-talk")
    assert legacy.resolve_toolset("talk") == ["echo"]


def test_a_custom_toolset_may_include_what_does_not_exist_and_be_made_again(default: ToolRegistry) -> None:
    default.register("echo", "talk", schema(), echo)
    legacy.create_custom_toolset("mine", "My own.", ["web_search"], ["talk", "nonsense"])
    assert legacy.resolve_toolset("mine") == ["echo", "web_search"]
    legacy.create_custom_toolset("mine", "My other.", ["echo"])
    assert legacy.get_toolset("mine") == {"description": "My other.", "tools": ["echo"], "includes": []}


def test_the_module_functions_speak_for_the_default_registry(
    default: ToolRegistry, host: Callable[..., Hermes]
) -> None:
    application = host()
    legacy.use(application)
    legacy.registry.register("echo", "talk", schema(), echo)
    assert [spec.name for spec in application.tools()] == ["echo"]
    assert legacy.get_all_tool_names() == ["echo"]
    assert legacy.get_toolset_for_tool("echo") == "talk"
    assert legacy.check_toolset_requirements() == {"talk": True}
    assert legacy.check_tool_availability() == (["talk"], [])
    assert list(legacy.get_available_toolsets()) == ["talk"]


def test_the_package_shows_exactly_what_it_lists() -> None:
    assert legacy.__all__ == sorted(legacy.__all__)
    assert [name for name in legacy.__all__ if not getattr(legacy, name).__doc__] == []


@pytest.mark.parametrize("options", [{"enabled_toolsets": ["granted"]}, {"disabled_toolsets": ["secret"]}])
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("open_vault", {}),
        ("tool_search", {"query": "open vault", "limit": 50}),
        ("tool_describe", {"name": "open_vault"}),
        ("tool_call", {"name": "open_vault", "arguments": {}}),
    ],
)
def test_calls_by_the_old_name_cannot_escape_their_toolsets(
    default: ToolRegistry, name: str, args: dict[str, Any], options: dict[str, Any]
) -> None:
    ran: list[str] = []
    for tool, toolset in (("open_door", "granted"), ("open_vault", "secret")):
        default.register(tool, toolset, schema(tool), lambda args, _tool=tool, **info: ran.append(_tool))
    text = legacy.handle_function_call(name, args, **options)
    answer = json.loads(text)
    assert answer.get("code") == "unknown_tool" or "open_vault" not in text
    assert "secret" not in text
    assert ran == []
    legacy.handle_function_call("open_vault", {})
    assert ran == ["open_vault"]
