"""What whoever searches the web or reads pages has to be, and what it is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hermes_core import ConfigError, ToolFailedError
from hermes_net import NetPolicy
from hermes_tools_web.settings import WebSettings
from hermes_tools_web.text import clean_line, clean_note

if TYPE_CHECKING:
    from hermes_net import NetLimits


SEARCH = "web_search"
"""The extension point for those who search."""
EXTRACT = "web_extract"
"""The extension point for those who read pages."""

_MAX_CHARS = 1_000
"""What an error may have: some of its words may be those of a service."""


class ProviderError(ToolFailedError):
    """Raised when a provider cannot do what it was asked.

    Attributes:
        provider: Its name.
        again: Whether the same may work later, or with somebody else: a limit, a fault of the service, no network.
        status: The HTTP status, when there was one.
        notes: What else a reader should know, such as that others could not, either.
    """

    code = "provider_failed"

    def __init__(
        self,
        provider: str,
        message: str,
        *,
        hint: str | None = None,
        again: bool = False,
        status: int | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.provider = provider
        self.again = again
        self.status = status
        self.notes = tuple(clean_note(note) for note in notes if isinstance(note, str))
        extra: dict[str, object] = {"provider": provider}
        if status is not None:
            extra["status"] = status
        if self.notes:
            extra["notes"] = list(self.notes)
        told_hint = clean_line(str(hint), _MAX_CHARS) if hint else None
        super().__init__(clean_line(str(message), _MAX_CHARS), hint=told_hint, **extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a user needs to know to use a provider.

    Attributes:
        title: What it is called.
        about: What it is, in a sentence.
        url: Where a key comes from, or where it is explained.
        settings: The settings that it needs, such as `web.tavily_api_key`.
        variables: The variables that do the same, such as `TAVILY_API_KEY`.
    """

    title: str
    about: str
    url: str = ""
    settings: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a provider works with during a call.

    Attributes:
        settings: The section `web`.
        policy: What may be fetched of URLs that a model or a page wrote.
        home: The user's folder.
        section: Gives another section of the settings, for providers with settings of their own.
        open_client: Makes a guarded client; tests lead it to servers of their own.
    """

    settings: WebSettings
    policy: NetPolicy
    home: Path
    section: Callable[[str], Mapping[str, Any]]
    open_client: Callable[..., Any] | None = None

    def client(self, *, limits: NetLimits | None = None, **options: Any) -> Any:
        """An `httpx2.AsyncClient` for URLs that a model or a page wrote, with the guard before it.

        Args:
            limits: What a response may cost.
            options: Those of `hermes_net.guarded_async_client`.

        Raises:
            ConfigError: the environment names an invalid proxy.
        """
        from hermes_net import NetSettingsError, guarded_async_client

        make = self.open_client or guarded_async_client
        try:
            return make(policy=options.pop("policy", self.policy), limits=limits, **options)
        except NetSettingsError as error:
            raise ConfigError(error.problem, key=error.key, example=error.example) from error


class WebProvider(Protocol):
    """What all providers have."""

    @property
    def setup(self) -> Setup:
        """What a user needs to know to use it."""
        ...

    def missing(self, access: Access) -> str | None:
        """Why it cannot be used as things are; None when it can. It touches no network and is quick."""
        ...


class SearchProvider(WebProvider, Protocol):
    """Somebody who searches the web."""

    def search(self, query: str, limit: int, access: Access) -> Awaitable[Sequence[SearchRow]] | Sequence[SearchRow]:
        """At most `limit` results, best first; async, or sync and then called in a thread.

        Raises:
            ProviderError: it could not.
        """
        ...


class ExtractProvider(WebProvider, Protocol):
    """Somebody who reads pages.

    One that asks for each page by itself may say so with `one_by_one = True`: it is then called for each URL, all at
    once, and no page waits for the slowest.
    """

    def extract(self, urls: Sequence[str], access: Access) -> Awaitable[Sequence[Page]] | Sequence[Page]:
        """One page for each URL, in their order; what went wrong with one stands in its `error`.

        Raises:
            ProviderError: it could do nothing at all.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRow:
    """One result of a search.

    Attributes:
        url: Where it is.
        title: What it is called.
        description: What it is about, or what it says about the question.
    """

    url: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a page says, or why nobody knows.

    Attributes:
        url: What was asked for.
        content: What it says, as Markdown.
        title: What it is called.
        final_url: Where it was found, when redirects led elsewhere.
        kind: What it was: `html`, `pdf`, `text`, `json`, `feed`, ...; empty when whoever read it does not tell.
        facts: What else is known, such as `author`, `date`, `language`, `description`.
        error: Why there is no content; empty when there is.
        hint: What can be done about that.
        refused: The code of the guard's refusal, such as `private`; empty when it did not refuse.
        notes: What a reader should know, such as that something was left out.
    """

    url: str
    content: str = ""
    title: str = ""
    final_url: str = ""
    kind: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    hint: str = ""
    refused: str = ""
    notes: tuple[str, ...] = ()
