"""Obey the owners of a site: robots.txt (RFC 9309), and the robots directives of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio

from hermes_tools_web.fetcher.errors import FetchError, UrlDeniedError, translate_errors

if TYPE_CHECKING:
    import httpx2
    from protego import Protego

    from hermes_tools_web.crawler.page_urls import PageUrl
    from hermes_tools_web.crawler.throttle import Throttle
    from hermes_tools_web.settings import WebSettings


TOKEN = "hermes-tools-web"  # noqa: S105 - the name that a robots.txt knows us by
MAX_BYTES = 512_000
"""RFC 9309 requires at least 500 KiB to be parsed; the rest is ignored."""

_AGENT = re.compile(r"\s*user[- ]?agent\s*:?\s*(?P<name>[^#]*)", re.IGNORECASE)
_PRODUCT = re.compile(r"[A-Za-z_-]+")
_OTHER_AGENT = "User-agent: another-robot"
_TOO_MANY = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFile:
    """The response to a request for a file."""

    status: int  # the HTTP status; 0 when there was no answer
    body: bytes = b""  # the beginning of the file
    problem: str = ""  # why the file is missing or incomplete
    is_redirect_loop: bool = False  # True when there were too many redirects


async def fetch_site_file(client: httpx2.AsyncClient, url: str, *, maximum: int) -> SiteFile:
    """Fetch the beginning of a file.

    Raises:
        UrlDeniedError: the network guard refuses the host.
    """
    import httpx2

    from hermes_net import UrlRefusedError

    host = urlsplit(url).hostname or ""
    body, status = bytearray(), 0
    try:
        with translate_errors(host, redirected=False):
            async with client.stream("GET", url) as response:
                status = response.status_code
                if response.is_success:
                    async for piece in response.aiter_raw():  # already decompressed by the guarded client
                        body += piece
                        if len(body) >= maximum:
                            break
    except FetchError as error:
        guard, cause = error.__context__, error.__cause__
        if isinstance(guard, UrlRefusedError) and guard.verdict.host == host:
            raise UrlDeniedError(guard.verdict) from None
        is_redirect_loop = isinstance(cause, httpx2.TooManyRedirects)
        return SiteFile(
            status=status, body=bytes(body[:maximum]), problem=error.message, is_redirect_loop=is_redirect_loop
        )
    return SiteFile(status=status, body=bytes(body[:maximum]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots:
    """The rules of one robots.txt."""

    rules: Protego | None = None  # the parsed file; None when there is none
    agents: tuple[str, ...] = (TOKEN,)  # the names of our robot; a URL must be allowed for each
    problem: str = ""  # why the rules are unknown, so that nothing may be fetched

    def allows(self, url: str) -> bool:
        """Return whether a URL may be crawled."""
        rules = self.rules
        return not self.problem and (rules is None or all(rules.can_fetch(url, agent) for agent in self.agents))

    @property
    def delay(self) -> float | None:
        """The requested delay between requests."""
        rules = self.rules
        return None if rules is None else max(rules.crawl_delay(agent) or 0.0 for agent in self.agents)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps it lists."""
        return () if self.rules is None else tuple(self.rules.sitemaps)


def user_agent_names(user_agent: str) -> tuple[str, ...]:
    """Return the names that a robots.txt may use for us: our own and the configured one."""
    product = _PRODUCT.match(user_agent.strip())
    return (TOKEN,) if product is None else tuple(dict.fromkeys((TOKEN, product[0].lower())))


def read_robots(file: SiteFile, agents: Sequence[str] = (TOKEN,)) -> Robots:
    """Interpret the response to a request for robots.txt.

    A missing file or a redirect loop allows everything. A failing or overloaded server allows nothing.
    """
    if 200 <= file.status < 300 and not file.problem:
        return parse_robots(file.body, agents)
    is_missing = 300 <= file.status < 500 and file.status != _TOO_MANY and not file.problem
    if file.is_redirect_loop or is_missing:
        return Robots(agents=tuple(agents))
    # The missing part of a file could forbid more.
    return Robots(agents=tuple(agents), problem=file.problem or f"the server answers with status {file.status}")


