"""Reads pages: from what was kept, or by a provider, with the guard before and after."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from hermes_tools_web.cache.pages import CachedPage, decode_page, encode_page
from hermes_tools_web.cache.web_cache import WebCache, cache_key
from hermes_tools_web.extraction.job import NO_CONTENT, ExtractionJob, Outcome
from hermes_tools_web.extraction.url_checks import CheckedUrl, check_host, check_redirect, policy_block, refusal
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.urls import encode_url
from hermes_tools_web.providers.calls import ExtractedPages, extract
from hermes_tools_web.providers.protocol import Page, ProviderError

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_MAX_NOTES = 10
_EMPTY_HINT = "It may need a browser or a login. Look for the same elsewhere."


class PageReader:
    """Reads the pages of one call.

    Args:
        work: What it works with.

    Attributes:
        problem: What the providers raised when they could do nothing at all; None when they could.
        lost: For how many URLs that was so.
        notes: What providers want a reader to know, each once.
    """

    def __init__(self, job: ExtractionJob) -> None:
        self._job = job
        self.problem: ProviderError | None = None
        self.lost = 0
        self.notes: dict[str, None] = {}

    async def read(self, group: Sequence[CheckedUrl]) -> list[Outcome]:
        """What became of some URLs, in their order; those that were not kept are asked for together.

        Args:
            group: The URLs.
        """
        found = await run_parallel(self._at_hand, group)
        asked = [checked for checked, outcome in zip(group, found, strict=True) if outcome is None]
        fresh = iter(await self._ask(asked) if asked else ())
        return [next(fresh) if outcome is None else outcome for outcome in found]

    async def _at_hand(self, checked: CheckedUrl) -> Outcome | None:
        """What is known without asking anybody: a refusal, or a page that was kept."""
        job = self._job
        refused = await check_host(checked, job.access.policy)
        if refused is not None:
            return refused
        for candidate in job.choice.candidates:
            kept = await find_page(job.cache, candidate.name, cache_key(checked.address, job.access))
            if kept is not None:
                return await self._where_it_led(checked, kept)
        return None

    async def _ask(self, asked: Sequence[CheckedUrl]) -> list[Outcome]:
        job = self._job
        try:
            told = await extract(job.choice, [each.address for each in asked], job.access)
        except ProviderError as error:
            self.problem = error
            self.lost += len(asked)
            return [_failed(each, error) for each in asked]
        self.notes.update(dict.fromkeys(told.notes))
        return await run_parallel(
            lambda pair: self._take(pair[0], pair[1], told), list(zip(asked, told.pages, strict=True))
        )

    async def _take(self, checked: CheckedUrl, page: Page, told: ExtractedPages) -> Outcome:
        made = Outcome(page=_tidy(checked, page), provider=told.provider, fetched_at=self._job.clock())
        outcome = await self._where_it_led(checked, made)
        await store_page(self._job.cache, cache_key(checked.address, self._job.access), outcome)
        return outcome

    async def _where_it_led(self, checked: CheckedUrl, outcome: Outcome) -> Outcome:
        page = outcome.page
        if page.refused:
            return replace(outcome, blocked=policy_block(page.refused, page.error))
        verdict = await check_redirect(replace(page, url=checked.address), self._job.access.policy)
        if verdict is None:
            return replace(outcome, page=replace(page, url=checked.url))
        if verdict.code == "not_a_url":  # a service said so, and nobody was led anywhere
            return replace(outcome, page=replace(page, url=checked.url, final_url=""))
        return replace(refusal(checked.url, verdict, redirected=True), provider=outcome.provider)


def _failed(checked: CheckedUrl, error: ProviderError) -> Outcome:
    page = Page(url=checked.url, error=error.message, hint=error.hint or "")
    return Outcome(page=page, provider=error.provider)


def _tidy(checked: CheckedUrl, page: Page) -> Page:
    """A page as a provider gave it, with everything in it what it has to be; some come from other plugins."""
    content = strip_inline_images(page.content)
    error, hint = page.error, _text(page.hint)
    if not error and not content.strip():
        error, hint = NO_CONTENT, _EMPTY_HINT
    facts = page.facts if isinstance(page.facts, dict) else {}
    notes = page.notes if isinstance(page.notes, tuple | list) else ()
    return Page(
        url=checked.url,
        content="" if error else content,
        title=page.title,
        final_url=_found_at(_text(page.final_url)),
        kind=_word(page.kind),
        facts={name: value for name, value in facts.items() if isinstance(name, str) and isinstance(value, str)},
        error=error,
        hint=hint,
        refused=_word(page.refused),
        notes=tuple(note for note in notes if isinstance(note, str))[:_MAX_NOTES],
    )


def _found_at(url: str) -> str:
    """A URL in ASCII, as ours are: services give it in their own spelling, with words in it that are no URL's."""
    try:
        return encode_url(url, redirected=True) if url else ""
    except FetchError:
        return url  # the guard says what is wrong with it


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _word(value: object) -> str:
    """What is to be one word of ours; empty when somebody wrote something else there."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""


Thing = TypeVar("Thing")
Result = TypeVar("Result")


async def run_parallel(do: Callable[[Thing], Awaitable[Result]], things: Sequence[Thing]) -> list[Result]:
    """What becomes of each thing, in their order, in the time of the slowest.

    Args:
        do: What is done; what it raises ends all.
        things: To what.
    """
    done: dict[int, Result] = {}

    async def take(place: int, thing: Thing) -> None:
        done[place] = await do(thing)

    async with anyio.create_task_group() as tasks:
        for place, thing in enumerate(things):
            tasks.start_soon(take, place, thing)
    return [done[place] for place in range(len(things))]


_SPELT_OUT = re.compile(
    r"data:image/[\w.+-]{1,60}+(?:;(?!base64,)[\w=.+-]{1,60}+){0,8};base64,[\w+/=%-]*+", re.IGNORECASE | re.ASCII
)
_MARK = "data:image-was-here"
_MARKDOWN = re.compile(r"!\[([^\[\]\n]{0,300}+)\]\(<?" + _MARK + r"[^)\n]{0,300}+\)")


def strip_inline_images(text: str) -> str:
    """The text with a word in the place of each picture that was spelled out in it.

    Args:
        text: Any text, such as Markdown.
    """
    if _SPELT_OUT.search(text) is None:
        return text
    marked = _SPELT_OUT.sub(_MARK, text)
    return _MARKDOWN.sub(_named, marked).replace(_MARK, "[image]")


def _named(image: re.Match[str]) -> str:
    name = image[1].strip()
    return f"[image: {name}]" if name else "[image]"


async def find_page(cache: WebCache, provider: str, key: str) -> Outcome | None:
    """A page that was read before; None when there is none, or none that can be understood.

    Args:
        cache: Where it may be.
        provider: Who read it.
        key: What it is kept under, from `cache_key`.
    """
    text = await run_sync(cache.get, "page", provider, key, abandon_on_cancel=True)
    kept = None if text is None else decode_page(text)
    if kept is None:
        return None
    return Outcome(page=kept.page, provider=provider, fetched_at=kept.fetched_at, from_cache=True)


async def store_page(cache: WebCache, key: str, outcome: Outcome) -> None:
    """Keep a page that was read. One that was not is asked for again the next time.

    Args:
        cache: Where to.
        key: What it is kept under, from `cache_key`.
        outcome: The page, and who read it when.
    """
    if not outcome.readable:
        return
    text = encode_page(CachedPage(page=outcome.page, fetched_at=outcome.fetched_at))
    await run_sync(cache.put, "page", outcome.provider, key, text, abandon_on_cancel=True)
