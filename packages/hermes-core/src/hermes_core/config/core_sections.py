"""The sections that the core reads itself, and those that people have from elsewhere."""

from __future__ import annotations

from typing import Any

from hermes_core.config.sections import SectionSpec

_NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "examples": [["dice"]]}
_PLUGINS: dict[str, Any] = {
    "type": "array",
    "items": {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "distribution": {"type": "string"}},
                "required": ["name"],
                "additionalProperties": False,
            },
        ]
    },
    "examples": [["dice", {"name": "corp", "distribution": "corp-tools"}]],
}


def _seconds(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "number", "exclusiveMinimum": 0, "description": description, "examples": [60], **more}


def _count(description: str, *, default: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": 1, "description": description, "default": default}


CORE_SECTIONS: tuple[SectionSpec, ...] = (
    SectionSpec(
        name="plugins",
        schema={
            "type": "object",
            "description": "Which plugins are loaded.",
            "properties": {
                "enabled": {**_PLUGINS, "description": "Only these plugins are loaded; not set means all."},
                "disabled": {**_NAMES, "description": "These plugins are never loaded.", "default": []},
                "required": {
                    **_PLUGINS,
                    "description": "Every call is denied unless these plugins work, such as one that holds a policy.",
                    "default": [],
                },
                "accept": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": {"type": "string"}},
                    "description": "Plugins whose tools may join a toolset of another distribution, by toolset.",
                    "default": {},
                    "examples": [{"web": ["my_search"]}],
                },
                "import_seconds": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "default": 2.0,
                    "description": "Seconds that the import of a plugin may take while a host starts.",
                },
                "upstream": {
                    "type": "boolean",
                    "default": False,
                    "description": "Whether installed plugins of other programs are loaded through an adapter.",
                },
            },
        },
    ),
    SectionSpec(
        name="calls",
        schema={
            "type": "object",
            "description": "How long calls may take, and how deep they may be nested.",
            "properties": {
                "timeout": _seconds("Seconds a call may take when its tool says nothing; not set means 300."),
                "hook_timeout": _seconds("Seconds one hook may take.", default=10.0),
                "approval_timeout": _seconds("Seconds that an approval is waited for.", default=300.0),
                "max_depth": _count("How many calls may run inside of each other.", default=32),
                "max_abandoned": _count(
                    "How many calls of a tool may have been given up and still run before it is refused.", default=4
                ),
            },
        },
    ),
    SectionSpec(
        name="results",
        schema={
            "type": "object",
            "description": "What becomes of long results.",
            "properties": {
                "reader_tool": {
                    "type": "string",
                    "pattern": r"\S",
                    "default": "read_file",
                    "description": "The tool that a spilled result is read on with.",
                }
            },
        },
    ),
    SectionSpec(
        name="toolsets",
        schema={
            "description": "Toolsets by name; a list chooses among those that there are.",
            "type": ["object", "array"],
            "examples": [{"mine": {"tools": ["web_search"], "includes": ["file"]}}],
            "additionalProperties": {
                "type": ["object", "array"],
                "properties": {
                    "description": {},
                    "tools": {"type": "array"},
                    "includes": {"type": "array"},
                    "aliases": {"type": "array"},
                },
                "additionalProperties": False,
            },
        },
    ),
    SectionSpec(
        name="toolset_distributions",
        schema={
            "type": "object",
            "description": "Distributions by name: how many percent of runs get a toolset.",
            "examples": [{"mine": {"web": 80, "file": 50}}],
            "additionalProperties": True,
        },
    ),
)

FAMILIAR_SECTIONS = frozenset(
    """
    _config_version agent approvals auxiliary browser checkpoints clarify code_execution command_allowlist
    compression context context_file_max_chars cron curator delegation discord display fallback_model
    file_read_max_chars gateway hooks honcho human_delay image_gen lsp mcp mcp_servers memory messaging model
    model_aliases moa network onboarding personalities platform_toolsets platforms privacy prompt_caching
    provider_routing providers quick_commands security session_reset sessions skills slack smart_model_routing stt
    streaming telegram terminal timezone tool_loop_guardrails tool_output tools tts updates video_gen vision voice
    web whatsapp worktree x_search
    """.split()  # noqa: SIM905 - a list of sixty lines would bury the code around it
)
"""Sections that agents of this kind commonly have in this file. Without a plugin that reads them they do nothing, but
they are no mistake."""
