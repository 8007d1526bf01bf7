"""What became of each plugin, in words that its author and its user can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

PluginStatus = Literal["loaded", "partial", "failed", "disabled", "untrusted"]


class PluginRecord(NamedTuple):  # a dataclass takes ten times as long to make, on the way to every listing
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

    @property
    def problems(self) -> tuple[PluginRecord, ...]:
        """The plugins of which something, or everything, could not be used."""
        return tuple(record for record in self if record.status in ("failed", "partial"))
