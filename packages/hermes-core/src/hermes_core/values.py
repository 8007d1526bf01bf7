"""PUBLIC: JSON values that cannot be changed in place and the words of the core."""

from __future__ import annotations

from typing import get_args

from hermes_core.approval.finding import OUTCOMES, Facts
from hermes_core.calls.call import Status
from hermes_core.tools.readonly import ReadOnlyDict, frozen, thawed
from hermes_core.tools.spec import EFFECTS

__all__ = ["EFFECTS", "OUTCOMES", "STATUSES", "Facts", "ReadOnlyDict", "frozen", "thawed"]

STATUSES: tuple[str, ...] = get_args(Status)
"""How a call may end."""
