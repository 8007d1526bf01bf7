"""What is kept of pages, and of their summaries, so that neither is made twice.

A page is kept as it was read, under its URL, who read it, and the settings that count for that. A summary is kept
apart, under the model and the text that it was made of: whoever changes the model, or switches summaries off, needs no
new copy of the page.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from anyio.to_thread import run_sync

from hermes_core.auxiliary import AuxiliaryModel
from hermes_tools_web.cache.store import PageCache
from hermes_tools_web.extraction.outcome import Outcome
from hermes_tools_web.results import Page
from hermes_tools_web.summarising.summary import Summary

_VERSION = 1
_TEXTS = ("url", "content", "title", "final_url", "kind")


async def kept_page(cache: PageCache, provider: str, key: str) -> Outcome | None:
    """A page that was read before; None when there is none, or none that can be understood.

    Args:
        cache: Where it may be.
        provider: Who read it.
        key: What it is kept under, from `kept_under`.
    """
    found = await kept_with_more(cache, provider, key)
    return None if found is None else found[0]


async def kept_with_more(cache: PageCache, provider: str, key: str) -> tuple[Outcome, Mapping[str, Any]] | None:
    """The same, with what else was kept of it.

    Args:
        cache: Where it may be.
        provider: Who read it.
        key: What it is kept under, from `kept_under`.
    """
    text = await run_sync(cache.get, "page", provider, key, abandon_on_cancel=True)
    return None if text is None else _read(text, provider)


async def keep_page(cache: PageCache, key: str, outcome: Outcome, more: Mapping[str, Any] | None = None) -> None:
    """Keep a page that was read. One that was not is asked for again the next time.

    Args:
        cache: Where to.
        key: What it is kept under, from `kept_under`.
        outcome: The page, and who read it when.
        more: What else is to be kept of it, for those who know what it means.
    """
    if not outcome.readable:
        return
    kept = {"version": _VERSION, "fetched_at": outcome.fetched_at, "page": asdict(outcome.page), "more": more or {}}
    text = json.dumps(kept)
    await run_sync(cache.put, "page", outcome.provider, key, text, abandon_on_cancel=True)


async def kept_summary(cache: PageCache, model: AuxiliaryModel, text: str) -> Summary | None:
    """The summary that a model made of a text before; None when there is none.

    Args:
        cache: Where it may be.
        model: Which model.
        text: What it would be given.
    """
    found = await run_sync(cache.get, "page", _by(model), _digest(text), abandon_on_cancel=True)
    return Summary(text=found, model=model.model) if found else None


async def keep_summary(cache: PageCache, model: AuxiliaryModel, text: str, summary: Summary) -> None:
    """Keep a summary, unless something is missing from it.

    Args:
        cache: Where to.
        model: Which model made it.
        text: What of.
        summary: The summary.
    """
    if summary.whole:
        await run_sync(cache.put, "page", _by(model), _digest(text), summary.text, abandon_on_cancel=True)


def _by(model: AuxiliaryModel) -> str:
    return f"summary by {model.model} at {model.base_url}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(text: str, provider: str) -> tuple[Outcome, Mapping[str, Any]] | None:
    try:
        kept = json.loads(text)
        fetched_at = float(kept["fetched_at"])
        page = _page(kept["page"]) if kept["version"] == _VERSION else None
        more = dict(kept.get("more") or {})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None  # another version wrote it; the page is read anew
    if page is None:
        return None
    return Outcome(page=page, provider=provider, fetched_at=fetched_at, from_cache=True), more


def _page(kept: Mapping[str, Any]) -> Page | None:
    page = Page(**{**kept, "notes": tuple(kept["notes"]), "facts": dict(kept["facts"])})
    return None if page.error or not all(isinstance(getattr(page, name), str) for name in _TEXTS) else page
