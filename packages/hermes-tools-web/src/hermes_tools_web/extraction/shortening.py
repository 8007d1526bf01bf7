"""Has long pages shortened, and makes do without where that fails."""

from __future__ import annotations

import time
from dataclasses import replace

import anyio

from hermes_tools_web.extraction.keeping import keep_summary, kept_summary
from hermes_tools_web.extraction.outcome import Outcome
from hermes_tools_web.extraction.work import Work
from hermes_tools_web.summarising.summary import LEAST_CHARS, SUMMARY_CHARS, Summariser, Summary, SummaryError


def needs_summary(work: Work, outcome: Outcome) -> bool:
    """Whether a page is long, and there is somebody to shorten it."""
    return work.summariser is not None and outcome.readable and len(outcome.page.content) >= LEAST_CHARS


async def shortened(work: Work, outcome: Outcome) -> Outcome:
    """A long page with its summary; without one, it is told why, and only the beginning is to be shown.

    Args:
        work: What the extraction works with.
        outcome: The page.
    """
    assert work.summariser is not None
    try:
        with anyio.fail_after(max(0.0, work.latest - time.monotonic())):
            summary = await _summary(work, work.summariser, outcome)
    except SummaryError as error:
        return _without(outcome, error.reason)
    except TimeoutError:
        return _without(outcome, "there was no time left for it")
    return replace(outcome, summary=summary, notes=(*outcome.notes, *summary.notes))


async def _summary(work: Work, summariser: Summariser, outcome: Outcome) -> Summary:
    text = outcome.page.content
    kept = await kept_summary(work.cache, summariser.model, text)
    if kept is not None:
        return kept
    made = await summariser.summarise(text, source=outcome.page.final_url or outcome.page.url)
    await keep_summary(work.cache, summariser.model, text, made)
    return made


def _without(outcome: Outcome, reason: str) -> Outcome:
    note = f"The page could not be summarised: {reason}. Its first {SUMMARY_CHARS:,} characters are shown instead."
    return replace(outcome, shortened=True, notes=(*outcome.notes, note))
