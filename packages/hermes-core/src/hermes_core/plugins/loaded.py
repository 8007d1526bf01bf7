"""One plugin of a host, and what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hermes_core.errors import PluginError, ToolDefinitionError
from hermes_core.plugins.api import unfit
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.manifest import MANIFEST_REMEDY
from hermes_core.plugins.offer import offer_of_manifest
from hermes_core.plugins.registration import Registered

if TYPE_CHECKING:
    from hermes_core.plugins.contribution import Contribution
    from hermes_core.plugins.manifest import Manifest
    from hermes_core.plugins.offer import Make, Offer
    from hermes_core.plugins.report import PluginRecord


class LoadedPlugin:
    """What is known of a plugin since the loader looked at it.

    Attributes:
        candidate: What was known before.
        facts: What the report says of it beside that: the fields of `PluginRecord`.
        manifest: Its manifest, when it has one that can be used.
        offer: What its manifest offers.
        policy_hooks: The hooks of its manifest that can keep a call from running.
        problems: What was found to be wrong before its code was imported.
        error: Why its code must not be imported.
        placed: What it has in the host.
        unaccepted: Those of its tools that are held back because their toolset belongs to another distribution.
        brought: What its code gave; None before it was imported.
        lock: Held while it is imported.
    """

    __slots__ = (
        *("brought", "candidate", "error", "facts", "lock", "manifest", "offer", "placed", "policy_hooks", "problems"),
        "unaccepted",
    )

    def __init__(self, candidate: Candidate, facts: dict[str, Any] | None = None) -> None:
        self.candidate = candidate
        self.facts = facts or {}
        self.manifest: Manifest | None = None
        self.offer: Offer | None = None
        self.policy_hooks: tuple[str, ...] = ()
        self.problems: list[tuple[str, str]] = []
        self.error: PluginError | None = None
        self.unaccepted: set[str] = set()
        self.placed = Registered()
        self.brought: Contribution | None = None
        self.lock = threading.Lock()

    def read_manifest(self, late: Callable[[str, str], Make]) -> None:
        """Find out what the manifest offers, and whether the plugin fits this version of the API.

        Args:
            late: Gives for an extension point and a name what makes the provider once the plugin is imported.
        """
        candidate = self.candidate
        try:
            manifest = candidate.manifest() if candidate.manifest is not None else None
        except PluginError as error:
            self.problems.append((error.reason, error.remedy or ""))
            manifest = None
        misfit = unfit(manifest.api if manifest else candidate.api, candidate.distribution or candidate.name)
        if misfit is not None:
            self.error = PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1])
        if manifest is None:
            return
        self.policy_hooks = manifest.policy_hooks
        try:
            self.offer = offer_of_manifest(manifest, late)
            self.manifest = manifest
        except ToolDefinitionError as error:
            self.problems.append((f"its manifest {manifest.file} cannot be used: {error}", MANIFEST_REMEDY))

    @property
    def record(self) -> PluginRecord:
        """The plugin in the load report; made when somebody wants to see it."""
        from hermes_core.plugins.report import PluginRecord

        candidate = self.candidate
        return PluginRecord(
            name=candidate.name,
            origin=candidate.origin,
            distribution=candidate.distribution,
            version=candidate.version,
            **self.facts,
        )
