"""Pages and summaries are kept, and what cannot be understood is not there."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from hermes_auxiliary import AuxiliaryModel
from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.extraction.extract import find_page, store_page
from hermes_tools_web.extraction.job import Outcome
from hermes_tools_web.extraction.summarizer import Summary, find_summary, store_summary
from hermes_tools_web.providers.protocol import Page
from hermes_tools_web.settings import CacheSettings

URL = "https://example.org/"
PAGE = Page(
    url=URL,
    content="Text\ud800.",
    title="T",
    final_url=f"{URL}x",
    kind="html",
    facts={"author": "A"},
    notes=("a note",),
)
MODEL = AuxiliaryModel(task="web_extract", model="m")


def test_a_page_comes_back_as_it_was_read(tmp_path: Path) -> None:
    with WebCache(tmp_path, CacheSettings()) as cache:
        anyio.run(store_page, cache, URL, Outcome(page=PAGE, provider="direct", fetched_at=12.5))
        found = anyio.run(find_page, cache, "direct", URL)
        assert found == Outcome(page=PAGE, provider="direct", fetched_at=12.5, from_cache=True)
        assert anyio.run(find_page, cache, "tavily", URL) is None
        assert anyio.run(find_page, cache, "direct", f"{URL}x") is None


def test_an_error_is_not_kept(tmp_path: Path) -> None:
    with WebCache(tmp_path, CacheSettings()) as cache:
        anyio.run(store_page, cache, URL, Outcome(page=Page(url=URL, error="no"), provider="direct"))
        assert anyio.run(find_page, cache, "direct", URL) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{broken",
        '{"version": 0, "fetched_at": 1, "page": {}}',
        '{"version": 1, "fetched_at": "x", "page": {}}',
        '{"version": 1, "fetched_at": 1, "page": {"url": "u", "notes": [], "facts": {}, "new": 1}}',
        '{"version": 1, "fetched_at": 1, "page": {"url": "u", "content": 3, "notes": [], "facts": {}}}',
        '{"version": 1, "fetched_at": 1, "page": {"url": "u", "error": "e", "notes": [], "facts": {}}}',
        "[" * 100_000,
    ],
)
def test_what_another_version_kept_is_not_there(tmp_path: Path, text: str) -> None:
    with WebCache(tmp_path, CacheSettings()) as cache:
        cache.put("page", "direct", URL, text)
        assert anyio.run(find_page, cache, "direct", URL) is None


def test_a_summary_belongs_to_its_model_and_its_text(tmp_path: Path) -> None:
    with WebCache(tmp_path, CacheSettings()) as cache:
        anyio.run(store_summary, cache, MODEL, "text", Summary(text="short", model="m"))
        assert anyio.run(find_summary, cache, MODEL, "text") == Summary(text="short", model="m")
        assert anyio.run(find_summary, cache, MODEL, "another") is None
        other = AuxiliaryModel(task="web_extract", model="other")
        assert anyio.run(find_summary, cache, other, "text") is None
        anyio.run(store_summary, cache, other, "text", Summary(text="half", model="other", whole=False))
        assert anyio.run(find_summary, cache, other, "text") is None


def test_a_cache_that_is_broken_is_not_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "web").touch()
    with WebCache(tmp_path, CacheSettings()) as cache:
        anyio.run(store_page, cache, URL, Outcome(page=PAGE, provider="direct", fetched_at=1.0))
        assert anyio.run(find_page, cache, "direct", URL) is None
        assert cache.problem
