"""A plugin of somebody else adds a search engine and a reader of pages; nothing of the family is touched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from hermes_core import PluginError, hookimpl
from hermes_text import unwrapped_text
from hermes_tools_web.providers.protocol import Access, Page, ProviderError, SearchRow, Setup


class LibrarySettings(BaseModel):
    """The section of the plugin."""

    url: str = ""


class Catalogue:
    """A search engine over HTTP, with a setting of its own."""

    setup = Setup(title="The library", about="Books.", url="https://library.example.org", settings=("library.url",))

    def missing(self, access: Access) -> str | None:
        return None if access.section("library").get("url") else "library.url is not set."

    async def search(self, query: str, limit: int, access: Access) -> Sequence[SearchRow]:
        async with access.client() as client:
            answer = await client.get(access.section("library")["url"], params={"q": query, "n": limit})
        if answer.status_code != 200:
            raise ProviderError("library", "The library is closed.", retryable=True, status=answer.status_code)
        return [SearchRow(url=each["where"], title=each["name"]) for each in answer.json()]


class Desk:
    """A reader of pages, sync, that only has some."""

    setup = Setup(title="The reading desk", about="Reads what the library has.")

    def missing(self, access: Access) -> str | None:
        return None

    def extract(self, urls: Sequence[str], access: Access) -> Sequence[Page]:
        return [
            Page(url=url, title="A book", content=f"# {url}") if "book" in url else Page(url=url, error="Not here.")
            for url in urls
        ]


class Library:
    """The plugin."""

    @hookimpl
    def hermes_settings(self) -> dict[str, type[BaseModel]]:
        return {"library": LibrarySettings}

    @hookimpl
    def hermes_providers(self) -> dict[str, Any]:
        return {"web_search": {"library": Catalogue}, "web_extract": {"desk": Desk}}


@pytest.fixture
def library(agent: Any, network: Any) -> Any:
    """An agent with the plugin, and its service."""
    books = json.dumps([{"where": "https://books.example.org/1", "name": "A <b>book</b>"}, {"where": "", "name": "x"}])
    body = books.encode()
    server = network.serve(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return agent(plugins=[Library()], config={"library": {"url": server.url}})


def test_its_search_engine_is_asked(library: Any) -> None:
    found = library.use("web_search", query="books")
    assert found["provider"] == "library"
    assert [(row["title"], row["url"]) for row in found["data"]["web"]] == [("A book", "https://books.example.org/1")]


def test_its_reader_reads_pages(agent: Any) -> None:
    made = agent(plugins=[Library()], web={"extract_backend": "desk"})
    good, bad = made.call("web_extract", {"urls": ["http://127.0.0.1/book", "http://127.0.0.1/film"]})["results"]
    assert (good["provider"], good["title"], bad["error"]) == ("desk", "A book", "Not here.")
    assert unwrapped_text(good["content"]) == "# http://127.0.0.1/book"


def test_without_its_setting_it_is_passed_over_and_named_when_it_was_chosen(agent: Any) -> None:
    found = agent(plugins=[Library()], web={"search_backend": "library"}).call("web_search", {"query": "x"})
    assert found["error"] == "web.search_backend is library, which cannot be used: library.url is not set."
    assert found["hint"] == "Ask the user to run 'hermes config set library.url -'; see https://library.example.org."


def test_its_guarded_client_keeps_from_private_places(agent: Any, network: Any) -> None:
    server = network.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
    made = agent(
        plugins=[Library()], security={}, web={"search_backend": "library"}, config={"library": {"url": server.url}}
    )
    found = made.call("web_search", {"query": "x"})
    assert (found["error"], found["provider"]) == ("127.0.0.1 is this machine.", "library")
    assert server.requests == []


def test_a_name_of_the_family_stays_the_familys(agent: Any) -> None:
    class Impostor:
        @hookimpl
        def hermes_providers(self) -> dict[str, Any]:
            return {"web_search": {"ddgs": Catalogue}}

    with pytest.raises(PluginError, match="provider 'ddgs' of 'web_search' is taken"):
        agent(plugins=[Impostor()])
