"""What goes wrong between here and a server, in words for a model."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from hermes_net import ResponseLimitError, UrlRefusedError
from hermes_tools_web.fetching.addresses import refusal
from hermes_tools_web.fetching.errors import FetchError

Kind = TypeVar("Kind", bound=BaseException)

_LATER = "Try it again later, or look for the same elsewhere."
_ELSEWHERE = "Look for the same elsewhere."
_MOMENT = 0.2
_BROKEN_OFF = ("disconnected", "closed connection")
"""How the client words it when a server hangs up too early."""
_TOO_LONG = "buffer too long"
"""How it words that the headers do not end."""


@contextmanager
def explained(host: str, *, redirected: bool) -> Iterator[None]:
    """Turn whatever a request raises into an error that says what happened.

    Args:
        host: Who is asked.
        redirected: Whether a redirect led there.

    Raises:
        FetchError: the request failed.
    """
    import httpx2

    try:
        yield
    except UrlRefusedError as error:
        raise refusal(error.verdict, redirected=redirected) from None
    except ResponseLimitError as error:
        raise _too_much(error, host) from None
    except httpx2.ConnectTimeout as error:
        raise _unreachable(host, "it does not answer") from error
    except httpx2.TimeoutException as error:
        raise too_slow(host) from error
    except httpx2.HTTPError as error:
        raise _failed(error, host) from error
    except (httpx2.InvalidURL, httpx2.CookieConflict, UnicodeError) as error:
        raise _nonsense(host) from error


def too_slow(host: str) -> FetchError:
    """The error for a server that takes longer than a page may.

    Args:
        host: The server.
    """
    return FetchError(
        f"{host} did not finish its answer in time.",
        code="timeout",
        hint=f"{_LATER} The user can allow more with web.extract.seconds.",
    )


def _too_much(error: ResponseLimitError, host: str) -> FetchError:
    if error.limit == "seconds":
        return too_slow(host)
    if error.limit == "ratio":
        return FetchError(f"{error.message} It may be a bomb.", code="bomb", hint=_ELSEWHERE)
    hint = f"{_ELSEWHERE} The user can allow more with web.extract.max_mb."
    return FetchError(error.message, code="too_large", hint=hint)


def _failed(error: Exception, host: str) -> FetchError:
    import httpx2

    if isinstance(error, httpx2.ProxyError):
        message = f"{host} cannot be reached. {error}"
        return FetchError(message, code="proxy", hint="Ask the user to check the proxy's settings.")
    if (broken := _cause(error, ssl.SSLError)) is not None:
        return _without_tls(broken, host)
    if isinstance(error, httpx2.DecodingError):
        return FetchError(str(error), code="encoding", hint=f"The site is broken. {_ELSEWHERE}")
    if isinstance(error, httpx2.ConnectError):
        why = "it refuses connections" if _cause(error, ConnectionRefusedError) is not None else "there is no way to it"
        return _unreachable(host, why)
    if isinstance(error, httpx2.NetworkError) or any(words in str(error) for words in _BROKEN_OFF):
        message = f"{host} hung up before its answer was complete."
        return FetchError(message, code="broken_off", hint=_LATER, again_after=_MOMENT)
    if _TOO_LONG in str(error):
        return FetchError(f"{host} sends far more headers than a page needs.", code="too_large", hint=_ELSEWHERE)
    return _nonsense(host)


def _unreachable(host: str, why: str) -> FetchError:
    return FetchError(f"{host} cannot be reached: {why}.", code="unreachable", hint=_LATER)


def _without_tls(broken: ssl.SSLError, host: str) -> FetchError:
    if isinstance(broken, ssl.SSLCertVerificationError):
        message = f"The certificate of {host} is not to be trusted: {broken.verify_message.rstrip('.')}."
        return FetchError(message, code="tls", hint=f"Do not use the site. {_ELSEWHERE}")
    reason = str(broken.reason or "no reason").replace("_", " ").lower()
    hint = "It may speak plain HTTP only: try http:// if nothing private is at stake."
    return FetchError(f"No encrypted connection to {host} could be made: {reason}.", code="tls", hint=hint)


def _nonsense(host: str) -> FetchError:
    return FetchError(
        f"What {host} answers is not HTTP, or is broken.", code="bad_response", hint=f"The site is broken. {_ELSEWHERE}"
    )


def _cause(error: BaseException | None, kind: type[Kind]) -> Kind | None:
    """What lies behind an error, when it is of a kind."""
    for _ in range(10):
        if error is None or isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None
