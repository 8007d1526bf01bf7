"""The sections of `config.yaml` about who may do what."""

from __future__ import annotations

from typing import Any, Literal

from hermes_core.settings import SectionSpec

Action = Literal["allow", "ask", "deny"]
ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")
"""What a rule may say, the strictest last."""

APPROVALS_SECTION = SectionSpec(
    name="approvals",
    schema={
        "type": "object",
        "description": "Who is asked about calls that need an approval.",
        "properties": {
            "mode": {
                "enum": ["manual", "smart", "off"],
                "default": "manual",
                "description": "manual asks people, smart a model first, off nobody; what is refused stays refused.",
            },
            "timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 60.0,
                "description": "Seconds that a request is shown at a terminal.",
            },
            "gateway_timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": 300.0,
                "description": "Seconds that an application or another process has to answer.",
            },
            "cron_mode": {
                "enum": ["deny", "approve", "off", "allow", "yes"],
                # A bare off could mean both, so YAML's booleans are refused, and the word needs quotes.
                "x-quoted": True,
                "default": "deny",
                "examples": ["approve"],
                "description": "What becomes of such calls in cron jobs, where nobody can be asked; in every mode.",
            },
            "smart_model": {"type": "string", "description": "The model that smart asks.", "examples": ["gpt-4o-mini"]},
            "smart_base_url": {
                "type": "string",
                "default": "https://api.openai.com/v1",
                "description": "Where that model is, by an API as OpenAI's.",
            },
            "smart_api_key": {
                "type": "string",
                "writeOnly": True,
                "x-env": "OPENAI_API_KEY",
                "description": "The key for it.",
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

APPROVAL_SECTIONS = (APPROVALS_SECTION, POLICY_SECTION)
