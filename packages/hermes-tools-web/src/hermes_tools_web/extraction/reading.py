"""Reads pages: from what was kept, or by a provider, with the guard before and after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hermes_tools_web.extraction.admission import Admitted, blocked_by, guarded, led_astray, refusal
from hermes_tools_web.extraction.images import without_images
from hermes_tools_web.extraction.keeping import keep_page, kept_page
from hermes_tools_web.extraction.outcome import NOTHING_THERE, Outcome
from hermes_tools_web.extraction.parallel import in_parallel
from hermes_tools_web.extraction.work import Work
from hermes_tools_web.fetching.addresses import in_ascii
from hermes_tools_web.fetching.errors import FetchError
from hermes_tools_web.providers.base import ProviderError
from hermes_tools_web.providers.calling import Extracted, extract
from hermes_tools_web.providers.stamps import kept_under
from hermes_tools_web.results import Page

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_MOST_NOTES = 10
_EMPTY_HINT = "It may need a browser or a login. Look for the same elsewhere."


class PageReader:
    """Reads the pages of one call.

    Args:
        work: What it works with.

    Attributes:
        trouble: What the providers raised when they could do nothing at all; None when they could.
        lost: For how many URLs that was so.
        notes: What providers want a reader to know, each once.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self.trouble: ProviderError | None = None
        self.lost = 0
        self.notes: dict[str, None] = {}

    async def read(self, group: Sequence[Admitted]) -> list[Outcome]:
        """What became of some URLs, in their order; those that were not kept are asked for together.

        Args:
            group: The URLs.
        """
        found = await in_parallel(self._at_hand, group)
        asked = [admitted for admitted, outcome in zip(group, found, strict=True) if outcome is None]
        fresh = iter(await self._ask(asked) if asked else ())
        return [next(fresh) if outcome is None else outcome for outcome in found]

    async def _at_hand(self, admitted: Admitted) -> Outcome | None:
        """What is known without asking anybody: a refusal, or a page that was kept."""
        work = self._work
        refused = await guarded(admitted, work.access.policy)
        if refused is not None:
            return refused
        for candidate in work.choice.candidates:
            kept = await kept_page(work.cache, candidate.name, kept_under(admitted.address, work.access))
            if kept is not None:
                return await self._where_it_led(admitted, kept)
        return None

    async def _ask(self, asked: Sequence[Admitted]) -> list[Outcome]:
        work = self._work
        try:
            told = await extract(work.choice, [each.address for each in asked], work.access)
        except ProviderError as error:
            self.trouble = error
            self.lost += len(asked)
            return [_failed(each, error) for each in asked]
        self.notes.update(dict.fromkeys(told.notes))
        return await in_parallel(
            lambda pair: self._take(pair[0], pair[1], told), list(zip(asked, told.pages, strict=True))
        )

    async def _take(self, admitted: Admitted, page: Page, told: Extracted) -> Outcome:
        made = Outcome(page=_tidy(admitted, page), provider=told.provider, fetched_at=self._work.clock())
        outcome = await self._where_it_led(admitted, made)
        await keep_page(self._work.cache, kept_under(admitted.address, self._work.access), outcome)
        return outcome

    async def _where_it_led(self, admitted: Admitted, outcome: Outcome) -> Outcome:
        page = outcome.page
        if page.refused:
            return replace(outcome, blocked=blocked_by(page.refused, page.error))
        verdict = await led_astray(replace(page, url=admitted.address), self._work.access.policy)
        if verdict is None:
            return replace(outcome, page=replace(page, url=admitted.url))
        if verdict.code == "not_a_url":  # a service said so, and nobody was led anywhere
            return replace(outcome, page=replace(page, url=admitted.url, final_url=""))
        return replace(refusal(admitted.url, verdict, redirected=True), provider=outcome.provider)


def _failed(admitted: Admitted, error: ProviderError) -> Outcome:
    page = Page(url=admitted.url, error=error.message, hint=error.hint or "")
    return Outcome(page=page, provider=error.provider)


def _tidy(admitted: Admitted, page: Page) -> Page:
    """A page as a provider gave it, with everything in it what it has to be; some come from other plugins."""
    content = without_images(page.content)
    error, hint = page.error, _text(page.hint)
    if not error and not content.strip():
        error, hint = NOTHING_THERE, _EMPTY_HINT
    facts = page.facts if isinstance(page.facts, dict) else {}
    notes = page.notes if isinstance(page.notes, tuple | list) else ()
    return Page(
        url=admitted.url,
        content="" if error else content,
        title=page.title,
        final_url=_found_at(_text(page.final_url)),
        kind=_word(page.kind),
        facts={name: value for name, value in facts.items() if isinstance(name, str) and isinstance(value, str)},
        error=error,
        hint=hint,
        refused=_word(page.refused),
        notes=tuple(note for note in notes if isinstance(note, str))[:_MOST_NOTES],
    )


def _found_at(url: str) -> str:
    """A URL in ASCII, as ours are: services give it in their own spelling, with words in it that are no URL's."""
    try:
        return in_ascii(url, redirected=True) if url else ""
    except FetchError:
        return url  # the guard says what is wrong with it


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _word(value: object) -> str:
    """What is to be one word of ours; empty when somebody wrote something else there."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""
