"""How fast sites are asked, told by the servers themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from hermes_tools_web.crawler.report import CrawlError, CrawlReport

Run = Callable[..., CrawlReport]
Urls = Callable[[CrawlReport], list[str]]


@pytest.fixture
def small(site: Any) -> Any:
    """A site with five pages."""
    site.page("/", ["/a", "/b", "/c", "/d"])
    for path in "abcd":
        site.page(f"/{path}")
    return site


def _seconds(asked: Sequence[Any]) -> float:
    """From the first to the last of some requests."""
    return float(asked[-1].at - asked[0].at)


def test_there_is_time_between_any_two_requests(small: Any, run: Run) -> None:
    report = run(small.url, delay_seconds=0.2, concurrency=4)

    assert len(report.pages) == 5
    assert _seconds(small.asked) > 0.2 * (len(small.asked) - 1) * 0.8  # they arrive a little later than they were sent


def test_a_longer_delay_of_the_site_counts(small: Any, run: Run) -> None:
    small.text("/robots.txt", "User-agent: *\nCrawl-delay: 0.25\n")

    run(small.url, delay_seconds=0.0, concurrency=4)

    later = small.asked[1:]  # the first was before anybody could know
    assert _seconds(later) > 0.25 * (len(later) - 1) * 0.8


def test_the_steps_of_a_redirect_count_as_requests(site: Any, run: Run) -> None:
    site.page("/", ["/a", "/b"])
    site.redirect("/a", "/a1")
    site.redirect("/a1", "/a2")
    site.page("/a2")
    site.page("/b")

    run(site.url, delay_seconds=0.2, concurrency=1, depth=1)

    at = {asked.path: asked.at for asked in site.asked}
    assert at["/b"] - at["/a"] > 2 * 0.2


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_pages_are_asked_for_at_once_than_allowed(site: Any, run: Run, concurrency: int) -> None:
    site.page("/", [f"/{number}" for number in range(9)])
    for number in range(9):
        site.page(f"/{number}", seconds=0.1)

    run(site.url, concurrency=concurrency)

    assert site.max_at_once == concurrency


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_site_is_given_a_pause_and_asked_again(small: Any, run: Run, urls: Urls, status: int) -> None:
    ready = small.pages["/a"]
    busy = type(ready)(status=status, headers={"Retry-After": "1"})
    small.pages["/a"] = lambda path: busy if small.times("/a") == 1 else ready

    report = run(small.url, concurrency=1)

    assert sorted(urls(report)) == ["/", "/a", "/b", "/c", "/d"]
    order = [asked for asked in small.asked if asked.path in ("/a", "/b", "/c", "/d")]
    assert [asked.path for asked in order] == ["/a", "/b", "/c", "/d", "/a"]
    assert order[1].at - order[0].at > 0.9  # it was left alone as long as it wanted
    assert order[2].at - order[1].at > 0.25  # and is asked more slowly from then on


def test_a_site_that_stays_busy_is_left_alone(small: Any, run: Run, urls: Urls) -> None:
    for path in "bcd":
        small.text(f"/{path}", "", status=429)
        small.pages[f"/{path}"].headers["Retry-After"] = "0"

    report = run(small.url, concurrency=1)

    assert report.stopped == "rate limit"
    assert urls(report) == ["/", "/a"]
    assert small.paths == ["/", "/a", "/b", "/c", "/d"]
    assert "429" in report.failed[0].error
    assert report.waiting == 2


def test_a_site_that_wants_a_long_pause_is_left_alone_at_once(small: Any, run: Run) -> None:
    small.text("/a", "", status=503)
    small.pages["/a"].headers["Retry-After"] = "3600"

    report = run(small.url, concurrency=1)

    assert report.stopped == "rate limit"
    assert small.paths == ["/", "/a"]


def test_refusals_at_the_same_moment_count_as_one(small: Any, run: Run, urls: Urls) -> None:
    refused = {f"/{path}" for path in "abcd"}
    pages = {path: small.pages[path] for path in refused}
    busy = type(pages["/a"])(status=429, headers={"Retry-After": "0"}, seconds=0.2)
    for path in refused:
        small.pages[path] = lambda path: busy if small.times(path) == 1 else pages[path]

    report = run(small.url, concurrency=4)

    assert report.stopped == "complete"
    assert sorted(urls(report)) == ["/", "/a", "/b", "/c", "/d"]


def test_answers_between_refusals_are_good_signs(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a"])
    site.page("/a")
    ready = dict(site.pages)
    busy = type(ready["/"])(status=429, headers={"Retry-After": "0"})
    site.pages["/"] = lambda path: busy if site.times("/") <= 2 else ready["/"]
    site.pages["/a"] = lambda path: busy if site.times("/a") == 1 else ready["/a"]

    report = run(site.url)

    assert urls(report) == ["/", "/a"]
    assert report.stopped == "complete"


def test_a_page_that_is_refused_twice_has_failed(site: Any, run: Run, urls: Urls) -> None:
    site.page("/", ["/a", "/b"])
    site.pages["/a"] = type(site.pages["/"])(status=429, headers={"Retry-After": "0"})
    site.page("/b")

    report = run(site.url, concurrency=1)

    assert urls(report) == ["/", "/b"]
    assert [page.url for page in report.failed] == [f"{site.url}/a"]
    assert site.times("/a") == 2
    assert report.stopped == "complete"


def test_a_first_page_that_stays_busy_is_a_clear_error(small: Any, run: Run) -> None:
    small.text("/", "", status=429)
    small.pages["/"].headers["Retry-After"] = "0"

    with pytest.raises(CrawlError, match="limits requests"):
        run(small.url)

    assert small.times("/") == 3


def test_no_cookies_are_kept_between_pages(small: Any, run: Run) -> None:
    small.pages["/"].headers["Set-Cookie"] = "who=me; Path=/"

    run(small.url)

    assert all("Cookie" not in asked.headers for asked in small.asked)
