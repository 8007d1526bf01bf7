"""robots.txt as RFC 9309 describes it."""

from __future__ import annotations

import time

import pytest

from hermes_tools_web.crawler.robots import MAX_BYTES, SiteFile, parse_robots, read_robots, user_agent_names


def _allows(text: str, path: str) -> bool:
    return parse_robots(text.encode()).allows(f"https://example.org{path}")


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow: /a", "/ab", False),
        ("User-agent: *\nDisallow: /a/", "/ab", True),
        ("user-agent:*\ndisallow:/a # why", "/a", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", True),
        ("User-agent: *\nDisallow: /*/private", "/x/private/y", False),
        ("User-agent: *\nDisallow: /%7Euser", "/~user/a", False),
        ("User-agent: *\nDisallow: /ü", "/%C3%BC", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: hermes-tools-web\nDisallow: /", "/a", False),
        ("User-agent: HERMES-Tools-Web/2.1\nDisallow: /", "/a", False),
        ("User-agent: hermes\nDisallow: /", "/a", True),
        ("User-agent: hermes-tools-web\nAllow: /\n\nUser-agent: *\nDisallow: /", "/a", True),
        ("User-agent: *\nUser-agent: other\nDisallow: /a", "/a", False),
        ("User-agent: other\nUser-agent: hermes-tools-web\nDisallow: /a", "/a", False),
        ("User-agent: hermes-tools-web\nDisallow: /a\n\nUser-agent: hermes-tools-web\nDisallow: /b", "/a", False),
        ("User-agent: hermes-tools-web\nDisallow: /a\n\nUser-agent: hermes-tools-web\nDisallow: /b", "/b", False),
        ("<html><body>Not found</body></html>", "/a", True),
        ("\ufeffUser-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\r\nDisallow: /a\r\n", "/a", False),
    ],
)
def test_rules_are_read_as_the_standard_has_them(text: str, path: str, allowed: bool) -> None:
    assert _allows(text, path) is allowed


@pytest.mark.parametrize(
    ("status", "allowed"), [(200, True), (301, True), (404, True), (403, True), (429, False), (500, False), (0, False)]
)
def test_a_server_that_cannot_say_allows_nothing(status: int, allowed: bool) -> None:
    robots = read_robots(SiteFile(status=status))

    assert robots.allows("https://example.org/a") is allowed
    assert bool(robots.problem) is not allowed


def test_what_comes_after_the_first_half_megabyte_does_not_count() -> None:
    filler = b"# " + b"x" * 97 + b"\n"
    head = b"User-agent: *\nDisallow: /early\n" + filler * (MAX_BYTES // len(filler))
    robots = parse_robots(head + b"Disallow: /late\n")

    assert not robots.allows("https://example.org/early")
    assert robots.allows("https://example.org/late")


def test_a_rule_that_is_cut_in_two_does_not_count() -> None:
    head = b"User-agent: *\n#"
    cut = b"\nDisallow: /a"
    body = head + b"x" * (MAX_BYTES - len(head) - len(cut)) + cut + b"bc/def\n"

    assert parse_robots(body[:MAX_BYTES]).allows("https://example.org/about")


def test_delays_and_sitemaps_are_read() -> None:
    robots = parse_robots(b"Sitemap: https://example.org/s.xml\nUser-agent: *\nCrawl-delay: 1.5\nSitemap: /relative\n")

    assert robots.delay == 1.5
    assert robots.sitemaps == ("https://example.org/s.xml", "/relative")


def test_we_are_known_by_our_name_and_by_the_users() -> None:
    assert user_agent_names("") == ("hermes-tools-web",)
    assert user_agent_names("MyBot/1.0 (+https://example.org)") == ("hermes-tools-web", "mybot")


def test_many_agents_with_many_rules_cost_no_more_than_their_lines() -> None:
    agents = "".join(f"User-agent: bot{number}\n" for number in range(5_000))
    rules = "User-agent: *\n" + "".join(f"Disallow: /{number}*x$\n" for number in range(5_000))

    def seconds(text: str) -> float:
        began = time.process_time()
        robots = parse_robots(text.encode())
        assert not robots.allows("https://example.org/77/x")
        assert robots.allows("https://example.org/77/y")
        return time.process_time() - began

    seconds(rules)  # imports what it needs
    assert seconds(agents + rules) < 10 * seconds(rules)  # each rule for each agent would be 5,000 times as much
