"""The section `policy` of `config.yaml`, as `hermes config` shows it."""

from __future__ import annotations

from typing import Any

from hermes_core.approval.policy.actions import ACTIONS
from hermes_core.config.sections import SectionSpec

EXAMPLE_RULE: dict[str, Any] = {
    "name": "no-pushes-to-main",
    "match": {"tool": "terminal", "args": {"command": {"glob": "git push*main*"}}},
    "action": "deny",
    "reason": "Pushes to main go through a pull request.",
    "examples": {
        "match": ['terminal {"command": "git push origin main"}'],
        "not_match": ['terminal {"command": "git status"}'],
    },
}

# Only types: what else can be wrong with a rule is said by `read_rules`, which knows the rule and the nearest name.
_RULE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Unique; findings are called policy.NAME."},
        "match": {"type": "object", "description": "What must hold: tool, toolset, source, effect, session, origin, "
                  "args, time. A list means any of."},
        "unless": {"type": "object", "description": "Exceptions, with the same keys."},
        "action": {"enum": list(ACTIONS), "description": "What becomes of a call that matches; the strictest wins."},
        "reason": {"type": "string", "description": "What the model and the user are told."},
        "lifts": {"type": ["array", "string"], "description": "For allow: ids of findings that are not asked about."},
        "shadow": {"type": "boolean", "description": "The rule only says what it would have done."},
        "examples": {"type": "object", "description": "Calls under match and not_match that prove the rule."},
    },
    "additionalProperties": True,
}  # fmt: skip

POLICY_SECTION = SectionSpec(
    name="policy",
    schema={
        "type": "object",
        "description": "Which calls may run: rules, of which the strictest that matches wins.",
        "properties": {
            "shadow": {
                "type": "boolean",
                "default": False,
                "description": "Rules only say what they would have done.",
            },
            "rules": {
                "type": "array",
                "default": [],
                "items": _RULE,
                "description": "The rules; their order decides nothing.",
                "examples": [[EXAMPLE_RULE]],
            },
        },
    },
)
"""What the section may hold. The rules themselves are read by `hermes_core.approval.policy.reading.read_rules`."""
