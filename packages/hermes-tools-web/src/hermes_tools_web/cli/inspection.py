"""The commands `hermes web providers` and `hermes web cache`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict

from hermes_core import Hermes
from hermes_core.commands import Column, clean, note, print_json, print_table, say
from hermes_tools_web.cache.web_cache import FOLDER, WebCache
from hermes_tools_web.providers.access import access_for_host
from hermes_tools_web.providers.protocol import EXTRACT, SEARCH
from hermes_tools_web.providers.selection import ProviderStatus, Survey, survey
from hermes_tools_web.settings import WebSettings

_DOES = {SEARCH: "search", EXTRACT: "extract"}
_UNSET = " is not set."
_MB = 1_000_000


def print_providers(*, as_json: bool) -> int:
    """Print all providers with their status, and return the exit code.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    with Hermes.load() as hermes:
        found = survey(hermes.providers(SEARCH), hermes.providers(EXTRACT), access_for_host(hermes))
    if as_json:
        rows = [{**asdict(each), "ready": each.ready, "missing": each.missing or None} for each in found.providers]
        print_json({"providers": rows, "problems": list(found.problems), "notes": list(found.notes)})
    else:
        _print(found)
    return 1 if found.problems else 0


def _print(found: Survey) -> None:
    columns = [Column("provider"), Column("does"), Column("state"), Column("about", "wrap")]
    print_table(columns, [[each.name, _does(each), _state(each), each.setup.about] for each in found.providers])
    lacking = [each for each in found.providers if not each.ready and each.setup.url]
    if lacking:
        say("\nTo use another provider:")
        width = max(len(each.name) for each in lacking)
        for each in lacking:
            say(f"  {each.name:{width}}  {clean(_way(each))}")
    for problem in found.problems:
        note(f"\nhermes: {clean(problem)}")
    for each_note in found.notes:
        note(f"note: {clean(each_note)}")


def _does(each: ProviderStatus) -> str:
    return ", ".join(word for point, word in _DOES.items() if (each.searches if point == SEARCH else each.extracts))


def _state(each: ProviderStatus) -> str:
    if each.chosen_for:
        return f"used for {' and '.join(_DOES[point] for point in each.chosen_for)}"
    if each.ready:
        return "ready"
    names = [*each.setup.variables, *each.setup.settings]
    return f"needs {names[0]}" if names and each.missing.endswith(_UNSET) else each.missing.rstrip(".")


def _way(each: ProviderStatus) -> str:
    """Describe what to set and where to get it."""
    ways = [f"hermes config set {key} -" for key in each.setup.settings] + [f"set {x}" for x in each.setup.variables]
    return f"{ways[0]}; see {each.setup.url}" if ways else f"see {each.setup.url}"


def print_cache(*, clear: bool, as_json: bool) -> int:
    """Print the contents of the cache, or clear it, and return the exit code.

    Raises:
        ConfigError: the user's settings are invalid.
    """
    with closing(Hermes.load(only_looking=True)) as hermes:
        settings = hermes.config.model("web", WebSettings).cache
        folder = hermes.home / FOLDER
    with WebCache(folder, settings) as cache:
        removed = cache.clear() if clear else None
        stats = cache.stats()
    if as_json:
        facts = {**asdict(stats), "path": str(stats.path), "problem": stats.problem or None}
        print_json({**facts, "enabled": settings.enabled, "removed": removed})
    elif stats.problem:
        note(f"hermes: the cache cannot be used: {stats.problem}")
    elif clear:
        say(f"Removed {removed} entries.")
    else:
        size = f"{stats.bytes / _MB:.1f} of {stats.limit / _MB:g} MB"
        off = "" if settings.enabled else "; web.cache.enabled is off, so nothing new is stored"
        say(f"{stats.pages} pages and {stats.searches} searches, {size}, in {stats.path}{off}")
    return 1 if stats.problem else 0
