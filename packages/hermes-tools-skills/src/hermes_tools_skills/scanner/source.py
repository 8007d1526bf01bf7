"""A piece of text under examination: where it is, how it is used, and where findings about it go."""

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Literal

from hermes_tools_skills.scanner.destinations import Destinations, classify_host
from hermes_tools_skills.scanner.report import Capability, ScanFinding, Severity, finding_id
from hermes_tools_skills.scanner.rules import RULES

#: How a text is used: it runs without being called, runs when called, is documentation, or is hidden from readers.
Role = Literal["hook", "script", "doc", "hidden"]

#: How many layers of encoding are decoded. Deeper nesting is a finding.
MAX_LAYERS = 6
#: Findings of one rule in one file; more of them add nothing.
_MAX_PER_RULE = 12
#: Capabilities of one skill.
_MAX_CAPABILITIES = 2_000
#: CPU seconds that judging shell code may take in one skill; what is left unread is a finding.
_SHELL_SECONDS = 20.0


@dataclass(slots=True, kw_only=True)
class Recorder:
    """Collects what is found in one skill."""

    content_hash: str
    destinations: Destinations = field(default_factory=Destinations)
    findings: dict[str, ScanFinding] = field(default_factory=dict)
    capabilities: dict[tuple[str, str, str], Capability] = field(default_factory=dict)
    #: Secrets that are read and unknown hosts that data is sent to, to relate them across files.
    secrets_read: dict[str, tuple[str, int]] = field(default_factory=dict)
    uploads: dict[str, tuple[str, int]] = field(default_factory=dict)
    shell_seconds: float = _SHELL_SECONDS
    #: The guard's findings about commands that were judged before.
    judged: dict[str, list[tuple[str, int, int]]] = field(default_factory=dict)
    _counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, rule: str, file: str, line: int, detail: str, severity: Severity | None = None) -> None:
        """Record a finding, unless the file has enough of its kind."""
        entry = RULES[rule]
        level = severity or entry.severity
        count = self._counts[rule, file] = self._counts.get((rule, file), 0) + 1
        if count > _MAX_PER_RULE:
            return
        message = entry.message.format(_shorten(detail)) if "{}" in entry.message else entry.message
        identity = finding_id(self.content_hash, rule, file, line, message)
        self.findings[identity] = ScanFinding(
            rule=rule, severity=level, file=file, line=line, message=message, resolution=entry.resolution, id=identity
        )

    def add_capability(self, kind: str, detail: str, file: str, line: int) -> None:
        """Record something that the skill can do."""
        if len(self.capabilities) < _MAX_CAPABILITIES:
            detail = _shorten(detail)
            self.capabilities.setdefault(
                (kind, detail, file), Capability(kind=kind, detail=detail, file=file, line=line)
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text and its place in the skill."""

    recorder: Recorder
    file: str
    role: Role = "script"
    #: The line of its beginning.
    line: int = 1
    #: How often it was decoded.
    layers: int = 0
    #: True for documentation that warns of what it shows.
    warned: bool = False

    @property
    def documented(self) -> bool:
        """True for text that is shown rather than run."""
        return self.role == "doc"

    def find(self, rule: str, line: int, detail: str = "", severity: Severity | None = None) -> None:
        """Record a finding at a line of the text, counted from 0."""
        if self.warned and self.documented and RULES[rule].severity != "note":
            rule, severity = "code.mention", None
        self.recorder.add(rule, self.file, self.line + line, detail, severity)

    def can(self, kind: str, detail: str, line: int = 0) -> None:
        """Record a capability at a line of the text, counted from 0."""
        self.recorder.add_capability(kind, detail, self.file, self.line + line)

    def connects(self, host: str, line: int = 0, *, uploads: bool = False) -> None:
        """Record a connection to a host."""
        self.can("connects", host, line)
        if uploads and not self.warned and classify_host(host) in {"unknown", "drop"}:
            self.recorder.uploads.setdefault(host, (self.file, self.line + line))

    def reads_secret(self, label: str, line: int = 0) -> None:
        """Record that a secret is read."""
        kind, _, name = label.partition(":")
        self.can("reads environment" if kind == "env" else "reads secret file", name, line)
        if not self.warned and (kind != "env" or name == "*"):
            self.recorder.secrets_read.setdefault(label, (self.file, self.line + line))

    def sends(self, labels: frozenset[str] | set[str], hosts: list[str], line: int, what: str = "") -> None:
        """Judge a flow of secrets to hosts, and record it as a finding or as a capability."""
        for host in hosts:
            self.connects(host, line, uploads=True)
        for label in sorted(label for label in labels if label.partition(":")[0] in {"env", "file"}):
            target = ", ".join(hosts) or what or "the network"
            rule = self.recorder.destinations.judge(label, hosts)
            if rule:
                self.find(rule, line, f"{label.partition(':')[2]} to {target}")
            else:
                self.can("sends credential", f"{label.partition(':')[2]} to {target}", line)

    def nested(self, line: int, *, role: Role | None = None) -> "Source":
        """Return the source of a text that was decoded from this one."""
        return replace(self, line=self.line + line, layers=self.layers + 1, role=role or self.role)

    def part(self, line: int, role: Role, *, warned: bool = False) -> "Source":
        """Return the source of a part of this text, in another role."""
        return replace(self, line=self.line + line, role=role, warned=warned or self.warned)

    def judge_shell(self, command: str) -> "list[tuple[str, int, int]] | None":
        """Return the guard's findings as rule, start and end in the text; None when the time is used up."""
        from hermes_guard import judge

        found = self.recorder.judged.get(command)
        if found is None and self.recorder.shell_seconds > 0:
            started = process_time()
            verdict = judge(command, home="/home/user", cwd="/home/user/skill")
            self.recorder.shell_seconds -= process_time() - started
            found = [(finding.rule, *(finding.span or (0, len(command)))) for finding in verdict.findings]
            self.recorder.judged[command] = found
        return found


class Lines:
    """Finds the line of an offset."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def at(self, offset: int) -> int:
        """Return the line of an offset, counted from 0."""
        return bisect_right(self._starts, offset) - 1


def _shorten(text: str) -> str:
    shown = "".join(char if char.isprintable() else " " for char in text[:400])
    shown = " ".join(shown.split())
    return shown if len(shown) <= 160 else f"{shown[:157]}..."
