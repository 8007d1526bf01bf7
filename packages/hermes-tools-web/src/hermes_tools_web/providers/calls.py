"""Call providers one after another until one succeeds, and validate what they return."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from html.entities import html5
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from hermes_core import ToolError
from hermes_net import NetError
from hermes_tools_web.providers.protocol import Access, Page, ProviderError, SearchRow
from hermes_tools_web.providers.selection import Candidate, Choice
from hermes_tools_web.text import clean_note

_SECONDS = 120.0
"""The time limit of one provider; the built-in ones have shorter limits."""
_TO_READ = 30.0
"""The time for parsing pages after fetching them took all of the user's limit."""
_SERVICE_STATUSES = (401, 402, 403, 404, 405)
"""Statuses about the key or the URL of the service, not about the request."""
_REPORT = "Ask the user to report it to the provider's author, or to choose another with web.backend."

Thing = TypeVar("Thing", SearchRow, Page)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderResult(Generic[Thing]):
    """The search results, best first, or the pages, one per URL and in order."""

    items: tuple[Thing, ...]
    provider: str  # the provider that returned them
    notes: tuple[str, ...] = ()  # notes for the reader, such as the errors of other providers


async def search(choice: Choice, query: str, limit: int, access: Access) -> ProviderResult[SearchRow]:
    """Search with the selected providers.

    Raises:
        ProviderError: all failed; it is the last error, with notes about the others.
    """

    async def ask(candidate: Candidate) -> tuple[SearchRow, ...]:
        found = await _answer(candidate, "search", query, limit, access)
        return clean_rows(_checked(candidate.name, found, SearchRow), limit)

    return await _try_each(choice, ask)


async def extract(choice: Choice, urls: Sequence[str], access: Access) -> ProviderResult[Page]:
    """Extract pages with the selected providers.

    Raises:
        ProviderError: all failed; it is the last error, with notes about the others.
    """

    seconds = max(_SECONDS, access.settings.extract.seconds + _TO_READ)

    async def ask(candidate: Candidate) -> tuple[Page, ...]:
        found = await _answer(candidate, "extract", tuple(urls), access, seconds=seconds)
        pages = _checked(candidate.name, found, Page)
        if len(pages) != len(urls):
            raise _misbehaved(candidate.name, f"it returned {len(pages)} pages for {len(urls)} URLs")
        return pages

    return await _try_each(choice, ask)


async def _try_each(choice: Choice, ask: Callable[[Candidate], Awaitable[tuple[Thing, ...]]]) -> ProviderResult[Thing]:
    notes = list(choice.notes)
    last = len(choice.candidates) - 1
    for number, candidate in enumerate(choice.candidates):
        try:
            return ProviderResult(items=await ask(candidate), provider=candidate.name, notes=tuple(notes))
        except ProviderError as error:
            if choice.explicit or number == last or not _may_another(error):
                if not notes:
                    raise
                raise _copy(error, error.provider, notes) from error  # the first note may be the problem to fix
            following = choice.candidates[number + 1].name
            notes.append(clean_note(f"{candidate.name} failed: {error.message} Fell back to {following}."))
    raise AssertionError("a choice has candidates")


def _may_another(error: ProviderError) -> bool:
    status = error.status or 0
    return error.retryable or 300 <= status < 400 or status in _SERVICE_STATUSES


async def _answer(candidate: Candidate, does: str, *args: Any, seconds: float = _SECONDS) -> object:
    """Call a sync or async method of a provider; every exception becomes a `ProviderError`."""
    name = candidate.name
    try:
        method = getattr(candidate.provider, does, None)
        if not callable(method):
            raise _misbehaved(name, f"it has no method {does}")
        with anyio.fail_after(seconds):
            if inspect.iscoroutinefunction(method):
                return await method(*args)
            found = await anyio.to_thread.run_sync(lambda: method(*args), abandon_on_cancel=True)
            return await found if inspect.isawaitable(found) else found
    except ProviderError as error:
        if error.provider == name and isinstance(error.status, int | None):
            raise
        raise _copy(error, name, error.notes) from error
    except (ToolError, NetError) as error:
        hint = getattr(error, "hint", None)
        raise ProviderError(name, error.message, hint=hint, retryable=True) from error
    except TimeoutError as error:
        raise ProviderError(name, f"{name} did not answer in time.", retryable=True) from error
    except (Exception, SystemExit) as error:  # third-party providers may raise anything, even SystemExit
        raise ProviderError(name, f"{name} failed: {type(error).__name__}.", hint=_REPORT, retryable=True) from error


