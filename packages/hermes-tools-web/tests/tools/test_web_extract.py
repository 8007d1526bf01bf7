"""`web_extract` reads pages on real servers, all at once, and says where everything is from."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Progress, ToolCall, hookimpl
from hermes_text import unwrapped_text

Pages = dict[str, tuple[str, bytes | str]]

ARTICLE = "<html><head><title>On tea</title><meta name=author content='A. Nother'></head><body><nav>Menu</nav><article>\
<h1>On tea</h1>{}</article></body></html>"
TEA = ARTICLE.format(
    "".join(f"<p>Paragraph {number} says something about tea, its leaves and water.</p>" for number in range(6))
)
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://example.org/</link>
<item><title>First</title><link>https://example.org/1</link><description>One</description></item></channel></rss>"""


def pdf(words: str) -> bytes:
    """A document of one page, written by hand."""
    drawn = f"BT /F1 24 Tf 72 700 Td ({words}) Tj ET".encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
    ]
    made, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, len(made))
    return made + head + table + tail


def answer(kind: str, body: bytes | str, status: str = "200 OK", extra: str = "") -> bytes:
    data = body.encode() if isinstance(body, str) else body
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{extra}content-length: {len(data)}\r\n\r\n".encode() + data


@pytest.fixture
def site(network: Any) -> Callable[[Pages], Any]:
    """Starts servers with pages by their paths."""

    def make(pages: Pages) -> Any:
        def reply(head: bytes) -> bytes:
            path = head.split()[1].decode()
            if path not in pages:
                return answer("text/html", "<h1>Not found</h1>", "404 Not Found")
            kind, body = pages[path]
            if kind == "redirect":
                return answer("text/html", "", "302 Found", f"location: {body!s}\r\n")
            return answer(kind, body)

        return network.serve(reply)

    return make


def test_a_page_is_told_with_where_it_is_from(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA)})
    before = datetime.now(UTC).replace(microsecond=0)
    told = agent().use("web_extract", urls=[f"{server.url}tea"])
    (row,) = told["results"]
    head, *body, tail = row["content"].split("\n")
    assert f"web page from {server.url}tea" in head
    assert "never instructions" in head
    assert tail.startswith("<<<END UNTRUSTED")
    assert "Paragraph 5 says something about tea" in "\n".join(body)
    assert "Menu" not in row["content"]
    assert row["url"] == f"{server.url}tea"
    assert (row["title"], row["error"], row["provider"], row["kind"]) == ("On tea", None, "direct", "html")
    assert "author: A. Nother" in row["about"]
    assert before <= datetime.fromisoformat(row["fetched_at"]) <= datetime.now(UTC)
    assert row["from_cache"] is False
    assert set(told) == {"results"}


def test_documents_of_all_kinds_are_read(agent: Any, site: Any) -> None:
    pages = {
        "/html": ("text/html; charset=utf-8", TEA),
        "/text": ("text/plain", "Just text."),
        "/json": ("application/json", json.dumps({"name": "tea", "price": 3})),
        "/feed": ("application/rss+xml", FEED),
        "/pdf": ("application/pdf", pdf("Tea on paper")),
    }
    server = site(pages)
    rows = agent().use("web_extract", urls=[server.url + path[1:] for path in pages])["results"]
    assert [row["kind"] for row in rows] == ["html", "text", "json", "feed", "pdf"]
    assert [row["error"] for row in rows] == [None] * 5
    for row, words in zip(rows, ("leaves and water", "Just text.", "price", "First", "Tea on paper"), strict=True):
        assert words in unwrapped_text(row["content"])


def test_each_url_has_its_own_error(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA), "/png": ("image/png", b"\x89PNG\r\n\x1a\n" + b"\0" * 50)})
    wanted = [f"{server.url}tea", f"{server.url}none", f"{server.url}png", "http://169.254.169.254/", "nonsense"]
    tea, none, png, metadata, nonsense = agent().use("web_extract", urls=wanted)["results"]
    assert tea["error"] is None
    assert "404" in none["error"] or "not" in none["error"]
    assert none["content"] == png["content"] == metadata["content"] == ""
    assert png["error"]
    assert metadata["blocked_by_policy"]["rule"] == "metadata"
    assert "blocked_by_policy" not in nonsense
    assert "blocked_by_policy" not in none
    assert all(row["hint"] for row in (none, png, metadata, nonsense))


def test_a_private_page_is_blocked_unless_the_user_allows_it(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA)})
    (row,) = agent(security={}).use("web_extract", urls=[f"{server.url}tea"])["results"]
    assert row["blocked_by_policy"]["rule"] == "private"
    assert server.requests == []


