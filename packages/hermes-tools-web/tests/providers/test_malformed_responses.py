"""Whatever a vendor answers, a provider gives what it has to give, or an error that names it."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_net import NetPolicy
from hermes_tools_web.providers.brave import BraveProvider
from hermes_tools_web.providers.exa import ExaProvider
from hermes_tools_web.providers.firecrawl import FirecrawlProvider
from hermes_tools_web.providers.parallel import ParallelProvider
from hermes_tools_web.providers.protocol import Access, Page, ProviderError, SearchRow
from hermes_tools_web.providers.searxng import SearxngProvider
from hermes_tools_web.providers.tavily import TavilyProvider
from hermes_tools_web.settings import WebSettings

URLS = ("https://a.example.org/", "https://b.example.org/")
ROW = {"url": URLS[0], "title": "T", "content": "D", "description": "D", "highlights": ["D"], "excerpts": ["D"]}
DOCUMENTED = {
    "results": [ROW, {**ROW, "id": URLS[0], "text": "C", "raw_content": "C", "full_content": "C", "score": 1.0}],
    "failed_results": [{"url": URLS[1], "error": "no"}],
    "errors": [{"url": URLS[1], "error_type": "no", "http_status_code": 404}],
    "statuses": [{"id": URLS[1], "status": "error", "error": {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}}],
    "unresponsive_engines": [["google", "timeout"]],
    "query": {"more_results_available": False},
    "web": {"results": [ROW]},
    "success": True,
    "data": {"web": [ROW], "markdown": "C", "metadata": {"title": "T", "url": URLS[0], "statusCode": 200}},
}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(sorted(DOCUMENTED)), inner, max_size=4),
    max_leaves=12,
)
ASKS: list[Callable[[Access], Any]] = [
    *(
        lambda access, provider=provider: provider.search("x", 5, access)
        for provider in (
            BraveProvider(),
            ExaProvider(),
            FirecrawlProvider(),
            ParallelProvider(),
            SearxngProvider(),
            TavilyProvider(),
        )
    ),
    *(
        lambda access, provider=provider: provider.extract(URLS, access)
        for provider in (ExaProvider(), FirecrawlProvider(), ParallelProvider(), TavilyProvider())
    ),
]


def access_to(answer: bytes) -> Access:
    """What providers work with, where every service answers the same."""

    def open_client(**_: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.MockTransport(lambda _: httpx2.Response(200, content=answer)))

    keys = {f"{name}_api_key": "k1" for name in ("brave", "exa", "firecrawl", "parallel", "tavily")}
    return Access(
        settings=WebSettings.model_validate({**keys, "searxng_url": "http://localhost:1"}),
        policy=NetPolicy(),
        home=Path(),
        section=lambda _: {},
        open_client=open_client,
    )


def mutated(draw: st.DrawFn) -> Any:
    """A documented answer in which something is something else."""
    answer = copy.deepcopy(DOCUMENTED)
    place: Any = answer
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = draw(st.sampled_from(keys))
        deeper = place[key]
        if not isinstance(deeper, dict | list) or not deeper or draw(st.booleans()):
            place[key] = draw(JSON)
            return answer
        place = deeper


def check(answer: Any) -> None:
    access = access_to(json.dumps(answer).encode())
    for ask in ASKS:
        found: Any = ()
        with contextlib.suppress(ProviderError):  # that is the other thing that may happen; nothing else may
            found = anyio.run(ask, access)
        for each in found:
            assert isinstance(each, SearchRow | Page)
            texts = [each.url, each.title, *(each.facts.values() if isinstance(each, Page) else [each.description])]
            assert all(isinstance(text, str) for text in texts)
        if found and isinstance(found[0], Page):
            assert [page.url for page in found] == list(URLS)


def test_what_is_documented_is_read() -> None:
    access = access_to(json.dumps(DOCUMENTED).encode())
    for ask in ASKS:
        assert anyio.run(ask, access)


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_answers_in_which_something_is_something_else(data: st.DataObject) -> None:
    check(data.draw(st.composite(mutated)()))


@given(JSON)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_answers_that_are_anything(answer: Any) -> None:
    check(answer)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1" * 4000])
def test_numbers_that_are_none_do_no_harm(number: str) -> None:
    answer = json.dumps(DOCUMENTED).replace("1.0", number).encode()
    assert anyio.run(SearxngProvider().search, "x", 1, access_to(answer))
