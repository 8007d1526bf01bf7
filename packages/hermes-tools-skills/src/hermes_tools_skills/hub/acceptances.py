"""Findings that users accept. Each is bound to the hash of the content it was found in."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.settings import refuse_inside
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.state_files import StateFiles, edit_json, read_json, timestamp
from hermes_tools_skills.scanner import ScanReport, hash_content, scan_skill

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_REPORTED = 2_000
"""How many findings of past scans can be accepted."""


def scan_staged(state: StateFiles, folder: Path, trust: str) -> ScanReport:
    """Scan a skill that is to be installed, without the findings that the user accepted for exactly this content.

    The findings that remain can be accepted later. An error of the scanner becomes a report that blocks.
    """
    try:
        accepted = accepted_ids(state, hash_content(folder))
        report = scan_skill(folder, trust=trust, accepted=accepted)
    except Exception as error:  # whatever fails in the scanner, the skill was not checked completely
        return ScanReport(problems=(f"The scan failed: {type(error).__name__}: {error}",), trust=trust)
    remember_findings(state, folder.name, report)
    return report


def accepted_ids(state: StateFiles, content_hash: str) -> tuple[str, ...]:
    """Return the findings that the user accepted for some content."""
    accepted = read_json(state.findings).get("accepted", {})
    return tuple(key for key, found in accepted.items() if found.get("content_hash") == content_hash)


def remember_findings(state: StateFiles, name: str, report: ScanReport) -> None:
    """Store the findings of a scan, so that the user can accept them by their id."""
    if not report.findings:
        return
    facts = {each.id: {**asdict(each), "skill": name, "content_hash": report.content_hash} for each in report.findings}

    def edit(stored: dict[str, Any]) -> None:
        reported = {**stored.get("reported", {}), **facts}
        stored["reported"] = dict(list(reported.items())[-_MAX_REPORTED:])

    edit_json(state.findings, edit)


def accept_findings(state: StateFiles, ids: Iterable[str]) -> list[dict[str, Any]]:
    """Accept findings of past scans, log it, and return them.

    Raises:
        HubError: No scan reported one of them.
    """
    refuse_inside("Findings cannot be accepted")
    chosen = list(dict.fromkeys(ids))
    accepted: list[dict[str, Any]] = []

    def edit(stored: dict[str, Any]) -> None:
        reported = stored.get("reported", {})
        unknown = [key for key in chosen if key not in reported]
        if unknown:
            raise HubError(f"No scan reported the finding {unknown[0]!r}. Copy the id from the report.", kind="missing")
        accepted.extend({**reported[key], "accepted_at": timestamp()} for key in chosen)
        stored["accepted"] = {**stored.get("accepted", {}), **{each["id"]: each for each in accepted}}

    edit_json(state.findings, edit)
    for each in accepted:
        facts = {key: each[key] for key in ("id", "rule", "severity", "file", "line", "content_hash")}
        state.append_audit("accept", each["skill"], **facts)
    return accepted
