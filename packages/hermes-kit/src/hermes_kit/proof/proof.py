"""What the paths showed: who saw the probe, who was left out, and whose code failed."""

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
"""The hooks that a call meets, in their order."""

UNPROVEN_HOOKS = {
    "hermes_request_approval": "nobody is to be asked about a probe",
    "hermes_tool_call_started": "a probe changes nothing",
    "hermes_tool_progress": "a probe is over at once",
}
"""The hooks of calls that no probe is sent to, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A hook that raised, was late, or gave an answer that means nothing."""

    hook: str
    plugin: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathProof:
    """What one path showed.

    Attributes:
        path: What the path is called.
        seen: The plugins that saw the probe, by hook, in the order in which they were called.
        skipped: Hook and plugin of those that should have seen it.
        failures: Whose hooks failed.
        outcomes: What was decided about each call; `allowed` where nobody judged it.
        problem: Why the path could not be taken to its end; empty when it could.
        tried: Whether it was taken at all.
    """

    path: str
    seen: dict[str, list[str]]
    skipped: list[tuple[str, str]]
    failures: list[Failure]
    outcomes: list[str]
    problem: str = ""
    tried: bool = True

    @property
    def ok(self) -> bool:
        """Whether it was taken, nobody was left out, and nobody failed."""
        return self.tried and not self.skipped and not self.failures and not self.problem

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON."""
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
    """What all paths showed.

    Attributes:
        implemented: The plugins that implement each hook, in the order of the calls.
        paths: The paths.
        unusable: The plugins that cannot be used, or not in full, and why: nobody knows what they would have seen.
        unproven: The plugins that implement hooks which no probe is sent to.
        stuck: What stands in the way of every other path, and keeps the process from ending; empty in most cases.
    """

    implemented: dict[str, list[str]]
    paths: list[PathProof]
    unusable: dict[str, str]
    unproven: dict[str, list[str]]
    stuck: str = ""

    @property
    def ok(self) -> bool:
        """Whether every plugin can be used, nobody was left out, and nobody failed."""
        return not self.unusable and all(path.ok for path in self.paths)

    @property
    def unreached(self) -> dict[str, list[str]]:
        """The hooks that no probe came to, because every one was denied before: nobody left them out."""
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
    def failures(self) -> list[Failure]:
        """Each failure once, whatever the number of its paths."""
        return list(dict.fromkeys(failure for path in self.paths for failure in path.failures))

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {
            "ok": self.ok,
            "hooks": self.implemented,
            "unusable": self.unusable,
            "unproven": self.unproven,
            "unreached": self.unreached,
            "stuck": self.stuck or None,
            "paths": [path.as_dict() for path in self.paths],
        }
