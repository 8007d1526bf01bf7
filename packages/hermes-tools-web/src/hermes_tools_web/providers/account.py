"""Where a service is and the key to it, as the user's settings say."""

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
    """How a user reaches a service.

    Attributes:
        name: The provider's name; its settings begin with it.
        setup: What a user needs to know about it.
        url: Where the service is, without a slash at the end, user name and password; empty when nobody said.
        key: The key; empty when there is none.
        own: Whether it is somewhere else than the vendor says: a server of the user's own, perhaps on this machine.
        login: User name and password for the header `Authorization`, when the URL has them; empty otherwise.
    """

    name: str
    setup: Setup
    url: str
    key: str = field(default="", repr=False)
    own: bool = False
    login: str = field(default="", repr=False)

    @classmethod
    def read(cls, name: str, setup: Setup, settings: WebSettings) -> Account:
        """The account that the settings describe: `<name>_url`, and `<name>_api_key` where there is such a setting.

        Args:
            name: The provider's name.
            setup: What a user needs to know about it.
            settings: The section `web`.
        """
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
        """What the user still has to set, in a sentence; None when nothing.

        Args:
            key_needed: Whether the service answers nobody without a key.
        """
        if key_needed and not self.key:
            return f"{self._ways_to_say(self.setup)} is not set."
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            return f"{self._ways_to_say(self.setup)} has signs in it that no key has."
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
    """What the providers of services have in common: an account, and what it lacks."""

    name: ClassVar[str]
    setup: ClassVar[Setup]
    key_needed: ClassVar[bool] = True

    def missing(self, access: Access) -> str | None:
        """What the user still has to set; None when nothing."""
        return self.account(access).missing(key_needed=self.key_needed)

    def account(self, access: Access) -> Account:
        """The account that the settings describe."""
        return Account.read(self.name, self.setup, access.settings)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # it is read only now, and may be no number
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
