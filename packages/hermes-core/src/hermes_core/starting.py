"""What a host starts with: the settings, rules and lock of its user, and the plugins that it must not run without."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hermes_core.config.home import may_be_there, says_something
from hermes_core.config.settings import SECTIONS, Settings
from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError, PluginError, ToolDefinitionError
from hermes_core.plugins.api import POLICY_SECTIONS
from hermes_core.tools.toolset import Toolset, ToolsetCatalog

if TYPE_CHECKING:
    from hermes_core.config.config import Config
    from hermes_core.config.sections import SectionSpec
    from hermes_core.plugins.lazy import LazyConfig
    from hermes_core.plugins.lock.lockfile import Lock
    from hermes_core.plugins.manager import Plugins
    from hermes_core.plugins.report import LoadReport, PluginRecord


def read_user(home: str, options: dict[str, Any]) -> Config | None:
    """Fill in what an application left to the user: settings and keys.

    Args:
        home: The user's folder.
        options: What the application gave to `Hermes.load`; it is completed in place.

    Returns:
        What the user wrote, which an application cannot take back; None when nothing is written.

    Raises:
        ConfigError: `config.yaml` cannot be used as it is.
    """
    written: Config | None = None
    if says_something(home, settings_environ()):
        from hermes_core.config.config import Config

        written = Config(home)
        given = options.get("config")
        if not isinstance(given, Config):
            written.settings()  # raises before anything is made
            options["config"] = written if given is None else {**written.data(), **given}
            options.setdefault("environ", written.environ)
    return written


def core_settings(config: Mapping[str, Any] | Config | None, home: str, environ: Mapping[str, str] | None) -> Settings:
    """Return what the core reads from the settings that an application gives.

    Raises:
        ConfigError: a value cannot be used.
    """
    if config is None or (isinstance(config, Mapping) and SECTIONS.isdisjoint(config)):
        return Settings()
    if isinstance(config, Mapping):
        from hermes_core.config.config import Config

        config = Config(home, environ=environ, data=config)
    return config.settings()


def remove_leftovers(home: str) -> None:
    """Remove temporary files that killed processes left in the user's home."""
    for folder in (home, os.path.join(home, "cache"), os.path.join(home, "approvals")):
        try:
            names = os.listdir(folder)
        except OSError:
            continue  # missing, or reported by what needs it
        if any(name.startswith(".hermes-") or ".json." in name for name in names):
            from hermes_core import files

            files.remove_leftovers(folder)


def check_settings(written: Config | None, sections: Iterable[SectionSpec]) -> None:
    """Check what the user wrote, once the sections of all plugins are known.

    Raises:
        ConfigError: a value does not fit its setting.
    """
    if written is not None:
        written.declare(sections)
        written.require_valid()


def lock_in_effect(home: str) -> Lock | None:
    """What `hermes.lock` says; None when there is none, which is asked before anything is imported for it."""
    environ = settings_environ()
    if "HERMES_LOCK" not in environ and not any(
        may_be_there(os.path.join(folder, "hermes.lock")) for folder in ("", home)
    ):
        return None
    from pathlib import Path

    from hermes_core.plugins.lock.lockfile import find_lock, read_lock

    file = find_lock(Path(home), environ)
    return None if file is None else read_lock(file)


def declare_toolsets(catalog: ToolsetCatalog, settings: Settings, home: str) -> None:
    """Add the toolsets that the user wrote.

    Raises:
        ConfigError: one of them cannot be.
    """
    for name, entry in settings.toolsets.items():
        try:
            toolset = Toolset(
                name,
                description=str(entry.get("description") or ""),
                tools=entry.get("tools") or (),
                includes=entry.get("includes") or (),
                aliases=entry.get("aliases") or (),
            )
            catalog.add(toolset, replace=True)
        except ToolDefinitionError as error:
            file = os.path.join(home, "config.yaml")
            raise ConfigError(str(error), file=file, key=f"toolsets.{name}") from error


def require_plugins(settings: Settings, report: Callable[[], LoadReport]) -> None:
    """Refuse to run without a plugin that the user cannot do without, such as one that holds the policy.

    Raises:
        PluginError: one that `plugins.required` names cannot be used.
    """
    for name in settings.plugins_required:
        owner = settings.plugins_distributions.get(name)
        found = [each for each in report() if each.name == name and (owner is None or _ships(owner, each))]
        record = next((each for each in found if each.status != "disabled"), found[0] if found else None)
        if record is None or record.status not in ("loaded", "partial") or record.quarantined:
            problems = " ".join(record.problems) if record and record.problems else "it is not there."
            what = f"Install {owner}" if owner else "Install it"
            remedy = (record.remedy if record else "") or f"{what}, or change plugins.required in config.yaml."
            raise PluginError(
                f"plugins.required names it, and it cannot be used: {problems}", plugin=name, remedy=remedy
            )


def deny_without_reader(config: LazyConfig, plugins: Plugins) -> None:
    """Deny every call while the settings hold a policy that no plugin reads."""
    for section, distribution in POLICY_SECTIONS.items():
        if config.place.owners_of_section(section):
            continue
        name = f"{section} (not read)"
        if name not in plugins.names() and any(each.stored(section) is not None for each in config.sources):
            from hermes_core.plugins.policy_plugins import UnreadPolicy

            plugins.accept(UnreadPolicy(section, distribution, config.place.owners_of_section), name)


def _ships(distribution: str, record: PluginRecord) -> bool:
    from hermes_core.plugins.names import normalize

    return normalize(record.distribution or "") == normalize(distribution)
