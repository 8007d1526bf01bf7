"""What a rule may say, for those who need the words and not the rules."""

from __future__ import annotations

from typing import Literal

Action = Literal["allow", "ask", "deny"]
ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")
"""What a rule may say, the strictest last."""
