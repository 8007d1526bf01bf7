"""What is known of a plugin: before any of its code has run, and after it was loaded.

These are no dataclasses, which take ten times as long to make, on the way to every listing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from hermes_core.plugins.manifest import Manifest

PluginStatus = Literal["loaded", "partial", "failed", "disabled", "untrusted"]

APPLICATION = "application"
"""The origin of what no plugin brought: the program that uses this library."""

ONE_RUN = "HERMES_PLUGINS"
"""The variable that names the plugins of one run, and their origin."""


class HeldBack(NamedTuple):
    """Why a tool must not run, what to do, and whether that is because `hermes.lock` does not know it so."""

    reason: str
    remedy: str
    quarantined: bool = False


class Candidate(NamedTuple):
    """What is known of a plugin before any of its code has run.

    Attributes:
        name: What users call it: the entry point's name, or that of its file.
        origin: Where it came from, in a few words.
        load: Imports it and returns the object that has the hooks.
        distribution: The distribution that ships it.
        version: That distribution's version.
        manifest: Reads its manifest; None when it has none. Raises `PluginError` when that cannot be read.
        refusal: Why it must not be loaded, and what to do.
        api: The range of API versions that it needs, where that is known without a manifest.
        sources: Reads the text of its code, without running it: None for what is too long.
        reference: How another process finds it: `object`, `file` or an adapter, and the entry point's value or the
            path; None when it exists in this process only.
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
        name: The entry point's name, or that of the file.
        origin: Where it came from: `entry point`, `home file`, `project file`, `HERMES_PLUGINS` or `application`.
        distribution: The distribution that ships it.
        version: That distribution's version.
        manifest: The file of its manifest, where it has one that can be used.
        status: `loaded`; `partial` when something of it was refused or is wrong; `failed`; `disabled` by the user;
            `untrusted` when it is the project's and the user did not say yes.
        tools: The tools it brought.
        hooks: The hooks it implements.
        imported: Whether its code was imported. A plugin with a manifest is imported when it is needed.
        seconds: How long import and registration took.
        problems: What went wrong, one sentence each.
        remedy: What to do about it.
        quarantined: Those of its tools that are held back, because `hermes.lock` knows them otherwise.
        unaccepted: Those of its tools that are held back, because their toolset belongs to another distribution.
        denies: Whether every call is denied, because it holds a policy or is required, and cannot be used.
        notes: What of a plugin written for Hermes Agent is left out here.
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
        """Return the record with what went wrong in hooks, by plugin and hook."""
        failed = [f"its hook {hook} failed: {what}" for (plugin, hook), what in failures.items() if plugin == self.name]
        if not failed or self.status not in ("loaded", "partial"):
            return self
        remedy = self.remedy or "Fix it, or disable it with plugins.disabled in config.yaml."
        return self._replace(status="partial", problems=(*self.problems, *failed), remedy=remedy)


class LoadReport(tuple[PluginRecord, ...]):
    """Every plugin that was found, in the order in which they were loaded."""

    __slots__ = ()

    def get(self, name: str) -> PluginRecord | None:
        """Return the record of one plugin; of two that bear the name, that of the one which is not turned off."""
        found = [record for record in self if record.name == name]
        return next((record for record in found if record.status != "disabled"), found[0] if found else None)

    def shipped_by(self, distribution: str | None) -> LoadReport:
        """Return the records of plugins that a distribution ships; all when it is None."""
        from hermes_files.installed_packages import normalize

        if distribution is None:
            return self
        return LoadReport(each for each in self if normalize(each.distribution or "") == normalize(distribution))

    @property
    def problems(self) -> tuple[PluginRecord, ...]:
        """The plugins of which something, or everything, could not be used."""
        return tuple(record for record in self if record.status in ("failed", "partial"))
