"""The errors of the hub, besides those of sources."""

from __future__ import annotations

from typing import Literal

from hermes_core.errors import HermesError


class HubError(HermesError):
    """Raised when the hub cannot do what the user asked for; nothing was changed.

    Attributes:
        reason: What is wrong and what to do, as sentences.
        kind: Why: a wrong argument, something that is missing, a name that is taken, local changes, a state file, a
            skill that is blocked, or a user who did not confirm.
    """

    code = "skills_hub"

    def __init__(
        self,
        reason: str,
        *,
        kind: Literal["invalid", "missing", "taken", "changed", "state", "blocked", "declined"] = "invalid",
    ) -> None:
        self.reason = reason
        self.kind = kind
        super().__init__(reason)
