"""Tavily, on a server that checks requests as https://docs.tavily.com documents them."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tools_web.providers.tavily import TavilyProvider

FOUND = {
    "query": "pluggy",
    "answer": None,
    "images": [],
    "results": [
        {
            "title": "pluggy",
            "url": "https://pluggy.readthedocs.io/",
            "content": "A plugin system.",
            "score": 0.99,
            "raw_content": None,
        },
        {"title": "PyPI", "url": "https://pypi.org/project/pluggy/", "content": "Its package.", "score": 0.7},
    ],
    "response_time": 1.67,
}


@pytest.fixture
def tavily(vendor: Any, access: Any, key: str) -> Any:
    return access(tavily_api_key=key, tavily_url=vendor.url)


def test_a_search_is_asked_for_as_documented(vendor: Any, tavily: Any, key: str, run: Any) -> None:
    vendor.says(FOUND)
    rows = run(TavilyProvider().search, "pluggy", 7, tavily)
    asked = vendor.last
    assert (asked.method, asked.path, asked.query) == ("POST", "/search", {})
    assert asked.headers["authorization"] == f"Bearer {key}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.body == {"query": "pluggy", "max_results": 7, "search_depth": "basic"}
    assert [(row.url, row.title, row.description) for row in rows] == [
        ("https://pluggy.readthedocs.io/", "pluggy", "A plugin system."),
        ("https://pypi.org/project/pluggy/", "PyPI", "Its package."),
    ]


def test_it_is_never_asked_for_more_than_it_gives(vendor: Any, tavily: Any, run: Any) -> None:
    vendor.says(FOUND)
    run(TavilyProvider().search, "pluggy", 100, tavily)
    assert vendor.last.body["max_results"] == 20


def test_pages_are_asked_for_as_documented(vendor: Any, tavily: Any, key: str, run: Any) -> None:
    urls = ["https://a.example.org/", "https://b.example.org/x", "https://c.example.org/"]
    vendor.says(
        {
            "results": [
                {"url": "https://c.example.org", "raw_content": "# C", "images": [], "title": "See"},
                {"url": urls[0], "raw_content": "# A", "images": []},
            ],
            "failed_results": [{"url": urls[1], "error": "Failed to fetch url"}],
            "response_time": 0.02,
        }
    )
    pages = run(TavilyProvider().extract, urls, tavily)
    asked = vendor.last
    assert (asked.method, asked.path) == ("POST", "/extract")
    assert asked.headers["authorization"] == f"Bearer {key}"
    assert asked.body == {"urls": urls, "format": "markdown", "extract_depth": "basic"}
    assert [page.url for page in pages] == urls
    assert [page.content for page in pages] == ["# A", "", "# C"]
    assert pages[1].error == "Tavily could not read this page: Failed to fetch url."
    assert pages[2].title == "See"


def test_a_page_that_it_says_nothing_about_has_an_error(vendor: Any, tavily: Any, run: Any) -> None:
    vendor.says({"results": [], "failed_results": []})
    [page] = run(TavilyProvider().extract, ["https://a.example.org/"], tavily)
    assert page.error == "Tavily returned nothing for this page."


@pytest.mark.parametrize("status", [432, 433])
def test_a_used_up_plan_is_explained(vendor: Any, tavily: Any, problem: Any, status: int) -> None:
    vendor.says({"detail": {"error": "This request exceeds your plan's set usage limit."}}, status)
    error = problem(TavilyProvider().search, "x", 5, tavily)
    assert error.message == ("The credits at Tavily are used up: This request exceeds your plan's set usage limit.")
    assert "https://app.tavily.com" in error.hint
    assert len(vendor.asked) == 1


def test_without_a_key_it_says_which(access: Any) -> None:
    assert TavilyProvider().missing(access()) == "web.tavily_api_key (or TAVILY_API_KEY) is not set."
    assert TavilyProvider().missing(access(tavily_api_key="tvly-x")) is None
