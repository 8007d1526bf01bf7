"""The toolsets of Hermes Agent's platforms have the tools that they had there."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from hermes_compat.plugin import CORE_TOOLS, PLATFORM_TOOLSETS
from hermes_core import Hermes, Toolset

CHATS = (
    *("telegram", "whatsapp", "slack", "signal", "bluebubbles", "homeassistant", "email", "mattermost", "matrix"),
    *("dingtalk", "weixin", "qqbot", "wecom", "wecom-callback", "sms", "discord", "feishu", "yuanbao"),
)


def tools_of(*names: str) -> frozenset[str]:
    with Hermes(toolsets=PLATFORM_TOOLSETS) as hermes:
        return hermes.toolsets.resolve(names, hermes.registry.snapshot)


def platform(name: str) -> Toolset:
    return next(toolset for toolset in PLATFORM_TOOLSETS if toolset.name == name)


def test_names_are_unique_and_described() -> None:
    names = [toolset.name for toolset in PLATFORM_TOOLSETS]
    assert len(names) == len(set(names))
    assert all(toolset.description for toolset in PLATFORM_TOOLSETS)


@pytest.mark.parametrize("name", ["cli", "cron", *CHATS])
def test_platforms_share_the_core_list(name: str) -> None:
    assert tools_of(f"hermes-{name}") == set(CORE_TOOLS)


def test_the_core_list_has_no_repeats_and_nothing_that_is_off_by_default() -> None:
    assert len(CORE_TOOLS) == len(set(CORE_TOOLS)) == 36
    assert "mixture_of_agents" not in CORE_TOOLS


def test_a_webhook_gets_four_harmless_tools() -> None:
    assert tools_of("hermes-webhook") == {"web_search", "web_extract", "vision_analyze", "clarify"}


def test_the_gateway_includes_every_messaging_platform() -> None:
    assert set(platform("hermes-gateway").includes) == {f"hermes-{name}" for name in (*CHATS, "webhook")}
    assert tools_of("hermes-gateway") == set(CORE_TOOLS)


def test_platforms_where_no_user_can_be_asked_offer_no_question() -> None:
    assert tools_of("coding") - tools_of("hermes-acp") == {"clarify"}
    assert set(CORE_TOOLS) - tools_of("hermes-api-server") == {"clarify", "send_message", "text_to_speech"}


def test_every_tool_is_one_that_a_toolset_of_the_core_names() -> None:
    with Hermes() as hermes:
        named = hermes.toolsets.resolve(hermes.toolsets.names(), hermes.registry.snapshot)
    assert {tool for toolset in PLATFORM_TOOLSETS for tool in toolset.tools} <= named


def test_the_core_knows_who_brings_them() -> None:
    families = json.loads(files("hermes_core").joinpath("families.json").read_text())
    assert {toolset.name for toolset in PLATFORM_TOOLSETS} <= set(families["hermes-compat"]["toolsets"])
