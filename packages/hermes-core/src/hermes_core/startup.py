"""What a host needs to start: the user's settings and lock, and required plugins."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hermes_core.config.core_settings import POLICY_SECTIONS, Settings
from hermes_core.config.home import may_be_there, says_something
from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError, PluginError, ToolDefinitionError
from hermes_core.tools.toolset import Toolset, ToolsetCatalog

if TYPE_CHECKING:
    from hermes_core.config.config import Config
    from hermes_core.plugins.lazy_parts import LazyConfig
    from hermes_core.plugins.lock import Lock
    from hermes_core.plugins.manager import Plugins
    from hermes_core.plugins.plugin_records import LoadReport


def read_user(home: str, options: dict[str, Any]) -> Config | None:
    """Return the user's settings, which an application cannot override, and add them to options without settings."""
    if not says_something(home, settings_environ()):
        return None
    from hermes_core.config.config import Config

    written = Config(home)
    given = options.get("config")
    if not isinstance(given, Config):
        written.settings()  # raises before anything is created
        options["config"] = written if given is None else {**written.data(), **given}
        options.setdefault("environ", written.environ)
    return written


def remove_leftovers(home: str) -> None:
    """Remove temporary files that killed processes left in the user's home."""
    for folder in (home, os.path.join(home, "cache"), os.path.join(home, "approvals")):
        with suppress(OSError):  # missing, or reported elsewhere
            if any(name.startswith(".hermes-") for name in os.listdir(folder)):
                from hermes_files import atomic

                atomic.remove_leftovers(folder)


def lock_in_effect(home: str) -> Lock | None:
    """Return the contents of `hermes.lock`; None without importing anything if there is none."""
    environ = settings_environ()
    if "HERMES_LOCK" not in environ and not any(
        may_be_there(os.path.join(folder, "hermes.lock")) for folder in ("", home)
    ):
        return None
    from pathlib import Path

    from hermes_core.plugins.lock_file import find_lock, read_lock

    file = find_lock(Path(home), environ)
    return None if file is None else read_lock(file)


def declare_toolsets(catalog: ToolsetCatalog, settings: Settings, home: str) -> None:
    """Add the toolsets from the user's settings. Raises `ConfigError` if one is invalid."""
    for name, entry in settings.toolsets.items():
        parts = {part: entry.get(part) or () for part in ("tools", "includes", "aliases")}
        try:
            catalog.add(Toolset(name, description=str(entry.get("description") or ""), **parts), replace=True)
        except ToolDefinitionError as error:
            file = os.path.join(home, "config.yaml")
            raise ConfigError(str(error), file=file, key=f"toolsets.{name}") from error


def require_plugins(settings: Settings, report: Callable[[], LoadReport]) -> None:
    """Raise `PluginError` if a plugin that the user listed in `plugins.required` cannot be used."""
    for name in settings.plugins_required:
        owner = settings.plugins_distributions.get(name)
        record = report().shipped_by(owner).get(name)
        if record is None or record.status not in ("loaded", "partial") or record.quarantined:
            problems = " ".join(record.problems) if record and record.problems else "it is not installed."
            remedy = f"Install {owner or 'it'}, or change plugins.required in config.yaml."
            reason = f"plugins.required lists it, but it cannot be used: {problems}"
            raise PluginError(reason, plugin=name, remedy=(record and record.remedy) or remedy)


def deny_without_reader(config: LazyConfig, plugins: Plugins) -> None:
    """Deny every call while the settings contain a policy that no plugin reads."""
    for section, distribution in POLICY_SECTIONS.items():
        if config.registrar.owners_of_section(section):
            continue
        name = f"{section} (not read)"
        if name not in plugins.names() and any(each.stored(section) is not None for each in config.sources):
            from hermes_core.plugins.policy_plugins import UnreadPolicy

            plugins.accept(UnreadPolicy(section, distribution, config.registrar.owners_of_section), name)
