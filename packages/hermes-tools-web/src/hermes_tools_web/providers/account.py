"""The URL, key and login of a service, from the user's settings."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from pydantic import SecretStr

from hermes_tools_web.providers.protocol import Access, Setup
from hermes_tools_web.settings import WebSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user's access to a service.

    Attributes:
        name: The name of the provider, and the prefix of its settings.
        setup: How to set it up.
        url: The base URL without a trailing slash and credentials; empty when it is not set.
        key: The API key; empty when it is not set.
        own: True for a server of the user, which may be on this machine.
        login: The header `Authorization` with the credentials of the URL; empty when there are none.
    """

    name: str
    setup: Setup
    url: str
    key: str = field(default="", repr=False)
    own: bool = False
    login: str = field(default="", repr=False)

    @property
    def bearer(self) -> dict[str, str]:
        """The header that sends the key as a bearer token; empty without a key."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    @classmethod
    def read(cls, name: str, setup: Setup, settings: WebSettings) -> Account:
        """Read the account from `<name>_url` and `<name>_api_key`."""
        field_name = f"{name}_url"
        default: str = type(settings).model_fields[field_name].default
        given = str(getattr(settings, field_name)).strip() or default
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
        if key_needed and not self.key:
            return f"{self._ways_to_say(self.setup)} is not set."
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            return f"{self._ways_to_say(self.setup)} contains characters that keys do not have."
        if not self.url:
            return f"{self._ways_to_say(self.setup)} is not set."
        parts = _split(self.url)
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            return f"web.{self.name}_url is not a URL such as https://search.example.org."
        return None

    @staticmethod
    def _ways_to_say(setup: Setup) -> str:
        first, *others = [*setup.settings[:1], *setup.variables[:1]]
        return f"{first} (or {others[0]})" if others else first


class AccountProvider:
    """The base class of providers with an account."""

    name: ClassVar[str]
    setup: ClassVar[Setup]
    key_needed: ClassVar[bool] = True

    def missing(self, access: Access) -> str | None:
        """Explain what the user has to set; None when the account is complete."""
        return self.account(access).missing(key_needed=self.key_needed)

    def account(self, access: Access) -> Account:
        """Return the account from the settings."""
        return Account.read(self.name, self.setup, access.settings)


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
