"""Reads `config.yaml`: a broken file is refused with its place and the remedy, never taken as empty."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_core.config.document import Document, read_document
from hermes_core.config.settings import (
    DEFAULT_APPROVAL_TIMEOUT,
    DEFAULT_HOOK_TIMEOUT,
    DEFAULT_IMPORT_SECONDS,
    DEFAULT_MAX_ABANDONED,
    DEFAULT_MAX_DEPTH,
    Settings,
)
from hermes_core.errors import ConfigError

_EXAMPLES = {
    "plugins": "plugins: {disabled: [dice]}",
    "calls": "calls: {timeout: 60}",
    "results": "results: {reader_tool: read_file}",
    "toolset_distributions": "toolset_distributions: {mine: {web: 80, file: 50}}",
}


def load_settings(file: Path) -> Settings:
    """The settings in a file; the defaults when there is no such file.

    Raises:
        ConfigError: the file cannot be read, is not YAML, or says something that cannot be.
    """
    return settings_of(read_document(file))


def settings_of(document: Document) -> Settings:
    """The settings in a document that was read already.

    Raises:
        ConfigError: it says something that cannot be.
    """
    try:
        return _settings(document.file, document.data)
    except ConfigError as error:
        line = document.line_of(tuple((error.key or "").split(".", 1)))
        raise ConfigError(error.reason, file=error.file, line=line, key=error.key, example=error.example) from None


def _settings(file: Path, data: Mapping[str, Any]) -> Settings:
    plugins = _section(file, data, "plugins")
    calls = _section(file, data, "calls")
    results = _section(file, data, "results")
    disabled = plugins.get("disabled")
    distributions: dict[str, str] = {}
    return Settings(
        plugins_enabled=_plugins(file, "plugins.enabled", plugins.get("enabled"), distributions),
        plugins_required=_plugins(file, "plugins.required", plugins.get("required"), distributions) or (),
        plugins_disabled=() if disabled is None else _words(file, "plugins.disabled", disabled),
        plugins_distributions=distributions,
        plugins_accept=_accepted(file, plugins.get("accept")),
        plugins_import_seconds=_seconds(
            file, "plugins.import_seconds", plugins.get("import_seconds"), DEFAULT_IMPORT_SECONDS
        )
        or DEFAULT_IMPORT_SECONDS,
        plugins_upstream=_yes_or_no(file, "plugins.upstream", plugins.get("upstream"), False),
        toolsets=_toolsets(file, data.get("toolsets")),
        toolset_distributions=_section(file, data, "toolset_distributions"),
        call_timeout=_seconds(file, "calls.timeout", calls.get("timeout"), None),
        hook_timeout=_seconds(file, "calls.hook_timeout", calls.get("hook_timeout"), DEFAULT_HOOK_TIMEOUT)
        or DEFAULT_HOOK_TIMEOUT,
        approval_timeout=_seconds(
            file, "calls.approval_timeout", calls.get("approval_timeout"), DEFAULT_APPROVAL_TIMEOUT
        )
        or DEFAULT_APPROVAL_TIMEOUT,
        max_depth=_count(file, "calls.max_depth", calls.get("max_depth"), DEFAULT_MAX_DEPTH),
        max_abandoned=_count(file, "calls.max_abandoned", calls.get("max_abandoned"), DEFAULT_MAX_ABANDONED),
        reader_tool=_word(file, "results.reader_tool", results.get("reader_tool"), "read_file"),
    )


def _yes_or_no(file: Path, key: str, value: object, default: bool) -> bool:
    if value is None:
        return default
    if not isinstance(value, bool):
        raise ConfigError(f"is {value!r}, not true or false.", file=str(file), key=key, example=_example(key, "true"))
    return value


def _section(file: Path, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(
            f"is a {type(value).__name__}, not a section.", file=str(file), key=key, example=_EXAMPLES[key]
        )
    return value


def _example(key: str, value: str) -> str:
    section, _, name = key.partition(".")
    return f"{section}: {{{name}: {value}}}"


def _words(file: Path, key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise ConfigError(f"is {value!r}, not a list of names.", file=str(file), key=key, example=_example(key, "[dice]"))


def _plugins(file: Path, key: str, value: object, distributions: dict[str, str]) -> tuple[str, ...] | None:
    """Read a list of plugins, each a name or `{name, distribution}`, and note the distributions."""
    if value is None:
        return None
    entries = [_plugin(entry) for entry in value] if isinstance(value, list | tuple) else [None]
    names: list[str] = []
    for entry in entries:
        if entry is None:
            example = _example(key, "[dice, {name: corp, distribution: corp-tools}]")
            raise ConfigError(f"is {value!r}, not a list of plugins.", file=str(file), key=key, example=example)
        name, distribution = entry
        names.append(name)
        if distribution is not None and distributions.setdefault(name, distribution) != distribution:
            both = f"{distributions[name]!r} and {distribution!r}"
            raise ConfigError(f"gives the name {name!r} to {both}.", file=str(file), key=key)
    return tuple(names)


def _plugin(entry: object) -> tuple[str, str | None] | None:
    """Return the name and the distribution that an entry of a list gives; None when it is neither form."""
    if isinstance(entry, str):
        return entry, None
    if not isinstance(entry, Mapping) or not set(entry) <= {"name", "distribution"}:
        return None
    name, distribution = entry.get("name"), entry.get("distribution")
    return (name, distribution) if isinstance(name, str) and isinstance(distribution, str | None) else None


def _accepted(file: Path, value: object) -> Mapping[str, tuple[str, ...]]:
    key, example = "plugins.accept", "plugins: {accept: {web: [my_search]}}"
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(
        isinstance(toolset, str) and isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        for toolset, names in value.items()
    ):
        return {toolset: tuple(names) for toolset, names in value.items()}
    raise ConfigError(f"is {value!r}, not lists of plugins by toolset.", file=str(file), key=key, example=example)


def _word(file: Path, key: str, value: object, default: str) -> str:
    if value is None:
        return default
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"is {value!r}, not a name.", file=str(file), key=key, example=_example(key, default))
    return value


def _seconds(file: Path, key: str, value: object, default: float | None) -> float | None:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ConfigError(
            f"is {value!r}, not a number of seconds.", file=str(file), key=key, example=_example(key, "60")
        )
    try:
        return float(value)
    except OverflowError:  # more digits than a float has: for ever, then
        return float("inf")


def _count(file: Path, key: str, value: object, default: int) -> int:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(
            f"is {value!r}, not a whole number of at least 1.",
            file=str(file),
            key=key,
            example=_example(key, str(default)),
        )
    return value


def _toolsets(file: Path, value: object) -> Mapping[str, Mapping[str, Any]]:
    key = "toolsets"
    example = "toolsets: {mine: {tools: [web_search], includes: [file]}}"
    if value is None or isinstance(
        value, list
    ):  # a list is a choice of toolsets for an agent, not a declaration of new ones
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"is a {type(value).__name__}, not a section.", file=str(file), key=key, example=example)
    found: dict[str, Mapping[str, Any]] = {}
    for name, entry in value.items():
        if not isinstance(name, str):
            raise ConfigError(
                f"{name!r} is not the name of a toolset; YAML reads some bare words as values, so quote it.",
                file=str(file),
                key=key,
                example=example,
            )
        if isinstance(entry, list):
            entry = {"tools": entry}  # noqa: PLW2901 - the short form is read as the long one
        if not isinstance(entry, Mapping) or not all(
            isinstance(entry.get(part, []), list) for part in ("tools", "includes", "aliases")
        ):
            raise ConfigError(f"is {entry!r}.", file=str(file), key=f"{key}.{name}", example=example)
        unknown = set(entry) - {"description", "tools", "includes", "aliases"}
        if unknown:
            raise ConfigError(
                f"has no part {min(map(str, unknown))!r}.", file=str(file), key=f"{key}.{name}", example=example
            )
        found[name] = entry
    return found
