"""Pages in the cache, which extractions and crawls share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from anyio.to_thread import run_sync

from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.providers.protocol import Page

_VERSION = 1
_TEXTS = ("url", "content", "title", "final_url", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedPage:
    """A page in the cache."""

    page: Page
    fetched_at: float  # when it was fetched, in seconds since 1970
    more: Mapping[str, Any] = field(default_factory=dict)  # additional data of the component that stored it


async def load_page(cache: WebCache, provider: str, key: str) -> CachedPage | None:
    """Return a cached page; None when there is none, another version wrote it, or it is damaged."""
    text = await run_sync(cache.get, "page", provider, key, abandon_on_cancel=True)
    try:
        cached = json.loads(text or "{}")
        if cached.get("version") != _VERSION:
            return None
        fields = cached["page"]
        page = Page(**{**fields, "notes": tuple(fields["notes"]), "facts": dict(fields["facts"])})
        if page.error or not all(isinstance(getattr(page, name), str) for name in _TEXTS):
            return None
        return CachedPage(page=page, fetched_at=float(cached["fetched_at"]), more=dict(cached.get("more") or {}))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


async def save_page(cache: WebCache, provider: str, key: str, cached: CachedPage) -> None:
    """Store a page."""
    text = json.dumps({"version": _VERSION, **asdict(cached)})
    await run_sync(cache.put, "page", provider, key, text, abandon_on_cancel=True)
