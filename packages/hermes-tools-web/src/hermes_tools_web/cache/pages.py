"""Encode pages for the cache."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from hermes_tools_web.providers.protocol import Page

_VERSION = 1
_TEXTS = ("url", "content", "title", "final_url", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedPage:
    """A page in the cache."""

    page: Page
    fetched_at: float  # when it was fetched, in seconds since 1970
    more: Mapping[str, Any] = field(default_factory=dict)  # additional data of the component that stored it


def encode_page(cached: CachedPage) -> str:
    """Encode a page as text."""
    return json.dumps(
        {"version": _VERSION, "fetched_at": cached.fetched_at, "page": asdict(cached.page), "more": dict(cached.more)}
    )


def decode_page(text: str) -> CachedPage | None:
    """Decode a page; None when another version wrote it or it is damaged."""
    try:
        cached = json.loads(text)
        if cached["version"] != _VERSION:
            return None
        page = _page(cached["page"])
        more = dict(cached.get("more") or {})
        return None if page is None else CachedPage(page=page, fetched_at=float(cached["fetched_at"]), more=more)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _page(cached: Mapping[str, Any]) -> Page | None:
    page = Page(**{**cached, "notes": tuple(cached["notes"]), "facts": dict(cached["facts"])})
    return None if page.error or not all(isinstance(getattr(page, name), str) for name in _TEXTS) else page
