"""Defines the guard's result: a verdict, and the findings that led to it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from hermes_guard.dependencies import Uses
    from hermes_guard.shell_state import ShellState

Severity = Literal["allow", "ask", "refuse"]

_RANK: dict[str, int] = {"allow": 0, "ask": 1, "refuse": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason why a command needs approval or is refused."""

    rule: str
    severity: Literal["ask", "refuse"]
    reason: str
    effects: frozenset[str] = frozenset()
    #: The position in the judged text as character offsets, or None when it has none there.
    span: tuple[int, int] | None = None
    #: The normalized argument vector; the text itself if it is unreadable.
    argv: tuple[str, ...] = ()
    path: str = ""
    #: The wrappers that decide as whom and where it runs, and its input.
    place: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The identity of what is approved: the same for every spelling of the same command, and for no other.

        It covers the rule, the words of the command, the path, the user and machine it runs as and on, and its input.
        """
        said = json.dumps([self.rule, self.argv, self.path, self.place], ensure_ascii=True)
        return hashlib.sha256(said.encode()).hexdigest()[:32]

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain JSON data."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "reason": self.reason,
            "effects": sorted(self.effects),
            "span": list(self.span) if self.span else None,
            "argv": list(self.argv),
            "path": self.path,
            "place": list(self.place),
            "key": self.key,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings about one command or path. The strictest one decides."""

    findings: tuple[Finding, ...] = ()
    #: The resulting shell state; None when it was judged without a state.
    after: "ShellState | None" = field(default=None, compare=False, repr=False)
    #: What the command depends on besides its text; None when it was judged without a state, or nothing was found.
    uses: "Uses | None" = field(default=None, compare=False, repr=False)

    @property
    def severity(self) -> Severity:
        """The strictest severity of all findings; `allow` without any."""
        worst: Severity = "allow"
        for finding in self.findings:
            if _RANK[finding.severity] > _RANK[worst]:
                worst = finding.severity
        return worst

    @property
    def allowed(self) -> bool:
        """True when it may run without approval."""
        return not self.findings

    @property
    def refused(self) -> bool:
        """True when it must never run."""
        return self.severity == "refuse"

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the matching rules, each once, in order."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as plain JSON data."""
        return {"severity": self.severity, "findings": [finding.as_dict() for finding in self.findings]}

    @classmethod
    def of(
        cls, findings: Iterable[Finding], after: "ShellState | None" = None, uses: "Uses | None" = None
    ) -> "Verdict":
        """Return a verdict with these findings, each once."""
        return cls(tuple(dict.fromkeys(findings)), after, uses)


def stricter(alone: Iterable[Finding], known: Iterable[Finding]) -> list[Finding]:
    """Combine findings about a text alone with those in its state, which replace milder ones at the same position."""
    by_place: dict[tuple[str, tuple[int, int] | None], list[Finding]] = {}
    for finding in known:
        by_place.setdefault((finding.rule, finding.span), []).append(finding)
    found = []
    for finding in alone:
        better = by_place.get((finding.rule, finding.span), ())
        if not any(_RANK[other.severity] >= _RANK[finding.severity] for other in better):
            found.append(finding)
    return [*found, *(finding for findings in by_place.values() for finding in findings)]
