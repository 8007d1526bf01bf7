"""The URL, key and login of a service, and its errors."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from pydantic import SecretStr

from hermes_text import sanitize_error
from hermes_text.secrets import redact
from hermes_tools_web.providers.protocol import ProviderError, Setup
from hermes_tools_web.settings import WebSettings

_ANOTHER = "or ask the user to choose another provider with web.backend."
LATER = f"Try again later, {_ANOTHER}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user's access to a service."""

    name: str  # the name of the provider, and the prefix of its settings
    setup: Setup
    url: str  # the base URL without a trailing slash and credentials; empty when it is not set
    key: str = field(default="", repr=False)  # the API key; empty when it is not set
    own: bool = False  # True for a server of the user, which may be on this machine
    login: str = field(default="", repr=False)  # the header `Authorization` with the credentials of the URL

    @classmethod
    def read(cls, name: str, setup: Setup, settings: WebSettings) -> Account:
        """Read the account from `<name>_url` and `<name>_api_key`."""
        default: str = type(settings).model_fields[f"{name}_url"].default
        given = str(getattr(settings, f"{name}_url")).strip() or default
        secret = getattr(settings, f"{name}_api_key", None)
        parts = _split(given)
        return cls(
            name=name,
            setup=setup,
            url=_without_login(parts).rstrip("/") if parts else given,
            key=secret.get_secret_value().strip() if isinstance(secret, SecretStr) else "",
            own=given.rstrip("/") != default.rstrip("/"),
            login=_login(parts) if parts else "",
        )

    def missing(self, *, key_needed: bool = True) -> str | None:
        """Explain what the user has to set; None when the account is complete."""
        variables = f" (or {self.setup.variables[0]})" if self.setup.variables else ""
        named = f"{self.setup.settings[0]}{variables}"
        if (key_needed and not self.key) or not self.url:
            return f"{named} is not set."
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            return f"{named} contains characters that keys do not have."
        parts = _split(self.url)
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            return f"web.{self.name}_url is not a URL such as https://search.example.org."
        return None

    def error(
        self, what: str, hint: str = LATER, *, status: int | None = None, retryable: bool = False
    ) -> ProviderError:
        """Build an error of the service; `what` begins with a verb, after the title of the service."""
        message = f"{self.setup.title} {what}"
        return ProviderError(self.name, message, hint=hint, retryable=retryable, status=status)

    def unreachable_error(self, reason: str, hint: str, *, retryable: bool = True) -> ProviderError:
        """Build the error for a service without a connection."""
        return self.error(f"cannot be reached{reason}", hint, retryable=retryable)

    def response_error(self, what: str) -> ProviderError:
        """Build the error for an undocumented response; `what` is a part of a sentence."""
        hint = f"Ask the user to check that {self.url_setting} points to {self.setup.title}." if self.own else LATER
        return self.error(f"sent an undocumented response: {what}.", hint, retryable=True)

    def timeout_error(self, seconds: float) -> ProviderError:
        """Build the error for a timeout."""
        return self.error(f"did not answer within {seconds:g} seconds.", retryable=True)

    def status_error(self, status: int, body: object, pause: float | None = None) -> ProviderError:
        """Build the error for an HTTP status."""
        title, words = self.setup.title, self.error_text(body)
        at = f" at {self.setup.url}" if self.setup.url else ""
        come = f"; get a key{at}" if at else ""
        check = f"Ask the user to check {' or '.join([*self.setup.settings[:1], *self.setup.variables[:1]])}{come}."

        def made(message: str, hint: str, *, retryable: bool = False) -> ProviderError:
            return ProviderError(self.name, message, hint=hint, retryable=retryable, status=status)

        if status == 401:
            return made(f"{title} {'rejects the' if self.key else 'requires a'} key{words}.", check)
        if status == 403:
            return made(f"{title} does not allow this{words}.", check)
        if status in (402, 432, 433):
            plan = f"Ask the user to check the plan{at}, or to choose another provider with web.backend."
            return made(f"The credits at {title} are used up{words}.", plan, retryable=True)
        if status == 429:
            hint = f"Try again in {round(pause)} seconds, {_ANOTHER}" if pause else LATER
            return made(f"The rate limit of {title} is exceeded{words}.", hint, retryable=True)
        if status in (404, 405):
            place = f"Ask the user to check that {self.url_setting} points to {title}."
            return made(f"{title} is not at its URL, or does not support the request{words}.", place)
        if 300 <= status < 400:
            what = f"{title} redirects the request, and the key is not sent to another URL."
            return made(what, f"Ask the user to update {self.url_setting}.")
        if status == 408 or status >= 500:
            return made(f"{title} failed (HTTP {status}){words}.", LATER, retryable=True)
        return made(f"{title} did not accept the request (HTTP {status}){words}.", "Change the request.")

    @property
    def url_setting(self) -> str:
        """The setting with the URL."""
        return f"web.{self.name}_url"

    def error_text(self, body: object) -> str:
        """Return the error message of a service as the end of a sentence, without secrets; may be empty."""
        words = _find_text(body, 0)
        for secret in filter(None, (self.key, self.login)):
            words = words.replace(secret, "***")
        words = " ".join(sanitize_error(redact(words[: 4 * _MAX_WORDS])).split())
        words = f"{words[:_MAX_WORDS]}..." if len(words) > _MAX_WORDS else words.rstrip(".")
        return f": {words}" if words else ""


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # parsed lazily; raises if it is not a number
    except ValueError:
        return None
    return parts


def _without_login(parts: SplitResult) -> str:
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def _login(parts: SplitResult) -> str:
    if parts.username is None:
        return ""
    words = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return f"Basic {b64encode(words.encode('utf-8', 'replace')).decode()}"


_MAX_WORDS = 300
_TEXTS = ("error", "errors", "detail", "details", "message", "msg", "description", "reason")
_MAX_DEPTH = 4


def _find_text(body: object, depth: int) -> str:
    """Return the first text under one of the usual names."""
    if isinstance(body, str):
        return body
    parts = body[:5] if isinstance(body, list) else map(body.get, _TEXTS) if isinstance(body, Mapping) else ()
    return next(filter(None, (_find_text(part, depth + 1) for part in parts)), "") if depth <= _MAX_DEPTH else ""


def error_code(body: object) -> str:
    """Return the error code of a service, such as `RATE_LIMITED`; empty when there is none."""
    if not isinstance(body, Mapping):
        return ""
    errors = body.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else body.get("error")
    codes = (place.get("code", place.get("tag")) for place in (first, body) if isinstance(place, Mapping))
    return next((code for code in codes if isinstance(code, str)), "")
