"""Select the provider of a call: the user's choice, or the best one available."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from hermes_core import ToolUnavailableError
from hermes_tools_web.providers.catalog import ONLY_EXTRACT, ONLY_SEARCH
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH, Access, Setup
from hermes_tools_web.text import clean_line

_DOES = {SEARCH: "search", EXTRACT: "extract pages"}
_OWN_SETTING: dict[str, Literal["search_backend", "extract_backend"]] = {
    SEARCH: "search_backend",
    EXTRACT: "extract_backend",
}
_SURVEY = "Run 'hermes web providers' to list the providers."


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The selected providers."""

    point: str  # `web_search` or `web_extract`
    candidates: tuple[Candidate, ...]  # the providers to try in order; never empty
    explicit: bool = False  # True when the user chose; then there is one candidate
    notes: tuple[str, ...] = ()  # notes about the choice

    @property
    def name(self) -> str:
        """The name of the first provider."""
        return self.candidates[0].name


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderStatus:
    """The status of a provider."""

    name: str  # the name in the settings
    setup: Setup  # how to set it up
    searches: bool  # True for search providers
    extracts: bool
    missing: str  # why it cannot be used; empty when it can
    chosen_for: tuple[str, ...]  # what it is currently used for: `web_search`, `web_extract`, both or nothing

    @property
    def ready(self) -> bool:
        """True when it can be used."""
        return not self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The status of all providers."""

    providers: tuple[ProviderStatus, ...]  # all providers, in order of preference
    problems: tuple[str, ...]  # why search or extraction is unavailable and what to do; empty when both work
    notes: tuple[str, ...]  # notes about the choice


def choose(
    point: str, providers: Mapping[str, Any], access: Access, *, others: Mapping[str, Any] | None = None
) -> Choice:
    """Select the providers of a call.

    `web.search_backend` and `web.extract_backend` have priority, then `web.backend`, then every available provider:
    `ORDER`, those of other plugins, and `KEYLESS`.

    Args:
        point: `web_search` or `web_extract`.
        providers: The providers of the extension point, by name.
        access: The settings.
        others: The providers of the other extension point, to tell unsuitable names from unknown ones.

    Raises:
        ToolUnavailableError: the chosen provider cannot be used, or none can.
    """
    setting = _OWN_SETTING[point]
    own = _plain(getattr(access.settings, setting))
    if own:
        return _chosen(own, f"web.{setting}", point, providers, others or {}, access)
    both = _plain(access.settings.backend)
    if not both:
        return _best(point, providers, access)
    if both not in providers and _is_known(both, point, others or {}):
        return _best(point, providers, access, f"web.backend is {both}, which does not {_DOES[point]}.")
    return _chosen(both, "web.backend", point, providers, others or {}, access)


def survey(search: Mapping[str, Any], extract: Mapping[str, Any], access: Access) -> Survey:
    """Describe all providers without network access."""
    chosen: dict[str, str] = {}
    problems: list[str] = []
    notes: list[str] = []
    for point, providers, others in ((SEARCH, search, extract), (EXTRACT, extract, search)):
        try:
            choice = choose(point, providers, access, others=others)
        except ToolUnavailableError as error:
            problems.append(" ".join(part for part in (error.message, error.hint) if part))
        else:
            chosen[point] = choice.name
            notes.extend(choice.notes)
    statuses = tuple(_describe(each, search, extract, chosen, access) for each in sort_providers({**extract, **search}))
    return Survey(providers=statuses, problems=tuple(problems), notes=tuple(notes))


def _plain(name: str) -> str:
    plain = name.strip().lower()
    return OLD_NAMES.get(plain, plain)


def _is_known(name: str, point: str, others: Mapping[str, Any]) -> bool:
    """Return whether a provider of that name has only the other capability."""
    return name in others or name in (ONLY_EXTRACT if point == SEARCH else ONLY_SEARCH)


def _chosen(
    name: str, setting: str, point: str, providers: Mapping[str, Any], others: Mapping[str, Any], access: Access
) -> Choice:
    if name not in providers:
        raise _unusable(name, setting, point, providers, others)
    candidate = Candidate(name=name, provider=providers[name])
    missing = missing_setup(candidate, access)
    if missing is not None:
        raise ToolUnavailableError(
            f"{setting} is {name}, which cannot be used: {missing}",
            hint=setup_hint(get_setup(candidate)) or _SURVEY,
            provider=name,
        )
    return Choice(point=point, candidates=(candidate,), explicit=True)


def _unusable(
    name: str, setting: str, point: str, providers: Mapping[str, Any], others: Mapping[str, Any]
) -> ToolUnavailableError:
    able = ", ".join(candidate.name for candidate in sort_providers(providers))
    if _is_known(name, point, others):
        message = f"{setting} is {name}, which does not {_DOES[point]}."
    else:
        near = get_close_matches(name, [*providers, *others, *OLD_NAMES], n=1)
        meant = f" Did the user mean {near[0]}?" if near else ""
        message = f"{setting} is {name!r}, which is not a provider.{meant}"
    hint = f"Ask the user to set {setting} to one of these: {able}, or remove it."
    return ToolUnavailableError(message, hint=hint, provider=name)


def _best(point: str, providers: Mapping[str, Any], access: Access, note: str = "") -> Choice:
    able = tuple(each for each in sort_providers(providers) if missing_setup(each, access) is None)
    if not able:
        raise ToolUnavailableError(f"No provider can {_DOES[point]}.", hint=_SURVEY)
    return Choice(point=point, candidates=able, notes=(f"{note} {able[0].name} is used instead.",) if note else ())


def _describe(
    candidate: Candidate,
    search: Mapping[str, Any],
    extract: Mapping[str, Any],
    chosen: Mapping[str, str],
    access: Access,
) -> ProviderStatus:
    name = candidate.name
    return ProviderStatus(
        name=name,
        setup=get_setup(candidate),
        searches=name in search,
        extracts=name in extract,
        missing=missing_setup(candidate, access) or "",
        chosen_for=tuple(point for point, who in chosen.items() if who == name),
    )


ORDER = ("tavily", "exa", "parallel", "firecrawl", "searxng", "brave")
"""The preferred order when the user chose none. Providers of other plugins follow, by name."""
KEYLESS = ("ddgs", "direct")
"""The last resort: they need no setup, so one is always available."""
_SETUP_CHARS = 300
OLD_NAMES = {"brave-free": "brave", "duckduckgo": "ddgs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A provider with its name."""

    name: str  # the name in the settings
    provider: Any  # a `SearchProvider` or an `ExtractProvider`


