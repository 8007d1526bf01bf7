"""Tools and commands work with the user's settings, and say what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_core import ConfigError
from hermes_tools_web.providers.access import access_for_host

BROKEN = {"allow_private_urls": True, "website_blocklist": {"enabled": True, "domains": "example.org"}}


def test_a_command_gets_what_a_tool_gets(agent: Any, home: Path) -> None:
    security = {"allow_private_urls": True, "website_blocklist": {"enabled": True, "domains": ["example.org"]}}
    access = access_for_host(agent(web={"backend": "exa"}, security=security).hermes)
    assert access.settings.backend == "exa"
    assert access.policy.allow_private
    assert access.policy.blocklist is not None
    assert access.home == home
    assert access.section("security")["allow_private_urls"] is True


def test_the_same_settings_share_what_a_block_list_has_read(agent: Any) -> None:
    security = {"website_blocklist": {"enabled": True, "domains": ["example.org"]}}
    first, retryable = (access_for_host(agent(security=security).hermes).policy for _ in range(2))
    assert first is retryable
    other = access_for_host(agent(security={}).hermes).policy
    assert other.blocklist is None


def test_a_block_list_that_is_none_stops_the_tool_and_the_command(agent: Any) -> None:
    host = agent(security=BROKEN)
    told = host.call("web_extract", {"urls": ["http://127.0.0.1/"]})
    assert "website_blocklist" in told["error"]
    with pytest.raises(ConfigError, match="website_blocklist"):
        access_for_host(host.hermes)


def test_private_addresses_are_opened_where_older_settings_say_so(agent: Any) -> None:
    older = {"browser": {"allow_private_urls": True}}
    assert access_for_host(agent(security={}, config=older).hermes).policy.allow_private
    assert not access_for_host(agent(security={}).hermes).policy.allow_private
