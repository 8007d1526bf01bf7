"""PUBLIC: JSON values that cannot be changed in place and the words of the core."""

from __future__ import annotations

from hermes_core.findings import OUTCOMES, Facts
from hermes_core.tools.spec import EFFECTS
from hermes_schemas.readonly import ReadOnlyDict, frozen, thawed

__all__ = ["EFFECTS", "OUTCOMES", "Facts", "ReadOnlyDict", "frozen", "thawed"]
