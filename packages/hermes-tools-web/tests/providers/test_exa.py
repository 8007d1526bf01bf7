"""Exa, on a server that checks requests as https://docs.exa.ai documents them."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tools_web.providers.exa import ExaProvider

FOUND = {
    "requestId": "b5947044c4b78efa9552a7c89b306d95",
    "resolvedSearchType": "neural",
    "results": [
        {
            "id": "https://arxiv.org/abs/2307.06435",
            "url": "https://arxiv.org/abs/2307.06435",
            "title": "A Comprehensive Overview",
            "publishedDate": "2023-11-16T01:36:32.547Z",
            "author": "Humza Naveed",
            "highlights": ["Such requirements", "and more"],
            "highlightScores": [0.46, 0.2],
        },
        {"id": "https://b.example.org/", "url": "https://b.example.org/", "title": None, "text": "All of it."},
    ],
    "costDollars": {"total": 0.005},
}


@pytest.fixture
def exa(vendor: Any, access: Any, key: str) -> Any:
    return access(exa_api_key=key, exa_url=vendor.url)


def test_a_search_is_asked_for_as_documented(vendor: Any, exa: Any, key: str, run: Any) -> None:
    vendor.says(FOUND)
    rows = run(ExaProvider().search, "language models", 3, exa)
    asked = vendor.last
    assert (asked.method, asked.path) == ("POST", "/search")
    assert asked.headers["x-api-key"] == key
    assert "authorization" not in asked.headers
    assert asked.body == {
        "query": "language models",
        "type": "auto",
        "numResults": 3,
        "contents": {"highlights": True},
    }
    assert [(row.title, row.description) for row in rows] == [
        ("A Comprehensive Overview", "Such requirements ... and more"),
        ("", "All of it."),
    ]


def test_pages_are_asked_for_as_documented(vendor: Any, exa: Any, key: str, run: Any) -> None:
    urls = ["https://a.example.org/old", "https://b.example.org/", "https://c.example.org/"]
    vendor.says(
        {
            "requestId": "e492118ccdedcba5088bfc4357a8a125",
            "results": [
                {
                    "id": urls[0],
                    "url": "https://a.example.org/new",
                    "title": "Ay",
                    "author": "Ada",
                    "publishedDate": "2026-01-02",
                    "text": "# A",
                }
            ],
            "statuses": [
                {"id": urls[0], "status": "success", "source": "cached"},
                {"id": urls[1], "status": "error", "error": {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}},
                {"id": urls[2], "status": "error", "error": {"tag": "A_NEW_ONE", "httpStatusCode": None}},
            ],
        }
    )
    pages = run(ExaProvider().extract, urls, exa)
    asked = vendor.last
    assert (asked.method, asked.path, asked.headers["x-api-key"]) == ("POST", "/contents", key)
    assert asked.body == {"urls": urls, "text": True}
    assert [page.url for page in pages] == urls
    assert (pages[0].content, pages[0].title, pages[0].final_url) == ("# A", "Ay", "https://a.example.org/new")
    assert pages[0].facts == {"author": "Ada", "date": "2026-01-02"}
    assert pages[1].error == "Exa could not read this page: the page was not found (HTTP 404)."
    assert pages[2].error == "Exa could not read this page: it gave no reason."


def test_used_up_credits_are_explained(vendor: Any, exa: Any, problem: Any) -> None:
    vendor.says({"requestId": "1", "error": "You have run out of credits.", "tag": "NO_MORE_CREDITS"}, 402)
    error = problem(ExaProvider().search, "x", 5, exa)
    assert error.message == "The credits at Exa are used up: You have run out of credits."
    assert error.retryable
    assert error.status == 402
