"""What a server means by its status, in words for a model."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from hermes_tools_web.fetching.errors import FetchError

_ELSEWHERE = "Look for the same elsewhere."
_LATER = "Try it again later, or look for the same elsewhere."
_STAY_OUT = "Do not retry it. Look for the same elsewhere, or ask the user for the text."
_SPELLING = "Make sure that the URL is right, or search for the page."

_MEANINGS: Mapping[int, tuple[str, str, str]] = {
    304: ("bad_response", "the page is the same as before, and nobody said what that was", _LATER),
    400: ("request_refused", "the server does not understand the request", _SPELLING),
    401: ("login_needed", "the page needs a login", _STAY_OUT),
    402: ("login_needed", "the page must be paid for", _STAY_OUT),
    403: ("forbidden", "the page needs a login, or the site blocks programs", _STAY_OUT),
    404: ("not_found", "there is no such page", _SPELLING),
    405: ("request_refused", "the address is not meant to be read", _ELSEWHERE),
    406: ("request_refused", "the page does not come in a form that can be read here", _ELSEWHERE),
    407: ("proxy", "the proxy in between needs a login", "Ask the user to check the proxy's settings."),
    408: ("server_error", "the server waited too long for the request", _LATER),
    410: ("gone", "the page has been removed", "Look for the same elsewhere, such as in a web archive."),
    414: ("request_refused", "the URL is too long for the server", _SPELLING),
    418: ("forbidden", "the site does not serve programs", _STAY_OUT),
    421: ("request_refused", "the server is not responsible for this host", _SPELLING),
    425: ("server_error", "the server wants to be asked again", _LATER),
    429: ("rate_limited", "the site was asked too often", _LATER),
    431: ("request_refused", "the request is too large for the server", _ELSEWHERE),
    451: ("legal", "the page is withheld for legal reasons", _ELSEWHERE),
    500: ("server_error", "the server failed", _LATER),
    501: ("server_error", "the server cannot do this", _ELSEWHERE),
    502: ("server_error", "the site is down behind its front server", _LATER),
    503: ("server_error", "the site is overloaded or being maintained", _LATER),
    504: ("server_error", "the site is too slow for its front server", _LATER),
    511: ("login_needed", "the network in between needs a login", "Ask the user to log in to their network."),
}
_CLASSES: Mapping[int, tuple[str, str, str]] = {
    1: ("bad_response", "the server wants to speak something else than HTTP", _ELSEWHERE),
    3: ("bad_redirect", "the page is elsewhere, and the server does not say where", _SPELLING),
    4: ("request_refused", "the server refuses the request", _SPELLING),
    5: ("server_error", "the server failed", _LATER),
}
_PASSING = frozenset({502, 503, 504})
"""Faults that are often over a moment later."""
_MOMENT = 0.5
_LONGEST_WAIT = 10.0
"""Whoever asks for more than this wants no program that waits."""
_SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


def failure(status: int, retry_after: str = "") -> FetchError:
    """The error for a status that comes without a page.

    Args:
        status: The status.
        retry_after: The header `Retry-After`.
    """
    unknown = ("bad_response", "that is no status of HTTP", _ELSEWHERE)
    code, meaning, hint = _MEANINGS.get(status) or _CLASSES.get(status // 100, unknown)
    wait = seconds_of(retry_after)
    if wait is not None and status in (429, 503):
        hint = f"It wants to be left alone for {wait:.0f} seconds. {hint}"
    return FetchError(
        f"The server answers {status}: {meaning}.",
        code=code,
        hint=hint,
        status=status,
        retry_after=wait,
        again_after=_again_after(status, wait),
    )


def seconds_of(retry_after: str) -> float | None:
    """The seconds that a header `Retry-After` asks for, which may name a time instead; None when it says nothing."""
    written = retry_after.strip()[:100]
    if _SECONDS.fullmatch(written):
        return float(written)
    try:
        return max(0.0, parsedate_to_datetime(written).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None


def _again_after(status: int, wait: float | None) -> float | None:
    if status in (429, 503) and wait is not None:
        return wait if wait <= _LONGEST_WAIT else None
    return _MOMENT if status in _PASSING else None
