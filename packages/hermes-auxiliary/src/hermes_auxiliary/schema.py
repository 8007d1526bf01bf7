"""The settings: which model helps with which task."""

from __future__ import annotations

from typing import Any

TASK_SECONDS = {"vision": 120.0, "web_extract": 360.0, "approval": 30.0, "mcp": 30.0, "skills_hub": 30.0}
"""The time limits of well-known tasks."""
OTHER_SECONDS = 60.0
"""The time limit of any other task."""
DEFAULT_URL = "https://api.openai.com/v1"

_DESCRIPTIONS = {
    "vision": "The model that describes images.",
    "web_extract": "The model that summarizes long web pages.",
    "approval": "The model that reviews calls before a person does.",
    "mcp": "The model that answers sampling requests of MCP servers.",
    "skills_hub": "The model that reviews skills.",
}


def _task(description: str, seconds: float, task: str = "") -> dict[str, Any]:
    def setting(name: str, **schema: Any) -> dict[str, Any]:
        return {"type": "string", **schema, **({"x-env": f"AUXILIARY_{task.upper()}_{name}"} if task else {})}

    return {
        "type": "object",
        "description": description,
        "additionalProperties": True,
        "properties": {
            "provider": {"type": "string", "default": "auto", "description": "Always auto: base_url decides."},
            "model": setting(
                "MODEL",
                default="",
                examples=["gpt-4o-mini"],
                description="The name; empty means no model.",
            ),
            "base_url": setting(
                "BASE_URL",
                default="",
                examples=["http://localhost:11434/v1"],
                description="The base URL of an OpenAI-compatible API; empty means auxiliary.base_url.",
            ),
            "api_key": setting(
                "API_KEY",
                writeOnly=True,
                description="The API key; without one, auxiliary.api_key is sent to auxiliary.base_url only.",
            ),
            "timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": seconds,
                "description": "The time limit for an answer, in seconds.",
            },
            "extra_body": {
                "type": "object",
                "additionalProperties": True,
                "default": {},
                "examples": [{"reasoning_effort": "low"}],
                "description": "Additional fields of each request.",
            },
        },
    }


AUXILIARY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "Models that help tools with side tasks, by task.",
    "x-shared": True,
    "properties": {
        "base_url": {
            "type": "string",
            "default": DEFAULT_URL,
            "x-env": "OPENAI_BASE_URL",
            "description": "The base URL of the API, unless a task has its own.",
        },
        "api_key": {
            "type": "string",
            "writeOnly": True,
            "x-env": "OPENAI_API_KEY",
            "description": "The API key for base_url.",
        },
        **{task: _task(_DESCRIPTIONS[task], seconds, task) for task, seconds in TASK_SECONDS.items()},
    },
    "additionalProperties": _task("The model for a task of that name.", OTHER_SECONDS),
}
"""The JSON Schema of the section `auxiliary`. Plugins that use models return it from `hermes_settings`."""