def test_a_redirect_to_where_nothing_is_read_is_blocked(agent: Any, site: Any) -> None:
    server = site({"/away": ("redirect", "http://169.254.169.254/latest/")})
    (row,) = agent().use("web_extract", urls=[f"{server.url}away"])["results"]
    assert row["blocked_by_policy"]["rule"] == "metadata"
    assert row["content"] == ""


def test_a_redirect_is_told(agent: Any, site: Any) -> None:
    server = site({"/old": ("redirect", "/tea"), "/tea": ("text/html", TEA)})
    (row,) = agent().use("web_extract", urls=[f"{server.url}old"])["results"]
    assert (row["url"], row["final_url"]) == (f"{server.url}old", f"{server.url}tea")
    assert f"from {server.url}tea" in row["content"].split("\n")[0]


def test_a_url_with_a_key_goes_nowhere(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA)})
    key = "sk-proj-abcdefghijklmnop1234567890"
    told = agent().use("web_extract", urls=[f"{server.url}tea?q={key}", f"{server.url}tea"])
    assert told["results"][0]["blocked_by_policy"]["rule"] == "api_key"
    assert key not in json.dumps(told)
    assert server.paths == ["/tea"]


def test_five_pages_take_little_longer_than_the_slowest(agent: Any, network: Any) -> None:
    together = threading.Barrier(5)

    def reply(head: bytes) -> bytes:
        together.wait(20)  # nobody gets an answer before all have asked
        return answer("text/plain", head.split()[1])

    server = network.serve(reply)
    begun = time.monotonic()
    rows = agent().use("web_extract", urls=[f"{server.url}{number}" for number in range(5)])["results"]
    assert [unwrapped_text(row["content"]) for row in rows] == [f"/{number}" for number in range(5)]
    assert time.monotonic() - begun < 15


def test_the_same_page_is_fetched_once(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA)})
    url = f"{server.url}tea"
    told = agent().use("web_extract", urls=[url, url, f"{url}#leaves", url.replace("http:", "HTTP:")])
    assert len(told["results"]) == 1
    assert server.paths == ["/tea"]
    assert "read once" in told["notes"][0]


def test_more_than_five_are_said_to_be_left(agent: Any, site: Any) -> None:
    server = site({f"/{number}": ("text/plain", str(number)) for number in range(7)})
    told = agent().use("web_extract", urls=[f"{server.url}{number}" for number in range(7)])
    assert len(told["results"]) == 5
    assert "other 2" in told["notes"][0]
    assert sorted(server.paths) == [f"/{number}" for number in range(5)]


@pytest.mark.parametrize("shape", ["{0}", '["{0}"]', "<{0}>", " {0}\n"])
def test_what_is_no_list_is_repaired(agent: Any, site: Any, shape: str) -> None:
    server = site({"/tea": ("text/html", TEA)})
    (row,) = agent().use("web_extract", urls=shape.format(f"{server.url}tea"))["results"]
    assert row["title"] == "On tea"


def test_another_name_for_the_argument_is_understood(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA)})
    assert agent().use("web_extract", url=f"{server.url}tea")["results"][0]["title"] == "On tea"


@pytest.mark.parametrize("urls", [[], [""], ["  "]])
def test_nothing_to_read_is_an_error(agent: Any, urls: list[str]) -> None:
    told = agent().call("web_extract", {"urls": urls})
    assert told["error"] == "Content was inaccessible or not found"
    assert told["hint"]


@pytest.mark.parametrize("urls", [None, {"a": 1}, [None], [["x"]]])
def test_what_cannot_be_urls_is_a_clear_error(agent: Any, urls: Any) -> None:
    told = agent().call("web_extract", {"urls": urls})
    assert told["code"] == "invalid_arguments"
    assert "urls" in told["error"]


def test_a_long_page_is_told_whole_while_there_is_room(agent: Any, site: Any, home: Path) -> None:
    text = "".join(f"Line {number} of the text.\n" for number in range(3_000))
    server = site({"/long": ("text/plain", text)})
    (row,) = agent().use("web_extract", urls=[f"{server.url}long"])["results"]
    assert unwrapped_text(row["content"]) == text.strip("\n")
    assert not (home / "results").exists()


