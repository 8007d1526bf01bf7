"""The sections of `config.yaml` about who may do what."""

from __future__ import annotations

from hermes_core.approval.policy.section import POLICY_SECTION
from hermes_core.config.sections import SectionSpec

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

AUDIT_SECTION = SectionSpec(
    name="audit",
    schema={
        "type": "object",
        "description": "The log of every call.",
        "properties": {
            "enabled": {"type": "boolean", "default": True, "description": "Whether calls are logged."},
            "max_bytes": {
                "type": "integer",
                "minimum": 65_536,
                "default": 10_485_760,
                "description": "The size at which the log is put away and a new one begun.",
            },
            "keep": {"type": "integer", "minimum": 0, "default": 5, "description": "How many old logs are kept."},
        },
    },
)

APPROVAL_SECTIONS = (APPROVALS_SECTION, AUDIT_SECTION, POLICY_SECTION)
