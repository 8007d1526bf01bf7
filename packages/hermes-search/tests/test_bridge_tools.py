"""The tools that lead to hidden ones: what they look like, what they answer, and who sees which call."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core import (
    CallRecord,
    Hermes,
    PluginError,
    Tool,
    ToolCall,
    hookimpl,
)
from hermes_core.errors import ToolConflictError
from hermes_search import inner_call
from hermes_search import plugin as search_plugin
from hermes_search.bridge_tools import BRIDGE, bridge_definitions
from hermes_search.definition_sizes import estimate_tokens

Make = Callable[..., Hermes]
NAMES = ("tool_search", "tool_describe", "tool_call")
WRAPPED = {"name": "send_mail", "arguments": '{"n": "1"}'}


def said(text: str) -> dict[str, Any]:
    answer = json.loads(text)
    assert isinstance(answer, dict)
    return answer


def make(name: str, toolset: str = "web", **fields: Any) -> Tool:
    schema = {
        "name": name,
        "description": f"Handles {name.replace('_', ' ')} matters.",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }

    def handler(args: dict[str, Any]) -> str:
        return json.dumps({"ran": name, **args})

    return Tool.from_schema(schema, handler, toolset=toolset, **fields)


class Watcher:
    """Notes every call that each hook is told of."""

    def __init__(self, answer: Callable[[ToolCall], Any] = lambda call: None) -> None:
        self.before: list[tuple[str, Any]] = []
        self.after: list[CallRecord] = []
        self.answer = answer

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Any:
        self.before.append((call.name, dict(call.args)))
        return self.answer(call)

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self.after.append(record)


# -- what they look like ------------------------------------------------------------------------------------------


def test_the_bridge_is_short_and_always_the_same() -> None:
    assert tuple(text["name"] for text in BRIDGE) == NAMES
    assert json.dumps(bridge_definitions()) == json.dumps(bridge_definitions())
    assert estimate_tokens(bridge_definitions()) < 300
    search, describe, call = (each["function"]["parameters"] for each in bridge_definitions())
    assert (set(search["properties"]), search["required"]) == ({"query", "limit"}, ["query"])
    assert (set(describe["properties"]), describe["required"]) == ({"name"}, ["name"])
    assert (set(call["properties"]), call["required"]) == ({"name", "arguments"}, ["name", "arguments"])


def test_the_bridge_of_one_caller_is_not_that_of_another() -> None:
    mine = bridge_definitions()
    mine[0]["function"]["description"] = "Changed."
    mine[0]["function"]["parameters"]["properties"].clear()
    assert bridge_definitions()[0]["function"]["parameters"]["properties"]
    assert bridge_definitions()[0]["function"]["description"] != "Changed."


@pytest.mark.parametrize("name", NAMES)
def test_no_tool_may_bear_a_name_of_the_bridge(name: str, host: Make) -> None:
    hermes = host(tools=[make("a")])
    for taken in (make(name), make("b", aliases=[name]), make(name, "mcp-x")):
        with pytest.raises(ToolConflictError, match=name):
            hermes.registry.register(taken)
    with pytest.raises(ToolConflictError):
        hermes.registry.replace_toolset("web", [make(name)])
    assert [spec.name for spec in hermes.tools()] == ["a", *sorted(NAMES)]


def test_a_plugin_that_brings_such_a_name_keeps_its_other_tools(host: Make) -> None:
    class Plugin:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [make("tool_call"), make("b", aliases=["tool_search"]), make("fine", toolset="greedy")]

    hermes = host()
    with pytest.raises(PluginError, match="tool_call"):
        hermes.add_plugin(Plugin())
    hermes = host()
    record = hermes._loader.load(_candidate(Plugin())).record
    assert record.status == "partial"
    assert [spec.name for spec in hermes.tools()] == ["fine", *sorted(NAMES)]


def _candidate(plugin: object) -> Any:
    from hermes_core.plugins.plugin_records import Candidate

    return Candidate(name="greedy", origin="installed", load=lambda: plugin)


# -- search -------------------------------------------------------------------------------------------------------


def test_a_search_finds_hidden_tools_and_says_why(host: Make) -> None:
    hermes = host(
        tools=[make("create_issue", "mcp-github"), make("send_mail", "post"), make("read_mail", always_load=True)]
    )
    found = said(hermes.call("tool_search", {"query": "create an issue"}))
    assert (found["query"], found["total_available"]) == ("create an issue", 2)
    first = found["matches"][0]
    assert (first["name"], first["source"], first["source_name"]) == ("create_issue", "mcp", "mcp-github")
    assert first["description"] == "Handles create issue matters."
    assert first["why"]
    names = [match["name"] for match in said(hermes.call("tool_search", {"query": "mail"}))["matches"]]
    assert names[0] == "send_mail"
    assert "read_mail" not in names  # it is in the list anyway


def test_a_search_finds_as_many_as_it_may(host: Make) -> None:
    tools = [make(f"mail_{number}") for number in range(60)]
    hermes = host(tools=tools)

    def count(**args: Any) -> int:
        return len(said(hermes.call("tool_search", {"query": "mail", **args}))["matches"])

    assert [count(), count(limit=3), count(limit=0), count(limit=1000), count(limit="7")] == [5, 3, 1, 20, 7]
    bounded = host(tools=tools, config={"tools": {"tool_search": {"max_search_limit": 4}}})
    assert len(said(bounded.call("tool_search", {"query": "mail", "limit": 50}))["matches"]) == 4


def test_a_long_description_is_cut_in_a_match_and_whole_in_a_description(host: Make) -> None:
    long = "Sends mail. " + "x" * 5_000
    hermes = host(tools=[Tool.from_schema({"name": "send_mail", "description": long}, lambda args: "{}")])
    (match,) = said(hermes.call("tool_search", {"query": "send mail"}))["matches"]
    assert match["description"] == long[:400]
    assert said(hermes.call("tool_describe", {"name": "send_mail"}))["description"] == long


def test_a_search_without_words_or_without_luck_says_so(host: Make) -> None:
    hermes = host(tools=[make("send_mail")])
    assert said(hermes.call("tool_search", {"query": "  "}))["code"] == "invalid_arguments"
    assert said(hermes.call("tool_search", {}))["code"] == "invalid_arguments"
    nothing = said(hermes.call("tool_search", {"query": "zzqqxx"}))
    assert (nothing["matches"], nothing["total_available"]) == ([], 1)
    assert nothing["hint"]
    empty = said(host().call("tool_search", {"query": "mail"}))
    assert (empty["matches"], empty["total_available"]) == ([], 0)


def test_words_that_an_author_declares_find_the_tool(host: Make) -> None:
    hermes = host(tools=[make("send_mail", keywords=["telegraph"]), make("read_mail")])
    assert said(hermes.call("tool_search", {"query": "telegraph"}))["matches"][0]["name"] == "send_mail"


def test_the_name_of_a_service_finds_its_tools_though_none_of_them_says_it(host: Make) -> None:
    hermes = host(tools=[make("create_issue", "mcp-quokka"), make("close_issue", "mcp-other")])
    matches = said(hermes.call("tool_search", {"query": "quokka"}))["matches"]
    assert [(it["name"], it["why"]) for it in matches] == [("create_issue", ["keywords: quokka"])]
    assert said(hermes.call("tool_search", {"query": "issue in quokka"}))["matches"][0]["name"] == "create_issue"


def test_a_search_follows_the_registry(host: Make) -> None:
    hermes = host(tools=[make("send_mail")])

    def found(query: str) -> list[str]:
        return [match["name"] for match in said(hermes.call("tool_search", {"query": query}))["matches"]]

    assert found("mail") == ["send_mail"]
    hermes.registry.register(make("burn_mail"))
    assert sorted(found("mail")) == ["burn_mail", "send_mail"]
    hermes.registry.deregister("send_mail")
    assert found("mail") == ["burn_mail"]
    hermes.registry.register(make("burn_mail", always_load=True))
    assert found("mail") == []


def test_what_cannot_run_is_not_found(host: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAIL_KEY", raising=False)
    hermes = host(tools=[make("send_mail", requires_env=["MAIL_KEY"])])
    assert said(hermes.call("tool_search", {"query": "mail"}))["matches"] == []
    answer = said(hermes.call("tool_describe", {"name": "send_mail"}))
    assert answer["code"] == "unavailable"
    assert said(hermes.call("tool_call", {"name": "send_mail", "arguments": {"n": 1}}))["code"] == "unavailable"


def test_tools_that_were_called_often_come_earlier_when_the_user_wants_it(host: Make, home: Path) -> None:
    def first(**settings: Any) -> str:
        hermes = host(tools=twins, config={"tools": {"tool_search": settings}})
        name: str = said(hermes.call("tool_search", {"query": "handles mail"}))["matches"][0]["name"]
        return name

    twins = [make("mail_a"), make("mail_b")]
    assert first(usage_prior=True) == "mail_a"
    used = [{"tool": "mail_b", "status": "ok"}, {"tool": "mail_a", "status": "error"}]  # what failed is no habit
    home.mkdir(exist_ok=True)
    (home / "audit.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in used * 5))
    assert first(usage_prior=True) == "mail_b"
    assert first() == "mail_a"


# -- describe -----------------------------------------------------------------------------------------------------


def test_a_description_is_what_the_model_would_have_been_shown(host: Make) -> None:
    hermes = host(tools=[make("send_mail", aliases=["post"])])
    shown = hermes.definitions()[0]["function"]
    assert said(hermes.call("tool_describe", {"name": "send_mail"})) == shown
    assert said(hermes.call("tool_describe", {"name": " post "})) == shown


def test_what_cannot_be_described_is_an_error_that_helps(host: Make) -> None:
    hermes = host(tools=[make("send_mail"), make("core", always_load=True)])
    unknown = said(hermes.call("tool_describe", {"name": "sendmail"}))
    assert unknown["code"] == "unknown_tool"
    assert "send_mail" in unknown["hint"]
    for name in ("core", *NAMES):
        answer = said(hermes.call("tool_describe", {"name": name}))
        assert answer["code"] == "invalid_arguments"
        assert name in answer["hint"]


# -- call ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        {"name": "send_mail", "arguments": {"n": 1}},
        {"name": " send_mail ", "arguments": '{"n": 1}'},
        {"name": "post", "arguments": {"n": "1"}},
        {"tool": "send_mail", "args": {"n": 1}},
        {"name": "send_mail", "input": {"n": 1}},
        {"name": "send_mail", "parameters": {"n": 1}, "reason": "because"},
        {"name": "send_mail", "arguments": {"n": 1}, "n": 1},
        {"name": "send_mail", "tool": "send_mail", "arguments": None, "args": {"n": 1}, "limit": None},
        {"name": "send_mail", "arguments": {}, "input": {"n": 1}},
        '{"name": "send_mail", "arguments": "{\\"n\\": 1}"}',
        {"name": "send_mail", "arguments": '{"n": 1,}'},
        {"name": "send_mail", "arguments": "{'n': 1}"},
        {"name": "send_mail", "arguments": '```json\n{"n": 1}\n```'},
        "{'name': 'send_mail', 'arguments': {'n': 1}}",
        b'{"name": "send_mail", "arguments": {"n": 1}}',
    ],
)
def test_a_hidden_tool_is_called_however_its_arguments_are_written(args: Any, host: Make) -> None:
    hermes = host(tools=[make("send_mail", aliases=["post"])])
    assert said(hermes.call("tool_call", args)) == {"ran": "send_mail", "n": 1}


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({}, "needs a 'name'"),
        (None, "needs a 'name'"),
        ("", "needs a 'name'"),
        ({"name": "", "arguments": {}}, "needs a 'name'"),
        ({"name": 7, "arguments": {}}, "needs a 'name'"),
        ({"name": "send_mail", "arguments": "{n: 1"}, "not valid JSON"),
        ({"name": "send_mail", "arguments": "[" * 100_000}, "not valid JSON"),
        ({"name": "send_mail", "arguments": "[1]"}, "must be an object"),
        ({"name": "send_mail", "arguments": [1]}, "must be an object"),
        ({"name": "send_mail", "arguments": 5}, "must be an object"),
        ({"name": "send_mail", "n": 1}, "into 'arguments'"),
        ({"name": "send_mail", "arguments": {}, "n": 1}, "into 'arguments'"),
        ({"name": "send_mail", "arguments": {"m": 1}, "n": 1}, "into 'arguments'"),
        ({"name": "send_mail", "arguments": {}, "number": 1}, "into 'arguments'"),
        ({"name": "send_mail", "arguments": []}, "must be an object"),
        ({"name": "send_mail", "arguments": False}, "must be an object"),
        ({"name": "send_mail", "arguments": "n: 1"}, "not valid JSON"),
        (b"\xff", "not valid JSON"),
        ([1], "must be an object"),
        ("nonsense", "not valid JSON"),
        *(({"name": name, "arguments": {}}, "bridge tool") for name in NAMES),
        ({"name": "core", "arguments": {"n": 1}}, "in your list of tools"),
    ],
)
def test_what_describes_no_call_is_an_error_that_says_why(args: Any, told: str, host: Make) -> None:
    watcher = Watcher()
    send_mail = make("send_mail", argument_aliases={"number": "n"})
    hermes = host(tools=[send_mail, make("core", always_load=True)], plugins=[watcher])
    answer = said(hermes.call("tool_call", args))
    assert answer["code"] == "invalid_arguments"
    assert told in answer["error"]
    (record,) = watcher.after
    assert (record.call.name, record.status) == ("tool_call", "error")


def test_a_call_inside_a_call_of_the_bridge_is_none(host: Make) -> None:
    inner = {"name": "tool_call", "arguments": {"name": "send_mail", "arguments": {"n": 1}}}
    answer = said(host(tools=[make("send_mail")]).call("tool_call", inner))
    assert "bridge tool" in answer["error"]
    assert answer["hint"].startswith("Name the tool to call.")


def test_wrong_arguments_are_told_as_the_tool_tells_them(host: Make) -> None:
    hermes = host(tools=[make("send_mail")])
    direct = said(hermes.call("send_mail", {"n": "many"}))
    assert said(hermes.call("tool_call", {"name": "send_mail", "arguments": {"n": "many"}})) == direct
    missing = said(hermes.call("tool_call", {"name": "send_mail"}))
    assert missing == said(hermes.call("send_mail", {}))


def test_the_exact_name_of_a_hidden_tool_can_be_called_and_a_near_one_is_told(host: Make) -> None:
    hermes = host(tools=[make("send_mail")], config={"tools": {"tool_search": {"enabled": "on"}}})
    assert [each["function"]["name"] for each in hermes.definitions()] == list(NAMES)
    assert said(hermes.call("send_mail", {"n": 1})) == {"ran": "send_mail", "n": 1}
    for near in (hermes.call("send_male", {"n": 1}), hermes.call("tool_call", {"name": "sendmail", "arguments": {}})):
        assert said(near)["code"] == "unknown_tool"
        assert "send_mail" in said(near)["hint"]


def test_a_name_that_is_near_nothing_leads_to_the_search(host: Make) -> None:
    hermes = host(tools=[make("send_mail")])
    calls = [("tool_call", {"name": "fly", "arguments": {}}), ("tool_describe", {"name": "fly"})]
    for name, args in calls:
        assert said(hermes.call(name, args))["hint"].endswith("or that tool_search finds.")
    assert "'tool_search'" in said(hermes.call("tool_serach", {"query": "mail"}))["hint"]
    assert "'tool_call'" in said(hermes.call("TOOL_CALL", {}))["hint"]


@pytest.mark.parametrize("limit", [3.7, "3", "many", True, None, [3], {}, -1, 10**400])
def test_a_limit_that_is_none_does_not_cost_the_search(limit: Any, host: Make) -> None:
    answer = said(host(tools=[make("send_mail")]).call("tool_search", {"query": "mail", "limit": limit}))
    assert [match["name"] for match in answer["matches"]] == ["send_mail"]


def test_a_misplaced_argument_says_nothing_about_tools_outside_the_scope(host: Make) -> None:
    hermes = host(tools=[make("send_mail", "mail"), make("open_vault", "vault")])
    with hermes.session(enabled=["mail"]) as session:
        answers = [
            said(session.call("tool_call", {"name": name, "arguments": {}, "n": 1})) for name in ("open_vault", "fly")
        ]
    assert [answer["code"] for answer in answers] == ["unknown_tool"] * 2
    assert answers[0]["hint"] == answers[1]["hint"]


@pytest.mark.parametrize("off", [False, "off", {"enabled": "off"}, {"enabled": False}])
def test_without_tool_search_there_is_no_bridge(off: Any, host: Make) -> None:
    hermes = host(tools=[make("send_mail")], config={"tools": {"tool_search": off}})
    args = {"name": "send_mail", "query": "mail", "arguments": {"n": 1}}
    assert [said(hermes.call(name, args))["code"] for name in NAMES] == ["unavailable"] * 3
    assert [each["function"]["name"] for each in hermes.definitions(context_length=1)] == ["send_mail"]


def test_whoever_looks_at_tools_finds_the_bridge_where_it_is(host: Make) -> None:
    hermes = host(tools=[make("send_mail")])
    found = [hermes.registry.get(name) for name in NAMES]
    assert [spec and (spec.name, spec.toolset, sorted(spec.effects), spec.always_load) for spec in found] == [
        ("tool_search", "tool_search", ["read"], True),
        ("tool_describe", "tool_search", ["read"], True),
        ("tool_call", "tool_search", [], True),
    ]
    assert all(spec and spec.in_every_scope for spec in found)
    assert hermes.definition("tool_call") == bridge_definitions()[2]
    assert hermes.why("tool_search").available
    assert [spec.name for spec in hermes.tools(["web"])] == ["send_mail"]


# -- whoever shows calls ------------------------------------------------------------------------------------------


def test_a_call_is_shown_as_the_call_inside() -> None:
    assert inner_call("tool_call", WRAPPED) == ("send_mail", {"n": "1"})
    assert inner_call("tool_call", json.dumps(WRAPPED)) == ("send_mail", {"n": "1"})
    assert inner_call("send_mail", {"n": 1}) == ("send_mail", {"n": 1})
    broken = {"name": "send_mail", "arguments": "{"}
    assert inner_call("tool_call", broken) == ("tool_call", broken)
    assert inner_call("tool_call", {"name": "tool_search"}) == ("tool_call", {"name": "tool_search"})


# -- whatever models send -----------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def hidden_host() -> Any:
    tools = [make("send_mail"), make("read_mail"), make("core", always_load=True)]
    hermes = Hermes(tools=tools, plugins=[search_plugin])
    yield hermes
    hermes.close()


@given(query=st.text(max_size=80) | JSON, limit=JSON)
def test_no_query_breaks_a_search(query: Any, limit: Any, hidden_host: Hermes) -> None:
    answer = said(hidden_host.call("tool_search", {"query": query, "limit": limit}))
    assert "matches" in answer or answer["code"] == "invalid_arguments"
    assert "matches" in answer or not isinstance(query, str) or not query.strip()
    for match in answer.get("matches", ()):
        assert match["name"] in ("send_mail", "read_mail")


@given(name=st.text(max_size=30) | JSON | st.sampled_from(["send_mail", "core", *NAMES]), arguments=JSON)
def test_no_arguments_break_a_call(name: Any, arguments: Any, hidden_host: Hermes) -> None:
    for args in ({"name": name, "arguments": arguments}, {"name": name, "arguments": json.dumps(arguments)}):
        answer = said(hidden_host.call("tool_call", args))
        assert answer.get("ran") == "send_mail" or answer["code"] in ("invalid_arguments", "unknown_tool")
    shown = said(hidden_host.call("tool_describe", {"name": name}))
    assert shown.get("name") in ("send_mail", "read_mail") or shown["code"] in ("invalid_arguments", "unknown_tool")


KEYS = st.sampled_from(["name", "tool", "tool_name", "arguments", "args", "input", "parameters", "n", "m"])


@given(args=JSON | st.text(max_size=60) | st.binary(max_size=30) | st.dictionaries(KEYS, JSON | st.just("send_mail")))
def test_whatever_is_sent_the_same_call_is_shown_and_run(args: Any, hidden_host: Hermes) -> None:
    name, inside = inner_call("tool_call", args)
    record = hidden_host.run("tool_call", args)
    if record.status == "ok":
        assert (record.call.name, name) == ("send_mail", "send_mail")
        assert isinstance(inside, dict)
        # Nothing that the tool would have taken was left out on the way.
        assert not isinstance(args, dict) or args.get("n") is None or "n" in inside
