"""Facts about a plugin: before any of its code runs, and after it was loaded.

These are not dataclasses, which take ten times as long to create, because every listing needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from hermes_core.plugins.manifest import Manifest

PluginStatus = Literal["loaded", "partial", "failed", "disabled", "untrusted"]

APPLICATION = "application"
"""The origin of everything from the program that uses this library instead of a plugin."""

ONE_RUN = "HERMES_PLUGINS"
"""The variable with the plugins of one run, and their origin."""


class HeldBack(NamedTuple):
    """Why a tool must not run, what to do, and whether `hermes.lock` is the reason."""

    reason: str
    remedy: str
    quarantined: bool = False


class Candidate(NamedTuple):
    """What is known about a plugin before any of its code runs.

    Attributes:
        name: The name of the entry point or of the file.
        origin: A short description of where it comes from.
        load: Imports it and returns the object with the hooks.
        distribution: Its distribution.
        version: The version of the distribution.
        manifest: Reads its manifest; None if it has none. Raises `PluginError` if the manifest is invalid.
        refusal: Why it must not be loaded, and what to do.
        api: The range of API versions that it needs, if known without a manifest.
        sources: Reads the text of its code, without running it: None if it is too long.
        reference: How another process finds it: `object`, `file` or an adapter, and the entry point's value or the
            path; None if it exists only in this process.
    """

    name: str
    origin: str
    load: Callable[[], object]
    distribution: str | None = None
    version: str | None = None
    manifest: Callable[[], Manifest | None] | None = None
    refusal: tuple[str, str] | None = None
    api: str | None = None
    sources: Callable[[], Iterable[bytes | None]] | None = None
    reference: tuple[str, str] | None = None


class PluginRecord(NamedTuple):
    """One plugin in the load report.

    Attributes:
        name: The name of the entry point or of the file.
        origin: Where it comes from: `entry point`, `home file`, `project file`, `HERMES_PLUGINS` or `application`.
        distribution: Its distribution.
        version: The version of the distribution.
        manifest: The file of its manifest, if it is valid.
        status: `loaded`; `partial` if a part was rejected or is invalid; `failed`; `disabled` by the user; `untrusted`
            if it belongs to a project that the user does not trust.
        tools: Its tools.
        hooks: The hooks that it implements.
        imported: Whether its code was imported. A plugin with a manifest is imported when it is needed.
        seconds: The duration of import and registration.
        problems: The problems, one sentence each.
        remedy: What to do about them.
        quarantined: The tools that are held back because they differ from `hermes.lock`.
        unaccepted: The tools that are held back because their toolset belongs to another distribution.
        denies: Whether all calls are denied, because the plugin holds a policy or is required, and cannot be used.
        notes: The parts of a plugin for Hermes Agent that are not supported.
    """

    name: str
    origin: str
    distribution: str | None = None
    version: str | None = None
    manifest: str | None = None
    status: PluginStatus = "loaded"
    tools: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    imported: bool = False
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    remedy: str = ""
    quarantined: tuple[str, ...] = ()
    unaccepted: tuple[str, ...] = ()
    denies: bool = False
    notes: tuple[str, ...] = ()

    def with_failures(self, failures: Mapping[tuple[str, str], str]) -> PluginRecord:
        """Return the record with the failures of hooks, by plugin and hook."""
        failed = [f"its hook {hook} failed: {what}" for (plugin, hook), what in failures.items() if plugin == self.name]
        if not failed or self.status not in ("loaded", "partial"):
            return self
        remedy = self.remedy or "Fix it, or disable it with plugins.disabled in config.yaml."
        return self._replace(status="partial", problems=(*self.problems, *failed), remedy=remedy)


class LoadReport(tuple[PluginRecord, ...]):
    """All plugins that were found, in load order."""

    __slots__ = ()

    def get(self, name: str) -> PluginRecord | None:
        """Return the record of one plugin; if several have the name, the one that is not disabled."""
        found = [record for record in self if record.name == name]
        return next((record for record in found if record.status != "disabled"), found[0] if found else None)

    def shipped_by(self, distribution: str | None) -> LoadReport:
        """Return the records of a distribution's plugins; all if it is None."""
        from hermes_files.installed_packages import normalize

        if distribution is None:
            return self
        return LoadReport(each for each in self if normalize(each.distribution or "") == normalize(distribution))

    @property
    def problems(self) -> tuple[PluginRecord, ...]:
        """The plugins that failed completely or partially."""
        return tuple(record for record in self if record.status in ("failed", "partial"))
