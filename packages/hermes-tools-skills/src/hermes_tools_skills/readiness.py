"""Explain whether a skill can be used on this machine, what is missing, and how to add it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hermes_files import FileError
from hermes_files.dotenv import load_dotenv
from hermes_tools_skills.skill import Skill, Variable

Status = Literal["available", "setup_needed", "unsupported"]
_PLATFORMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """Whether a skill can be used.

    Attributes:
        status: `available`, `setup_needed` if something is missing, or `unsupported` on this operating system.
        variables: Missing environment variables, without optional ones.
        credential_files: Missing files.
        commands: Missing programs.
        steps: What to do, as sentences for a user.
    """

    status: Status
    variables: tuple[Variable, ...] = ()
    credential_files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return what a model learns: names and steps, never values."""
        facts: dict[str, Any] = {"readiness_status": self.status}
        if self.status == "available":
            return facts
        facts["setup_needed"] = self.status == "setup_needed"
        facts["missing_required_environment_variables"] = [each.name for each in self.variables]
        facts["missing_credential_files"] = list(self.credential_files)
        facts["missing_commands"] = list(self.commands)
        facts["setup_note"] = "Ask the user to do this first: " + " ".join(self.steps)
        return {key: value for key, value in facts.items() if value != []}


def check_readiness(skill: Skill, home: Path, environ: Mapping[str, str]) -> Readiness:
    """Check what a skill requires against this machine."""
    required = skill.requirements
    platform = _PLATFORMS.get(sys.platform, sys.platform)
    if required.platforms and platform not in required.platforms:
        supported = ", ".join(required.platforms)
        step = f"The skill supports {supported}; this machine runs {platform}."
        return Readiness(status="unsupported", steps=(step,))
    variables = tuple(each for each in required.variables if not each.optional and not environ.get(each.name))
    files = tuple(name for name in required.credential_files if not _is_present(home, name))
    commands = tuple(name for name in required.commands if not shutil.which(name, path=environ.get("PATH")))
    if not (variables or files or commands):
        return Readiness(status="available")
    steps = [f"Set {each.name} in {home / '.env'}{_explain(each)}." for each in variables]
    steps += [f"Create {home / name}." for name in files]
    steps += [f"Install {name}." for name in commands]
    if required.help:
        steps.append(required.help)
    return Readiness(
        status="setup_needed", variables=variables, credential_files=files, commands=commands, steps=tuple(steps)
    )


def user_environ(home: Path) -> dict[str, str]:
    """Return the environment, extended by `.env` in the home."""
    try:
        return {**load_dotenv(home / ".env"), **os.environ}
    except (FileError, OSError):  # `hermes doctor` reports it
        return dict(os.environ)


def _explain(variable: Variable) -> str:
    facts = "; ".join(filter(None, (variable.prompt, variable.help)))
    return f" ({facts})" if facts else ""


def _is_present(home: Path, name: str) -> bool:
    path = os.path.realpath(home / name)
    return os.path.commonpath((path, os.path.realpath(home))) == os.path.realpath(home) and os.path.exists(path)
