"""A plugin that was found but not loaded yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hermes_core.plugins.manifest import Manifest

APPLICATION = "application"
"""The origin of what no plugin brought: the program that uses this library."""

ONE_RUN = "HERMES_PLUGINS"
"""The variable that names the plugins of one run, and their origin."""


class HeldBack(NamedTuple):
    """Why a tool must not run, what to do, and whether that is because `hermes.lock` does not know it so."""

    reason: str
    remedy: str
    quarantined: bool = False


class Candidate:  # no dataclass: to make one would take a third of a millisecond of every `hermes --help`
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
        sources: Reads the text of its code, without running it; None when that cannot be known.
        reference: How another process finds it: `object`, `file` or an adapter, and the entry point's value or the
            path; None when it exists in this process only.
    """

    def __init__(
        self,
        *,
        name: str,
        origin: str,
        load: Callable[[], object],
        distribution: str | None = None,
        version: str | None = None,
        manifest: Callable[[], Manifest | None] | None = None,
        refusal: tuple[str, str] | None = None,
        api: str | None = None,
        sources: Callable[[], Iterable[bytes]] | None = None,
        reference: tuple[str, str] | None = None,
    ) -> None:
        self.name = name
        self.origin = origin
        self.load = load
        self.distribution = distribution
        self.version = version
        self.manifest = manifest
        self.refusal = refusal
        self.api = api
        self.sources = sources
        self.reference = reference
