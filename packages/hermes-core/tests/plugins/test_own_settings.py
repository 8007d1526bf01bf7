"""A plugin reads its own sections of `config.yaml`, and those that the core has for plugins."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import Hermes, PluginError, Tool, ToolCall, ToolContext, hookimpl, tool

SECRETS = {"bank": {"key": "s3cret"}, "mine": {"color": "red"}, "undeclared": {"key": "s3cret"}}
ANY: dict[str, Any] = {"type": "object", "additionalProperties": True}


@tool(toolset="peek")
def peek(section: str, ctx: ToolContext) -> dict[str, Any]:
    """Read a section."""
    return ctx.settings(section)


class Bank:
    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        return {"bank": ANY}


class Peek:
    seen: list[object]

    def __init__(self) -> None:
        self.seen = []

    @hookimpl
    def hermes_tools(self) -> list[Tool]:
        return [peek]

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        return {"mine": ANY}


class Judge:
    """Reads sections in the calls of other plugins' tools."""

    def __init__(self, *sections: str) -> None:
        self.sections = sections
        self.seen: list[object] = []

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        return {"judge": ANY}

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall, ctx: ToolContext) -> None:
        for section in self.sections:
            self.seen.append(ctx.settings(section))


@pytest.mark.parametrize("section", ["bank", "undeclared", "plugins", "calls", "approvals", "policy", "nothing"])
def test_a_tool_cannot_read_the_section_of_another(host: Callable[..., Hermes], section: str) -> None:
    hermes = host(plugins=[Bank(), Peek()], config=SECRETS)
    answer = hermes.call("peek", {"section": section})
    assert json.loads(answer)["code"] == "unavailable"
    assert f"cannot read the section {section!r}" in answer
    assert "s3cret" not in answer
    assert json.loads(hermes.call("peek", {"section": "mine"})) == {"color": "red"}


def sharing(**section: Any) -> Peek:
    class Sharing(Peek):
        @hookimpl
        def hermes_settings(self) -> dict[str, Any]:
            return {"net": {"type": "object", "x-shared": True, **section}}

    return Sharing()


FLAG = {"open": {"type": "boolean", "default": False}}


def test_plugins_that_agree_share_a_section(host: Callable[..., Hermes]) -> None:
    first = Judge("net")
    first.hermes_settings = sharing(properties=FLAG).hermes_settings  # type: ignore[method-assign]
    more = {**FLAG, "limit": {"type": "integer"}}
    hermes = host(plugins=[first, sharing(properties=more, description="newer")], config={"net": {"open": True}})
    assert json.loads(hermes.call("peek", {"section": "net"})) == {"open": True}
    assert first.seen == [{"open": True}]


@pytest.mark.parametrize(
    "section",
    [
        {"properties": FLAG, "x-shared": False},
        {"properties": {"open": {"type": "boolean", "default": True}}},
        {"properties": {"open": {"type": "boolean", "default": False, "x-env": "OPEN"}}, "additionalProperties": False},
    ],
)
def test_plugins_that_disagree_do_not_share_a_section(host: Callable[..., Hermes], section: dict[str, Any]) -> None:
    first = Bank()
    agreed = {"properties": {"open": {**FLAG["open"], "x-env": "ENV"}}}
    first.hermes_settings = sharing(**agreed).hermes_settings  # type: ignore[method-assign]
    with pytest.raises(PluginError, match="the section 'net' of config.yaml belongs to Bank"):
        host(plugins=[first, sharing(**section)])


def test_the_section_of_a_provider_is_read_where_it_works(host: Callable[..., Hermes]) -> None:
    class Shop(Bank):
        @hookimpl
        def hermes_providers(self) -> dict[str, Any]:
            return {"shops": {"bank": object, "undeclared": object, "policy": object}}

    hermes = host(plugins=[Shop(), Peek()], config=SECRETS)
    assert json.loads(hermes.call("peek", {"section": "bank"})) == {"key": "s3cret"}
    for section in ("undeclared", "policy"):
        assert json.loads(hermes.call("peek", {"section": section}))["code"] == "unavailable"


def test_of_a_section_with_an_older_key_only_that_key_is_shared(host: Callable[..., Hermes]) -> None:
    hermes = host(plugins=[Peek()], config={"browser": {"allow_private_urls": True, "cloud_key": "s3cret"}})
    assert json.loads(hermes.call("peek", {"section": "browser"})) == {"allow_private_urls": True}


def test_a_hook_reads_the_sections_of_its_own_plugin_in_the_calls_of_others(host: Callable[..., Hermes]) -> None:
    judge = Judge("judge")
    hermes = host(plugins=[Peek(), judge], config={**SECRETS, "judge": {"strict": True}})
    assert json.loads(hermes.call("peek", {"section": "mine"})) == {"color": "red"}
    assert judge.seen == [{"strict": True}]


def test_a_hook_cannot_read_the_sections_of_the_tool_that_it_judges(host: Callable[..., Hermes]) -> None:
    judge = Judge("mine")
    hermes = host(plugins=[Peek(), judge], config=SECRETS)
    assert json.loads(hermes.call("peek", {"section": "mine"}))["decision"] == "denied-by-policy"
    assert judge.seen == []


def test_a_hook_of_the_host_above_reads_its_section_in_the_calls_below(host: Callable[..., Hermes]) -> None:
    judge = Judge("judge")
    above = host(plugins=[judge], config={"judge": {"strict": True}})
    below = host(plugins=[Peek()], config={**SECRETS, "judge": {"strict": False}}, parent=above)
    assert json.loads(below.call("peek", {"section": "mine"})) == {"color": "red"}
    assert len(judge.seen) == 1


def test_the_tools_of_the_application_read_what_they_like(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[peek], plugins=[Bank()], config=SECRETS)
    assert json.loads(hermes.call("peek", {"section": "bank"})) == {"key": "s3cret"}
