"""Crawls of sites whose owners have rules: robots.txt as RFC 9309 has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hermes_tools_web.crawler.report import CrawlError, CrawlReport

Run = Callable[..., CrawlReport]
Urls = Callable[[CrawlReport], list[str]]


@pytest.fixture
def small(site: Any) -> Any:
    """A site with a few pages."""
    site.page("/", ["/a", "/private/b", "/private/open", "/c?sort=up"])
    for path in ("/a", "/private/b", "/private/open", "/c?sort=up"):
        site.page(path)
    return site


def test_what_robots_txt_forbids_is_not_asked_for(small: Any, run: Run, urls: Urls) -> None:
    small.text("/robots.txt", "User-agent: *\nDisallow: /private/\nAllow: /private/open\nDisallow: /*?sort=\n")

    report = run(small.url)

    assert urls(report) == ["/", "/a", "/private/open"]
    assert sorted(small.paths) == ["/", "/a", "/private/open"]
    assert report.skipped == {"robots.txt": 2}


def test_rules_for_our_name_come_before_those_for_all(small: Any, run: Run, urls: Urls) -> None:
    small.text("/robots.txt", "User-agent: *\nDisallow: /\n\nUser-agent: Hermes-Tools-Web/1.0\nDisallow: /a\n")

    assert urls(run(small.url)) == ["/", "/private/b", "/private/open", "/c?sort=up"]


def test_rules_for_the_name_that_the_user_gave_count_too(small: Any, run: Run, urls: Urls) -> None:
    small.text("/robots.txt", "User-agent: ourbot\nDisallow: /private/\n")

    report = run(small.url, web={"user_agent": "OurBot/2.0 (+https://example.org)"})

    assert urls(report) == ["/", "/a", "/c?sort=up"]
    assert {asked.headers["User-Agent"] for asked in small.asked} == {"OurBot/2.0 (+https://example.org)"}


def test_a_first_page_that_is_forbidden_is_a_clear_error(small: Any, run: Run) -> None:
    small.text("/robots.txt", "User-agent: *\nDisallow: /\n")

    with pytest.raises(CrawlError, match=r"must not be crawled. robots.txt disallows it") as refused:
        run(small.url)

    assert "web_extract" in (refused.value.hint or "")
    assert small.paths == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_without_a_robots_txt_everything_is_allowed(small: Any, run: Run, status: int) -> None:
    small.text("/robots.txt", "User-agent: *\nDisallow: /", status=status)

    assert len(run(small.url).pages) == 5


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_in_trouble_allows_nothing(small: Any, run: Run, status: int) -> None:
    small.text("/robots.txt", "", status=status)

    with pytest.raises(CrawlError, match=f"robots.txt cannot be read: the server answers with status {status}"):
        run(small.url)

    assert small.paths == []


def test_a_robots_txt_that_breaks_off_allows_nothing(small: Any, run: Run) -> None:
    small.text("/robots.txt", "User-agent: *\nAllow: /\n")
    small.pages["/robots.txt"].headers["Content-Length"] = "5000"
    small.pages["/robots.txt"].headers["Connection"] = "close"

    with pytest.raises(CrawlError, match="closed the connection"):
        run(small.url)


def test_redirects_of_a_robots_txt_are_followed(small: Any, new_server: Any, run: Run, urls: Urls) -> None:
    elsewhere = new_server()
    elsewhere.text("/rules", "User-agent: *\nDisallow: /private/\n")
    small.redirect("/robots.txt", "/robots-2.txt")
    small.redirect("/robots-2.txt", f"{elsewhere.url}/rules")

    assert urls(run(small.url)) == ["/", "/a", "/c?sort=up"]


def test_a_robots_txt_that_leads_in_circles_is_none(small: Any, run: Run) -> None:
    small.redirect("/robots.txt", "/robots.txt")

    assert len(run(small.url).pages) == 5
    assert small.times("/robots.txt") <= 7


def test_a_robots_txt_that_leads_into_a_private_network_allows_nothing(site: Any, run: Run) -> None:
    site.page("/")
    site.redirect("/robots.txt", "http://10.0.0.1/robots.txt")

    with pytest.raises(CrawlError, match=r"robots.txt cannot be read: .*10\.0\.0\.1"):
        run("http://example.org/", named=site)

    assert site.paths == []


def test_a_page_may_not_redirect_to_what_is_forbidden(small: Any, run: Run, urls: Urls) -> None:
    small.text("/robots.txt", "User-agent: *\nDisallow: /private/\n")
    small.redirect("/a", "/private/b")

    report = run(small.url)

    assert "/private/b" not in small.paths
    assert urls(report) == ["/", "/c?sort=up"]


def test_each_door_of_a_site_has_its_own_rules(site: Any, run: Run) -> None:
    site.text("www.example.org/robots.txt", "User-agent: *\nDisallow: /b\n")
    site.text("example.org/robots.txt", "User-agent: *\nDisallow: /a\n")
    site.page("/", ["/a", "/b", "http://www.example.org/c", "http://example.org/d"])
    for path in "abcd":
        site.page(f"/{path}")
    links = ["http://example.org/a", "http://www.example.org/b", "http://www.example.org/c", "http://example.org/d"]
    site.page("example.org/", links)

    report = run("http://example.org/", named=site)

    read = [page.url for page in report.pages]
    assert read == ["http://example.org/", "http://www.example.org/c", "http://example.org/d"]
    assert report.skipped == {"robots.txt": 2}
    assert sum(asked.path == "/robots.txt" for asked in site.asked) == 2
