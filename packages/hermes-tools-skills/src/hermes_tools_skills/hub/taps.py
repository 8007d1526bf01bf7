"""Taps: the repositories and sites whose skills are searched."""

from __future__ import annotations

import re

from hermes_core.settings import refuse_inside
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.state_files import StateFiles, edit_json, read_json
from hermes_tools_skills.providers.github_api import Location

DEFAULT_TAPS = {
    "github": ("anthropics/skills", "huggingface/skills", "NVIDIA/skills", "openai/skills"),
    "claude": ("anthropics/claude-code",),
}
_SITE = re.compile(r"(?:https?://)?[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?")


def list_taps(state: StateFiles) -> dict[str, list[str]]:
    """Return the taps by the name of their source. Raises `HubError` if the file is damaged."""
    stored = read_json(state.taps)
    added, removed = (_strings(stored.get(key)) for key in ("added", "removed"))
    names = [f"{source}:{name}" for source, taps in DEFAULT_TAPS.items() for name in taps]
    found: dict[str, list[str]] = {}
    for tap in [*(name for name in names if name not in removed), *added]:
        source, _, name = tap.partition(":")
        found.setdefault(source, []).append(name)
    return found


def add_tap(state: StateFiles, tap: str) -> str:
    """Add a tap and return its full name. Raises `HubError` if it is not valid, or is one already."""
    refuse_inside("Taps cannot be added")
    source, name = _parse(tap)
    full = f"{source}:{name}"
    if name.lower() in (each.lower() for each in list_taps(state).get(source, ())):
        raise HubError(f"{full} is a tap already.", kind="taken")

    def edit(stored: dict[str, object]) -> None:
        removed = [each for each in _strings(stored.get("removed")) if each != full]
        default = name in DEFAULT_TAPS.get(source, ())
        stored["removed"] = removed
        stored["added"] = _strings(stored.get("added")) + ([] if default else [full])

    edit_json(state.taps, edit)
    state.append_audit("tap add", "", tap=full)
    return full


def remove_tap(state: StateFiles, tap: str) -> str:
    """Remove a tap and return its full name. Skills that were installed from it stay. Raises `HubError`."""
    refuse_inside("Taps cannot be removed")
    source, name = _parse(tap)
    full = f"{source}:{name}"
    if name not in list_taps(state).get(source, ()):
        raise HubError(f"{full} is not a tap.", kind="missing")

    def edit(stored: dict[str, object]) -> None:
        removed = _strings(stored.get("removed"))
        stored["removed"] = removed + ([full] if name in DEFAULT_TAPS.get(source, ()) else [])
        stored["added"] = [each for each in _strings(stored.get("added")) if each != full]

    edit_json(state.taps, edit)
    state.append_audit("tap remove", "", tap=full)
    return full


def _parse(tap: str) -> tuple[str, str]:
    source, colon, name = tap.partition(":")
    if not colon or source not in ("github", "claude", "wellknown"):
        source, name = "github", tap.removeprefix("https://github.com/")
    name = name.strip("/")
    if source == "wellknown":
        if not _SITE.fullmatch(name):
            raise HubError(f"{name[:200]!r} is not a site. Example: wellknown:example.org")
        return source, name
    location = Location.parse(name)
    if location.path:
        raise HubError(f"{name[:200]!r} is a directory; a tap is a repository. Example: owner/repository")
    return source, name


def _strings(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
