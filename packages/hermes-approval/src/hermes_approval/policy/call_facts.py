"""The facts of a call that rules can examine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from hermes_core import ApprovalRequest

if TYPE_CHECKING:
    from hermes_core import ToolCall, ToolSpec

APPLICATION = "application"
"""The source of tools that no plugin brought."""


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """The known facts of a tool, for example from an audit log."""

    name: str
    toolset: str = ""
    effects: frozenset[str] = frozenset()


ToolLike: TypeAlias = "ToolSpec | ToolFacts"
"""A tool as rules see it."""


class Subject:
    """One call as rules see it."""

    __slots__ = ("_when", "args", "origin", "session_kind", "source", "tool")

    def __init__(
        self,
        tool: ToolLike,
        args: Mapping[str, Any],
        *,
        source: str = APPLICATION,
        session_kind: str = "interactive",
        origin: str = "direct",
        when: datetime | None = None,
    ) -> None:
        self.tool = tool
        self.args = args
        self.source = source
        self.session_kind = session_kind
        self.origin = origin
        self._when = when

    @classmethod
    def of(cls, about: ToolCall | ApprovalRequest) -> Subject:
        """Return the facts of a call, or of a request for approval."""
        if isinstance(about, ApprovalRequest):
            tool: ToolLike = ToolFacts(about.tool, about.toolset, about.effects)
        else:
            tool = about.tool or ToolFacts(about.name)
        return cls(tool, about.args, source=about.source, session_kind=about.session_kind, origin=about.origin)

    @property
    def when(self) -> datetime:
        """The local time of the call; now by default."""
        if self._when is None:
            self._when = datetime.now()
        elif self._when.tzinfo is not None:
            self._when = self._when.astimezone().replace(tzinfo=None)
        return self._when

    def __repr__(self) -> str:
        return f"Subject({self.tool.name!r}, {self.args!r})"
