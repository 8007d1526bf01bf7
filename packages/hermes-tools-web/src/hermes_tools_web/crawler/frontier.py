"""The queue of pages to visit: which come next, and which are skipped."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from hermes_tools_web.crawler.page_urls import PageUrl, TrapDetector, is_action, is_file, parse_page_url
from hermes_tools_web.crawler.relevance import Relevance

_MAX_WAITING = 10_000
_MAX_KNOWN = 50_000
"""The memory limits for links."""
_MAX_LINKS = 5_000
"""How many links of one page are considered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLink:
    """A link from a page or a sitemap."""

    url: str  # the absolute URL
    text: str = ""
    nofollow: bool = False  # True when the page asks not to follow it
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A page to visit."""

    address: PageUrl
    depth: int  # how many links it is away from the first page
    is_retry: bool = False  # True on the second attempt


class Frontier:
    """The known pages of one site, by distance from the first page.

    Within a depth, relevant pages come first, then linked ones before those from sitemaps, then those below the
    directory of the first page, then those without parameters, then in order of discovery. A depth starts when all
    visits of the previous one are done.

    Attributes:
        skipped: How many URLs were skipped, by reason; each URL counts once.
        deeper: True when there are pages beyond the depth limit.
    """

    def __init__(self, start: PageUrl, *, depth: int, pages: int, relevance: Relevance) -> None:
        self.skipped: Counter[str] = Counter()
        self.deeper = False
        self._start = start
        self._depth = depth
        self._relevance = relevance
        self._traps = TrapDetector(pages)
        self._known: set[str] = {start.key}
        self._waiting: list[tuple[tuple[int, ...], Visit]] = []
        self._out: Counter[int] = Counter()
        self._found = 0
        self._push(Visit(address=start, depth=0), (0, 0, 0, 0, 0))

    def __len__(self) -> int:
        return len(self._waiting)

    def add_links(self, links: Iterable[FoundLink], *, depth: int, title: str = "") -> None:
        """Add the links of a page."""
        around = self._relevance.score(text="", url="", title=title)
        for number, link in enumerate(links):
            if number >= _MAX_LINKS or len(self._known) >= _MAX_KNOWN:
                self.skipped["too many links"] += 1
                return
            self._take_note(link, depth, around)

    def take(self) -> Visit | None:
        """Return the next page; None when there is none, or none until visits in progress are done."""
        if not self._waiting:
            return None
        depth = self._waiting[0][1].depth
        if any(count and out < depth for out, count in self._out.items()):
            return None
        visit = heapq.heappop(self._waiting)[1]
        self._out[visit.depth] += 1
        return visit

    def done(self, visit: Visit) -> None:
        """Finish a visit whose links have been added."""
        self._out[visit.depth] -= 1

    def retry(self, visit: Visit) -> None:
        """Finish a visit and queue its page once more, behind all others of its depth."""
        self.done(visit)
        if not visit.is_retry:
            last = (1 << 30, 0, 0, 0)
            self._push(Visit(address=visit.address, depth=visit.depth, is_retry=True), (visit.depth, *last))

    def mark_known(self, address: PageUrl) -> bool:
        """Mark a page as known, such as the target of a redirect; return whether it was known before."""
        known = address.key in self._known
        self._known.add(address.key)
        return known

    def _take_note(self, link: FoundLink, depth: int, around: int) -> None:
        address = self._as_safe_as_the_first(parse_page_url(link.url))
        if address is None or address.key in self._known:
            return
        if depth > self._depth:
            # Not marked as known: another page may link to it at a smaller depth.
            self.deeper = self.deeper or not self._reason_against(link, address)
            return
        if link.nofollow:  # it may still be followed from another page
            mark = f"nofollow {address.key}"
            if mark not in self._known:
                self._known.add(mark)
                self.skipped[self._reason_against(link, address)] += 1
            return
        self._known.add(address.key)
        reason = self._reason_against(link, address) or (self._traps.is_trap(address) and "trap")
        if not reason and len(self._waiting) >= _MAX_WAITING:
            reason = "too many links"
        if reason:
            self.skipped[reason] += 1
            return
        self._push(Visit(address=address, depth=depth), self._rank(link, address, depth, around))

    def _reason_against(self, link: FoundLink, address: PageUrl) -> str:
        if address.site != self._start.site:
            return "other site"
        if is_file(address):
            return "file"
        if is_action(address):
            return "action"
        return "nofollow" if link.nofollow else ""

    def _as_safe_as_the_first(self, address: PageUrl | None) -> PageUrl | None:
        """Upgrade links to HTTPS when the first page uses it."""
        open_root = self._start.root.replace("https://", "http://", 1)
        if address is None or address.root != open_root or address.root == self._start.root:
            return address
        return parse_page_url(address.url.replace("http://", "https://", 1))

    def _rank(self, link: FoundLink, address: PageUrl, depth: int, around: int) -> tuple[int, ...]:
        relevance_score = around + self._relevance.score(text=link.text, url=address.url)
        outside = not address.path.startswith(self._start.folder)
        parameters = address.query.count("=") if address.query else 0
        return (depth, -relevance_score, int(link.listed), int(outside), parameters)

    def _push(self, visit: Visit, rank: tuple[int, ...]) -> None:
        self._found += 1
        heapq.heappush(self._waiting, ((*rank, self._found), visit))
