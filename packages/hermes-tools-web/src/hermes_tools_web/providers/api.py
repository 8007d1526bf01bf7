"""Call the JSON API of a service through the network guard, and read its answers without trusting their structure."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from urllib.parse import urlsplit

import anyio

from hermes_core.errors import ConfigError
from hermes_net import NetLimits, ResponseLimitError, UrlRefusedError
from hermes_tools_web.fetcher.errors import parse_retry_after
from hermes_tools_web.providers.account import LATER, Account, error_code
from hermes_tools_web.providers.protocol import Access, Page, ProviderError, SearchRow, Setup

_RETRIES = 2
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 20.0
"""A longer pause is not worth waiting for."""
_PASSING = (429, 500, 502, 503, 504)
_MAX_BYTES = 32 * 1024 * 1024
_MIN_KEY = 8
"""Shorter keys are common words, set for servers of the user."""
_KIND = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,60}", re.ASCII)
_WHOLE_NUMBER = re.compile(r"[0-9]{1,8}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """A request to a service."""

    path: str  # the path below the base URL
    headers: Mapping[str, str]  # additional headers, such as the key
    params: Mapping[str, str] | None = None  # the query of a GET request
    body: Mapping[str, Any] | None = None  # the JSON of a POST request; None makes it a GET request
    seconds: float = 60.0  # the time limit for all attempts
    meanings: Mapping[str, int] = field(default_factory=dict)  # the HTTP status that error codes stand for
    is_answer: Callable[[int, object], bool] | None = None  # whether a response with an error status is the answer


class ApiProvider:
    """The base class of providers that use an API."""

    name: ClassVar[str]
    setup: ClassVar[Setup]
    key_needed: ClassVar[bool] = True
    key_header: ClassVar[str] = ""  # the header with the key; empty for a bearer token

    def missing(self, access: Access) -> str | None:
        """Explain what the user has to set; None when the account is complete."""
        return self.account(access).missing(key_needed=self.key_needed)

    def account(self, access: Access) -> Account:
        """Return the account from the settings."""
        return Account.read(self.name, self.setup, access.settings)

    async def ask(
        self, access: Access, path: str, body: Mapping[str, Any] | None = None, **options: Any
    ) -> tuple[Account, Mapping[str, Any]]:
        """Send a request, and return the account and the answer; the options are those of `ApiRequest`."""
        account = self.account(access)
        bearer = {"Authorization": f"Bearer {account.key}"}
        headers = {self.key_header: account.key} if self.key_header else bearer
        request = ApiRequest(path=path, headers=headers if account.key else {}, body=body, **options)
        return account, await call_api(account, request, access)


async def call_api(account: Account, request: ApiRequest, access: Access) -> Mapping[str, Any]:
    """Send a request and return the JSON object.

    Temporary failures are retried twice. Redirects are not followed: they would leak the key.

    Raises:
        ProviderError: there is no valid response.
    """
    problem: ProviderError | None = None
    with anyio.move_on_after(request.seconds) as scope:
        for attempt in range(_RETRIES + 1):
            try:
                return await _attempt(account, request, access)
            except _TransientError as transient:
                problem, pause = transient.problem, transient.pause
            if pause is None:
                pause = _FIRST_PAUSE * 2**attempt * random.uniform(0.6, 1.4)  # noqa: S311 - avoid synchronized retries
            if attempt == _RETRIES or pause > min(_MAX_PAUSE, scope.deadline - anyio.current_time()):
                raise problem
            await anyio.sleep(pause)
    raise problem or account.timeout_error(request.seconds)


class _TransientError(Exception):
    """Raised for failures that may be temporary."""

    def __init__(self, problem: ProviderError, pause: float | None = None) -> None:
        self.problem = problem
        self.pause = pause
        super().__init__(problem.message)


async def _attempt(account: Account, request: ApiRequest, access: Access) -> Mapping[str, Any]:
    try:
        response = await _send(account, request, access)
    except ProviderError as error:
        if error.retryable and not isinstance(error.__cause__, ResponseLimitError):
            raise _TransientError(error) from error
        raise
    body: bytes = response.content
    if len(account.key) >= _MIN_KEY:  # answers go to models and into the cache
        body = body.replace(account.key.encode(), b"***")
    try:
        answer, is_json = json.loads(body), True
    except (ValueError, RecursionError):
        answer, is_json = None, False
    if response.status_code == 200 or (request.is_answer and request.is_answer(response.status_code, answer)):
        if not is_json:
            kind = response.headers.get("content-type", "").partition(";")[0].strip()
            raise account.response_error(f"it is not JSON ({kind if _KIND.fullmatch(kind) else 'no content type'})")
        if not isinstance(answer, dict):
            raise account.response_error("it is not an object")
        return answer
    pause = _pause(response.headers)
    status = request.meanings.get(error_code(answer), response.status_code)
    problem = account.status_error(status, answer, pause)
    raise _TransientError(problem, pause) if status in _PASSING else problem


async def _send(account: Account, request: ApiRequest, access: Access) -> Any:
    import httpx2

    headers = {"Accept": "application/json", "User-Agent": access.settings.user_agent or "hermes-tools-web"}
    headers |= {"Authorization": account.login} if account.login else {}
    headers |= request.headers
    limits = NetLimits(bytes=_MAX_BYTES, seconds=request.seconds, silent_seconds=request.seconds, redirects=0)
    # The user's own server may have a private address, and the URL contains what we put there.
    allow_private = access.policy.allow_private or account.own
    policy = replace(access.policy, allow_private=allow_private, keys_in_urls=True)
    try:
        async with access.client(limits=limits, policy=policy, follow_redirects=False) as client:
            method, url = "GET" if request.body is None else "POST", f"{account.url}{request.path}"
            return await client.request(method, url, params=request.params, json=request.body, headers=headers)
    except UrlRefusedError as error:
        is_passing = error.verdict.code in ("unresolved", "timeout")
        place = "the network and " if is_passing else ""
        rules = "" if is_passing else " and the section security"
        hint = f"Ask the user to check {place}{account.url_setting}{rules}."
        raise account.unreachable_error(f": {error.verdict.reason}", hint, retryable=is_passing) from error
    except ResponseLimitError as error:
        if error.limit == "seconds":
            raise account.timeout_error(request.seconds) from error
        raise account.response_error(error.message.rstrip(".")) from error
    except (httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
        raise account.timeout_error(request.seconds) from error
    except httpx2.ProxyError as error:
        raise account.unreachable_error(f". {error}", "Ask the user to check the proxy settings.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        own = f"Ask the user to check that it is running and that {account.url_setting} is correct."
        raise account.unreachable_error(f" ({type(error).__name__}).", own if account.own else LATER) from error
    except ConfigError as error:
        raise account.unreachable_error(f": {error}", "Ask the user to fix that.", retryable=False) from error


def _pause(headers: Mapping[str, str]) -> float | None:
    """Return the pause that the service asks for, in seconds; None when it does not.

    The headers `X-RateLimit-...` list one number per limit, such as per second and per month. The longest pause of an
    exhausted limit counts.
    """
    pause = parse_retry_after(headers.get("retry-after", ""))
    if pause is not None:
        return pause
    left, resets = (headers.get(f"x-ratelimit-{name}", "").split(",") for name in ("remaining", "reset"))
    pairs = ((rest.strip(), reset.strip()) for rest, reset in zip(left, resets, strict=False))
    return max((float(reset) for rest, reset in pairs if rest == "0" and _WHOLE_NUMBER.fullmatch(reset)), default=None)


# Fields of answers


def items(account: Account, answer: Mapping[str, Any], *way: str) -> list[Mapping[str, Any]]:
    """Return the objects of a nested list; other items are skipped.

    Raises:
        ProviderError: there is no list.
    """
    found: object = answer
    for step in way:
        found = found.get(step) if isinstance(found, Mapping) else None
    if not isinstance(found, list):
        raise account.response_error(f"there is no list {'.'.join(way)!r}")
    return [each for each in found if isinstance(each, Mapping)]


def optional_items(answer: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of an optional list."""
    found = answer.get(name)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def read_facts(item: Mapping[str, Any], **names: str) -> dict[str, str]:
    """Return metadata under our names; anything but text is left out."""
    found = {ours: text(item, theirs).strip() for ours, theirs in names.items()}
    return {name: value for name, value in found.items() if value}


