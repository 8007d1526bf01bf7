"""The record of changes to skills, with all findings, and the drafts that were not applied. Only users read it."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_files.atomic import write_atomic
from hermes_tools_skills.installed import STATE

AUDIT = "audit.log"
DRAFTS = "drafts"
REPORT = "report.json"
_MAX_BYTES = 10_000_000
_MAX_DRAFTS = 50
_SAFE = re.compile(r"[^A-Za-z0-9._-]+")


def record_change(root: Path, action: str, skill: str, **facts: Any) -> None:
    """Append a line to the audit log. Raises `OSError`."""
    file = root / STATE / AUDIT
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"at": at, "action": action, "skill": skill, **facts}, ensure_ascii=False, default=str)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode(errors="replace"))
        is_full = os.fstat(descriptor).st_size > _MAX_BYTES
    finally:
        os.close(descriptor)
    if is_full:
        os.replace(file, file.with_name(f"{AUDIT}.1"))


def store_draft(root: Path, draft: Path, skill: str, report: Mapping[str, Any]) -> str:
    """Copy a version that was not applied to the drafts, with its report, and return its id. Raises `OSError`."""
    drafts = root / STATE / DRAFTS
    drafts.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft_id = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.urandom(4).hex()}"
    folder = drafts / f"{draft_id}-{_SAFE.sub('-', skill)}"
    folder.mkdir(mode=0o700)
    if draft.is_dir():
        shutil.copytree(draft, folder / "skill", symlinks=True)
    write_atomic(folder / REPORT, (json.dumps(report, indent=2, ensure_ascii=False, default=str) + "\n").encode())
    for old in sorted(drafts.iterdir())[:-_MAX_DRAFTS]:
        shutil.rmtree(old, ignore_errors=True)
    return draft_id
