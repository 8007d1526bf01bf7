"""The result of a proof: who saw the probe, who was skipped, and whose hooks failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PROVEN_HOOKS = (
    "hermes_session_start",
    "hermes_pre_tool_call",
    "hermes_assess_call",
    "hermes_approval_resolved",
    "hermes_transform_tool_result",
    "hermes_post_tool_call",
    "hermes_session_end",
)
"""The hooks that see a call, in order."""

UNPROVEN_HOOKS = {
    "hermes_request_approval": "no one is asked about a probe",
    "hermes_tool_call_started": "a probe changes nothing",
    "hermes_tool_progress": "a probe ends at once",
}
"""The hooks that see no probe, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookProblem:
    """A hook that raised, was late, or returned an invalid answer."""

    hook: str
    plugin: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathProof:
    """The result of one path.

    Attributes:
        path: The name of the path.
        seen: The plugins that saw the probe, by hook, in the order of their calls.
        skipped: Hook and plugin of those that should have seen it.
        failures: The hooks that failed.
        outcomes: The decision about each call; `allowed` if there was none.
        problem: Why the path did not end; empty if it did.
        tried: Whether it was tried.
    """

    path: str
    seen: dict[str, list[str]]
    skipped: list[tuple[str, str]]
    failures: list[HookProblem]
    outcomes: list[str]
    problem: str = ""
    tried: bool = True

    @property
    def ok(self) -> bool:
        """True if it was tried, no hook was skipped, and none failed."""
        return self.tried and not self.skipped and not self.failures and not self.problem

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "path": self.path,
            "ok": self.ok,
            "tried": self.tried,
            "calls": len(self.outcomes),
            "decisions": list(dict.fromkeys(self.outcomes)),
            "hooks": self.seen,
            "skipped": [{"hook": hook, "plugin": plugin} for hook, plugin in self.skipped],
            "failed": [{"hook": each.hook, "plugin": each.plugin, "reason": each.reason} for each in self.failures],
            "problem": self.problem or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The result of all paths.

    Attributes:
        implemented: The plugins that implement each hook, in the order of their calls.
        paths: The paths.
        unusable: The plugins that cannot be used, or only in part, and why: no one knows what they would have seen.
        unproven: The plugins with hooks that see no probe.
        stuck: What blocks all other paths and the exit of the process; usually empty.
    """

    implemented: dict[str, list[str]]
    paths: list[PathProof]
    unusable: dict[str, str]
    unproven: dict[str, list[str]]
    stuck: str = ""

    @property
    def ok(self) -> bool:
        """True if every plugin can be used, no hook was skipped, and none failed."""
        return not self.unusable and all(path.ok for path in self.paths)

    @property
    def unreached(self) -> dict[str, list[str]]:
        """The hooks that saw no probe, because every one was denied before. They were not skipped."""
        found: dict[str, list[str]] = {}
        for hook, plugins in self.implemented.items():
            for plugin in plugins:
                met = any(
                    plugin in path.seen.get(hook, ()) or (hook, plugin) in path.skipped or not path.tried
                    for path in self.paths
                )
                if not met and hook in PROVEN_HOOKS:
                    found.setdefault(hook, []).append(plugin)
        return found

    @property
    def failures(self) -> list[HookProblem]:
        """Each failure once, however many paths it is on."""
        return list(dict.fromkeys(failure for path in self.paths for failure in path.failures))

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "ok": self.ok,
            "hooks": self.implemented,
            "unusable": self.unusable,
            "unproven": self.unproven,
            "unreached": self.unreached,
            "stuck": self.stuck or None,
            "paths": [path.as_dict() for path in self.paths],
        }
