"""Parallel, on a server that checks requests as https://docs.parallel.ai documents them."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tools_web.providers.parallel import ParallelProvider

FOUND = {
    "search_id": "search_cad0a6d2dec046bd95ae900527d880e7",
    "session_id": "s1",
    "results": [
        {
            "url": "https://www.un.org/en/about-us/history-of-the-un",
            "title": "History of the United Nations",
            "publish_date": "2024-01-15",
            "excerpts": ["In 1945", "the charter"],
        },
        {"url": "https://b.example.org/", "title": None, "excerpts": []},
    ],
    "warnings": None,
}


@pytest.fixture
def parallel(vendor: Any, access: Any, key: str) -> Any:
    return access(parallel_api_key=key, parallel_url=vendor.url)


def test_a_search_is_asked_for_as_documented(vendor: Any, parallel: Any, key: str, run: Any) -> None:
    vendor.says(FOUND)
    rows = run(ParallelProvider().search, "when was the UN founded", 4, parallel)
    asked = vendor.last
    assert (asked.method, asked.path) == ("POST", "/v1/search")
    assert asked.headers["x-api-key"] == key
    assert asked.body == {
        "objective": "when was the UN founded",
        "search_queries": ["when was the UN founded"],
        "mode": "advanced",
        "advanced_settings": {"max_results": 4},
    }
    assert [(row.title, row.description) for row in rows] == [
        ("History of the United Nations", "In 1945 ... the charter"),
        ("", ""),
    ]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("agentic", "advanced"), ("one-shot", "basic"), ("fast", "fast"), ("turbo", "turbo"), ("basic", "basic")],
)
def test_modes_have_the_names_of_today(vendor: Any, access: Any, run: Any, ours: str, theirs: str) -> None:
    vendor.says(FOUND)
    opened = access(parallel_api_key="k1", parallel_url=vendor.url, parallel_search_mode=ours)
    run(ParallelProvider().search, "x", 4, opened)
    assert vendor.last.body["mode"] == theirs


def test_a_long_question_fits_its_limits(vendor: Any, parallel: Any, run: Any) -> None:
    vendor.says(FOUND)
    run(ParallelProvider().search, "why " * 1500, 100, parallel)
    assert vendor.last.body["advanced_settings"] == {"max_results": 40}
    assert len(vendor.last.body["objective"]) == 5000
    assert [len(query) for query in vendor.last.body["search_queries"]] == [200]


def test_pages_are_asked_for_as_documented(vendor: Any, parallel: Any, key: str, run: Any) -> None:
    urls = ["https://a.example.org/", "https://b.example.org/", "https://c.example.org/"]
    vendor.says(
        {
            "extract_id": "extract_cad0a6d2dec046bd95ae900527d880e7",
            "session_id": "s1",
            "results": [
                {"url": urls[1], "title": "Bee", "excerpts": ["# B", "more"], "full_content": None},
                {"url": urls[0], "title": "Ay", "publish_date": "2026-01-02", "excerpts": [], "full_content": "# A"},
            ],
            "errors": [{"url": urls[2], "error_type": "fetch_error", "http_status_code": 500, "content": None}],
        }
    )
    pages = run(ParallelProvider().extract, urls, parallel)
    asked = vendor.last
    assert (asked.method, asked.path, asked.headers["x-api-key"]) == ("POST", "/v1/extract", key)
    assert asked.body == {"urls": urls, "advanced_settings": {"full_content": True}}
    assert [page.content for page in pages] == ["# A", "# B\n\nmore", ""]
    assert pages[0].facts == {"date": "2026-01-02"}
    assert not pages[0].notes
    assert "excerpts" in pages[1].notes[0]
    assert pages[2].error == "Parallel could not read this page: fetch_error (HTTP 500)."


def test_its_errors_are_explained(vendor: Any, parallel: Any, problem: Any) -> None:
    said = {"type": "error", "error": {"ref_id": "r1", "message": "Insufficient credit", "detail": None}}
    vendor.says(said, 402)
    assert problem(ParallelProvider().search, "x", 5, parallel).message == (
        "The credits at Parallel are used up: Insufficient credit."
    )
