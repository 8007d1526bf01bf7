"""The built-in providers, and the selection of one for a call: the user's choice, or the best one available."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any

from hermes_core import ToolUnavailableError
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH, Access, Setup
from hermes_tools_web.text import clean_line

ORDER = ("tavily", "exa", "parallel", "firecrawl", "searxng", "brave")
"""The preferred order when the user chose none. Providers of other plugins follow, by name."""
KEYLESS = ("ddgs", "direct")
"""The last resort: they need no setup, so one is always available."""
OLD_NAMES = {"brave-free": "brave", "duckduckgo": "ddgs"}
_ONLY = {"brave": SEARCH, "ddgs": SEARCH, "searxng": SEARCH, "direct": EXTRACT}
_DOES = {SEARCH: "search", EXTRACT: "extract pages"}
_SETTINGS = {SEARCH: "search_backend", EXTRACT: "extract_backend"}
_SURVEY = "Run 'hermes web providers' to list the providers."
_SETUP_CHARS = 300
Providers = Mapping[str, Any]


def provider_factories() -> dict[str, dict[str, Callable[[], object]]]:
    """Return the factories of the built-in providers, by extension point and name; they are imported on first use."""
    names = (*ORDER, *KEYLESS)
    return {point: {name: partial(_make, name) for name in names if _ONLY.get(name, point) == point} for point in _DOES}


def _make(name: str) -> object:
    made: object = getattr(import_module(f"hermes_tools_web.providers.{name}"), f"{name.title()}Provider")()
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A provider with its name."""

    name: str  # the name in the settings
    provider: Any  # a `SearchProvider` or an `ExtractProvider`


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


def choose(point: str, providers: Providers, access: Access, *, others: Providers | None = None) -> Choice:
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
    note = ""
    for setting in (_SETTINGS[point], "backend"):
        written = getattr(access.settings, setting).strip().lower()
        name = OLD_NAMES.get(written, written)
        does_other = name in (others or {}) or _ONLY.get(name, point) != point
        if name and name not in providers and does_other and setting == "backend":
            note = f"web.backend is {name}, which does not {_DOES[point]}."
        elif name:
            return _chosen(name, f"web.{setting}", point, providers, (others or {}) if not does_other else None, access)
    able = tuple(each for each in sort_providers(providers) if missing_setup(each, access) is None)
    if not able:
        raise ToolUnavailableError(f"No provider can {_DOES[point]}.", hint=_SURVEY)
    return Choice(point=point, candidates=able, notes=(f"{note} {able[0].name} is used instead.",) if note else ())


def _chosen(
    name: str, setting: str, point: str, providers: Providers, others: Providers | None, access: Access
) -> Choice:
    """Return the choice of the user; `others` is None when the provider is known to have only the other capability."""
    if name not in providers:
        message = f"{setting} is {name}, which does not {_DOES[point]}."
        if others is not None:
            near = get_close_matches(name, [*providers, *others, *OLD_NAMES], n=1)
            meant = f" Did the user mean {near[0]}?" if near else ""
            message = f"{setting} is {name!r}, which is not a provider.{meant}"
        able = ", ".join(candidate.name for candidate in sort_providers(providers))
        hint = f"Ask the user to set {setting} to one of these: {able}, or remove it."
        raise ToolUnavailableError(message, hint=hint, provider=name)
    candidate = Candidate(name=name, provider=providers[name])
    missing = missing_setup(candidate, access)
    if missing is not None:
        message = f"{setting} is {name}, which cannot be used: {missing}"
        raise ToolUnavailableError(message, hint=setup_hint(get_setup(candidate)) or _SURVEY, provider=name)
    return Choice(point=point, candidates=(candidate,), explicit=True)


def survey(search: Providers, extract: Providers, access: Access) -> Survey:
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
    statuses = (
        ProviderStatus(
            name=each.name,
            setup=get_setup(each),
            searches=each.name in search,
            extracts=each.name in extract,
            missing=missing_setup(each, access) or "",
            chosen_for=tuple(point for point, name in chosen.items() if name == each.name),
        )
        for each in sort_providers({**extract, **search})
    )
    return Survey(providers=tuple(statuses), problems=tuple(problems), notes=tuple(notes))


def sort_providers(providers: Providers) -> tuple[Candidate, ...]:
    """Sort providers by preference."""
    places = {name: place for place, name in enumerate((*ORDER, "", *KEYLESS))}
    names = sorted(providers, key=lambda name: (places.get(name, places[""]), name))
    return tuple(Candidate(name=name, provider=providers[name]) for name in names)


# What third-party providers say of themselves: they may raise anything


def missing_setup(candidate: Candidate, access: Access) -> str | None:
    """Explain why a provider cannot be used; None when it can."""
    try:
        found: object = candidate.provider.missing(access)
    except Exception as error:  # as above
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


def setup_hint(setup: Setup) -> str:
    """Describe how to set up a provider, in a sentence; empty when there is nothing to do."""
    ways = [f"run 'hermes config set {key} -'" for key in setup.settings[:1]]
    ways += [f"set {name}" for name in setup.variables[:1]]
    hint = f"Ask the user to {', or to '.join(ways)}" if ways else ""
    if setup.url:
        hint = f"{hint}; see {setup.url}" if hint else f"See {setup.url}"
    return f"{hint}." if hint else ""
