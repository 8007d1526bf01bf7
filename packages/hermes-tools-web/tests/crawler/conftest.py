"""Sites on this machine, with everything that a crawl can meet, and a crawl that reaches nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import httpcore2
import pytest

from hermes_net import NetPolicy, guarded_async_client
from hermes_tools_web.crawler.crawl import crawl
from hermes_tools_web.crawler.report import CrawlPlan, CrawlProgress, CrawlReport
from hermes_tools_web.providers.protocol import Access
from hermes_tools_web.settings import WebSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request that came: when, for what, and of whom."""

    at: float
    path: str
    host: str
    headers: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Answer:
    """What the server says; `held` lets it wait until the test is over, `seconds` for a while."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    held: bool = False
    hangs_up: bool = False


Page = Answer | Callable[[str], Answer]


class SiteServer:
    """A web server whose pages a test writes.

    Attributes:
        pages: The answers by path, with the query if there is one; a host before the path serves that host alone.
        otherwise: Answers for all other paths.
        asked: The requests so far.
    """

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.otherwise: Callable[[str], Answer] = lambda path: Answer(status=404)
        self.asked: list[Asked] = []
        self.over = threading.Event()
        self.max_at_once = self._at_once = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its root, without the last slash."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, without robots.txt and the sitemap that is looked for everywhere."""
        return [each.path for each in self.asked if each.path not in ("/robots.txt", "/sitemap.xml")]

    def page(
        self,
        path: str,
        links: Iterable[str] = (),
        *,
        text: str = "",
        title: str = "",
        head: str = "",
        body: str = "",
        **answer: Any,
    ) -> None:
        """Serve a page with links and a text of its own."""
        listed = "".join(f'<li><a href="{link}">{link.strip("/") or "home"}</a></li>' for link in links)
        said = text or f"This is the page {path} and nothing else has its words."
        html = (
            f"<!doctype html><html><head><title>{title or path}</title>{head}</head>"
            f"<body><main><h1>{title or path}</h1><p>{said}</p>{body}</main><nav><ul>{listed}</ul></nav></body></html>"
        )
        headers = {"Content-Type": "text/html; charset=utf-8", **answer.pop("headers", {})}
        self.pages[path] = Answer(body=html.encode(), headers=headers, **answer)

    def text(self, path: str, text: str | bytes, content_type: str = "text/plain", **answer: Any) -> None:
        """Serve a file, such as robots.txt."""
        body = text if isinstance(text, bytes) else text.encode()
        self.pages[path] = Answer(body=body, headers={"Content-Type": content_type}, **answer)

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        """Lead elsewhere."""
        self.pages[path] = Answer(status=status, headers={"Location": to})

    def times(self, of: str) -> int:
        """How often a path was asked for."""
        return sum(each.path == of for each in self.asked)

    def close(self) -> None:
        """End it."""
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, host: str, path: str) -> Answer:
        found = self.pages.get(f"{host}{path}") or self.pages.get(path)
        if found is None:
            return self.otherwise(path)
        return found if isinstance(found, Answer) else found(path)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one piece: else the client waits for the second

            def do_GET(self) -> None:
                host = self.headers.get("Host", "")
                with server._lock:
                    server._at_once += 1
                    server.max_at_once = max(server.max_at_once, server._at_once)
                    asked = Asked(at=time.monotonic(), path=self.path, host=host, headers=dict(self.headers.items()))
                    server.asked.append(asked)
                try:
                    self._send(server._answer(host.partition(":")[0], self.path))
                finally:
                    with server._lock:
                        server._at_once -= 1

            def _send(self, answer: Answer) -> None:
                if answer.held or answer.seconds:
                    server.over.wait(None if answer.held else answer.seconds)
                if answer.hangs_up or server.over.is_set():
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        return Handler


@pytest.fixture
def new_server() -> Iterator[Callable[[], SiteServer]]:
    """Makes servers, and ends them when the test is over."""
    made: list[SiteServer] = []

    def make() -> SiteServer:
        server = SiteServer()
        made.append(server)
        return server

    yield make
    for each in made:
        each.close()


@pytest.fixture
def site(new_server: Callable[[], SiteServer]) -> SiteServer:
    """A server without a page."""
    return new_server()


class Detour(httpcore2.AnyIOBackend):
    """Connects port 80 of every host to a server of the test."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def connect_tcp(self, host: str, port: int, *args: Any, **options: Any) -> httpcore2.AsyncNetworkStream:
        return await super().connect_tcp("127.0.0.1", self._port if port == 80 else port, *args, **options)


@pytest.fixture
def access(home: Path) -> Access:
    """What a crawl works with that may ask this machine, and need not be polite."""
    settings = WebSettings.model_validate({"crawl": {"delay_seconds": 0}})
    return Access(settings=settings, policy=NetPolicy(allow_private=True), home=home, section=lambda name: {})


@pytest.fixture
def run(access: Access) -> Callable[..., CrawlReport]:
    """Crawls: `run(url, depth=, limit=, instructions=, told=, named=, policy=, **settings of web.crawl)`.

    `named` is a server that is led to under every name, at port 80; `told` gets what is told of the progress.
    """

    def crawl_it(
        url: str,
        *,
        depth: int = 5,
        limit: int = 500,
        instructions: str = "",
        told: list[CrawlProgress] | None = None,
        named: SiteServer | None = None,
        policy: NetPolicy | None = None,
        web: dict[str, Any] | None = None,
        **settings: Any,
    ) -> CrawlReport:
        options = {"delay_seconds": 0, "concurrency": 4, "seconds": 60, **settings}
        make: Any = None
        if named is not None:
            make = partial(
                guarded_async_client, resolver=lambda host: ["93.184.216.34"], backend=Detour(named.port), environ={}
            )
        chosen = replace(
            access,
            settings=WebSettings.model_validate({**(web or {}), "crawl": options}),
            policy=policy or NetPolicy(allow_private=named is None),
            open_client=make,
        )

        async def tell(progress: CrawlProgress) -> None:
            if told is not None:
                told.append(progress)

        plan = CrawlPlan(url=url, instructions=instructions, depth=depth, limit=limit)
        return anyio.run(partial(crawl, plan, chosen, tell=tell))

    return crawl_it


@pytest.fixture
def urls() -> Callable[[CrawlReport], list[str]]:
    """The paths of the pages of a report, in their order."""

    def of(report: CrawlReport) -> list[str]:
        return ["/" + page.url.partition("://")[2].partition("/")[2] for page in report.pages]

    return of
