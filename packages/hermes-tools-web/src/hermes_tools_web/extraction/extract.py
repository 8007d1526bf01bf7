"""Run an extraction, from the list of URLs to the result for the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.to_thread import run_sync

from hermes_core import ToolInputError
from hermes_tools_web.extraction.job import NO_CONTENT, CheckedUrl, ExtractionJob, Outcome, ProgressReporter, check_text
from hermes_tools_web.extraction.page_reader import PageReader
from hermes_tools_web.extraction.summarizer import add_summary, needs_summary
from hermes_tools_web.extraction.tool_result import format_result
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
