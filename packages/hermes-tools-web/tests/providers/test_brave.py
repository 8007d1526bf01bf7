"""Brave Search, on a server that checks requests as https://api-dashboard.search.brave.com documents them."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tools_web.providers.brave import BraveProvider


def page(first: int, count: int, *, more: bool) -> dict[str, Any]:
    results = [
        {"type": "search_result", "title": f"T{n}", "url": f"https://example.org/{n}", "description": f"D{n}"}
        for n in range(first, first + count)
    ]
    return {
        "type": "search",
        "query": {"original": "x", "more_results_available": more},
        "web": {"type": "search", "results": results, "family_friendly": True},
    }


def failure(code: str, detail: str, status: int) -> dict[str, Any]:
    error = {"id": "5d832250", "code": code, "detail": detail, "status": status, "meta": {"component": "x"}}
    return {"type": "ErrorResponse", "error": error, "time": 1663072993}


@pytest.fixture
def brave(vendor: Any, access: Any, key: str) -> Any:
    return access(brave_api_key=key, brave_url=vendor.url)


def test_a_search_is_asked_for_as_documented(vendor: Any, brave: Any, key: str, run: Any) -> None:
    vendor.says(page(1, 3, more=True))
    rows = run(BraveProvider().search, 'plug & play "ünï"', 3, brave)
    asked = vendor.last
    assert (asked.method, asked.path, asked.body) == ("GET", "/res/v1/web/search", None)
    assert asked.headers["x-subscription-token"] == key
    assert asked.headers["accept"] == "application/json"
    assert asked.query == {
        "q": 'plug & play "ünï"',
        "count": "3",
        "result_filter": "web",
        "text_decorations": "false",
    }
    assert (rows[0].url, rows[0].title, rows[0].description) == ("https://example.org/1", "T1", "D1")
    assert len(vendor.asked) == 1


def test_more_than_a_page_takes_several_requests(vendor: Any, reply: Any, brave: Any, run: Any) -> None:
    vendor.answers(
        reply(body=page(1, 20, more=True)), reply(body=page(21, 20, more=True)), reply(body=page(41, 5, more=False))
    )
    rows = run(BraveProvider().search, "x", 100, brave)
    assert [row.title for row in rows] == [f"T{n}" for n in range(1, 46)]
    assert [(asked.query["count"], asked.query.get("offset")) for asked in vendor.asked] == [
        ("20", None),
        ("20", "1"),
        ("20", "2"),
    ]


def test_what_was_found_is_kept_when_the_next_page_fails(vendor: Any, reply: Any, brave: Any, run: Any) -> None:
    vendor.answers(reply(body=page(1, 20, more=True)), reply(body=failure("QUOTA_LIMITED", "Quota", 429), status=429))
    assert len(run(BraveProvider().search, "x", 40, brave)) == 20


def test_nothing_found_is_no_error(vendor: Any, brave: Any, run: Any) -> None:
    vendor.says({"type": "search", "query": {"original": "x"}, "mixed": {"type": "mixed"}})
    assert run(BraveProvider().search, "x", 5, brave) == []


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("SUBSCRIPTION_TOKEN_INVALID", 422, "Brave Search rejects the key: The words."),
        ("SUBSCRIPTION_NOT_FOUND", 404, "Brave Search does not allow this: The words."),
        ("QUOTA_LIMITED", 429, "The credits at Brave Search are used up: The words."),
        ("VALIDATION", 422, "Brave Search did not accept the request (HTTP 422): The words."),
    ],
)
@pytest.mark.parametrize("as_list", [False, True])
def test_its_own_codes_are_understood(
    vendor: Any, brave: Any, problem: Any, code: str, status: int, message: str, as_list: bool
) -> None:
    said = failure(code, "The words.", status)
    if as_list:
        said = {"type": "ErrorResponse", "errors": [said["error"]], "time": 1}
    vendor.says(said, status)
    assert problem(BraveProvider().search, "x", 5, brave).message == message
    assert len(vendor.asked) == 1


def test_it_is_left_alone_as_long_as_its_limits_say(vendor: Any, reply: Any, brave: Any, run: Any) -> None:
    limits = {"X-RateLimit-Limit": "1, 2000", "X-RateLimit-Remaining": "0, 900", "X-RateLimit-Reset": "0, 90000"}
    vendor.answers(
        reply(body=failure("RATE_LIMITED", "Too fast", 429), status=429, headers=limits),
        reply(body=page(1, 1, more=False)),
    )
    assert len(run(BraveProvider().search, "x", 5, brave)) == 1
    assert len(vendor.asked) == 2
