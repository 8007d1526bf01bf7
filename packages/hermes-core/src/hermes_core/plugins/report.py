"""What became of each plugin, in words that its author and its user can act on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

PluginStatus = Literal["loaded", "partial", "failed", "disabled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """One plugin in the load report.

    Attributes:
        name: The entry point's name.
        origin: Where it came from: `entry point` or `application`.
        distribution: The distribution that ships it.
        version: That distribution's version.
        status: `loaded`; `partial` when something of it was refused; `failed`; `disabled` by the user.
        tools: The tools it brought.
        hooks: The hooks it implements.
        seconds: How long import and registration took.
        problems: What went wrong, one sentence each.
        remedy: What to do about it.
        notes: What of a plugin written for Hermes Agent is left out here.
    """

    name: str
    origin: str
    distribution: str | None = None
    version: str | None = None
    status: PluginStatus = "loaded"
    tools: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    remedy: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Every plugin that was found, in the order in which they were loaded."""

    plugins: tuple[PluginRecord, ...] = ()

    def __iter__(self) -> Iterator[PluginRecord]:
        return iter(self.plugins)

    def __len__(self) -> int:
        return len(self.plugins)

    def get(self, name: str) -> PluginRecord | None:
        """The record of one plugin."""
        return next((record for record in self.plugins if record.name == name), None)

    @property
    def problems(self) -> tuple[PluginRecord, ...]:
        """The plugins of which something, or everything, could not be used."""
        return tuple(record for record in self.plugins if record.status in ("failed", "partial"))
