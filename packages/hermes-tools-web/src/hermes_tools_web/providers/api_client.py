"""Call the JSON API of a service through the network guard, with limits and retries."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from hermes_core.errors import ConfigError
from hermes_net import NetLimits, NetPolicy, ResponseLimitError, UrlRefusedError
from hermes_tools_web.fetcher.errors import parse_retry_after
from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.api_errors import (
    connection_error,
    error_code,
    proxy_error,
    refused,
    slow_service_error,
    status_error,
)
from hermes_tools_web.providers.api_responses import response_error
from hermes_tools_web.providers.protocol import Access, ProviderError

_RETRIES = 2
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 20.0
"""A longer pause is not worth waiting for."""
_PASSING = (429, 500, 502, 503, 504)
_MAX_BYTES = 32 * 1024 * 1024
_MIN_KEY = 8
"""Shorter keys are common words, set for servers of the user."""
_NO_JSON = object()
_KIND = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,60}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """A request to a service.

    Attributes:
        path: The path below the base URL.
        headers: Additional headers, such as the key.
        params: The query of a GET request.
        body: The JSON of a POST request; None makes it a GET request.
        seconds: The time limit for all attempts.
        meanings: Maps error codes of the service to the equivalent HTTP status.
        is_answer: Returns whether a response with an error status is the answer nevertheless.
    """

    path: str
    headers: Mapping[str, str]
    params: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None
    seconds: float = 60.0
    meanings: Mapping[str, int] = field(default_factory=dict)
    is_answer: Callable[[int, object], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    status: int
    kind: str
    body: bytes
    pause: float | None

    def parse_body(self) -> object:
        """Parse the JSON; `_NO_JSON` when it is invalid."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return _NO_JSON


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
    raise problem or slow_service_error(account, request.seconds)


class _TransientError(Exception):
    """Raised for failures that may be temporary."""

    def __init__(self, problem: ProviderError, pause: float | None = None) -> None:
        self.problem = problem
        self.pause = pause
        super().__init__(problem.message)


async def _attempt(account: Account, request: ApiRequest, access: Access) -> Mapping[str, Any]:
    try:
        reply = await _send(account, request, access)
    except ProviderError as error:
        if error.retryable and not isinstance(error.__cause__, ResponseLimitError):
            raise _TransientError(error) from error
        raise
    answer = reply.parse_body()
    if reply.status == 200 or (request.is_answer and request.is_answer(reply.status, answer)):
        return _checked(account, reply, answer)
    problem = status_error(account, request.meanings.get(error_code(answer), reply.status), answer, reply.pause)
    if problem.status in _PASSING:
        raise _TransientError(problem, reply.pause)
    raise problem


async def _send(account: Account, request: ApiRequest, access: Access) -> _Reply:
    import httpx2

    headers = {"Accept": "application/json", "User-Agent": access.settings.user_agent or "hermes-tools-web"}
    if account.login:
        headers["Authorization"] = account.login
    headers.update(request.headers)
    content = None
    if request.body is not None:
        headers["Content-Type"] = "application/json"
        content = json.dumps(request.body).encode()
    limits = NetLimits(bytes=_MAX_BYTES, seconds=request.seconds, silent_seconds=request.seconds, redirects=0)
    try:
        async with access.client(limits=limits, policy=_policy(account, access), follow_redirects=False) as client:
            method = "GET" if content is None else "POST"
            url = f"{account.url}{request.path}"
            response = await client.request(method, url, params=request.params, content=content, headers=headers)
            return _reply(response, account)
    except UrlRefusedError as error:
        raise refused(account, error.verdict) from error
    except ResponseLimitError as error:
        if error.limit == "seconds":
            raise slow_service_error(account, request.seconds) from error
        raise response_error(account, error.message.rstrip(".")) from error
    except (httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
        raise slow_service_error(account, request.seconds) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise connection_error(account, error) from error
    except ConfigError as error:
        raise proxy_error(account, error) from error


def _policy(account: Account, access: Access) -> NetPolicy:
    """Allow private addresses for the user's own server, and keys in the URL, which we built."""
    return replace(access.policy, allow_private=access.policy.allow_private or account.own, keys_in_urls=True)


def _reply(response: Any, account: Account) -> _Reply:
    headers = response.headers
    kind = headers.get("content-type", "").partition(";")[0].strip()
    return _Reply(
        status=response.status_code,
        kind=kind if _KIND.fullmatch(kind) else "",
        body=_without_key(response.content, account.key),
        pause=_pause(headers),
    )


def _without_key(body: bytes, key: str) -> bytes:
    """Remove our key from a response, which goes to models and into the cache."""
    return body.replace(key.encode(), b"***") if len(key) >= _MIN_KEY else body


def _pause(headers: Mapping[str, str]) -> float | None:
    """Return the pause that the service asks for, in seconds; None when it does not."""
    pause = parse_retry_after(headers.get("retry-after", ""))
    return _until_reset(headers) if pause is None else pause


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until the longest exhausted limit resets.

    The headers list one number per limit, such as per second and per month.
    """
    left, resets = (
        [word.strip() for word in headers.get(f"x-ratelimit-{name}", "").split(",")] for name in ("remaining", "reset")
    )
    used_up = [float(reset) for rest, reset in zip(left, resets, strict=False) if rest == "0" and _is_number(reset)]
    return max(used_up, default=None)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 9


def _checked(account: Account, reply: _Reply, answer: object) -> Mapping[str, Any]:
    if answer is _NO_JSON:
        raise response_error(account, f"it is not JSON ({reply.kind or 'no content type'})")
    if not isinstance(answer, dict):
        raise response_error(account, "it is not an object")
    return answer