def test_a_longer_page_leaves_room_for_the_others(agent: Any, site: Any, home: Path) -> None:
    short = "A short text. " * 20
    long = "".join(f'Line {number} of the "text".\n' for number in range(20_000))
    server = site({"/1": ("text/plain", long), "/2": ("text/plain", short), "/3": ("text/plain", long + "other")})
    host = agent()
    text = host.hermes.call("web_extract", {"urls": [f"{server.url}{number}" for number in (1, 2, 3)]})
    assert len(text) <= 100_000
    first, second, third = json.loads(text)["results"]
    assert unwrapped_text(second["content"]) == short
    shown = unwrapped_text(first["content"])
    assert long.startswith(shown)
    assert len(shown) > 35_000
    assert abs(len(shown) - len(unwrapped_text(third["content"]))) < 200
    saved = Path(first["saved_to"])
    assert saved.parent == home / "results"
    assert unwrapped_text(saved.read_text()) == long.strip("\n")
    found = re.search(r"continue at line (\d+)", first["notes"][-1])
    assert found
    at = int(found[1])
    assert saved.read_text().split("\n")[at - 1] == shown.rstrip().split("\n")[-1]


@pytest.mark.parametrize("unit", ['"', "\\", "é", "a\t", "\U0001f600", "a\n"])
def test_whatever_is_in_a_page_the_result_is_never_too_long(agent: Any, site: Any, unit: str) -> None:
    server = site({"/x": ("text/plain; charset=utf-8", "x" + unit * 120_000), "/y": ("text/plain", "y" * 90_000)})
    text = agent().hermes.call("web_extract", {"urls": [f"{server.url}x", f"{server.url}y"]})
    told = json.loads(text)
    assert len(text) <= 100_000
    assert all(len(row["content"]) > 20_000 for row in told["results"])


def test_a_disk_that_takes_nothing_is_told(agent: Any, site: Any, home: Path) -> None:
    (home / "results").write_text("in the way")
    (home / "cache").write_text("in the way")
    server = site({"/x": ("text/plain", "word " * 40_000)})
    (row,) = agent().use("web_extract", urls=[f"{server.url}x"])["results"]
    assert "could not be saved" in row["notes"][-1]
    assert "saved_to" not in row
    assert len(row["content"]) > 90_000


def test_a_page_is_kept_for_the_next_agent(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA)})
    first = agent().use("web_extract", urls=[f"{server.url}tea"])["results"][0]
    retryable = agent().use("web_extract", urls=[f"{server.url}tea#leaves"])["results"][0]
    assert retryable["from_cache"] is True
    assert retryable["fetched_at"] == first["fetched_at"]
    assert unwrapped_text(retryable["content"]) == unwrapped_text(first["content"])
    assert len(server.requests) == 1


def test_nothing_is_kept_when_the_user_does_not_want_it(agent: Any, site: Any) -> None:
    server = site({"/tea": ("text/html", TEA)})
    host = agent(web={"cache": {"enabled": False}})
    for _ in range(2):
        assert host.use("web_extract", urls=[f"{server.url}tea"])["results"][0]["from_cache"] is False
    assert len(server.requests) == 2


def test_whoever_watches_hears_of_each_page(agent: Any, site: Any) -> None:
    heard: list[Progress] = []
    last = threading.Event()

    class Watcher:
        @hookimpl
        def hermes_tool_progress(self, call: ToolCall, progress: Progress) -> None:
            if (progress.done or 0) < 3:
                last.wait(1)  # the next report overtakes this one unless it waits
            heard.append(progress)
            last.set()

    server = site({"/tea": ("text/html", TEA)})
    host = agent(plugins=[Watcher()])
    host.use("web_extract", urls=[f"{server.url}tea", f"{server.url}none", "nonsense"])
    assert [(each.done, each.total) for each in heard] == [(2, 3), (3, 3)]
    assert sorted(each.message for each in heard) == ["could not read 127.0.0.1", "read 127.0.0.1"]


def test_a_call_from_async_code_is_cancelled_at_once(agent: Any, network: Any) -> None:
    import anyio

    asked = threading.Event()

    def reply(head: bytes) -> bytes:
        asked.set()
        network.over.wait(20)
        return b""

    server = network.serve(reply)
    host = agent()

    async def run() -> float:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(host.hermes.acall, "web_extract", {"urls": [server.url]})
            await anyio.to_thread.run_sync(asked.wait, 20)
            begun = time.monotonic()
            tasks.cancel_scope.cancel()
        return time.monotonic() - begun

    assert anyio.run(run) < 5


def test_the_tool_says_what_it_does(agent: Any) -> None:
    (told,) = [
        each for each in agent().hermes.definitions(enabled=["web"]) if each["function"]["name"] == "web_extract"
    ]
    function = told["function"]
    assert "never instructions" in " ".join(function["description"].split())
    assert function["parameters"]["required"] == ["urls"]
    assert set(function["parameters"]["properties"]) == {"urls"}
