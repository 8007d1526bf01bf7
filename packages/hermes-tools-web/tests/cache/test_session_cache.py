"""The calls of a session share one cache, with the settings that hold now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_core import ToolContext, hookimpl, tool
from hermes_tools_web.cache.web_cache import WebCache, session_cache
from hermes_tools_web.settings import CacheSettings

SEEN = "seen"


class Lending:
    """A plugin whose tool takes the cache of its session."""

    def __init__(self) -> None:
        self.taken: list[WebCache] = []

    @hookimpl
    def hermes_tools(self) -> list[Any]:
        taken = self.taken

        @tool(toolset="lending")
        def take_cache(minutes: int, ctx: ToolContext) -> dict[str, bool]:
            """Take the cache, put something into it, and find it again."""
            cache = session_cache(ctx, CacheSettings(page_minutes=minutes))
            taken.append(cache)
            cache.put("page", "direct", "k", SEEN)
            return {"found": cache.get("page", "direct", "k") == SEEN}

        return [take_cache]


@pytest.fixture
def lending() -> Lending:
    """The plugin."""
    return Lending()


def test_a_session_has_one_cache_and_closes_it(agent: Any, lending: Lending, home: Path) -> None:
    hermes = agent(plugins=[lending]).hermes
    with hermes.session() as session:
        assert '"found": true' in session.call("take_cache", {"minutes": 5})
        assert '"found": true' in session.call("take_cache", {"minutes": 5})
        one, two = lending.taken
        assert one is two
        assert one.path.is_relative_to(home)
    assert one.get("page", "direct", "k") is None, "it is closed"


def test_sessions_have_caches_of_their_own_and_share_the_file(agent: Any, lending: Lending) -> None:
    hermes = agent(plugins=[lending]).hermes
    with hermes.session() as session, hermes.session() as other:
        session.call("take_cache", {"minutes": 5})
        other.call("take_cache", {"minutes": 5})
        one, two = lending.taken
        assert one is not two
        one.put("page", "direct", "more", "words")
        assert two.get("page", "direct", "more") == "words"


def test_new_settings_hold_at_once(agent: Any, lending: Lending) -> None:
    hermes = agent(plugins=[lending]).hermes
    with hermes.session() as session:
        session.call("take_cache", {"minutes": 5})
        assert '"found": false' in session.call("take_cache", {"minutes": 0})
        one, two = lending.taken
        assert (one.settings.page_minutes, two.settings.page_minutes) == (5, 0)
        assert one.get("page", "direct", "k") is None, "the old one is closed"
