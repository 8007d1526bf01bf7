"""What the owners of a site allow, asked for once at each of its doors: with and without `www.`, encrypted or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from hermes_tools_web.crawling.robots import MOST_BYTES, Robots, agents_of, read_robots
from hermes_tools_web.crawling.side_files import fetch_side_file

if TYPE_CHECKING:
    from hermes_tools_web.crawling.addresses import WebAddress
    from hermes_tools_web.crawling.pace import Pace
    from hermes_tools_web.settings import WebSettings

_MOST_DOORS = 16
"""More than the crawl of one site can meet, the sites before it moved included."""


class Rules:
    """The robots.txt files of a site.

    Args:
        client: What they are fetched with.
        pace: How fast the site is asked; it learns what they ask for.
        settings: The section `web`.
    """

    def __init__(self, client: Any, pace: Pace, settings: WebSettings) -> None:
        self._client = client
        self._pace = pace
        self._agents = agents_of(settings.user_agent)
        self._is_obeyed = settings.crawl.obey_robots
        self._known: dict[str, Robots] = {}
        self._one_at_a_time = anyio.Lock()

    async def objection(self, address: WebAddress, url: str = "") -> str:
        """Why a page may not be crawled; empty when it may.

        Args:
            address: Where it is.
            url: How exactly it is asked for, when that is not as the address has it.
        """
        if not self._is_obeyed:
            return ""
        robots = await self._at(address.root)
        if robots.trouble:
            return f"Nobody knows what may be crawled there, because its robots.txt cannot be read: {robots.trouble}"
        return "" if robots.allows(url or address.url) else "Its robots.txt does not allow it."

    async def sitemaps(self, address: WebAddress) -> tuple[str, ...]:
        """The sitemaps that are named where a page is."""
        return (await self._at(address.root)).sitemaps

    async def _at(self, root: str) -> Robots:
        async with self._one_at_a_time:
            if root not in self._known:
                self._known[root] = await self._read(root)
        return self._known[root]

    async def _read(self, root: str) -> Robots:
        if len(self._known) >= _MOST_DOORS:
            return Robots(trouble="it leads to too many places.")
        await self._pace.turn()
        file = await fetch_side_file(self._client, f"{root}/robots.txt", most=MOST_BYTES)
        robots = read_robots(file, self._agents)
        if self._is_obeyed:
            self._pace.ask_for(robots.delay)
        return robots
