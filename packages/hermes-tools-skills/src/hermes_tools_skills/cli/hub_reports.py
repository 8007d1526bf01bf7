"""Describes catalogs, plans and scans for people, and as JSON. Whatever others wrote is cleaned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hermes_core.commands import Column, clean, counted, line_width
from hermes_text.tables import table_lines
from hermes_text.terminal import harmless
from hermes_tools_skills.cli.hub_session import facts_of

if TYPE_CHECKING:
    from hermes_tools_skills.hub.changes import FileChange
    from hermes_tools_skills.hub.installation import Plan
    from hermes_tools_skills.hub.search import SearchResult
    from hermes_tools_skills.scanner import ScanFinding, ScanReport

_MAX_DIFF_LINES = 400
_MAX_FILES = 40


def table(columns: Sequence[Column], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table, without empty columns."""
    cells = [[clean(cell) for cell in row] for row in rows]
    used = [number for number in range(len(columns)) if any(row[number] for row in cells)]
    shown = [[row[number] for number in used] for row in cells]
    return list(table_lines([columns[number] for number in used], shown, line_width()))


def search_lines(result: SearchResult) -> list[str]:
    """Describe the result of a search."""
    if not result.entries:
        return ["No skills were found."]
    columns = [Column("NAME"), Column("TRUST"), Column("DESCRIPTION", fit="cut"), Column("INSTALL WITH")]
    rows = [(each.name, each.trust, each.description, each.identifier) for each in result.entries]
    return table(columns, rows)


def search_facts(result: SearchResult) -> dict[str, Any]:
    """Return the result of a search as JSON data."""
    entries = [asdict(entry) for entry in result.entries]
    return {"skills": entries, "problems": list(result.problems), "notes": list(result.notes)}


def plan_lines(plan: Plan, *, with_diff: bool = False) -> Iterator[str]:
    """Describe what an installation or update would do."""
    entry = plan.entry
    version = f"{entry.version} (installed: {plan.current.version or '-'})" if plan.current else entry.version
    yield from facts_of(
        {
            "Skill": entry.name,
            "Description": plan.description,
            "Source": entry.identifier,
            "Trust": entry.trust,
            "Version": version if entry.version else "",
            "Directory": str(plan.hub.state.skills / entry.install_path),
            "Files": f"{len(plan.report.files) or len(entry.files)}",
            "Verdict": plan.report.verdict,
        }
    )
    for line in plan.notes:
        yield f"Note: {clean(line)}"
    if plan.current:
        yield from _change_lines(plan.changes, with_diff=with_diff)
    yield from _capability_lines(plan)
    if plan.merge and plan.merge.local:
        yield f"Local changes stay in: {clean(', '.join(plan.merge.local))}"
    if plan.merge and plan.merge.lost:
        yield f"Local changes are replaced in: {clean(', '.join(plan.merge.lost))} (copies are saved)"
    if plan.merge and plan.merge.conflicts:
        yield f"Local changes conflict in: {clean(', '.join(plan.merge.conflicts))}"
    yield from finding_lines(plan.report)


def _capability_lines(plan: Plan) -> Iterator[str]:
    if plan.current:
        yield from (f"Gains: {clean(each)}" for each in plan.gained)
        yield from (f"Loses: {clean(each)}" for each in plan.dropped)
        return
    yield "Capabilities:" if plan.gained else "Capabilities: none were found"
    yield from (f"  {clean(each)}" for each in plan.gained)


def _change_lines(changes: Sequence[FileChange], *, with_diff: bool) -> Iterator[str]:
    yield f"Changes: {counted(len(changes), 'file')}"
    shown = changes if with_diff else changes[:_MAX_FILES]
    yield from (f"  {change.kind:8} {clean(change.path)}" for change in shown)
    if len(shown) < len(changes):
        yield f"  and {len(changes) - len(shown)} more; --diff shows all"
    if with_diff:
        lines = [line for change in changes for line in change.diff.splitlines()]
        yield from (harmless(line) for line in lines[:_MAX_DIFF_LINES])
        if len(lines) > _MAX_DIFF_LINES:
            yield f"... and {len(lines) - _MAX_DIFF_LINES:,} more lines"


def finding_lines(report: ScanReport) -> Iterator[str]:
    """Describe the findings of a scan: rule, file, line, what would resolve it, and the id to accept it with."""
    for problem in report.problems:
        yield f"Not scanned completely: {clean(problem)}"
    for finding in report.findings:
        if finding.severity == "note":
            continue
        yield f"{finding.severity}: {clean(finding.message)} [{finding.rule}]"
        yield f"  at {clean(finding.file)}:{finding.line}, id {finding.id}"
        yield f"  To resolve it: {clean(finding.resolution)}"
    notes = sum(finding.severity == "note" for finding in report.findings)
    if notes:
        yield f"{counted(notes, 'note')}, which --json lists."
    if report.accepted:
        yield f"You accepted {counted(len(report.accepted), 'finding')}."


def blocking_findings(report: ScanReport) -> list[ScanFinding]:
    """Return the findings that are more than notes."""
    return [finding for finding in report.findings if finding.severity != "note"]


def plan_facts(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON data."""
    return {
        "skill": plan.entry.as_dict(),
        "description": plan.description,
        "action": plan.action,
        "is_update": plan.current is not None,
        "changes": [{"path": each.path, "kind": each.kind} for each in plan.changes],
        "gained": list(plan.gained),
        "dropped": list(plan.dropped),
        "local": list(plan.merge.local) if plan.merge else [],
        "conflicts": list(plan.merge.conflicts) if plan.merge else [],
        "notes": list(plan.notes),
        "report": plan.report.as_dict(),
    }
