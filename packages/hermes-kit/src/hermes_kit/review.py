"""Reviews a tool or a plugin before it is published."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core import PluginError, ToolSpec
from hermes_core.inspection import APPLICATION, Candidate, Contribution, load, neutral_definition
from hermes_core.inspection import load_object as load_reference
from hermes_text import clean_text

MAX_TOKENS = 1000
"""A longer definition is too expensive: every conversation pays for it."""

MAX_DESCRIPTION = 1024
"""Some model APIs reject a longer description."""

_CHARS_PER_TOKEN = 4
_MIN_WORDS = 3
_STYLE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TYPED = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "not"})

_SUGGESTS: Mapping[str, tuple[str, ...]] = {
    "delete": ("delete", "remove", "drop", "purge", "erase", "wipe", "destroy", "unlink", "uninstall", "rm"),
    "write": ("write", "create", "update", "save", "edit", "patch", "append", "insert", "upload", "rename", "store"),
    "exec": ("execute", "exec", "shell", "eval", "spawn"),
    "message": ("send", "notify", "reply", "publish", "tweet"),
    "spend": ("buy", "pay", "purchase", "charge", "checkout"),
}
"""Words in a tool's name that suggest an effect. The first effect found counts."""

_ENOUGH: Mapping[str, frozenset[str]] = {"write": frozenset({"write", "delete"})}
"""Which declared effects match a suggestion, if not only the effect itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing to improve.

    Attributes:
        rule: A stable id, such as `description.missing`.
        subject: The tool or the plugin.
        message: The problem.
        remedy: How to fix it.
        parameter: The parameter.
    """

    rule: str
    subject: str
    message: str
    remedy: str
    parameter: str | None = None

    def __str__(self) -> str:
        where = self.subject + (f", parameter {self.parameter}" if self.parameter else "")
        return f"{where}: {self.message} {self.remedy} [{self.rule}]"


def find_object(plugin: object) -> object:
    """Return the plugin object of an object, a class, a module, or the value of an entry point."""
    found = load_reference(plugin) if isinstance(plugin, str) else plugin
    return found() if isinstance(found, type) else found


def load_object(plugin: object, name: str) -> Contribution:
    """Load what `find_object` finds, and return what it contributes.

    Raises:
        PluginError: it cannot be loaded.
    """
    return load(Candidate(name=name, origin=APPLICATION, load=lambda: find_object(plugin)))


def check_tool(tool: ToolSpec) -> list[Remark]:
    """Return all remarks about one tool."""
    checks: tuple[Callable[[ToolSpec], Iterator[Remark]], ...] = (
        _name,
        _description,
        _parameters,
        _text,
        _effects,
        _size,
    )
    return [remark for check in checks for remark in check(tool)]


def check_plugin(plugin: object, name: str | None = None) -> list[Remark]:
    """Return all remarks about a plugin and each of its tools.

    Args:
        plugin: An object, a class, a module, or the value of an entry point: `package.module:object`.
        name: The name for the remarks.
    """
    own = plugin if isinstance(plugin, str) else getattr(plugin, "__name__", None)
    given = name or own or type(plugin).__name__
    try:
        brought = load_object(plugin, given)
    except PluginError as error:
        remedy = error.remedy or "Fix it and try again."
        return [Remark(rule="plugin.broken", subject=given, message=error.reason, remedy=remedy)]
    remarks = []
    if not brought.implementations:
        remarks.append(
            Remark(
                rule="plugin.empty",
                subject=given,
                message="It implements no hook, so it contributes nothing.",
                remedy="Put @hermes_core.hookimpl above a function such as hermes_tools.",
            )
        )
    seen: set[str] = set()
    for tool in brought.tools:
        if tool.name in seen:
            remarks.append(
                Remark(
                    rule="name.twice",
                    subject=tool.name,
                    message="The plugin has two tools with this name, and a host registers only one.",
                    remedy="Rename one of them.",
                )
            )
        seen.add(tool.name)
        remarks += check_tool(tool)
    return remarks


