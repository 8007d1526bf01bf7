"""SearXNG, on a server that checks requests as https://docs.searxng.org documents them."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tools_web.providers.searxng import SearxngProvider


def found(*results: dict[str, Any], silent: Any = ()) -> dict[str, Any]:
    return {
        "query": "x",
        "number_of_results": 0,
        "results": list(results),
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": list(silent),
    }


def result(number: int, score: object = 1.0) -> dict[str, Any]:
    return {
        "url": f"https://example.org/{number}",
        "title": f"T{number}",
        "content": f"D{number}",
        "engine": "mojeek",
        "engines": ["mojeek"],
        "category": "general",
        "score": score,
    }


@pytest.fixture
def searxng(vendor: Any, access: Any) -> Any:
    return access(searxng_url=f"{vendor.url}/")


def test_a_search_is_asked_for_as_documented(vendor: Any, searxng: Any, run: Any) -> None:
    vendor.says(found(result(1, 0.5), result(2, 4.0), result(3, "high")))
    rows = run(SearxngProvider().search, "site:example.org ünï", 2, searxng)
    asked = vendor.last
    assert (asked.method, asked.path, asked.body) == ("GET", "/search", None)
    assert asked.query == {"q": "site:example.org ünï", "format": "json", "pageno": "1"}
    assert [row.title for row in rows] == ["T2", "T1", "T3"]
    assert rows[0].description == "D2"


def test_more_than_a_page_takes_several_requests(vendor: Any, reply: Any, searxng: Any, run: Any) -> None:
    vendor.answers(
        reply(body=found(result(1), result(2))), reply(body=found(result(2), result(3))), reply(body=found())
    )
    rows = run(SearxngProvider().search, "x", 10, searxng)
    assert [row.title for row in rows] == ["T1", "T2", "T3"]
    assert [asked.query["pageno"] for asked in vendor.asked] == ["1", "2", "3"]


def test_what_was_found_is_kept_when_the_next_page_fails(vendor: Any, reply: Any, searxng: Any, run: Any) -> None:
    vendor.answers(reply(body=found(result(1))), reply(body=b"<html>", status=404))
    assert len(run(SearxngProvider().search, "x", 10, searxng)) == 1


def test_a_server_that_gives_no_json_is_explained(vendor: Any, searxng: Any, problem: Any) -> None:
    vendor.says(b"<!doctype html><title>403 Forbidden</title>", 403, Content_Type="text/html")
    error = problem(SearxngProvider().search, "x", 5, searxng)
    assert error.message == "SearXNG does not return JSON."
    assert "search.formats" in error.hint
    assert error.status == 403


def test_a_server_that_is_no_searxng_is_explained(vendor: Any, searxng: Any, problem: Any) -> None:
    vendor.says(b"<!doctype html><title>Welcome to nginx</title>", 200, Content_Type="text/html; charset=utf-8")
    error = problem(SearxngProvider().search, "x", 5, searxng)
    assert error.message == "SearXNG sent an undocumented response: it is not JSON (text/html)."
    assert error.hint == "Ask the user to check that web.searxng_url points to SearXNG."


def test_engines_that_do_not_answer_are_named(vendor: Any, searxng: Any, problem: Any) -> None:
    vendor.says(found(silent=[["google", "timeout"], ["brave", "too many requests"], "ab", ["x"]]))
    error = problem(SearxngProvider().search, "x", 5, searxng)
    assert error.message == (
        "SearXNG found nothing, because its search engines did not answer: google (timeout), brave (too many requests)."
    )
    assert error.retryable


def test_nothing_found_is_no_error(vendor: Any, searxng: Any, run: Any) -> None:
    vendor.says(found())
    assert run(SearxngProvider().search, "x", 5, searxng) == []


def test_user_and_password_of_the_url_go_into_a_header(vendor: Any, access: Any, run: Any) -> None:
    vendor.says(found(result(1)))
    opened = access(searxng_url=vendor.url.replace("://", "://me:p%40ss@"))
    run(SearxngProvider().search, "x", 1, opened)
    assert vendor.last.headers["authorization"] == "Basic bWU6cEBzcw=="


def test_without_a_url_it_says_so(access: Any) -> None:
    assert SearxngProvider().missing(access()) == "web.searxng_url (or SEARXNG_URL) is not set."
    assert SearxngProvider().missing(access(searxng_url="localhost:8080")) == (
        "web.searxng_url is not a URL such as https://search.example.org."
    )
