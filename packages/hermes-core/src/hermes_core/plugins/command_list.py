"""The commands that plugins add to `hermes`, known from their manifests alone: no plugin is imported."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_core.errors import PluginError
from hermes_core.plugins import sources

if TYPE_CHECKING:
    from hermes_core.config.settings import Settings
    from hermes_core.plugins.candidate import Candidate
    from hermes_core.plugins.manifest import Manifest


class CommandList:
    """What can be known of plugins' commands without running plugins.

    Attributes:
        commands: Command name to the line that `hermes --help` shows.
        silent: Plugins that would be loaded, but have no manifest to say whether they have commands.
    """

    # Not a dataclass: `hermes --help` waits for it to be made.
    __slots__ = ("commands", "silent")

    def __init__(self, commands: dict[str, str], silent: tuple[str, ...]) -> None:
        self.commands = commands
        self.silent = silent


def list_commands(home: str, settings: Settings | None = None) -> CommandList:
    """The commands of the plugins that would be loaded; of two with one name, the first counts.

    Args:
        home: The folder for settings and state.
        settings: What the user set; None when that is nothing.
    """
    chosen = sources.chosen_for_this_run()
    commands: dict[str, str] = {}
    silent: dict[str, None] = {}
    seen: set[str] = set()
    for candidate in sources.find_installed():
        off = sources.turned_off(candidate.name, settings, chosen)
        if off or candidate.refusal is not None or candidate.name in seen:
            continue
        seen.add(candidate.name)
        manifest = _manifest(candidate)
        if manifest is None:
            silent[candidate.name] = None
        elif _fits(manifest.api):
            for entry in manifest.commands:
                commands.setdefault(entry["name"], str(entry.get("help", "")))
    for name in _without_manifests(home, settings, chosen):
        if name not in seen:
            silent[name] = None
    return CommandList(commands, tuple(silent))


def _manifest(candidate: Candidate) -> Manifest | None:
    try:
        return candidate.manifest() if candidate.manifest is not None else None
    except PluginError:  # the host says so; the code then speaks for itself
        return None


def _fits(api: str) -> bool:
    from hermes_core.plugins.api import within

    try:
        return within(api)
    except ValueError:
        return False


def _without_manifests(home: str, settings: Settings | None, chosen: tuple[str, ...] | None) -> Iterator[str]:
    """The plugins that never have a manifest: files, what `HERMES_PLUGINS` names, those of other programs."""
    for file in sources.plugin_files(os.path.join(home, "plugins")):
        name = os.path.splitext(os.path.basename(file))[0]
        if not sources.turned_off(name, settings, chosen):
            yield name
    for candidate in sources.find_project_files(home):
        if candidate.refusal is None and not sources.turned_off(candidate.name, settings, chosen):
            yield candidate.name
    for word in chosen or ():
        if sources.is_file_word(word) or sources.is_module_word(word):
            yield word
    if settings is not None and settings.plugins_upstream:
        for candidate in sources.find_adapted():
            if candidate.refusal is None and not sources.turned_off(candidate.name, settings, chosen):
                yield candidate.name