def missing_setup(candidate: Candidate, access: Access) -> str | None:
    """Explain why a provider cannot be used; None when it can."""
    try:
        found: object = candidate.provider.missing(access)
    except Exception as error:  # third-party providers may raise anything
        return f"{candidate.name} failed to report its status: {type(error).__name__}."
    if found is None or isinstance(found, str):
        return found
    return f"{candidate.name} failed to report its status: it returned {type(found).__name__}."


def get_setup(candidate: Candidate) -> Setup:
    """Return the setup of a provider; a minimal one if it has none."""
    try:
        found: object = candidate.provider.setup
    except Exception:  # as above
        found = None
    if not isinstance(found, Setup):
        return Setup(title=candidate.name, about="")
    return Setup(
        title=_text(found.title) or candidate.name,
        about=_text(found.about),
        url=_text(found.url),
        settings=_texts(found.settings),
        variables=_texts(found.variables),
    )


def fetches_one_by_one(candidate: Candidate) -> bool:
    """Return whether a provider requests each page separately."""
    try:
        return getattr(candidate.provider, "one_by_one", False) is True
    except Exception:  # as above
        return False


def _text(value: object) -> str:
    return clean_line(value, _SETUP_CHARS) if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    """Return a tuple of texts; a single text becomes a tuple of one."""
    listed = [value] if isinstance(value, str) else value if isinstance(value, tuple | list) else ()
    return tuple(filter(None, map(_text, listed)))


def sort_providers(providers: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """Sort providers by preference."""

    def place(name: str) -> tuple[int, str]:
        if name in ORDER:
            return ORDER.index(name), name
        return len(ORDER) + (1 + KEYLESS.index(name) if name in KEYLESS else 0), name

    return tuple(Candidate(name=name, provider=providers[name]) for name in sorted(providers, key=place))


def setup_hint(setup: Setup) -> str:
    """Describe how to set up a provider, in a sentence; empty when there is nothing to do."""
    ways = [f"run 'hermes config set {key} -'" for key in setup.settings[:1]]
    ways += [f"set {name}" for name in setup.variables[:1]]
    hint = f"Ask the user to {', or to '.join(ways)}" if ways else ""
    if setup.url:
        hint = f"{hint}; see {setup.url}" if hint else f"See {setup.url}"
    return f"{hint}." if hint else ""