def parse_robots(body: bytes, agents: Sequence[str] = (TOKEN,)) -> Robots:
    """Parse a robots.txt; invalid lines are ignored."""
    from protego import Protego

    # A truncated line would be a different rule.
    whole = body if len(body) < MAX_BYTES else body[:MAX_BYTES].rpartition(b"\n")[0]
    text = whole.decode("utf-8-sig", "replace").replace("\0", "")
    return Robots(rules=Protego.parse("\n".join(_for_us(text.splitlines(), agents))), agents=tuple(agents))


def _for_us(lines: Iterable[str], agents: Sequence[str]) -> Iterable[str]:
    """Yield the lines with all other robots merged into one.

    The parser keeps each rule once per robot of its group: thousands of both would exhaust the memory.
    """
    previous = ""
    for line in lines:
        written = _AGENT.match(line)
        if written is None:
            previous = previous if not line.strip() else ""
            yield line
            continue
        name = written["name"].strip().lower()
        product = _PRODUCT.match(name)
        known = "*" if name == "*" else product[0] if product and product[0] in agents else ""
        made = f"User-agent: {known}" if known else _OTHER_AGENT
        if made != previous:
            yield made
        previous = made


_MAX_ORIGINS = 16
"""More origins than the crawl of one site can meet, including those before a move."""


class SiteRobots:
    """The robots.txt files of a site, each fetched once: with and without `www.`, over HTTP and HTTPS."""

    def __init__(self, client: httpx2.AsyncClient, throttle: Throttle, settings: WebSettings) -> None:
        self._client = client
        self._throttle = throttle
        self._agents = user_agent_names(settings.user_agent)
        self._is_obeyed = settings.crawl.obey_robots
        self._known: dict[str, Robots] = {}
        self._one_at_a_time = anyio.Lock()

    async def denial_reason(self, address: PageUrl, url: str = "") -> str:
        """Explain why a page must not be crawled; empty when it may be."""
        if not self._is_obeyed:
            return ""
        robots = await self._at(address.root)
        if robots.problem:
            return f"The crawl rules are unknown, because robots.txt cannot be read: {robots.problem}"
        return "" if robots.allows(url or address.url) else "robots.txt disallows it."

    async def sitemaps(self, address: PageUrl) -> tuple[str, ...]:
        """Return the sitemaps listed at the origin of a page."""
        return (await self._at(address.root)).sitemaps

    async def _at(self, root: str) -> Robots:
        async with self._one_at_a_time:
            if root not in self._known:
                self._known[root] = await self._read(root)
        return self._known[root]

    async def _read(self, root: str) -> Robots:
        if len(self._known) >= _MAX_ORIGINS:
            return Robots(problem="it redirects to too many hosts.")
        await self._throttle.wait_turn()
        file = await fetch_site_file(self._client, f"{root}/robots.txt", maximum=MAX_BYTES)
        robots = read_robots(file, self._agents)
        if self._is_obeyed:
            self._throttle.raise_delay(robots.delay)
        return robots


_MAX_CHARS = 8192
_WITH_VALUES = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""Directives whose colon is followed by a value."""
_NAMED = re.compile(r"\s*([A-Za-z0-9_-]+)\s*:\s*(.*)", re.DOTALL)


def parse_directives(header: str, meta: Iterable[str] = ()) -> frozenset[str]:
    """Return the directives that apply to us, such as `noindex`, in lower case.

    `header` is `X-Robots-Tag`, whose directives for another robot are ignored, and `meta` are those of the page.
    """
    found = {word.strip().lower() for word in meta}
    is_ours = True
    for piece in header[:_MAX_CHARS].split(","):
        named = _NAMED.fullmatch(piece)
        directive = piece
        if named and named[1].lower() not in _WITH_VALUES:
            is_ours, directive = named[1].lower() in (TOKEN, "robots", "*"), named[2]
        if is_ours:
            found.add(directive.strip().lower())
    return frozenset(found | {"noindex", "nofollow"} if "none" in found else found) - {""}
