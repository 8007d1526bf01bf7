"""What became of one URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_tools_web.results import Page

if TYPE_CHECKING:
    from hermes_tools_web.summarising.summary import Summary

NOTHING_THERE = "Content was inaccessible or not found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one URL.

    Attributes:
        page: What the page says, or why nobody knows.
        provider: Who read it; empty when nobody was asked.
        fetched_at: When, in seconds since 1970; 0 when it was not.
        from_cache: Whether it was read before, and kept.
        blocked: Which rule refused it, about which host, and why; None when none did.
        summary: What a model made of it; None when it stands as it is.
        shortened: Whether only the beginning is to be shown, since there is no summary.
        notes: What a reader should know.
    """

    page: Page
    provider: str = ""
    fetched_at: float = 0.0
    from_cache: bool = False
    blocked: Mapping[str, str] | None = None
    summary: Summary | None = None
    shortened: bool = False
    notes: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether there is something to read."""
        return not self.page.error
