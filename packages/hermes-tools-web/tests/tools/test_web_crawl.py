"""The tool `web_crawl` as an agent calls it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import hermes_tools_web.plugin
from hermes_core import Hermes, Progress, ToolCall, hookimpl
from hermes_text import unwrapped_text
from hermes_tools_web.settings import CrawlSettings
from hermes_tools_web.tools.web_crawl import web_crawl


class Site:
    """A site of a few pages, each of which links to all others."""

    def __init__(self) -> None:
        self.texts = {"/": "The shop.", "/prices": "Apples cost one coin.", "/team": "Anna and Bert.", "/jobs": "None."}
        self.asked: list[str] = []
        self.over = threading.Event()
        self.robots = ""
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                if self.path == "/stuck":
                    site.over.wait(60)
                if self.path == "/robots.txt" and site.robots:
                    self._send(site.robots, "text/plain")
                    return
                text = site.texts.get(self.path)
                links = "".join(f'<a href="{path}">{path.strip("/")}</a> ' for path in site.texts)
                head, main = f"<head><title>{self.path}</title></head>", f"<main><p>{text}</p></main>"
                body = f"<!doctype html><html>{head}<body>{main}<nav>{links}</nav></body></html>".encode()
                self._send(body.decode(), "text/html", 404 if text is None else 200)

            def _send(self, text: str, content_type: str, status: int = 200) -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def site() -> Iterator[Site]:
    """The site, while the test runs."""
    made = Site()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.over.set()
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture
def new_host() -> Iterator[Callable[..., Hermes]]:
    """Makes hosts with the tool, and closes them when the test is over."""
    made: list[Hermes] = []

    def make(
        *plugins: object, security: dict[str, Any] | None = None, cache: dict[str, Any] | None = None, **crawl: Any
    ) -> Hermes:
        config = {
            "web": {"crawl": {"delay_seconds": 0, **crawl}, "cache": cache or {}},
            "security": {"allow_private_urls": True} if security is None else security,
        }
        made.append(Hermes(tools=[web_crawl], plugins=list(plugins), config=config))
        return made[-1]

    yield make
    for each in made:
        each.close()


def _call(hermes: Hermes, **args: Any) -> dict[str, Any]:
    found = json.loads(hermes.call("web_crawl", args))
    assert isinstance(found, dict)
    return found


def test_an_agent_gets_the_pages_of_a_site(site: Site, new_host: Callable[..., Hermes]) -> None:
    result = _call(new_host(), url=site.url)

    assert result["success"] is True
    assert result["url"] == f"{site.url}/"
    assert result["stopped"] == "complete"
    assert [row["url"].removeprefix(site.url) for row in result["pages"]] == ["/", "/prices", "/team", "/jobs"]
    assert [row["depth"] for row in result["pages"]] == [0, 1, 1, 1]
    assert "Apples cost one coin." in unwrapped_text(result["pages"][1]["content"])
    assert result["pages"][1]["content"].startswith("<<<UNTRUSTED ")
    assert result["failed"] == []
    assert result["skipped"] == {}


def test_instructions_and_limits_are_kept_to(site: Site, new_host: Callable[..., Hermes]) -> None:
    result = _call(new_host(), url=site.url, instructions="What is the team?", depth="1", limit=2)

    assert [row["url"].removeprefix(site.url) for row in result["pages"]] == ["/", "/team"]
    assert result["stopped"] == "limit"


def test_what_the_user_allows_counts_more_than_what_is_asked_for(site: Site, new_host: Callable[..., Hermes]) -> None:
    result = _call(new_host(max_pages=2, max_depth=1), url=site.url, limit=1000, depth=99)

    assert len(result["pages"]) == 2
    assert "Limited to 2 pages by web.crawl.max_pages." in result["notes"]
    assert "Limited to a depth of 1 by web.crawl.max_depth." in result["notes"]


def test_nonsense_is_taken_for_the_least(site: Site, new_host: Callable[..., Hermes]) -> None:
    assert len(_call(new_host(), url=site.url, limit=-5, depth=-1)["pages"]) == 1


@pytest.mark.parametrize("url", ["", "not a url", "javascript:alert(1)", "file:///etc/passwd"])
def test_what_is_no_url_is_a_clear_error(new_host: Callable[..., Hermes], url: str) -> None:
    result = _call(new_host(), url=url)

    assert result["error"]
    assert result["code"] in ("crawl_failed", "url_refused")


def test_private_addresses_are_refused(site: Site, new_host: Callable[..., Hermes]) -> None:
    result = _call(new_host(security={}), url=site.url)

    assert result["code"] == "url_refused"
    assert result["reason"] == "private"
    assert site.asked == []


def test_a_first_page_that_is_not_there_is_a_clear_error(site: Site, new_host: Callable[..., Hermes]) -> None:
    result = _call(new_host(), url=f"{site.url}/nowhere")

    assert result["code"] == "not_found"
    assert "404" in result["error"]
    assert result["hint"]


def test_whoever_watches_hears_of_each_page(site: Site, new_host: Callable[..., Hermes]) -> None:
    heard: list[Progress] = []

    class Watcher:
        @hookimpl
        def hermes_tool_progress(self, call: ToolCall, progress: Progress) -> None:
            assert call.name == "web_crawl"
            heard.append(progress)

    _call(new_host(Watcher(), concurrency=1), url=site.url, limit=4)

    assert [(step.done, step.total) for step in heard] == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert heard[2].message == f"2 pages read, 1 waiting; now {site.url}/team"


def test_a_result_is_never_longer_than_it_may_be(site: Site, new_host: Callable[..., Hermes]) -> None:
    for number in range(10):
        site.texts[f"/long{number}"] = f"Sentence number {number} is here. " * 4000

    text = new_host().call("web_crawl", {"url": site.url, "limit": 20})

    assert len(text) <= 100_000
    rows = json.loads(text)["pages"]
    assert len(rows) == 14
    assert sum("web_extract" in str(row.get("notes")) for row in rows) == 10


def test_a_crawl_ends_before_its_tool_is_given_up() -> None:
    longest = max(field.le for field in CrawlSettings.model_fields["seconds"].metadata if hasattr(field, "le"))

    assert web_crawl.timeout is not None
    assert web_crawl.timeout > longest
    assert web_crawl.max_result_size_chars == 100_000
    assert web_crawl.effects == {"network", "read"}


@pytest.mark.parametrize("around", ["<{}>", " `{}` ", '"{}"'])
def test_what_stands_around_a_url_is_no_part_of_it(site: Site, new_host: Callable[..., Hermes], around: str) -> None:
    result = _call(new_host(), url=around.format(f"{site.url}/prices"), depth=0)

    assert "Apples cost one coin." in result["pages"][0]["content"]


def test_a_url_in_a_parameter_is_no_scheme(new_host: Callable[..., Hermes]) -> None:
    result = _call(new_host(security={}), url="127.0.0.1/login?next=https://example.org/")

    assert (result["code"], result["reason"]) == ("url_refused", "private")


def test_what_was_read_is_told_before_the_caller_gives_up(site: Site, new_host: Callable[..., Hermes]) -> None:
    site.texts["/stuck"] = "Never told."
    hermes = new_host()
    _call(hermes, url=site.url, depth=0)  # what has to be imported is, and the first page is at hand

    result = json.loads(hermes.call("web_crawl", {"url": site.url}, timeout=8))

    assert result["stopped"] == "time"
    assert "The shop." in result["pages"][0]["content"]


def _pages_asked(site: Site) -> list[str]:
    return [path for path in site.asked if path not in ("/robots.txt", "/sitemap.xml")]


def test_what_was_crawled_is_not_fetched_again(site: Site, new_host: Callable[..., Hermes]) -> None:
    first = _call(new_host(), url=site.url)
    asked = _pages_asked(site)
    site.asked.clear()
    second = _call(new_host(), url=site.url)

    assert sorted(asked) == ["/", "/jobs", "/prices", "/team"]
    assert _pages_asked(site) == []
    assert "from_cache" not in first
    assert second["from_cache"] == 4
    assert [row["url"] for row in second["pages"]] == [row["url"] for row in first["pages"]]
    assert [unwrapped_text(row["content"]) for row in second["pages"]] == [
        unwrapped_text(row["content"]) for row in first["pages"]
    ]


def test_a_cache_that_is_off_keeps_no_pages_of_crawls(site: Site, new_host: Callable[..., Hermes]) -> None:
    for _ in range(2):
        hermes = new_host(cache={"enabled": False})
        assert "from_cache" not in _call(hermes, url=site.url)
    assert _pages_asked(site).count("/prices") == 2


def test_what_the_user_forbids_is_not_taken_from_what_was_kept(site: Site, new_host: Callable[..., Hermes]) -> None:
    _call(new_host(), url=site.url)
    blocked = {"enabled": True, "domains": ["127.0.0.1"]}
    result = _call(new_host(security={"allow_private_urls": True, "website_blocklist": blocked}), url=site.url)

    assert result["code"] == "url_refused"


def test_a_robots_txt_that_has_changed_holds_for_what_was_kept(site: Site, new_host: Callable[..., Hermes]) -> None:
    _call(new_host(), url=site.url)
    site.robots = "User-agent: *\nDisallow: /prices\n"
    result = _call(new_host(), url=site.url)

    assert result["skipped"] == {"robots.txt": 1}
    assert [row["url"].removeprefix(site.url) for row in result["pages"]] == ["/", "/team", "/jobs"]


def test_a_page_that_was_crawled_can_be_read_alone(site: Site, home: Path) -> None:
    config = {"web": {"crawl": {"delay_seconds": 0}}, "security": {"allow_private_urls": True}}
    with Hermes(plugins=[hermes_tools_web.plugin], config=config) as hermes:
        _call(hermes, url=site.url)
        site.asked.clear()
        [page] = json.loads(hermes.call("web_extract", {"urls": [f"{site.url}/prices"]}))["results"]

    assert site.asked == []
    assert page["from_cache"] is True
    assert "Apples cost one coin." in page["content"]
