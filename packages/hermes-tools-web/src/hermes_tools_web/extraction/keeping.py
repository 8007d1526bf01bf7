"""What is kept of pages, and of their summaries, so that neither is made twice.

A page is kept as it was read, under its URL, who read it, and the settings that count for that. A summary is kept
apart, under the model and the text that it was made of: whoever changes the model, or switches summaries off, needs no
new copy of the page.
"""

from __future__ import annotations

import hashlib

from anyio.to_thread import run_sync

from hermes_auxiliary import AuxiliaryModel
from hermes_tools_web.cache.pages import KeptPage, read, written
from hermes_tools_web.cache.store import PageCache
from hermes_tools_web.extraction.outcome import Outcome
from hermes_tools_web.summarising.summary import Summary


async def kept_page(cache: PageCache, provider: str, key: str) -> Outcome | None:
    """A page that was read before; None when there is none, or none that can be understood.

    Args:
        cache: Where it may be.
        provider: Who read it.
        key: What it is kept under, from `kept_under`.
    """
    text = await run_sync(cache.get, "page", provider, key, abandon_on_cancel=True)
    kept = None if text is None else read(text)
    if kept is None:
        return None
    return Outcome(page=kept.page, provider=provider, fetched_at=kept.fetched_at, from_cache=True)


async def keep_page(cache: PageCache, key: str, outcome: Outcome) -> None:
    """Keep a page that was read. One that was not is asked for again the next time.

    Args:
        cache: Where to.
        key: What it is kept under, from `kept_under`.
        outcome: The page, and who read it when.
    """
    if not outcome.readable:
        return
    text = written(KeptPage(page=outcome.page, fetched_at=outcome.fetched_at))
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
