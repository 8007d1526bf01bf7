"""Decides who searches and who reads pages: the user's choice first, then the best that can be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from hermes_core import ToolUnavailableError
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH, Access, Setup
from hermes_tools_web.text import clean_line

_DOES = {SEARCH: "search", EXTRACT: "read pages"}
_OWN_SETTING: dict[str, Literal["search_backend", "extract_backend"]] = {
    SEARCH: "search_backend",
    EXTRACT: "extract_backend",
}
_ONLY_SEARCH = frozenset({"brave", "ddgs", "searxng"})
_ONLY_EXTRACT = frozenset({"direct"})
_SURVEY = "See 'hermes web providers' for what can be used."


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Who is asked, and who after that.

    Attributes:
        point: The extension point: `web_search` or `web_extract`.
        candidates: Those who are asked, one after another until one can; never empty.
        explicit: Whether the user chose; then there is one candidate.
        notes: What the user should know about the choice.
    """

    point: str
    candidates: tuple[Candidate, ...]
    explicit: bool = False
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Who is asked first."""
        return self.candidates[0].name


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderStatus:
    """What is known of a provider.

    Attributes:
        name: How the settings call it.
        setup: What it is, what it needs, and where that comes from.
        searches: Whether it searches.
        extracts: Whether it reads pages.
        missing: Why it cannot be used; empty when it can.
        chosen_for: What it does as things are: `web_search`, `web_extract`, both or nothing.
    """

    name: str
    setup: Setup
    searches: bool
    extracts: bool
    missing: str
    chosen_for: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Whether it can be used."""
        return not self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """All providers, and what is wrong with the user's choice.

    Attributes:
        providers: All of them, those first that are asked first.
        problems: Why nobody searches or reads pages as things are, with what to do; empty when all is well.
        notes: What else the user should know about the choice.
    """

    providers: tuple[ProviderStatus, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]


def choose(
    point: str, providers: Mapping[str, Any], access: Access, *, others: Mapping[str, Any] | None = None
) -> Choice:
    """Decide who is asked.

    `web.search_backend` and `web.extract_backend` come first, then `web.backend`, then whoever can be used, in the
    order of `ORDER`, those of other plugins, and `KEYLESS`.

    Args:
        point: `web_search` or `web_extract`.
        providers: Those of the point, by name.
        access: What they work with.
        others: Those of the other point, so that one that cannot do this is told from one that does not exist.

    Raises:
        ToolUnavailableError: the user chose somebody who cannot be used, or nobody can.
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
    """What can be used, what is used, and what the rest lacks.

    Args:
        search: The providers of `web_search`, by name.
        extract: Those of `web_extract`.
        access: What they work with. No network is touched.
    """
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
    told = tuple(_look(each, search, extract, chosen, access) for each in sort_providers({**extract, **search}))
    return Survey(providers=told, problems=tuple(problems), notes=tuple(notes))


def _plain(name: str) -> str:
    plain = name.strip().lower()
    return OLD_NAMES.get(plain, plain)


def _is_known(name: str, point: str, others: Mapping[str, Any]) -> bool:
    """Whether there is somebody of that name who does the other thing only."""
    return name in others or name in (_ONLY_EXTRACT if point == SEARCH else _ONLY_SEARCH)


def _chosen(
    name: str, setting: str, point: str, providers: Mapping[str, Any], others: Mapping[str, Any], access: Access
) -> Choice:
    if name not in providers:
        raise _nobody(name, setting, point, providers, others)
    candidate = Candidate(name=name, provider=providers[name])
    missing = missing_setup(candidate, access)
    if missing is not None:
        raise ToolUnavailableError(
            f"{setting} is {name}, which cannot be used: {missing}",
            hint=setup_hint(get_setup(candidate)) or _SURVEY,
            provider=name,
        )
    return Choice(point=point, candidates=(candidate,), explicit=True)


def _nobody(
    name: str, setting: str, point: str, providers: Mapping[str, Any], others: Mapping[str, Any]
) -> ToolUnavailableError:
    able = ", ".join(candidate.name for candidate in sort_providers(providers))
    if _is_known(name, point, others):
        return ToolUnavailableError(
            f"{setting} is {name}, which does not {_DOES[point]}.",
            hint=f"Ask the user to set {setting} to one of these: {able}; or to nothing.",
            provider=name,
        )
    near = get_close_matches(name, _names(providers, others), n=1)
    meant = f" Did the user mean {near[0]}?" if near else ""
    return ToolUnavailableError(
        f"{setting} is {name!r}, and there is no provider of that name.{meant}",
        hint=f"Ask the user to set {setting} to one of these: {able}; or to nothing.",
        provider=name,
    )


def _names(providers: Mapping[str, Any], others: Mapping[str, Any]) -> Iterable[str]:
    return [*providers, *others, *OLD_NAMES]


def _best(point: str, providers: Mapping[str, Any], access: Access, note: str = "") -> Choice:
    able = tuple(each for each in sort_providers(providers) if missing_setup(each, access) is None)
    if not able:
        raise ToolUnavailableError(f"There is nobody here who can {_DOES[point]}.", hint=_SURVEY)
    return Choice(point=point, candidates=able, notes=(f"{note} {able[0].name} does it instead.",) if note else ())


def _look(
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
"""Who is asked first when the user chose nobody. Providers of other plugins come after these, by name."""
KEYLESS = ("ddgs", "direct")
"""Who comes last: they need nothing, so there is always somebody."""
_SETUP_CHARS = 300
OLD_NAMES = {"brave-free": "brave", "duckduckgo": "ddgs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A provider and its name.

    Attributes:
        name: How the settings call it.
        provider: A `SearchProvider` or an `ExtractProvider`.
    """

    name: str
    provider: Any


def missing_setup(candidate: Candidate, access: Access) -> str | None:
    """Why a provider cannot be used; None when it can. One that fails to tell cannot be."""
    try:
        found: object = candidate.provider.missing(access)
    except Exception as error:  # a provider of another plugin may raise anything
        return f"{candidate.name} cannot tell whether it can be used: {type(error).__name__}."
    if found is None or isinstance(found, str):
        return found
    return f"{candidate.name} cannot tell whether it can be used: it answered {type(found).__name__}."


def get_setup(candidate: Candidate) -> Setup:
    """What a user needs to know; of one that does not tell, its name."""
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
    """Whether a provider asks for each page by itself anyway."""
    try:
        return getattr(candidate.provider, "one_by_one", False) is True
    except Exception:  # as above
        return False


def _text(value: object) -> str:
    return clean_line(value, _SETUP_CHARS) if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    """A list of names; one alone is taken for a list of one, since its letters are no names."""
    listed = [value] if isinstance(value, str) else value if isinstance(value, tuple | list) else ()
    return tuple(filter(None, map(_text, listed)))


def sort_providers(providers: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """All providers of a point, those first that are asked first."""

    def place(name: str) -> tuple[int, str]:
        if name in ORDER:
            return ORDER.index(name), name
        return len(ORDER) + (1 + KEYLESS.index(name) if name in KEYLESS else 0), name

    return tuple(Candidate(name=name, provider=providers[name]) for name in sorted(providers, key=place))


def setup_hint(setup: Setup) -> str:
    """What the user does so that a provider can be used, in a sentence; empty when there is nothing."""
    ways = [f"run 'hermes config set {key} -'" for key in setup.settings[:1]]
    ways += [f"set {name}" for name in setup.variables[:1]]
    told = f"Ask the user to {', or to '.join(ways)}" if ways else ""
    if setup.url:
        told = f"{told}; see {setup.url}" if told else f"See {setup.url}"
    return f"{told}." if told else ""
