"""The extractor that needs nobody: pages side by side, and each with its own error."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from hermes_net import NetPolicy
from hermes_tools_web.documents.document import Document, UnreadableError
from hermes_tools_web.documents.reader import DocumentReader
from hermes_tools_web.fetcher.fetch import FetchedPage
from hermes_tools_web.providers.direct import DirectProvider
from hermes_tools_web.providers.protocol import Access, Page, ProviderError
from hermes_tools_web.settings import ExtractSettings, WebSettings

OPEN = NetPolicy(allow_private=True)
Extract = Callable[..., list[Page]]


def page(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def as_text(fetched: FetchedPage) -> Document:
    return Document(kind="text", title="A title", markdown=fetched.body.decode(), notes=("read plainly",))


@pytest.fixture
def access(network: Any, home: Path) -> Callable[..., Access]:
    """Makes what the provider works with, in the network of the test."""

    def make_access(*, policy: NetPolicy = OPEN, seconds: float = 10.0, **options: Any) -> Access:
        settings = WebSettings(extract=ExtractSettings(seconds=seconds, max_mb=1))
        given = {"open_client": network.client, **options}
        return Access(settings=settings, policy=policy, home=home, section=lambda _: {}, **given)

    return make_access


@pytest.fixture
def extract(access: Callable[..., Access]) -> Extract:
    """Reads pages with a provider, plainly when none is given."""

    def run(
        urls: list[str], provider: DirectProvider | None = None, backend: str = "asyncio", **options: Any
    ) -> list[Page]:
        async def work() -> list[Page]:
            with anyio.fail_after(60):
                asked = provider or DirectProvider(DocumentReader(maximum=8, read=as_text))
                return list(await asked.extract(urls, access(**options)))

        return anyio.run(work, backend=backend)

    return run


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_page_is_fetched_and_read(network: Any, extract: Extract, backend: str) -> None:
    server = network.serve(page(b"Hello"))
    (found,) = extract([server.url], backend=backend)
    assert (found.url, found.final_url, found.content) == (server.url, server.url, "Hello")
    assert (found.title, found.kind, found.notes) == ("A title", "text", ("read plainly",))
    assert (found.error, found.refused) == ("", "")


def test_a_web_page_becomes_markdown(network: Any, extract: Extract) -> None:
    words = "".join(f"<p>Paragraph {number} has some words that are worth reading.</p>" for number in range(5))
    body = f"<html><head><title>My page</title></head><body><main><h1>Head</h1>{words}</main></body></html>"
    server = network.serve(page(body.encode(), "Content-Type: text/html"))
    (found,) = extract([server.url], DirectProvider())
    assert (found.title, found.kind, found.error) == ("My page", "html", "")
    assert "Paragraph 3 has some words" in found.content
    assert "<p>" not in found.content


def test_a_page_whose_data_ends_early_has_a_note(network: Any, extract: Extract) -> None:
    packed = gzip.compress(b"The beginning of a page.")[:-9]
    [made] = extract([network.serve(page(packed, "Content-Encoding: gzip")).url])
    assert made.content == "The beginning of a page."
    assert made.notes == ("The server's data ended early, so the end may be missing.", "read plainly")


def test_it_can_always_be_used(access: Callable[..., Access]) -> None:
    assert DirectProvider().missing(access()) is None
    assert DirectProvider().setup.title == "Direct"


def test_pages_come_in_the_order_of_their_urls_and_errors_are_each_ones_own(network: Any, extract: Extract) -> None:
    def reply(head: bytes) -> bytes | Iterator[bytes]:
        path = head.split()[1].decode()
        if path == "/slow":
            network.over.wait(0.2)
        if path == "/missing":
            return page(b"", status="404 Not Found")
        return b"" if path == "/broken" else page(path.encode())

    server = network.serve(reply)
    names = ["slow", "missing", "quick", "broken"]
    urls = [*(server.url + name for name in names), "http://169.254.169.254/", "no url", server.url + "quick"]
    found = extract(urls)
    assert [each.url for each in found] == urls
    assert [each.content for each in found] == ["/slow", "", "/quick", "", "", "", "/quick"]
    assert "404" in found[1].error
    assert "closed the connection" in found[3].error
    assert [each.refused for each in found] == ["", "", "", "", "metadata", "not_a_url", ""]
    assert all(each.hint for each in found if each.error)


def test_a_private_address_is_refused_with_the_code_of_the_guard(network: Any, extract: Extract) -> None:
    server = network.serve(page(b"secret"))
    (found,) = extract([server.url], policy=NetPolicy())
    assert (found.refused, found.content) == ("private", "")
    assert server.requests == []


def test_no_urls_are_no_pages(extract: Extract) -> None:
    assert extract([]) == []


def test_five_pages_cost_little_more_than_the_slowest(network: Any, extract: Extract) -> None:
    delay = 0.5
    server = network.serve(lambda _: (network.over.wait(delay), page(b"Hello"))[1])
    extract([server.url])  # what is imported at the first use is none of its business
    started = time.monotonic()
    found = extract([f"{server.url}{number}" for number in range(5)])
    took = time.monotonic() - started
    assert [each.content for each in found] == ["Hello"] * 5
    assert delay <= took < 4 * delay  # one after the other they would take five


def test_no_more_than_five_are_asked_for_at_once(network: Any, extract: Extract) -> None:
    lock = threading.Lock()
    now, maximum = 0, 0

    def reply(_: bytes) -> bytes:
        nonlocal now, maximum
        with lock:
            now += 1
            maximum = max(maximum, now)
        network.over.wait(0.1)
        with lock:
            now -= 1
        return page(b"Hello")

    server = network.serve(reply)
    assert len(extract([f"{server.url}{number}" for number in range(12)])) == 12
    assert maximum == 5


def test_one_page_that_never_comes_does_not_keep_the_others(network: Any, extract: Extract) -> None:
    def reply(head: bytes) -> bytes:
        if head.startswith(b"GET /never "):
            network.over.wait(20)
        return page(b"Hello")

    server = network.serve(reply)
    found = extract([server.url + "never", server.url + "a", server.url + "b"], seconds=0.5)
    assert "in time" in found[0].error
    assert [each.content for each in found[1:]] == ["Hello"] * 2


@pytest.mark.parametrize("answer", [page(b""), page(b" \r\n\t "), b"HTTP/1.1 204 No Content\r\n\r\n"])
def test_an_empty_page_is_an_error(network: Any, extract: Extract, answer: bytes) -> None:
    server = network.serve(answer)
    (found,) = extract([server.url])
    assert (found.error, found.final_url) == ("The page is empty.", server.url)
    assert "browser" in found.hint


def test_a_page_that_cannot_be_read_is_an_error_with_its_reason(network: Any, extract: Extract) -> None:
    def unreadable(_: FetchedPage) -> Document:
        raise UnreadableError("It is a picture.", "Look at it with eyes.")

    server = network.serve(page(b"\x89PNG"))
    (found,) = extract([server.url], DirectProvider(DocumentReader(maximum=1, read=unreadable)))
    assert (found.error, found.hint, found.content) == ("It is a picture.", "Look at it with eyes.", "")


def test_reading_gets_its_time_even_when_fetching_took_long(network: Any, extract: Extract) -> None:
    def slowly(fetched: FetchedPage) -> Document:
        network.over.wait(0.3)
        return as_text(fetched)

    server = network.serve(page(b"Hello"))
    patient = DirectProvider(DocumentReader(maximum=1, read=slowly), min_to_read=10)
    assert extract([server.url], patient, seconds=0.2)[0].content == "Hello"
    hurried = DirectProvider(DocumentReader(maximum=1, read=slowly), min_to_read=0.01)
    assert "too long" in extract([server.url], hurried, seconds=0.1)[0].error


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html", b"%PDF-1.4\n%broken", ""),
        (
            "application/pdf",
            b"<!doctype html><html><body><p>A page that says that it is a PDF.</p></body></html>",
            "html",
        ),
        (
            "image/png",
            b"<!doctype html><html><body><p>A page that says that it is a picture.</p></body></html>",
            "html",
        ),
        ("text/html", b"\x89PNG\r\n\x1a\n" + bytes(100), ""),
        ("text/plain", bytes(range(256)) * 20, ""),
        (
            "application/json",
            b"<!doctype html><html><body><p>A page that says that it is data.</p></body></html>",
            "html",
        ),
        ("nonsense", b'{"a": 1}', "json"),
        ("", b"<html><body><p>A page without a type.</p></body></html>", "html"),
    ],
)
def test_a_type_that_lies_is_seen_through(
    network: Any, extract: Extract, content_type: str, body: bytes, kind: str
) -> None:
    server = network.serve(page(body, f"Content-Type: {content_type}"))
    (found,) = extract([server.url], DirectProvider())
    assert found.kind == kind, found
    assert bool(found.error) == (kind == "")


def test_a_proxy_that_cannot_be_is_told_to_the_user(
    extract: Extract, network: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://nowhere:1")
    with pytest.raises(ProviderError) as caught:
        extract([network.serve(page(b"Hello")).url], open_client=None)
    assert caught.value.provider == "direct"
    assert "HTTP_PROXY" in caught.value.message
    assert "proxy" in str(caught.value.hint)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_pages_that_nobody_waits_for_any_more_are_let_go(
    network: Any, access: Callable[..., Access], backend: str
) -> None:
    begun = threading.Event()

    def reply(_: bytes) -> bytes:
        begun.set()
        network.over.wait(20)
        return page(b"Hello")

    server = network.serve(reply)

    async def run() -> float:
        async with anyio.create_task_group() as tasks:
            provider = DirectProvider(DocumentReader(maximum=1, read=as_text))
            tasks.start_soon(provider.extract, [server.url] * 3, access(seconds=100))
            assert await anyio.to_thread.run_sync(begun.wait, 10)
            started = time.monotonic()
            tasks.cancel_scope.cancel()
        return time.monotonic() - started

    assert anyio.run(run, backend=backend) < 3
