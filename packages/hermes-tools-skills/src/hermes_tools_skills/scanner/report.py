"""What a scan returns: findings, capabilities and a verdict, and what the verdict means for each level of trust."""

import hashlib
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Severity = Literal["note", "caution", "dangerous"]
Verdict = Literal["safe", "caution", "dangerous"]
Action = Literal["allow", "ask", "block"]

TRUST_LEVELS = ("builtin", "trusted", "community", "agent-created")

#: What to do with a skill, by trust level and verdict.
_POLICY: dict[str, dict[Verdict, Action]] = {
    "builtin": {"safe": "allow", "caution": "allow", "dangerous": "allow"},
    "trusted": {"safe": "allow", "caution": "allow", "dangerous": "block"},
    "community": {"safe": "allow", "caution": "block", "dangerous": "block"},
    "agent-created": {"safe": "allow", "caution": "allow", "dangerous": "ask"},
}
_RANK = {"note": 0, "caution": 1, "dangerous": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanFinding:
    """One thing the scanner found, and what would resolve it."""

    rule: str
    severity: Severity
    file: str
    line: int
    message: str
    resolution: str
    #: Identifies this finding in this content: it changes with every change of the skill.
    id: str


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Capability:
    """Something the skill can do, such as connecting to a host."""

    kind: str
    detail: str
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """The result of scanning one skill."""

    findings: tuple[ScanFinding, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    content_hash: str = ""
    files: tuple[str, ...] = ()
    #: Errors of the scanner. A skill that was not scanned completely is blocked.
    problems: tuple[str, ...] = ()
    trust: str = "community"
    #: Findings that the user accepted for exactly this content. They do not count.
    accepted: tuple[ScanFinding, ...] = field(default=())

    @property
    def verdict(self) -> Verdict:
        """The worst severity of the findings that were not accepted."""
        worst = max((_RANK[finding.severity] for finding in self.findings), default=0)
        if self.problems:
            worst = 2
        return ("safe", "caution", "dangerous")[worst]

    def action(self, trust: str | None = None, *, force: bool = False) -> Action:
        """Return what to do with the skill. An unknown trust level counts as `community`.

        Args:
            trust: The trust level; by default the one it was scanned with.
            force: Install despite `caution`. It does not override `dangerous`.
        """
        if self.problems:
            return "block"
        action = _POLICY.get(trust or self.trust, _POLICY["community"])[self.verdict]
        return "allow" if force and action == "block" and self.verdict == "caution" else action

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON data."""
        return {"verdict": self.verdict, "action": self.action(), **asdict(self)}


def finding_id(content_hash: str, rule: str, file: str, line: int, message: str) -> str:
    """Return the id of a finding, which is bound to the content it was found in."""
    said = "\0".join((content_hash, rule, file, str(line), message))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]
