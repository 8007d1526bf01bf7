"""Scan a version of a skill before it is used. A scanner that is missing or fails blocks."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hermes_core.errors import describe_error

Action = Literal["allow", "ask", "block"]
TRUST = "agent-created"
"""The trust in skills that models, or users, write here: something dangerous needs approval."""

_MAX_FINDINGS = 100
_log = logging.getLogger("hermes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The answer of the scanner about one version of a skill.

    Attributes:
        action: Whether the version may be used.
        verdict: `safe`, `caution`, `dangerous`, or `failed` if there is no report.
        findings: All findings, for users and the audit log.
    """

    action: Action
    verdict: str
    findings: tuple[dict[str, Any], ...] = ()

    @property
    def classes(self) -> list[str]:
        """The rules of the findings that matter: all that a model learns about them."""
        return sorted({str(each["rule"]) for each in self.findings if each["severity"] != "note"})

    def describe(self) -> str:
        """Describe all findings to a user."""
        lines = "{file}:{line}: {severity}: {message} [{rule}] {resolution}"
        return "\n".join(lines.format_map(each).rstrip() for each in self.findings)


def review_skill(directory: Path, *, trust: str) -> Review:
    """Scan a directory and decide whether it may be used with a level of trust. Raises nothing."""
    try:
        from hermes_tools_skills.scanner import scan_skill

        report = scan_skill(directory, trust=trust)
        findings = _plain(report.findings)
        if report.problems:
            return _failed("; ".join(report.problems), findings)
    except Exception as error:  # the scanner reads hostile files, and an error in it must block
        _log.exception("The scan of %s failed", directory)
        return _failed(describe_error(error))
    return Review(action=report.action(), verdict=report.verdict, findings=findings)


def _failed(reason: str, findings: tuple[dict[str, Any], ...] = ()) -> Review:
    finding = {"rule": "scan.failed", "severity": "dangerous", "file": ".", "line": 0}
    finding |= {"message": f"The scan failed: {reason}.", "resolution": ""}
    return Review(action="block", verdict="failed", findings=(finding, *findings))


def _plain(findings: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    fields = ("rule", "severity", "file", "line", "message", "resolution")
    return tuple({name: getattr(each, name, "") for name in fields} for each in list(findings)[:_MAX_FINDINGS])
