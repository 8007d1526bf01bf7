"""Tells the user what a service meant when it did not answer, and what to do about it."""

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
"""Refusals of the guard that are about the moment."""


def status_error(account: Account, status: int, said: object, pause: float | None = None) -> ProviderError:
    """The error for an HTTP status that is no success.

    Args:
        account: Whose answer it is.
        status: The status.
        said: The JSON that came with it; None when there was none.
        pause: The seconds after which it wants to be asked again; None when it does not say.
    """
    title = account.setup.title
    words = error_text(account, said)
    later = f"Try it again later, {_ANOTHER}."
    if status == 401:
        return key_error(account, status, words)
    if status == 403:
        return _error(account, f"{title} does not allow this{words}.", _check_key(account), status)
    if status in (402, 432, 433):
        plan = f"Ask the user to look at the plan{_at(account)}, or to choose another provider with web.backend."
        return _error(account, f"The credits at {title} are used up{words}.", plan, status, again=True)
    if status == 429:
        hint = f"Try it again in {round(pause)} seconds, {_ANOTHER}." if pause else later
        return _error(account, f"{title} was asked too often{words}.", hint, status, again=True)
    if status in (404, 405):
        place = f"Ask the user to make sure that web.{account.name}_url leads to {title}."
        return _error(account, f"{title} is not there, or does not know the request{words}.", place, status)
    if 300 <= status < 400:
        place = f"Ask the user to set web.{account.name}_url to where {title} is now."
        return _error(account, f"{title} wants to be asked elsewhere, where the key does not go.", place, status)
    if status == 408 or status >= 500:
        return _error(account, f"{title} has a problem of its own (HTTP {status}){words}.", later, status, again=True)
    what = f"{title} did not accept the request (HTTP {status}){words}."
    return _error(account, what, "Ask for something else, or in other words.", status)


def key_error(account: Account, status: int, words: str = "") -> ProviderError:
    """The error for a key that the service does not accept."""
    title = account.setup.title
    if account.key:
        return _error(account, f"{title} does not accept the key{words}.", _check_key(account), status)
    return _error(account, f"{title} wants a key{words}.", _check_key(account), status)


def refused(account: Account, verdict: UrlVerdict) -> ProviderError:
    """The error for a service that the guard does not let us reach."""
    hint = f"Ask the user to look at web.{account.name}_url and at what the section security allows."
    again = verdict.code in _PASSES
    if again:
        hint = f"Ask the user to make sure that there is a network and that web.{account.name}_url is right."
    return _error(account, f"{account.setup.title} cannot be reached: {verdict.reason}", hint, None, again)


def connection_error(account: Account, error: Exception) -> ProviderError:
    """The error for a service that there is no connection to."""
    hint = f"Try it again later, {_ANOTHER}."
    if account.own:
        hint = f"Ask the user to make sure that it runs and that web.{account.name}_url is right."
    what = f"{account.setup.title} cannot be reached ({type(error).__name__})."
    if type(error).__name__ == "ProxyError":  # the client is imported by those who use it
        what = f"{account.setup.title} cannot be reached. {error}"
        hint = "Ask the user to check the proxy's settings."
    return _error(account, what, hint, None, again=True)


def proxy_error(account: Account, error: Exception) -> ProviderError:
    """The error for an environment that names a proxy which cannot be."""
    return _error(account, f"{account.setup.title} cannot be reached: {error}", "Ask the user to mend that.", None)


def slow_service_error(account: Account, seconds: float) -> ProviderError:
    """The error for a service that takes too long."""
    what = f"{account.setup.title} did not answer within {seconds:g} seconds."
    return _error(account, what, f"Try it again later, {_ANOTHER}.", None, again=True)


def error_code(said: object) -> str:
    """The code of a service for its problem, such as `RATE_LIMITED`; empty when it gives none."""
    if not isinstance(said, Mapping):
        return ""
    errors = said.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else said.get("error")
    for place in (first, said):
        found = place.get("code", place.get("tag")) if isinstance(place, Mapping) else None
        if isinstance(found, str):
            return found
    return ""


def error_text(account: Account, said: object) -> str:
    """What a service said about its problem, as the end of a sentence, with nothing secret in it; may be empty."""
    words = _find(said, 0)
    for secret in filter(None, (account.key, account.login)):
        words = words.replace(secret, "***")
    words = " ".join(sanitize_error(redact(words[: 4 * _MAX_WORDS])).split())
    if len(words) > _MAX_WORDS:
        words = f"{words[:_MAX_WORDS]}..."
    return f": {words.rstrip('.')}" if words else ""


def _find(said: object, depth: int) -> str:
    """The first text under one of the names that services use for it."""
    if isinstance(said, str):
        return said
    if depth > 4:
        return ""
    if isinstance(said, list):
        return next(filter(None, (_find(each, depth + 1) for each in said[:5])), "")
    if isinstance(said, Mapping):
        return next(filter(None, (_find(said.get(name), depth + 1) for name in _WORDS)), "")
    return ""


def _check_key(account: Account) -> str:
    names = " or ".join([*account.setup.settings[:1], *account.setup.variables[:1]])
    come = f"; keys come from {account.setup.url}" if account.setup.url else ""
    return f"Ask the user to check {names}{come}."


def _at(account: Account) -> str:
    return f" at {account.setup.url}" if account.setup.url else ""


def _error(account: Account, what: str, hint: str, status: int | None, again: bool = False) -> ProviderError:
    return ProviderError(account.name, what, hint=hint, again=again, status=status)
