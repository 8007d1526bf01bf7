"""What a search or extract provider implements, receives and returns."""

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
    from hermes_tools_web.documents.document import Document


SEARCH = "web_search"
"""The extension point of search providers."""
EXTRACT = "web_extract"
"""The extension point of extract providers."""

_MAX_CHARS = 1_000
"""The limit of an error message, which may quote a service."""


class ProviderError(ToolFailedError):
    """Raised when a provider cannot do what it was asked to.

    Attributes:
        provider: The name of the provider.
        retryable: True when the request may succeed later or with another provider, as after a rate limit.
        status: The HTTP status, if there was one.
        notes: Notes for the reader, such as the errors of other providers.
    """

    code = "provider_failed"

    def __init__(
        self,
        provider: str,
        message: str,
        *,
        hint: str | None = None,
        retryable: bool = False,
        status: int | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.provider = provider
        self.retryable = retryable
        self.status = status
        self.notes = tuple(clean_note(note) for note in notes if isinstance(note, str))
        extra: dict[str, object] = {"provider": provider}
        if status is not None:
            extra["status"] = status
        if self.notes:
            extra["notes"] = list(self.notes)
        clean_hint = clean_line(str(hint), _MAX_CHARS) if hint else None
        super().__init__(clean_line(str(message), _MAX_CHARS), hint=clean_hint, **extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a user sets up a provider."""

    title: str  # the display name
    about: str  # a short description
    url: str = ""  # where to get a key, or where to find the documentation
    settings: tuple[str, ...] = ()  # the required settings, such as `web.tavily_api_key`
    variables: tuple[str, ...] = ()  # the equivalent environment variables, such as `TAVILY_API_KEY`


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a provider receives with a call."""

    settings: WebSettings  # the section `web`
    policy: NetPolicy  # which URLs of models and pages may be fetched
    home: Path  # the home directory
    section: Callable[[str], Mapping[str, Any]]  # returns another section, for providers with their own settings
    open_client: Callable[..., Any] | None = None  # creates a guarded client; tests replace it

    def client(self, *, limits: NetLimits | None = None, **options: Any) -> Any:
        """Create a guarded `httpx2.AsyncClient` for untrusted URLs.

        Args:
            limits: The limits of a response.
            options: The options of `hermes_net.guarded_async_client`.

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
    """The common part of all providers."""

    @property
    def setup(self) -> Setup:
        """How a user sets the provider up."""
        ...

    def missing(self, access: Access) -> str | None:
        """Explain why the provider cannot be used; None when it can. Must be quick and use no network."""
        ...


class SearchProvider(WebProvider, Protocol):
    """A provider that searches the web."""

    def search(self, query: str, limit: int, access: Access) -> Awaitable[Sequence[SearchRow]] | Sequence[SearchRow]:
        """Return up to `limit` results, best first. Sync methods are called in a thread.

        Raises:
            ProviderError: the search failed.
        """
        ...


class ExtractProvider(WebProvider, Protocol):
    """A provider that extracts pages.

    A provider that requests each page separately can set `one_by_one = True`: it is then called once per URL,
    concurrently, so that no page waits for the slowest.
    """

    def extract(self, urls: Sequence[str], access: Access) -> Awaitable[Sequence[Page]] | Sequence[Page]:
        """Return one page per URL, in order; put the error of a single page into `Page.error`.

        Raises:
            ProviderError: nothing could be extracted.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRow:
    """A search result."""

    url: str
    title: str = ""
    description: str = ""  # a description or an excerpt that matches the query


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """An extracted page, or the error."""

    url: str  # the requested URL
    content: str = ""  # the content as Markdown
    title: str = ""
    final_url: str = ""  # the URL after redirects, if it differs
    kind: str = ""  # `html`, `pdf`, `text`, `json`, `feed`, ...; empty when it is unknown
    facts: Mapping[str, str] = field(default_factory=dict)  # such as `author`, `date`, `language`, `description`
    error: str = ""  # why there is no content; empty when there is
    hint: str = ""  # what to do about the error
    refused: str = ""  # the code of the network guard's refusal, such as `private`
    notes: tuple[str, ...] = ()  # notes for the reader, such as that something was left out


def make_page(url: str, final_url: str, document: Document) -> Page:
    """Build the page of a document that was read on this machine."""
    return Page(
        url=url,
        content=document.markdown,
        title=document.title,
        final_url=final_url,
        kind=document.kind,
        facts=document.facts,
        notes=document.notes,
    )
