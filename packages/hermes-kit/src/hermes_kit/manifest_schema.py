"""The JSON schema of `hermes-plugin.json`: for editors, other tools and the documentation."""

from __future__ import annotations

from typing import Any

from hermes_core.inspection import CODE_FIELDS, EFFECTS, FORMAT, UNLIMITED

_NAME = {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"}
_WORDS = {"type": "array", "items": {"type": "string"}}
_AMOUNT = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"const": UNLIMITED}]}


def _described(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


_TOOL = {
    "type": "object",
    "required": ["name", "toolset", "parameters"],
    "additionalProperties": False,
    "properties": {
        "name": _described(_NAME, "Its name for models."),
        "toolset": _described({"type": "string", "minLength": 1}, "Its toolset."),
        "parameters": _described({"type": "object"}, "JSON schema of the arguments."),
        "description": _described({"type": "string"}, "Its description for models."),
        "is_async": _described({"type": "boolean"}, "Whether its code is a coroutine function."),
        "requires_env": _described(_WORDS, "Environment variables that it requires."),
        "requires_bin": _described(_WORDS, "Programs that must be on PATH."),
        "requires_extra": _described(_WORDS, "Extras that must be installed, in pip's spelling."),
        "effects": _described({"type": "array", "items": {"enum": sorted(EFFECTS)}}, "Its effects."),
        "emoji": _described({"type": "string"}, "An emoji for lists."),
        "max_result_size_chars": _described(_AMOUNT, "Longer results are spilled to a file."),
        "timeout": _described(_AMOUNT, "The time limit of a call in seconds."),
        "argument_aliases": _described(
            {"type": "object", "additionalProperties": {"type": "string"}},
            "Other names that models use for an argument, with the right one.",
        ),
        "aliases": _described({"type": "array", "items": _NAME}, "Other names of the tool."),
        "always_load": _described({"type": "boolean"}, "Never hidden behind tool search."),
        "in_every_scope": _described({"type": "boolean"}, "Callable in every scope, unless it is disabled by name."),
        "needs": _described(_WORDS, "Services that the application must provide, by name."),
        "keywords": _described(_WORDS, "Additional keywords for tool search."),
        "calls": _described(_WORDS, "Other tools that it calls for its caller; models learn which they may use."),
        "code": _described(
            {"type": "array", "items": {"enum": list(CODE_FIELDS)}},
            "Which of these it has. They need its code, so they apply from its first call on.",
        ),
        "source": _described(
            {"type": "string", "pattern": r"^[\w.]+:\w+$"},
            "Where it is declared, as module:name. Its first call imports only that module of the plugin.",
        ),
    },
}

_TOOLSET = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _described({"type": "string", "minLength": 1}, "Its name for users."),
        "description": _described({"type": "string"}, "Its description."),
        "tools": _described(_WORDS, "Its own tools."),
        "includes": _described(_WORDS, "Toolsets that it includes."),
        "aliases": _described(_WORDS, "Other names of the toolset."),
    },
}

_SECTION = {
    "type": "object",
    "required": ["name", "schema"],
    "additionalProperties": False,
    "properties": {
        "name": _described({"type": "string", "minLength": 1}, "The top-level key in config.yaml."),
        "schema": _described({"type": "object"}, "JSON schema of the section."),
    },
}

_COMMAND = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _described({"type": "string", "minLength": 1}, "The command: NAME, or GROUP NAME in a group."),
        "help": _described({"type": "string"}, "The line in hermes --help."),
    },
}

MANIFEST_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "hermes-plugin.json",
    "type": "object",
    "required": ["manifest", "plugin", "api"],
    "properties": {
        "manifest": _described({"const": FORMAT}, "The format of this file."),
        "plugin": _described({"type": "string", "minLength": 1}, "The plugin's name: that of its entry point."),
        "api": _described({"type": "string"}, "The supported versions of the plugin API, such as >=1.0,<2."),
        "hooks": _described(
            {"type": "array", "items": {"type": "string", "pattern": "^hermes_"}}, "Every hook that it implements."
        ),
        "tools": _described({"type": "array", "items": _TOOL}, "Its tools."),
        "toolsets": _described({"type": "array", "items": _TOOLSET}, "Its toolsets."),
        "settings": _described({"type": "array", "items": _SECTION}, "The sections of config.yaml that it reads."),
        "commands": _described({"type": "array", "items": _COMMAND}, "The commands that it adds to hermes."),
        "providers": _described(
            {"type": "object", "additionalProperties": _WORDS},
            "Extension points, with the names of its providers for each.",
        ),
    },
}
"""The schema. Unknown fields are ignored: a later version may have written them."""
