"""The sections `approvals` and `policy` of `config.yaml`."""

from __future__ import annotations

from typing import Any, Literal

from hermes_core.settings import SectionSpec

Action = Literal["allow", "ask", "deny"]
ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")
"""What a rule can do, the strictest last."""

APPROVALS_SECTION = SectionSpec(
    name="approvals",
    schema={
        "type": "object",
        "description": "Who approves calls.",
        "properties": {
            "mode": {
                "enum": ["manual", "smart", "off"],
                "default": "manual",
                "description": "manual asks people, smart a model first, off no one. Refused calls stay refused.",
            },
            "timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 60.0,
                "description": "How many seconds a request is shown at a terminal.",
            },
            "gateway_timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 300.0,
                "description": "How many seconds an application or another process has to answer.",
            },
            "cron_mode": {
                "enum": ["deny", "approve", "off", "allow", "yes"],
                # An unquoted off is a boolean in YAML and could mean either, so the word needs quotes.
                "x-quoted": True,
                "default": "deny",
                "examples": ["approve"],
                "description": "How cron jobs treat calls that need an approval, in every mode.",
            },
            "smart_model": {"type": "string", "description": "The model for smart.", "examples": ["gpt-4o-mini"]},
            "smart_base_url": {
                "type": "string",
                "default": "https://api.openai.com/v1",
                "description": "The OpenAI-compatible API of that model.",
            },
            "smart_api_key": {
                "type": "string",
                "writeOnly": True,
                "x-env": "OPENAI_API_KEY",
                "description": "The API key.",
            },
        },
    },
)

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

# Only types: `read_rules` finds all other problems, and knows the rule and the nearest name.
_RULE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Unique; findings are called policy.NAME."},
        "match": {"type": "object", "description": "Conditions: tool, toolset, source, effect, session, origin, args, "
                  "time. A list means any of them."},
        "unless": {"type": "object", "description": "Exceptions, with the same keys."},
        "action": {"enum": list(ACTIONS), "description": "What to do with a matching call; the strictest wins."},
        "reason": {"type": "string", "description": "The explanation for the model and the user."},
        "lifts": {"type": ["array", "string"], "description": "For allow: ids of findings that need no approval."},
        "shadow": {"type": "boolean", "description": "Only note what the rule would have done."},
        "examples": {"type": "object", "description": "Calls under match and not_match that prove the rule."},
    },
    "additionalProperties": True,
}  # fmt: skip

POLICY_SECTION = SectionSpec(
    name="policy",
    schema={
        "type": "object",
        "description": "Rules for calls; the strictest match wins.",
        "properties": {
            "shadow": {
                "type": "boolean",
                "default": False,
                "description": "Only note what the rules would have done.",
            },
            "rules": {
                "type": "array",
                "default": [],
                "items": _RULE,
                "description": "The rules, in any order.",
                "examples": [[EXAMPLE_RULE]],
            },
        },
    },
)

APPROVAL_SECTIONS = (APPROVALS_SECTION, POLICY_SECTION)
