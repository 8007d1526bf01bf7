"""The section of `config.yaml` about models for side tasks."""

from __future__ import annotations

from typing import Any

from hermes_core.config.sections import SectionSpec

TASK_SECONDS = {"vision": 120.0, "web_extract": 360.0, "approval": 30.0, "mcp": 30.0, "skills_hub": 30.0}
"""The tasks that tools are known to have, and how long a model may take for each."""

OTHER_SECONDS = 60.0
"""How long it may take for a task of another name."""

DEFAULT_URL = "https://api.openai.com/v1"

_ABOUT = {
    "vision": "The model that describes pictures.",
    "web_extract": "The model that shortens long web pages.",
    "approval": "The model that looks at calls before a person does.",
    "mcp": "The model that answers servers of the Model Context Protocol.",
    "skills_hub": "The model that looks at skills.",
}


def _task(description: str, seconds: float, task: str | None = None) -> dict[str, Any]:
    def variable(name: str) -> dict[str, str]:
        return {"x-env": f"AUXILIARY_{task.upper()}_{name}"} if task else {}

    return {
        "type": "object",
        "description": description,
        "additionalProperties": True,
        "properties": {
            "provider": {"type": "string", "default": "auto", "description": "Who serves it: auto, by base_url."},
            "model": {
                "type": "string",
                "default": "",
                "examples": ["gpt-4o-mini"],
                "description": "Its name; empty means that there is none.",
                **variable("MODEL"),
            },
            "base_url": {
                "type": "string",
                "default": "",
                "examples": ["http://localhost:11434/v1"],
                "description": "Where it is, by an API as OpenAI's; empty means auxiliary.base_url.",
                **variable("BASE_URL"),
            },
            "api_key": {
                "type": "string",
                "writeOnly": True,
                "description": "The key for it; without one, auxiliary.api_key goes to auxiliary.base_url alone.",
                **variable("API_KEY"),
            },
            "timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "default": seconds,
                "description": "Seconds that an answer may take.",
            },
            "extra_body": {
                "type": "object",
                "additionalProperties": True,
                "default": {},
                "examples": [{"reasoning_effort": "low"}],
                "description": "What else is sent with each request.",
            },
        },
    }


AUXILIARY_SECTION = SectionSpec(
    name="auxiliary",
    schema={
        "type": "object",
        "description": "Models that help tools with side tasks, by task.",
        "properties": {
            "base_url": {
                "type": "string",
                "default": DEFAULT_URL,
                "x-env": "OPENAI_BASE_URL",
                "description": "Where the models are, unless a task says otherwise.",
            },
            "api_key": {
                "type": "string",
                "writeOnly": True,
                "x-env": "OPENAI_API_KEY",
                "description": "The key for the models there.",
            },
            **{task: _task(_ABOUT[task], seconds, task) for task, seconds in TASK_SECONDS.items()},
        },
        "additionalProperties": _task("The model for a task of that name.", OTHER_SECONDS),
    },
)
