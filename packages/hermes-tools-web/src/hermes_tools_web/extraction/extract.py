"""The way of an extraction from URLs to the result that a model reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.to_thread import run_sync

from hermes_core import ToolInputError
from hermes_tools_web.extraction.job import NOTHING_THERE, Journey, Outcome, Work
from hermes_tools_web.extraction.page_reader import PageReader
from hermes_tools_web.extraction.summarizer import needs_summary, shortened
from hermes_tools_web.extraction.tool_result import result_of
from hermes_tools_web.extraction.url_checks import Admitted, admit
from hermes_tools_web.providers.selection import asks_one_by_one

_SAME_PAGE = "URLs that lead to the same page were read once."


async def extract_pages(urls: Sequence[str], work: Work) -> dict[str, Any]:
    """Read pages, all at once, and tell what each says or why nobody knows.

    Args:
        urls: What was asked for.
        work: What the extraction works with.

    Raises:
        ToolInputError: there is no URL among them.
        ProviderError: whoever reads pages could read none of them.
    """
    wanted = wanted_of(urls)
    if not wanted.urls:
        raise ToolInputError(NOTHING_THERE, hint="Give at least one URL, such as https://example.org/page.")
    # All are judged before the first is asked for: a key must not leave, nor wait behind a page that takes long.
    judged = _each_once([admit(url) for url in wanted.urls])
    notes = [*wanted.notes, *[_SAME_PAGE] * (len(judged) < len(wanted.urls))]
    reader = PageReader(work)
    outcomes = {place: each for place, each in enumerate(judged) if isinstance(each, Outcome)}
    journey = Journey(len(judged), work.tell, done=len(outcomes))
    asked = {place: each for place, each in enumerate(judged) if isinstance(each, Admitted)}

    async def take(places: Sequence[int]) -> None:
        read = await reader.read([asked[place] for place in places])
        async with anyio.create_task_group() as finishing:
            for place, outcome in zip(places, read, strict=True):
                finishing.start_soon(finish, place, outcome)

    async def finish(place: int, outcome: Outcome) -> None:
        outcomes[place] = await _finished(outcome, work, journey)

    async with anyio.create_task_group() as tasks:
        for places in _groups(list(asked), work):
            tasks.start_soon(take, places)
    if reader.trouble is not None and reader.lost == len(judged):
        raise reader.trouble
    ordered = [outcomes[place] for place in range(len(judged))]
    return await run_sync(result_of, ordered, [*notes, *reader.notes], work)


def _each_once(judged: Sequence[Admitted | Outcome]) -> list[Admitted | Outcome]:
    """Without those that lead to the same page, spelt differently."""
    first: dict[str, Admitted | Outcome] = {}
    for each in judged:
        first.setdefault(each.address if isinstance(each, Admitted) else each.page.url, each)
    return list(first.values())


def _groups(places: list[int], work: Work) -> list[list[int]]:
    """Which pages are asked for together.

    A service gets all in one request. Whoever reads one after another anyway gets one at a time, so that nothing waits
    for the slowest.
    """
    alone = asks_one_by_one(work.choice.candidates[0])
    return [[place] for place in places] if alone else [places] if places else []


async def _finished(outcome: Outcome, work: Work, journey: Journey) -> Outcome:
    if needs_summary(work, outcome):
        await journey.say("summarising", outcome.page.url)
        outcome = await shortened(work, outcome)
    await journey.done("read" if outcome.readable else "could not read", outcome.page.url)
    return outcome


MOST_URLS = 5

_SEVERAL = re.compile(r"(?:,|(?<![\s,]))\s++(?=https?://)", re.IGNORECASE)
"""It begins where the spaces begin, and nowhere within them: long runs would take for ever."""
_AROUND = " \t\r\n\f\v<>\"'`"
_BARE = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?::[0-9]{1,5})?(?:[/?#].*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be read.

    Attributes:
        urls: The URLs, each once, as they were written.
        notes: What was mended or left out.
    """

    urls: tuple[str, ...]
    notes: tuple[str, ...] = ()


def wanted_of(urls: Iterable[str]) -> Wanted:
    """The first URLs of a list, each once.

    Args:
        urls: What was asked for: URLs, several in one text, some without https, some twice.
    """
    written = [part.strip(_AROUND) for text in urls for part in _SEVERAL.split(text)]
    mended = [f"https://{url}" if _BARE.fullmatch(url[:2_000]) else url for url in written]
    distinct = list(dict.fromkeys(url for url in mended if url))
    notes = []
    if mended != written:
        notes.append("https:// was put before what had no scheme.")
    if len(distinct) > MOST_URLS:
        left = len(distinct) - MOST_URLS
        notes.append(f"Only the first {MOST_URLS} URLs were read; ask for the other {left} in another call.")
    return Wanted(urls=tuple(distinct[:MOST_URLS]), notes=tuple(notes))
