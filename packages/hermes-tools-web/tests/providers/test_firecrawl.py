"""Firecrawl, on a server that checks requests as https://docs.firecrawl.dev documents them."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_net import NetPolicy
from hermes_tools_web.providers.firecrawl import FirecrawlProvider
from hermes_tools_web.providers.protocol import Page

URLS = ["https://a.example.org/", "https://b.example.org/"]


def scraped(asked_for: str, **metadata: Any) -> dict[str, Any]:
    known = {"title": "Ay", "language": "en", "sourceURL": asked_for, "url": asked_for, "statusCode": 200, **metadata}
    return {"success": True, "data": {"markdown": "# A", "metadata": known}}


@pytest.fixture
def firecrawl(vendor: Any, access: Any, key: str) -> Any:
    return access(firecrawl_api_key=key, firecrawl_url=vendor.url)


def test_a_search_is_asked_for_as_documented(vendor: Any, firecrawl: Any, key: str, run: Any) -> None:
    vendor.says(
        {
            "success": True,
            "data": {
                "web": [
                    {"title": "Ay", "description": "About a.", "url": "https://a.example.org/", "position": 1},
                    {"markdown": "# B", "metadata": {"title": "Bee", "sourceURL": "https://b.example.org/"}},
                ]
            },
            "warning": None,
            "creditsUsed": 2,
        }
    )
    rows = run(FirecrawlProvider().search, "letters", 9, firecrawl)
    asked = vendor.last
    assert (asked.method, asked.path) == ("POST", "/v2/search")
    assert asked.headers["authorization"] == f"Bearer {key}"
    assert asked.body == {"query": "letters", "limit": 9}
    assert [(row.url, row.title) for row in rows] == [
        ("https://a.example.org/", "Ay"),
        ("https://b.example.org/", "Bee"),
    ]


@pytest.mark.parametrize("data", [{}, {"web": []}])
def test_a_search_without_results_is_no_error(vendor: Any, firecrawl: Any, run: Any, data: dict[str, Any]) -> None:
    vendor.says({"success": True, "data": data})
    assert run(FirecrawlProvider().search, "letters", 9, firecrawl) == []


def test_a_search_that_failed_says_why(vendor: Any, firecrawl: Any, problem: Any) -> None:
    vendor.says({"success": False, "error": "Search is down"})
    assert problem(FirecrawlProvider().search, "x", 5, firecrawl).message == (
        "Firecrawl could not search: Search is down."
    )


def test_each_page_is_asked_for_as_documented(vendor: Any, reply: Any, firecrawl: Any, key: str, run: Any) -> None:
    vendor.answers(lambda asked: reply(body=scraped(asked.body["url"])))
    pages = run(FirecrawlProvider().extract, URLS, firecrawl)
    assert {(asked.method, asked.path) for asked in vendor.asked} == {("POST", "/v2/scrape")}
    assert {asked.headers["authorization"] for asked in vendor.asked} == {f"Bearer {key}"}
    assert sorted(asked.body["url"] for asked in vendor.asked) == URLS
    assert {key: value for key, value in vendor.last.body.items() if key != "url"} == {
        "formats": ["markdown"],
        "onlyMainContent": True,
        "timeout": 60_000,
    }
    assert [(page.url, page.content, page.title) for page in pages] == [(url, "# A", "Ay") for url in URLS]
    assert pages[0].facts == {"language": "en"}


def test_where_a_page_was_found_is_told(vendor: Any, firecrawl: Any, run: Any) -> None:
    vendor.says(scraped(URLS[0], url="https://elsewhere.example.org/"))
    [page] = run(FirecrawlProvider().extract, URLS[:1], firecrawl)
    assert (page.url, page.final_url) == (URLS[0], "https://elsewhere.example.org/")


def test_the_trouble_of_a_site_is_its_own(vendor: Any, reply: Any, firecrawl: Any, run: Any) -> None:
    said = {
        "success": False,
        "code": "SCRAPE_DNS_RESOLUTION_ERROR",
        "error": "DNS resolution failed for hostname: b.example.org",
    }

    def answer(asked: Any) -> Any:
        first = asked.body["url"] == URLS[0]
        return reply(body=scraped(URLS[0], statusCode=404)) if first else reply(body=said, status=500)

    vendor.answers(answer)
    pages = run(FirecrawlProvider().extract, URLS, firecrawl)
    assert pages[0].error == "The site did not return the page (HTTP 404)."
    assert pages[1] == Page(
        url=URLS[1],
        error="Firecrawl could not read this page: DNS resolution failed for hostname: b.example.org.",
    )
    assert len(vendor.asked) == 2


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (403, {"success": False, "error": "This website is not currently supported."}),
        (408, {"success": False, "code": "SCRAPE_TIMEOUT", "error": "Scrape timed out"}),
        (500, {"success": False, "code": "SCRAPE_ALL_ENGINES_FAILED", "error": "All engines failed"}),
    ],
)
def test_a_page_that_cannot_be_read_is_no_trouble_of_the_service(
    vendor: Any, firecrawl: Any, run: Any, status: int, said: dict[str, Any]
) -> None:
    vendor.says(said, status)
    [page] = run(FirecrawlProvider().extract, URLS[:1], firecrawl)
    assert said["error"].rstrip(".") in page.error
    assert len(vendor.asked) == 1


def test_a_problem_with_all_pages_is_that_of_the_service(vendor: Any, firecrawl: Any, problem: Any) -> None:
    vendor.says({"success": False, "error": "Payment required"}, 402)
    error = problem(FirecrawlProvider().extract, URLS, firecrawl)
    assert error.message == "The credits at Firecrawl are used up: Payment required."


def test_trouble_with_some_pages_is_theirs(vendor: Any, reply: Any, firecrawl: Any, run: Any) -> None:
    def answer(asked: Any) -> Any:
        good = asked.body["url"] == URLS[0]
        return reply(body=scraped(URLS[0])) if good else reply(body={"success": False, "error": "gone"}, status=402)

    vendor.answers(answer)
    pages = run(FirecrawlProvider().extract, URLS, firecrawl)
    assert pages[0].content == "# A"
    assert pages[1].error == "The credits at Firecrawl are used up: gone."
    assert "plan" in pages[1].hint


def test_a_page_of_another_shape_is_told(vendor: Any, firecrawl: Any, problem: Any) -> None:
    vendor.says({"success": True, "data": "all of it"})
    assert "an undocumented response" in problem(FirecrawlProvider().extract, URLS[:1], firecrawl).message


def test_a_server_of_ones_own_needs_no_key(vendor: Any, access: Any, run: Any) -> None:
    own = access(firecrawl_url=vendor.url, policy=NetPolicy())
    assert FirecrawlProvider().missing(own) is None
    assert FirecrawlProvider().missing(access()) == "web.firecrawl_api_key (or FIRECRAWL_API_KEY) is not set."
    vendor.says(scraped(URLS[0]))
    [page] = run(FirecrawlProvider().extract, URLS[:1], own)
    assert page.content == "# A"
    assert "authorization" not in vendor.last.headers


def test_a_server_of_ones_own_that_wants_a_key_says_so(vendor: Any, access: Any, problem: Any) -> None:
    vendor.says({"success": False, "error": "Unauthorized: Token missing"}, 401)
    error = problem(FirecrawlProvider().search, "x", 5, access(firecrawl_url=vendor.url))
    assert error.message == "Firecrawl requires a key: Unauthorized: Token missing."
    assert error.hint == (
        "Ask the user to check web.firecrawl_api_key or FIRECRAWL_API_KEY; get a key at "
        "https://www.firecrawl.dev/app/api-keys."
    )
