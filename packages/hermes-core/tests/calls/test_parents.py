"""A host below another one cannot change what the one above decides, knows or hides."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from hermes_core import (
    CallRecord,
    Decision,
    Deny,
    Finding,
    Hermes,
    ToolContext,
    hookimpl,
    tool,
)


def decision_of(record: CallRecord) -> Decision:
    assert record.decision
    return record.decision


@tool(toolset="bells")
def ring(text: str = "") -> str:
    """Ring."""
    return f"rang {text}"


class House:
    """Denies what the settings of its own host deny, and remembers what its context showed."""

    def __init__(self) -> None:
        self.seen: list[tuple[object, ...]] = []

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        return {"house": {"type": "object", "properties": {"deny": {"type": "array", "items": {"type": "string"}}}}}

    @hookimpl
    def hermes_providers(self) -> dict[str, Any]:
        return {"bells": {"brass": lambda: "bell"}}

    @hookimpl
    def hermes_pre_tool_call(self, call: Any, ctx: ToolContext) -> Deny | None:
        self.seen.append((ctx.service("owner"), dict(ctx.providers("bells")), ctx.home))
        denied = ctx.settings("house").get("deny", [])
        return Deny("Not in this house.") if call.name in denied else None


def test_hooks_above_read_the_settings_services_and_home_of_their_own_host(tmp_path: Path) -> None:
    house = House()
    parent = Hermes(
        tools=[ring],
        plugins=[house],
        config={"house": {"deny": ["ring"]}},
        services={"owner": "parent"},
        home=tmp_path / "parent",
    )
    assert decision_of(parent.run("ring")).outcome == "denied-by-policy"
    configs: list[dict[str, Any]] = [{}, {"house": {"deny": []}}]
    for config in configs:
        child = Hermes(tools=[ring], parent=parent, config=config, services={"owner": "child"}, home=tmp_path / "child")
        assert decision_of(child.run("ring")).outcome == "denied-by-policy"
    assert house.seen[0] == ("parent", {"brass": "bell"}, tmp_path / "parent")
    assert set(map(repr, house.seen)) == {repr(house.seen[0])}


class Refuses:
    @hookimpl
    def hermes_assess_call(self) -> Finding:
        time.sleep(0.3)
        return Finding(rule="house.never", severity="refuse", reason="It never rings.")


class Denies:
    @hookimpl
    async def hermes_pre_tool_call(self) -> Deny:
        import anyio

        await anyio.sleep(0.3)
        return Deny("It never rings.")


@pytest.mark.parametrize(("plugin", "outcome"), [(Refuses, "refused"), (Denies, "denied-by-policy")])
def test_a_host_below_shortens_no_deadline_of_a_hook_above(plugin: type[object], outcome: str) -> None:
    parent = Hermes(tools=[ring], plugins=[plugin()], config={"calls": {"hook_timeout": 20}})
    child = Hermes(tools=[ring], parent=parent, config={"calls": {"hook_timeout": 0.05}}, approver=lambda request: True)
    record = child.run("ring")
    assert decision_of(record).outcome == outcome
    assert "It never rings." in decision_of(record).reason


class Asks:
    @hookimpl
    def hermes_assess_call(self) -> Finding:
        return Finding(rule="house.ask", severity="ask", reason="It is late.")


class Remembers:
    def __init__(self) -> None:
        self.own: list[bool] = []

    @hookimpl
    def hermes_approval_resolved(self, own: bool) -> None:
        self.own.append(own)


def test_a_plugin_that_both_hosts_have_belongs_to_the_one_above() -> None:
    remembers = Remembers()
    parent = Hermes(tools=[ring], plugins=[Asks(), remembers])
    child = Hermes(tools=[ring], parent=parent, plugins=[remembers], approver=lambda request: True)
    assert decision_of(child.run("ring")).outcome == "allowed"
    assert remembers.own == [False]


class Watches:
    def __init__(self) -> None:
        self.seen = ""

    @hookimpl
    def hermes_post_tool_call(self, record: Any) -> None:
        self.seen += f"{record.call.args} {record.result}"


def test_secrets_of_the_host_above_are_hidden_in_calls_below() -> None:
    @tool(toolset="bells", requires_env=["BELL_KEY"])
    def unlock() -> str:
        """Unlock the bells."""
        return "unlocked"

    watches = Watches()
    parent = Hermes(tools=[unlock], plugins=[watches], environ={"BELL_KEY": "s3cr3t-value-of-the-bell"})
    child = Hermes(tools=[ring], parent=parent, environ={})
    assert "s3cr3t" not in child.call("ring", {"text": "with s3cr3t-value-of-the-bell"})
    assert "s3cr3t" not in watches.seen
    assert "rang" in watches.seen


def test_an_approver_above_decides_before_one_below() -> None:
    parent = Hermes(tools=[ring], plugins=[Asks()], approver=lambda request: Decision(outcome="denied-by-human"))
    child = Hermes(tools=[ring], parent=parent, approver=lambda request: True)
    assert decision_of(child.run("ring")).outcome == "denied-by-human"