def _name(tool: ToolSpec) -> Iterator[Remark]:
    if not _STYLE.fullmatch(tool.name):
        better = "_".join(word.lower() for word in _WORDS.findall(tool.name))
        yield Remark(
            rule="name.style",
            subject=tool.name,
            message="Its name does not have the usual style, so models will misspell it.",
            remedy=f"Call it {better!r}." if _STYLE.fullmatch(better) else "Use lower-case words joined with '_'.",
        )
    if tool.toolset == "default":
        yield Remark(
            rule="toolset.missing",
            subject=tool.name,
            message="It has no toolset, so users cannot enable or disable it with related tools.",
            remedy='Declare it with toolset="...".',
        )


def _description(tool: ToolSpec) -> Iterator[Remark]:
    text = tool.description.strip()
    if not text:
        yield Remark(
            rule="description.missing",
            subject=tool.name,
            message="It has no description, so a model cannot know when to use it.",
            remedy="Write a docstring: what it does, and when to use it.",
        )
    elif len(text.split()) < _MIN_WORDS:
        yield Remark(
            rule="description.short",
            subject=tool.name,
            message=f"Its description, {text!r}, is too short.",
            remedy="Write a sentence: what it does, and when to use it.",
        )
    elif len(text) > MAX_DESCRIPTION:
        yield Remark(
            rule="description.long",
            subject=tool.name,
            message=f"Its description has {len(text)} characters; some model APIs refuse more than {MAX_DESCRIPTION}.",
            remedy="Move details about a parameter to that parameter's description.",
        )


def _parameters(tool: ToolSpec) -> Iterator[Remark]:
    definitions = tool.parameters.get("$defs", {})
    for name, schema in tool.parameters.get("properties", {}).items():
        if not isinstance(schema, Mapping):
            continue
        if not _says(schema, "description", definitions):
            yield Remark(
                rule="parameter.undocumented",
                subject=tool.name,
                parameter=name,
                message="It has no description, so a model has to guess what to send.",
                remedy='Write Annotated[str, Field(description="...")], or list it under Args: in the docstring.',
            )
        if _TYPED.isdisjoint(schema):
            yield Remark(
                rule="parameter.untyped",
                subject=tool.name,
                parameter=name,
                message="It accepts anything, so nothing can be checked or repaired.",
                remedy="Give it a type.",
            )


def _text(tool: ToolSpec) -> Iterator[Remark]:
    properties = tool.parameters.get("properties", {})
    rest = {key: value for key, value in tool.parameters.items() if key != "properties"}
    for parameter, part in ((None, [tool.description, rest]), *properties.items()):
        if found := next((text for text in _strings(part) if clean_text(text) != text), None):
            yield Remark(
                rule="text.unclean",
                subject=tool.name,
                parameter=parameter,
                message=f"Its text {found[:200]!a} contains control characters, invisible characters or chat "
                "template tokens. They are removed before models see it.",
                remedy="Remove them.",
            )


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for child in value.values():
            yield from _strings(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _strings(child)


def _says(schema: Mapping[str, Any], key: str, definitions: Mapping[str, Any]) -> bool:
    """Return True if a schema, or the definition that it refers to, has a value for a key."""
    target = definitions.get(str(schema.get("$ref", "")).removeprefix("#/$defs/"), {})
    return bool(schema.get(key)) or (isinstance(target, Mapping) and bool(target.get(key)))


def _effects(tool: ToolSpec) -> Iterator[Remark]:
    words = {word.lower() for word in _WORDS.findall(tool.name)}
    for effect, promises in _SUGGESTS.items():
        found = next((word for word in promises if word in words), None)
        if found is None:
            continue
        if tool.effects.isdisjoint(_ENOUGH.get(effect, frozenset({effect}))):
            declared = ", ".join(sorted(tool.effects)) or "no effects"
            yield Remark(
                rule="effects.undeclared",
                subject=tool.name,
                message=f"Its name contains {found!r}, but it declares {declared}, and policies rely on that.",
                remedy=f'Declare effects=["{effect}"], or rename it.',
            )
        return


def _size(tool: ToolSpec) -> Iterator[Remark]:
    definition = {"type": "function", "function": neutral_definition(tool.name, tool.description, tool.parameters)}
    shown = json.dumps(definition, default=dict, ensure_ascii=False)
    tokens = len(shown) // _CHARS_PER_TOKEN
    if tokens > MAX_TOKENS:
        yield Remark(
            rule="schema.large",
            subject=tool.name,
            message=f"Its definition costs about {tokens} tokens in every conversation.",
            remedy=f"Stay below {MAX_TOKENS}: shorten descriptions, or split the tool.",
        )
