"""Errors of fetching, with a message and a hint for the model."""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import TypeVar

from hermes_core import ToolDeniedError, ToolFailedError
from hermes_net import ResponseLimitError, UrlRefusedError, UrlVerdict

REFUSED = "url_refused"


class FetchError(ToolFailedError):
    """Raised when a page is not fetched.

    Attributes:
        code: A stable code: `url_refused`, `not_found`, `gone`, `login_needed`, `forbidden`, `rate_limited`, `legal`,
            `request_refused`, `server_error`, `bad_redirect`, `too_many_redirects`, `timeout`, `too_large`, `bomb`,
            `encoding`, `unreachable`, `broken_off`, `tls`, `proxy` or `bad_response`.
        refused: The code of the guard's verdict, such as `private`; empty when it did not refuse.
        status: The HTTP status, if there was one.
        retry_after: The pause that the server asks for, in seconds.
        again_after: The delay after which to retry once, in seconds; None when that is pointless.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str | None = None,
        refused: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        again_after: float | None = None,
    ) -> None:
        self.code = code  # type: ignore[misc]  # one class for all codes
        self.refused = refused
        self.status = status
        self.retry_after = retry_after
        self.again_after = again_after
        facts = {"reason": refused, "status": status}
        super().__init__(message, hint=hint, **{name: fact for name, fact in facts.items() if fact})


class UrlDeniedError(ToolDeniedError):
    """Raised when a crawl must not fetch a URL; `verdict` is the reason."""

    code = REFUSED

    def __init__(self, verdict: UrlVerdict) -> None:
        self.verdict = verdict
        refused = UrlRefusedError(verdict)
        super().__init__(refused.message, hint=refused.hint, reason=verdict.code)


Kind = TypeVar("Kind", bound=BaseException)

_LATER = "Try again later, or try another source."
_ELSEWHERE = "Try another source."
_RECONNECT_SECONDS = 0.2
_BROKEN_OFF = ("disconnected", "closed connection")
"""How the client words that a server closed the connection too early."""
_TOO_LONG = "buffer too long"
"""How it words that the headers are endless."""


_NO_ADDRESS = frozenset({"unresolved", "timeout"})
"""Verdicts on hosts that cannot be resolved: no rule forbids them."""
_BROKEN_SITE = "The site is broken. Try another source."


def refusal_error(verdict: UrlVerdict, *, redirected: bool) -> FetchError:
    """Build the error for a URL that the network guard refuses or cannot resolve."""
    refused = UrlRefusedError(verdict)
    is_unknown = verdict.code in _NO_ADDRESS
    prefix = f"The page redirects to {'an unknown host' if is_unknown else 'a refused URL'}. " if redirected else ""
    message = prefix + refused.message
    if is_unknown:
        return FetchError(message, code="unreachable", hint=_BROKEN_SITE if redirected else refused.hint)
    hint = "Do not request the target of the redirect either." if redirected else refused.hint
    return FetchError(message, code=REFUSED, hint=hint, refused=verdict.code)


@contextmanager
def translate_errors(host: str, *, redirected: bool) -> Iterator[None]:
    """Translate every exception of a request into a `FetchError`."""
    import httpx2

    try:
        yield
    except UrlRefusedError as error:
        raise refusal_error(error.verdict, redirected=redirected) from None
    except ResponseLimitError as error:
        raise _too_much(error, host) from None
    except httpx2.ConnectTimeout as error:
        raise _unreachable(host, "connection timed out") from error
    except httpx2.TimeoutException as error:
        raise timeout_error(host) from error
    except httpx2.HTTPError as error:
        raise _failed(error, host) from error
    except (httpx2.InvalidURL, httpx2.CookieConflict, UnicodeError) as error:
        raise _nonsense(host) from error


def timeout_error(host: str) -> FetchError:
    """Build the error for a server that exceeds the time limit."""
    return FetchError(
        f"{host} did not finish its response in time.",
        code="timeout",
        hint=f"{_LATER} The user can raise web.extract.seconds.",
    )


def _too_much(error: ResponseLimitError, host: str) -> FetchError:
    if error.limit == "seconds":
        return timeout_error(host)
    if error.limit == "ratio":
        return FetchError(f"{error.message} It may be a decompression bomb.", code="bomb", hint=_ELSEWHERE)
    hint = f"{_ELSEWHERE} The user can raise web.extract.max_mb."
    return FetchError(error.message, code="too_large", hint=hint)


def _failed(error: Exception, host: str) -> FetchError:
    import httpx2

    if isinstance(error, httpx2.ProxyError):
        message = f"{host} cannot be reached. {error}"
        return FetchError(message, code="proxy", hint="Ask the user to check the proxy settings.")
    if (broken := _cause(error, ssl.SSLError)) is not None:
        return _without_tls(broken, host)
    if isinstance(error, httpx2.DecodingError):
        return FetchError(str(error), code="encoding", hint=_BROKEN_SITE)
    if isinstance(error, httpx2.ConnectError):
        why = "connection refused" if _cause(error, ConnectionRefusedError) is not None else "no route to the host"
        return _unreachable(host, why)
    if isinstance(error, httpx2.NetworkError) or any(words in str(error) for words in _BROKEN_OFF):
        message = f"{host} closed the connection before its response was complete."
        return FetchError(message, code="broken_off", hint=_LATER, again_after=_RECONNECT_SECONDS)
    if _TOO_LONG in str(error):
        return FetchError(f"{host} sends too many headers.", code="too_large", hint=_ELSEWHERE)
    return _nonsense(host)


def _unreachable(host: str, why: str) -> FetchError:
    return FetchError(f"{host} cannot be reached: {why}.", code="unreachable", hint=_LATER)


def _without_tls(broken: ssl.SSLError, host: str) -> FetchError:
    if isinstance(broken, ssl.SSLCertVerificationError):
        message = f"The certificate of {host} cannot be trusted: {broken.verify_message.rstrip('.')}."
        return FetchError(message, code="tls", hint=f"Do not use the site. {_ELSEWHERE}")
    reason = str(broken.reason or "no reason").replace("_", " ").lower()
    hint = "It may support plain HTTP only: try http:// if nothing private is involved."
    return FetchError(f"The TLS handshake with {host} failed: {reason}.", code="tls", hint=hint)


def _nonsense(host: str) -> FetchError:
    return FetchError(f"The response of {host} is not valid HTTP.", code="bad_response", hint=_BROKEN_SITE)


def _cause(error: BaseException | None, kind: type[Kind]) -> Kind | None:
    """Return the first cause of an error that has a given type."""
    for _ in range(10):
        if error is None or isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


_STAY_OUT = "Do not retry. Try another source, or ask the user for the text."
_SPELLING = "Check the URL, or search for the page."

_MEANINGS: Mapping[int, tuple[str, str, str]] = {
    1: ("bad_response", "the server wants to switch protocols", _ELSEWHERE),
    3: ("bad_redirect", "the page has moved, and the server does not say where", _SPELLING),
    4: ("request_refused", "the server refuses the request", _SPELLING),
    5: ("server_error", "the server failed", _LATER),
    304: ("bad_response", "the page is unchanged, but the request was not conditional", _LATER),
    400: ("request_refused", "the server does not understand the request", _SPELLING),
    401: ("login_needed", "the page needs a login", _STAY_OUT),
    402: ("login_needed", "the page requires payment", _STAY_OUT),
    403: ("forbidden", "the page needs a login, or the site blocks automated requests", _STAY_OUT),
    404: ("not_found", "there is no such page", _SPELLING),
    405: ("request_refused", "the URL does not support reading", _ELSEWHERE),
    406: ("request_refused", "the page is not available in a readable format", _ELSEWHERE),
    407: ("proxy", "the proxy needs a login", "Ask the user to check the proxy settings."),
    408: ("server_error", "the server waited too long for the request", _LATER),
    410: ("gone", "the page has been removed", "Try another source, such as a web archive."),
    414: ("request_refused", "the URL is too long for the server", _SPELLING),
    418: ("forbidden", "the site blocks automated requests", _STAY_OUT),
    421: ("request_refused", "the server is not responsible for this host", _SPELLING),
    425: ("server_error", "the server asks for a retry", _LATER),
    429: ("rate_limited", "the site limits requests", _LATER),
    431: ("request_refused", "the request is too large for the server", _ELSEWHERE),
    451: ("legal", "the page is withheld for legal reasons", _ELSEWHERE),
    501: ("server_error", "the server does not support the request", _ELSEWHERE),
    502: ("server_error", "the site is down behind its gateway", _LATER),
    503: ("server_error", "the site is overloaded or in maintenance", _LATER),
    504: ("server_error", "the site is too slow for its gateway", _LATER),
    511: ("login_needed", "the network needs a login", "Ask the user to log in to their network."),
}
"""The code, meaning and hint of each status, or of the first digit of the others."""
_PASSING = frozenset({502, 503, 504})
"""Statuses that are often temporary."""
_RETRY_SECONDS = 0.5
_MAX_WAIT = 10.0
"""A longer pause is not worth waiting for."""
_SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


def status_error(status: int, retry_after: str = "") -> FetchError:
    """Build the error for a status without a page."""
    unknown = ("bad_response", "that is not an HTTP status", _ELSEWHERE)
    code, meaning, hint = _MEANINGS.get(status) or _MEANINGS.get(status // 100, unknown)
    wait = parse_retry_after(retry_after)
    again_after = _RETRY_SECONDS if status in _PASSING else None
    if wait is not None and status in (429, 503):
        hint = f"The server asks to wait {wait:.0f} seconds. {hint}"
        again_after = wait if wait <= _MAX_WAIT else None
    return FetchError(
        f"The server returned {status}: {meaning}.",
        code=code,
        hint=hint,
        status=status,
        retry_after=wait,
        again_after=again_after,
    )


def parse_retry_after(retry_after: str) -> float | None:
    """Return the seconds of a `Retry-After` header, which may be a date; None when it is invalid."""
    written = retry_after.strip()[:100]
    if _SECONDS.fullmatch(written):
        return float(written)
    try:
        return max(0.0, parsedate_to_datetime(written).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None
