"""Explain the errors of a service, and what to do about them."""

from __future__ import annotations

from collections.abc import Mapping

from hermes_net import UrlVerdict
from hermes_text import sanitize_error
from hermes_text.secrets import redact
from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.protocol import ProviderError

_MAX_WORDS = 300
_WORDS = ("error", "errors", "detail", "details", "message", "msg", "description", "reason")
_ANOTHER = "or ask the user to choose another provider with web.backend"
_PASSES = ("unresolved", "timeout")
"""Temporary refusals of the network guard."""


def status_error(account: Account, status: int, body: object, pause: float | None = None) -> ProviderError:
    """Build the error for an HTTP status."""
    title = account.setup.title
    words = error_text(account, body)
    later = f"Try again later, {_ANOTHER}."
    if status == 401:
        what = f"{title} {'rejects the' if account.key else 'requires a'} key{words}."
        return _error(account, what, _check_key(account), status)
    if status == 403:
        return _error(account, f"{title} does not allow this{words}.", _check_key(account), status)
    if status in (402, 432, 433):
        plan = f"Ask the user to check the plan{_at(account)}, or to choose another provider with web.backend."
        return _error(account, f"The credits at {title} are used up{words}.", plan, status, retryable=True)
    if status == 429:
        hint = f"Try again in {round(pause)} seconds, {_ANOTHER}." if pause else later
        return _error(account, f"The rate limit of {title} is exceeded{words}.", hint, status, retryable=True)
    if status in (404, 405):
        place = f"Ask the user to check that web.{account.name}_url points to {title}."
        return _error(account, f"{title} is not at its URL, or does not support the request{words}.", place, status)
    if 300 <= status < 400:
        place = f"Ask the user to update web.{account.name}_url."
        return _error(account, f"{title} redirects the request, and the key is not sent to another URL.", place, status)
    if status == 408 or status >= 500:
        return _error(account, f"{title} failed (HTTP {status}){words}.", later, status, retryable=True)
    what = f"{title} did not accept the request (HTTP {status}){words}."
    return _error(account, what, "Change the request.", status)


def refused(account: Account, verdict: UrlVerdict) -> ProviderError:
    """Build the error for a service that the network guard refuses."""
    hint = f"Ask the user to check web.{account.name}_url and the section security."
    retryable = verdict.code in _PASSES
    if retryable:
        hint = f"Ask the user to check the network and web.{account.name}_url."
    return _error(account, f"{account.setup.title} cannot be reached: {verdict.reason}", hint, None, retryable)


def connection_error(account: Account, error: Exception) -> ProviderError:
    """Build the error for a failed connection."""
    hint = f"Try again later, {_ANOTHER}."
    if account.own:
        hint = f"Ask the user to check that it is running and that web.{account.name}_url is correct."
    what = f"{account.setup.title} cannot be reached ({type(error).__name__})."
    if type(error).__name__ == "ProxyError":  # httpx2 is not imported here
        what = f"{account.setup.title} cannot be reached. {error}"
        hint = "Ask the user to check the proxy settings."
    return _error(account, what, hint, None, retryable=True)


def proxy_error(account: Account, error: Exception) -> ProviderError:
    """Build the error for an invalid proxy in the environment."""
    return _error(account, f"{account.setup.title} cannot be reached: {error}", "Ask the user to fix that.", None)


def slow_service_error(account: Account, seconds: float) -> ProviderError:
    """Build the error for a timeout."""
    what = f"{account.setup.title} did not answer within {seconds:g} seconds."
    return _error(account, what, f"Try again later, {_ANOTHER}.", None, retryable=True)


def error_code(body: object) -> str:
    """Return the error code of a service, such as `RATE_LIMITED`; empty when there is none."""
    if not isinstance(body, Mapping):
        return ""
    errors = body.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else body.get("error")
    for place in (first, body):
        found = place.get("code", place.get("tag")) if isinstance(place, Mapping) else None
        if isinstance(found, str):
            return found
    return ""


def error_text(account: Account, body: object) -> str:
    """Return the error message of a service as the end of a sentence, without secrets; may be empty."""
    words = _find(body, 0)
    for secret in filter(None, (account.key, account.login)):
        words = words.replace(secret, "***")
    words = " ".join(sanitize_error(redact(words[: 4 * _MAX_WORDS])).split())
    if len(words) > _MAX_WORDS:
        words = f"{words[:_MAX_WORDS]}..."
    return f": {words.rstrip('.')}" if words else ""


def _find(body: object, depth: int) -> str:
    """Return the first text under one of the usual names."""
    if isinstance(body, str):
        return body
    if depth > 4:
        return ""
    if isinstance(body, list):
        return next(filter(None, (_find(each, depth + 1) for each in body[:5])), "")
    if isinstance(body, Mapping):
        return next(filter(None, (_find(body.get(name), depth + 1) for name in _WORDS)), "")
    return ""


def _check_key(account: Account) -> str:
    names = " or ".join([*account.setup.settings[:1], *account.setup.variables[:1]])
    come = f"; get a key at {account.setup.url}" if account.setup.url else ""
    return f"Ask the user to check {names}{come}."


def _at(account: Account) -> str:
    return f" at {account.setup.url}" if account.setup.url else ""


def _error(account: Account, what: str, hint: str, status: int | None, retryable: bool = False) -> ProviderError:
    return ProviderError(account.name, what, hint=hint, retryable=retryable, status=status)
