"""What the exit status tells a script."""

from hermes_guard.verdict import Severity

OF_SEVERITY: dict[Severity, int] = {"allow": 0, "ask": 2, "refuse": 3}
"""The verdict."""

DIFFERENT = 1
"""A line of `check` was judged otherwise than it expects, or a rule fails on its examples."""

USAGE = 64
"""Wrong usage, or a file that cannot be used. Most programs end with 2 then, which here means `ask`."""