def text(item: Mapping[str, Any], *names: str) -> str:
    """Return the first of several fields that is a non-empty text; empty when none is."""
    return next((found for name in names if isinstance(found := item.get(name), str) and found.strip()), "")


def texts(item: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts of a list field."""
    found = item.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def part(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object field; an empty one when it is missing."""
    found = item.get(name)
    return found if isinstance(found, Mapping) else {}


def http_status(item: Mapping[str, Any], name: str) -> str:
    """Return a status field in parentheses; empty when it is not a number."""
    status = item.get(name)
    return f" (HTTP {status})" if isinstance(status, int) and not isinstance(status, bool) else ""


def read_rows(found: Iterable[Mapping[str, Any]], description: str) -> list[SearchRow]:
    """Return search results whose description is in a given field."""
    return [
        SearchRow(url=text(item, "url"), title=text(item, "title"), description=text(item, description))
        for item in found
    ]


def match_pages(account: Account, urls: Sequence[str], pages: Iterable[Page]) -> tuple[Page, ...]:
    """Return one page per URL, in order; a service may leave some out and normalize URLs."""
    exact: dict[str, Page] = {}
    alike: dict[str, Page] = {}
    for page in pages:
        exact.setdefault(page.url, page)
        alike.setdefault(_spelling(page.url), page)
    absent = Page(url="", error=f"{account.setup.title} returned nothing for this page.")
    found = ((url, exact.get(url) or alike.get(_spelling(url), absent)) for url in urls)
    return tuple(
        replace(page, url=url, final_url=page.final_url or (page.url if page.url != url else "")) for url, page in found
    )


def _spelling(url: str) -> str:
    """Normalize a URL without what services change."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}"
