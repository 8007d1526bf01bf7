"""`Summariser`: has a model shorten long pages, in one piece or in parts, and never trusts what it reads or says."""

from __future__ import annotations

from dataclasses import dataclass

import anyio

from hermes_auxiliary import AuxiliaryError, AuxiliaryModel, Completion
from hermes_text import untrusted_text
from hermes_text.secrets import redact
from hermes_tools_web.chunks import chunks_of, cut_at
from hermes_tools_web.summarising.prompts import JOINED, PART, SUMMARY_CHARS, WHOLE

__all__ = ["LEAST_CHARS", "MOST_CHARS", "SUMMARY_CHARS", "Summariser", "Summary", "SummaryError"]

LEAST_CHARS = 5_000
"""A shorter page is left as it is."""
ONE_CALL_CHARS = 500_000
"""A longer page is read in parts."""
PART_CHARS = 100_000
MOST_CHARS = 2_000_000
"""A longer page is not summarised: nobody should pay for that without knowing."""

_WHOLE_TOKENS = 20_000
_PART_TOKENS = 10_000
_TEMPERATURE = 0.1
_ATTEMPTS = 2
_PAUSE_SECONDS = 2.0
_AT_ONCE = 10
"""Five pages can have a hundred parts; most services refuse so many requests at a time."""
_TOO_LONG_FOR_MODEL = (400, 413, 422)
"""How servers answer when a text is longer than their model can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a model made of a page. It is still the words of strangers.

    Attributes:
        text: The summary, of at most `SUMMARY_CHARS` characters.
        model: Which model it was.
        whole: Whether nothing was left out on the way.
        notes: What a reader should know.
    """

    text: str
    model: str
    whole: bool = True
    notes: tuple[str, ...] = ()


class SummaryError(Exception):
    """Raised when there is no summary.

    Attributes:
        reason: Why, in a sentence.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Summariser:
    """Shortens pages with one model; several at a time share its patience.

    Args:
        model: The model.
        pause: The seconds between two attempts.
    """

    def __init__(self, model: AuxiliaryModel, *, pause: float = _PAUSE_SECONDS) -> None:
        self._model = model
        self._pause = pause
        self._slots = anyio.CapacityLimiter(_AT_ONCE)

    @property
    def model(self) -> AuxiliaryModel:
        """The model."""
        return self._model

    async def summarise(self, text: str, *, source: str) -> Summary:
        """A page made short.

        Args:
            text: What the page says.
            source: Its URL.

        Raises:
            SummaryError: the page is too long, or the model gave no answer.
        """
        if len(text) > MOST_CHARS:
            raise SummaryError(f"it has more than {MOST_CHARS:,} characters")
        try:
            if len(text) > ONE_CALL_CHARS:
                return await self._in_parts(text, source)
            return self._made(await self._ask(WHOLE, text, source, _WHOLE_TOKENS))
        except AuxiliaryError as error:
            if error.status not in _TOO_LONG_FOR_MODEL or not PART_CHARS < len(text) <= ONE_CALL_CHARS:
                raise SummaryError(_told(error)) from error
        try:
            return await self._in_parts(text, source)
        except AuxiliaryError as error:
            raise SummaryError(_told(error)) from error

    async def _in_parts(self, text: str, source: str) -> Summary:
        parts = chunks_of(text, PART_CHARS)
        found: dict[int, str] = {}
        troubles: list[AuxiliaryError] = []

        async def take(number: int, part: str) -> None:
            try:
                where = f"{source} (part {number + 1} of {len(parts)})"
                found[number] = (await self._ask(PART, part, where, _PART_TOKENS)).text
            except AuxiliaryError as error:
                troubles.append(error)

        async with anyio.create_task_group() as tasks:
            for number, part in enumerate(parts):
                tasks.start_soon(take, number, part)
        if not found:
            raise troubles[0]
        return await self._joined(found, len(parts), troubles, source)

    async def _joined(self, found: dict[int, str], count: int, troubles: list[AuxiliaryError], source: str) -> Summary:
        notes = []
        if troubles:
            notes.append(f"{len(troubles)} of its {count} parts are missing from the summary: {_told(troubles[0])}.")
        most = ONE_CALL_CHARS // count  # so that all of them together can be read at once
        texts = [f"## Part {number + 1} of {count}\n\n{cut_at(found[number], most)}" for number in sorted(found)]
        together = "\n\n".join(texts)
        try:
            joined = await self._ask(JOINED, together, source, _WHOLE_TOKENS)
        except AuxiliaryError as error:
            joined = Completion(text=together)
            notes.append(
                f"The summaries of its parts could not be joined, and stand one after another: {_told(error)}."
            )
        return self._made(joined, notes)

    async def _ask(self, system: str, text: str, source: str, max_tokens: int) -> Completion:
        user = untrusted_text(text, source=source)
        for last in (False,) * (_ATTEMPTS - 1) + (True,):
            try:
                async with self._slots:
                    return await self._model.ask(
                        system=system, user=user, temperature=_TEMPERATURE, max_tokens=max_tokens
                    )
            except AuxiliaryError as error:
                if last or not error.again:
                    raise
            await anyio.sleep(self._pause)
        raise AssertionError("there is a last attempt")

    def _made(self, said: Completion, notes: list[str] | None = None) -> Summary:
        notes = list(notes or ())
        text = said.text
        if len(text) > SUMMARY_CHARS:
            text = cut_at(text, SUMMARY_CHARS - 1) + "…"
            notes.append(f"The summary was cut after {SUMMARY_CHARS:,} characters.")
        elif said.cut:
            notes.append("The model had to stop before its summary was complete.")
        return Summary(text=text, model=self._model.model, whole=not notes, notes=tuple(notes))


def _told(error: AuxiliaryError) -> str:
    """What went wrong, as a part of a sentence."""
    hint = f" {error.hint}" if error.hint else ""
    return redact(f"{error.message}{hint}").rstrip(". ")  # a server may repeat a key of another
