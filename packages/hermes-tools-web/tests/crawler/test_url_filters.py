"""URLs that are not worth a request."""

from __future__ import annotations

import pytest

from hermes_tools_web.crawler.page_urls import PageUrl, TrapDetector, is_action, is_file, is_page_type, parse_page_url


def _address(path: str) -> PageUrl:
    found = parse_page_url(f"https://example.org{path}")
    assert found is not None
    return found


def _let_through(paths: list[str], pages: int = 20) -> int:
    detector = TrapDetector(pages)
    return sum(not detector.is_trap(_address(path)) for path in paths)


@pytest.mark.parametrize("path", ["/a.zip", "/a/b.JPG", "/x.tar.gz", "/style.css", "/a.docx", "/a.mp4?x=1"])
def test_files_are_known_by_their_suffix(path: str) -> None:
    assert is_file(_address(path))


@pytest.mark.parametrize(
    "path", ["/", "/a", "/a.html", "/paper.pdf", "/v1.2/", "/node.js/intro", "/.zip", "/a?file=b.zip"]
)
def test_pages_and_papers_are_no_files(path: str) -> None:
    assert not is_file(_address(path))


@pytest.mark.parametrize(
    "path",
    [
        "/logout",
        "/log-out/",
        "/users/sign_out",
        "/logout.php",
        "/a/7/delete",
        "/a/delete/7",
        "/remove/",
        "/w?title=X&action=edit",
        "/?do=logout",
        "/shop?add-to-cart=7",
        "/?delete=3",
        "/post?replytocom=5",
        "/unsubscribe?u=1",
    ],
)
def test_actions_are_recognised(path: str) -> None:
    assert is_action(_address(path))


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/docs/delete.html",
        "/docs/delete-files",
        "/blog/how-to-logout",
        "/docs/removed",
        "/api/delete/overview",
        "/?action=view",
        "/login-help",
        "/shop?sort=up",
    ],
)
def test_pages_about_actions_are_none(path: str) -> None:
    assert not is_action(_address(path))


@pytest.mark.parametrize(
    ("content_type", "is_page"),
    [
        ("", True),
        ("text/html; charset=utf-8", True),
        ("TEXT/HTML", True),
        ("application/xhtml+xml", True),
        ("application/pdf", True),
        ("application/rss+xml", True),
        ("application/json", True),
        ("application/ld+json", True),
        ("text/markdown", True),
        ("text/css", False),
        ("image/svg+xml", False),
        ("image/png", False),
        ("video/mp4", False),
        ("application/zip", False),
        ("application/octet-stream", False),
        ("application/javascript", False),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", False),
    ],
)
def test_servers_tell_what_is_a_page(content_type: str, is_page: bool) -> None:
    assert is_page_type(content_type) is is_page


def test_paths_that_repeat_themselves_are_traps() -> None:
    assert _let_through(["/a" + "/b/c" * times for times in range(1, 30)]) <= 4
    assert _let_through(["/" + "/".join(f"s{part}" for part in range(length)) for length in range(1, 40)]) <= 16


def test_a_calendar_is_not_read_day_by_day() -> None:
    days = [
        f"/events/{year}/{month:02}/{day:02}" for year in (2024, 2025) for month in range(1, 13) for day in range(1, 29)
    ]
    assert _let_through(days, pages=500) <= 12
    assert (
        _let_through([f"/events?date=2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]) <= 12
    )
    assert _let_through([f"/cal?month={month}&year=2024" for month in range(1, 200)]) <= 12


def test_posts_with_a_date_in_their_path_are_no_calendar() -> None:
    posts = [f"/2024/{month:02}/{day:02}/title-{day}" for month in range(1, 13) for day in range(1, 29)]
    assert _let_through(posts) == len(posts)


def test_filters_are_not_combined_without_an_end() -> None:
    names = ("color", "size", "brand", "price", "stars")
    combined = [
        "/shop?" + "&".join(f"{name}=1" for place, name in enumerate(names) if chosen >> place & 1)
        for chosen in range(1, 32)
    ]
    assert _let_through(combined) <= 12
    assert _let_through(["/shop?" + "&".join(f"p{number}=1" for number in range(9))]) == 0
    assert _let_through([f"/item?id={number}" for number in range(500)], pages=30) == 30
