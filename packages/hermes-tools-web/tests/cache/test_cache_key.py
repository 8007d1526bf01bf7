"""What is kept is kept for the settings that it was asked with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_net import NetPolicy
from hermes_tools_web.cache.web_cache import cache_key
from hermes_tools_web.providers.protocol import Access
from hermes_tools_web.settings import WebSettings


def _key(question: str = "https://example.org/", **web: Any) -> str:
    settings = WebSettings.model_validate(web)
    return cache_key(question, Access(settings=settings, policy=NetPolicy(), home=Path(), section=lambda name: {}))


@pytest.mark.parametrize(
    "web",
    [
        {"searxng_url": "http://localhost:8080"},
        {"firecrawl_url": "http://localhost:3002"},
        {"parallel_search_mode": "fast"},
        {"user_agent": "Somebody/1.0"},
    ],
)
def test_other_settings_have_other_answers(web: dict[str, Any]) -> None:
    assert _key(**web) != _key()
    assert _key(**web) == _key(**web)


@pytest.mark.parametrize("web", [{"tavily_api_key": "tvly-1"}, {"cache": {"max_mb": 5}}, {"backend": "direct"}])
def test_what_changes_no_answer_changes_no_key(web: dict[str, Any]) -> None:
    assert _key(**web) == _key()


def test_other_questions_have_other_answers() -> None:
    assert _key("https://example.org/a") != _key("https://example.org/b")
