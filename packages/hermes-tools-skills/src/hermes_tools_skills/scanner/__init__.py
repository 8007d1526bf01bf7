"""Scans skills before they are installed or loaded: what they can do, and what speaks against them.

`scan_skill` reads every file of a skill, and runs none of them.
"""

from hermes_tools_skills.scanner.content import ContentError, hash_content
from hermes_tools_skills.scanner.report import (
    TRUST_LEVELS,
    Action,
    Capability,
    ScanFinding,
    ScanReport,
    Severity,
    Verdict,
)
from hermes_tools_skills.scanner.scan import scan_skill

__all__ = [
    "TRUST_LEVELS",
    "Action",
    "Capability",
    "ContentError",
    "ScanFinding",
    "ScanReport",
    "Severity",
    "Verdict",
    "hash_content",
    "scan_skill",
]
