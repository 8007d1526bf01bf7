"""Run an extraction: read pages from the cache or a provider, with URL checks before and after."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import anyio
from anyio.to_thread import run_sync

from hermes_core import ToolInputError
from hermes_tools_web.cache.pages import CachedPage, load_page, save_page
from hermes_tools_web.cache.web_cache import WebCache, cache_key
from hermes_tools_web.concurrency import run_parallel
from hermes_tools_web.extraction.job import (
    NO_CONTENT,
    CheckedUrl,
    ExtractionJob,
    Outcome,
    ProgressReporter,
    check_host,
    check_redirect,
    check_text,
    policy_block,
    refusal,
)
from hermes_tools_web.extraction.summarizer import add_summary, needs_summary
from hermes_tools_web.extraction.tool_result import format_result
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.requests import encode_url
from hermes_tools_web.providers.calls import extract
from hermes_tools_web.providers.protocol import Page, ProviderError
from hermes_tools_web.providers.selection import fetches_one_by_one

_SAME_PAGE = "Duplicate URLs were read once."


async def extract_pages(urls: Sequence[str], job: ExtractionJob) -> dict[str, Any]:
    """Extract pages in parallel and format the result.

    Raises:
        ToolInputError: there is no URL.
        ProviderError: no page could be read, because the providers failed.
    """
    wanted = parse_urls(urls)
    if not wanted.urls:
        raise ToolInputError(NO_CONTENT, hint="Pass at least one URL, such as https://example.org/page.")
    # Check all URLs before the first request: a key must not leak.
    distinct: dict[str, CheckedUrl | Outcome] = {}
    for each in map(check_text, wanted.urls):
        distinct.setdefault(each.address if isinstance(each, CheckedUrl) else each.page.url, each)
    judged = list(distinct.values())
    notes = [*wanted.notes, *[_SAME_PAGE] * (len(judged) < len(wanted.urls))]
    reader = PageReader(job)
    outcomes = {place: each for place, each in enumerate(judged) if isinstance(each, Outcome)}
    progress = ProgressReporter(len(judged), job.tell, done=len(outcomes))
    asked = {place: each for place, each in enumerate(judged) if isinstance(each, CheckedUrl)}

    async def take(places: Sequence[int]) -> None:
        read = await reader.read([asked[place] for place in places])
        async with anyio.create_task_group() as finishing:
            for place, outcome in zip(places, read, strict=True):
                finishing.start_soon(finish, place, outcome)

    async def finish(place: int, outcome: Outcome) -> None:
        outcomes[place] = await _finished(outcome, job, progress)

    async with anyio.create_task_group() as tasks:
        # No page waits for the slowest one, except with a service, which gets all in one request.
        alone = fetches_one_by_one(job.choice.candidates[0])
        for places in [[place] for place in asked] if alone else [list(asked)] if asked else []:
            tasks.start_soon(take, places)
    if reader.problem is not None and reader.lost == len(judged):
        raise reader.problem
    ordered = [outcomes[place] for place in range(len(judged))]
    return await run_sync(format_result, ordered, [*notes, *reader.notes], job)


async def _finished(outcome: Outcome, job: ExtractionJob, progress: ProgressReporter) -> Outcome:
    if needs_summary(job, outcome):
        await progress.report("summarizing", outcome.page.url, is_done=False)
        outcome = await add_summary(job, outcome)
    await progress.report("read" if outcome.readable else "could not read", outcome.page.url, is_done=True)
    return outcome


MAX_URLS = 5

_SEVERAL = re.compile(r"(?:,|(?<![\s,]))\s++(?=https?://)", re.IGNORECASE)
"""The match starts at the first space of a run, so that long runs stay linear."""
_AROUND = " \t\r\n\f\v<>\"'`"
_BARE = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?::[0-9]{1,5})?(?:[/?#].*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlList:
    """The URLs of a call."""

    urls: tuple[str, ...]  # distinct URLs, as written
    notes: tuple[str, ...] = ()  # what was corrected or left out


def parse_urls(urls: Iterable[str]) -> UrlList:
    """Return the first distinct URLs of a list whose items may contain several URLs, or none with a scheme."""
    written = [part.strip(_AROUND) for text in urls for part in _SEVERAL.split(text)]
    corrected = [f"https://{url}" if _BARE.fullmatch(url[:2_000]) else url for url in written]
    distinct = list(dict.fromkeys(url for url in corrected if url))
    notes = []
    if corrected != written:
        notes.append("https:// was added to URLs without a scheme.")
    if len(distinct) > MAX_URLS:
        left = len(distinct) - MAX_URLS
        notes.append(f"Only the first {MAX_URLS} URLs were read; pass the other {left} in another call.")
    return UrlList(urls=tuple(distinct[:MAX_URLS]), notes=tuple(notes))


_WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_MAX_NOTES = 10
_EMPTY_HINT = "It may need a browser or a login. Try another source."


class PageReader:
    """Reads the pages of one call."""

    def __init__(self, job: ExtractionJob) -> None:
        self._job = job
        self.problem: ProviderError | None = None  # the error when no provider could do anything
        self.lost = 0  # the number of URLs with that error
        self.notes: dict[str, None] = {}  # the notes of providers, without duplicates

    async def read(self, group: Sequence[CheckedUrl]) -> list[Outcome]:
        """Read a group of URLs in order; those not in the cache are requested together."""
        found = await run_parallel(self._find_without_provider, group)
        asked = [checked for checked, outcome in zip(group, found, strict=True) if outcome is None]
        fresh = iter(await self._ask(asked) if asked else ())
        return [next(fresh) if outcome is None else outcome for outcome in found]

    async def _find_without_provider(self, checked: CheckedUrl) -> Outcome | None:
        """Return a refusal or a cached page; None when a provider is needed."""
        job = self._job
        refused = await check_host(checked, job.access.policy)
        if refused is not None:
            return refused
        for candidate in job.choice.candidates:
            cached = await find_page(job.cache, candidate.name, cache_key(checked.address, job.access))
            if cached is not None:
                return await self._check_redirect(checked, cached)
        return None

    async def _ask(self, asked: Sequence[CheckedUrl]) -> list[Outcome]:
        job = self._job
        try:
            extracted = await extract(job.choice, [each.address for each in asked], job.access)
        except ProviderError as error:
            self.problem = error
            self.lost += len(asked)
            failed = Page(url="", error=error.message, hint=error.hint or "")
            return [Outcome(page=replace(failed, url=each.url), provider=error.provider) for each in asked]
        self.notes.update(dict.fromkeys(extracted.notes))
        return await run_parallel(
            lambda pair: self._take(pair[0], pair[1], extracted.provider),
            list(zip(asked, extracted.items, strict=True)),
        )

    async def _take(self, checked: CheckedUrl, page: Page, provider: str) -> Outcome:
        made = Outcome(page=_tidy(checked, page), provider=provider, fetched_at=time.time())
        outcome = await self._check_redirect(checked, made)
        await store_page(self._job.cache, cache_key(checked.address, self._job.access), outcome)
        return outcome

    async def _check_redirect(self, checked: CheckedUrl, outcome: Outcome) -> Outcome:
        page = outcome.page
        if page.refused:
            return replace(outcome, blocked=policy_block(page.refused, page.error))
        verdict = await check_redirect(replace(page, url=checked.address), self._job.access.policy)
        if verdict is None:
            return replace(outcome, page=replace(page, url=checked.url))
        if verdict.code == "not_a_url":  # the URL is malformed, so there was no redirect
            return replace(outcome, page=replace(page, url=checked.url, final_url=""))
        return replace(refusal(checked.url, verdict, redirected=True), provider=outcome.provider)


def _tidy(checked: CheckedUrl, page: Page) -> Page:
    """Validate a page from a provider, which may be a third-party plugin."""
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
        final_url=_encode(_text(page.final_url)),
        kind=_word(page.kind),
        facts={name: value for name, value in facts.items() if isinstance(name, str) and isinstance(value, str)},
        error=error,
        hint=hint,
        refused=_word(page.refused),
        notes=tuple(note for note in notes if isinstance(note, str))[:_MAX_NOTES],
    )


def _encode(url: str) -> str:
    """Encode a URL in ASCII; services use their own spelling."""
    try:
        return encode_url(url, redirected=True) if url else ""
    except FetchError:
        return url  # the network guard explains the problem


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _word(value: object) -> str:
    """Return an identifier of ours; empty when the value is anything else."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""


