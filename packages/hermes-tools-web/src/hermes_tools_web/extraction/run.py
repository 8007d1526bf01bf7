"""The way of an extraction from URLs to the result that a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
from anyio.to_thread import run_sync

from hermes_core import ToolInputError
from hermes_tools_web.extraction.admission import Admitted, admit
from hermes_tools_web.extraction.outcome import NOTHING_THERE, Outcome
from hermes_tools_web.extraction.reading import PageReader
from hermes_tools_web.extraction.shortening import needs_summary, shortened
from hermes_tools_web.extraction.telling import result_of
from hermes_tools_web.extraction.wanting import wanted_of
from hermes_tools_web.extraction.work import Journey, Work
from hermes_tools_web.providers.candidates import asks_one_by_one

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
