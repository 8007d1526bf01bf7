"""The JSON schema of `hermes-plugin.json`: for editors, for other tools, and for the documentation."""

from __future__ import annotations

from typing import Any

from hermes_core.inspection import CODE_FIELDS, EFFECTS, FORMAT, UNLIMITED

_NAME = {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"}
_WORDS = {"type": "array", "items": {"type": "string"}}
_AMOUNT = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"const": UNLIMITED}]}


def _said(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


_TOOL = {
    "type": "object",
    "required": ["name", "toolset", "parameters"],
    "additionalProperties": False,
    "properties": {
        "name": _said(_NAME, "What models call it."),
        "toolset": _said({"type": "string", "minLength": 1}, "The group it belongs to."),
        "parameters": _said({"type": "object"}, "JSON schema of the arguments."),
        "description": _said({"type": "string"}, "What models read to decide."),
        "is_async": _said({"type": "boolean"}, "Whether its code is a coroutine function."),
        "requires_env": _said(_WORDS, "Environment variables it cannot work without."),
        "requires_bin": _said(_WORDS, "Programs that must be on PATH."),
        "requires_extra": _said(_WORDS, "Extras that must be installed, as pip spells them."),
        "effects": _said({"type": "array", "items": {"enum": sorted(EFFECTS)}}, "What it may do to the world."),
        "emoji": _said({"type": "string"}, "A sign for lists."),
        "max_result_size_chars": _said(_AMOUNT, "Longer results are spilled to a file."),
        "timeout": _said(_AMOUNT, "Seconds a call may take."),
        "argument_aliases": _said(
            {"type": "object", "additionalProperties": {"type": "string"}},
            "Other names that models use for an argument, to the right one.",
        ),
        "aliases": _said({"type": "array", "items": _NAME}, "Other names that the tool answers to."),
        "always_load": _said({"type": "boolean"}, "Never hidden behind tool search."),
        "in_every_scope": _said({"type": "boolean"}, "Callable in every scope, unless it is disabled by name."),
        "needs": _said(_WORDS, "Services that the application must provide, by name."),
        "keywords": _said(_WORDS, "Further words that tool search should find it by."),
        "calls": _said(_WORDS, "Other tools that it calls for its caller; models are told which they may use."),
        "code": _said(
            {"type": "array", "items": {"enum": list(CODE_FIELDS)}},
            "Which of these it has: only the code can answer them, so they count from its first call on.",
        ),
        "source": _said(
            {"type": "string", "pattern": r"^[\w.]+:\w+$"},
            "Where it is declared, as module:name. Its first call imports that module and nothing else of the plugin.",
        ),
    },
}

_TOOLSET = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _said({"type": "string", "minLength": 1}, "What users ask for."),
        "description": _said({"type": "string"}, "What it is for."),
        "tools": _said(_WORDS, "Its own tools."),
        "includes": _said(_WORDS, "Toolsets that belong to it."),
        "aliases": _said(_WORDS, "Other names that it answers to."),
    },
}

_SECTION = {
    "type": "object",
    "required": ["name", "schema"],
    "additionalProperties": False,
    "properties": {
        "name": _said({"type": "string", "minLength": 1}, "The key at the top of config.yaml."),
        "schema": _said({"type": "object"}, "JSON schema of what stands under it."),
    },
}

_COMMAND = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _said({"type": "string", "minLength": 1}, "The command: NAME, or GROUP NAME below a group."),
        "help": _said({"type": "string"}, "The line in hermes --help."),
    },
}

MANIFEST_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "hermes-plugin.json",
    "type": "object",
    "required": ["manifest", "plugin", "api"],
    "properties": {
        "manifest": _said({"const": FORMAT}, "The format of this file."),
        "plugin": _said({"type": "string", "minLength": 1}, "The plugin's name: that of its entry point."),
        "api": _said({"type": "string"}, "The versions of the plugin API that it works with, such as >=1.0,<2."),
        "hooks": _said(
            {"type": "array", "items": {"type": "string", "pattern": "^hermes_"}}, "Every hook that it implements."
        ),
        "tools": _said({"type": "array", "items": _TOOL}, "Its tools."),
        "toolsets": _said({"type": "array", "items": _TOOLSET}, "Its toolsets."),
        "settings": _said({"type": "array", "items": _SECTION}, "The sections of config.yaml that it reads."),
        "commands": _said({"type": "array", "items": _COMMAND}, "The commands that it adds to hermes."),
        "providers": _said(
            {"type": "object", "additionalProperties": _WORDS},
            "Extension points, and the names of what it provides for each.",
        ),
    },
}
"""What a manifest may hold. Fields that are not known here are left alone: a later version may have written them."""