_INLINE_IMAGE = re.compile(
    r"data:image/[\w.+-]{1,60}+(?:;(?!base64,)[\w=.+-]{1,60}+){0,8};base64,[\w+/=%-]*+", re.IGNORECASE | re.ASCII
)
_MARK = "data:image-was-here"
_MARKDOWN = re.compile(r"!\[([^\[\]\n]{0,300}+)\]\(<?" + _MARK + r"[^)\n]{0,300}+\)")


def strip_inline_images(text: str) -> str:
    """Replace inline `data:` images with a placeholder: they are long and mean nothing to a model."""
    if _INLINE_IMAGE.search(text) is None:
        return text
    marked = _INLINE_IMAGE.sub(_MARK, text)
    return _MARKDOWN.sub(_named, marked).replace(_MARK, "[image]")


def _named(image: re.Match[str]) -> str:
    name = image[1].strip()
    return f"[image: {name}]" if name else "[image]"


async def find_page(cache: WebCache, provider: str, key: str) -> Outcome | None:
    """Return a cached page; None when there is none."""
    cached = await load_page(cache, provider, key)
    if cached is None:
        return None
    return Outcome(page=cached.page, provider=provider, fetched_at=cached.fetched_at, from_cache=True)


async def store_page(cache: WebCache, key: str, outcome: Outcome) -> None:
    """Cache a page that was read; errors are not cached."""
    if outcome.readable:
        await save_page(cache, outcome.provider, key, CachedPage(page=outcome.page, fetched_at=outcome.fetched_at))
