"""PUBLIC: JSON values that cannot be changed in place and the words of the core."""

from __future__ import annotations

from hermes_core.findings import OUTCOMES, Facts
from hermes_core.tools.readonly import ReadOnlyDict, frozen, thawed
from hermes_core.tools.spec import EFFECTS

__all__ = ["EFFECTS", "OUTCOMES", "Facts", "ReadOnlyDict", "frozen", "thawed"]
