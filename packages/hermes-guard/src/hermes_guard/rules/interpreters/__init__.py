"""Interpreters by content: what the code on their command line or input would do."""

from hermes_guard.rules.interpreters import (
    awk,
    powershell,
    python,
    rarer,
    scripts,
    sed,
    written,
)
from hermes_guard.rules.interpreters.report import report_code
from hermes_guard.rules.interpreters.rules import FAMILY

__all__ = ["FAMILY", "awk", "powershell", "python", "rarer", "report_code", "scripts", "sed", "written"]