def _copy(error: ProviderError, name: str, notes: Sequence[str]) -> ProviderError:
    """Copy an error, which may be of a third-party provider, with a valid status."""
    status = error.status if isinstance(error.status, int) else None
    return ProviderError(
        name, error.message, hint=error.hint, retryable=bool(error.retryable), status=status, notes=notes
    )


def _checked(name: str, found: object, kind: type[Thing]) -> tuple[Thing, ...]:
    if isinstance(found, str | bytes) or not isinstance(found, Sequence):
        raise _misbehaved(name, f"it returned {_called(found)} instead of a list of {kind.__name__}")
    fields = ("url", "title", "description") if kind is SearchRow else ("url", "content", "title", "error")
    for each in found:
        if not isinstance(each, kind):
            raise _misbehaved(name, f"it returned {_called(each)} in a list of {kind.__name__}")
        for field in fields:
            if not isinstance(getattr(each, field), str):
                raise _misbehaved(name, f"{kind.__name__}.{field} is not text")
    return tuple(found)


def _called(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _misbehaved(name: str, what: str) -> ProviderError:
    return ProviderError(name, f"The provider {name} violates its protocol: {what}.", hint=_REPORT, retryable=True)


_URL_CHARS = 4_000
_TITLE_CHARS = 200
_DESCRIPTION_CHARS = 2_000
_ALL_DESCRIPTIONS = 50_000
"""The limit for all descriptions together, so that a hundred results are not truncated."""
_MARKUP = re.compile(
    r"</?(?:(?P<break>br|p)|strong|b|em|i|mark|span|u|sup|sub|small|wbr|font|code|a)(?:[\s/][^<>]{0,300})?>",
    re.IGNORECASE,
)
"""What search engines put around matching words. Other brackets belong to the text."""
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_IN_URL = {" ": "%20", "<": "%3C", ">": "%3E", '"': "%22", "`": "%60"}


def clean_rows(rows: Iterable[SearchRow], limit: int) -> tuple[SearchRow, ...]:
    """Return the first rows with a web URL, without duplicates and markup."""
    unique: dict[str, SearchRow] = {}
    for row in rows:
        if len(unique) == limit:
            break
        url = clean_url(row.url)
        if url:
            unique.setdefault(url, row)
    maximum = min(_DESCRIPTION_CHARS, _ALL_DESCRIPTIONS // max(1, len(unique)))
    return tuple(
        SearchRow(url=url, title=clean_text(row.title, _TITLE_CHARS), description=clean_text(row.description, maximum))
        for url, row in unique.items()
    )


def clean_url(url: str) -> str:
    """Escape a web URL; empty for any other."""
    url = url.strip()
    for sign, escaped in _IN_URL.items():
        url = url.replace(sign, escaped)
    if len(url) > _URL_CHARS or not url.isprintable():
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.hostname else ""


def clean_text(text: str, maximum: int) -> str:
    """Put text on one line, without markup and entities."""
    unmarked = _MARKUP.sub(lambda found: " " if found["break"] else "", text[: maximum * 4])
    line = " ".join(_ENTITY.sub(_meant, unmarked).split())
    return line if len(line) <= maximum else f"{line[: maximum - 3].rstrip()}..."


def _meant(entity: re.Match[str]) -> str:
    name = entity[0][1:]
    return html.unescape(entity[0]) if name.startswith("#") else html5.get(name, entity[0])
