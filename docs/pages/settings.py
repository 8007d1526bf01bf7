"""Every key of `config.yaml` that the core reads."""

from __future__ import annotations

import tempfile
from pathlib import Path

from docs.pages.pieces import table

from hermes_core.config.config import Config
from hermes_core.config.core_settings import Settings
from hermes_core.config.sections import CORE_SECTIONS

# A key of config.yaml for each field of Settings, with a value to test it: `_proven` rejects a wrong pair.
_KEYS: dict[str, tuple[str, str]] = {
    "plugins_enabled": ("plugins.enabled", "[dice]"),
    "plugins_disabled": ("plugins.disabled", "[dice]"),
    "plugins_required": ("plugins.required", "[house_rules]"),
    "plugins_distributions": ("plugins.required", "[{name: corp, distribution: corp-tools}]"),
    "plugins_accept": ("plugins.accept", "{web: [my_search]}"),
    "plugins_import_seconds": ("plugins.import_seconds", "5"),
    "plugins_upstream": ("plugins.upstream", "true"),
    "toolsets": ("toolsets", "{research: {tools: [web_search]}}"),
    "toolset_distributions": ("toolset_distributions", "{mine: {web: 90, terminal: 25}}"),
    "timeout": ("calls.timeout", "60"),
    "hook_timeout": ("calls.hook_timeout", "5"),
    "approval_timeout": ("calls.approval_timeout", "120"),
    "max_depth": ("calls.max_depth", "16"),
    "max_abandoned": ("calls.max_abandoned", "2"),
    "reader_tool": ("results.reader_tool", "open_file"),
}


def page() -> str:
    """Generate the page."""
    fields = list(Settings._fields)
    if fields != list(_KEYS):
        raise SystemExit(f"docs/pages/settings.py knows the settings {list(_KEYS)}, the code has {fields}: fix _KEYS.")
    rows = []
    for field in fields:
        key, example = _KEYS[field]
        default = _proven(field, key, example)
        rows.append((f"`{key}`", _description(field, key), f"`{default}`", f"`{_yaml(key, example)}`"))
    return "\n\n".join(
        [
            "# Settings\n\nThe core reads `config.yaml` in `$HERMES_HOME`, which defaults to `~/.hermes`. Without a "
            "file, the defaults apply. An invalid file is rejected with the position of the error and a suggested fix; "
            "it is never treated as empty.",
            'An application can pass the same keys to a host: `Hermes(config={"calls": {"timeout": 60}})`.',
            table(["key", "meaning", "default", "example"], rows),
        ]
    )


def _description(field: str, key: str) -> str:
    if field == "plugins_distributions":
        return "The distribution that a plugin name belongs to: `{name, distribution}`, also in `plugins.enabled`."
    section, *way = key.split(".")
    spec = next(spec for spec in CORE_SECTIONS if spec.name == section)
    return str((spec.find(tuple(way)) or {})["description"])


def _yaml(key: str, value: str) -> str:
    section, _, name = key.rpartition(".")
    return f"{section}: {{{name}: {value}}}" if section else f"{key}: {value}"


def _proven(field: str, key: str, example: str) -> str:
    """Return the default of a field, after checking that the key sets this field and no other."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.yaml"
        file.write_text(_yaml(key, example), encoding="utf-8")
        loaded = Config(file.parent, environ={}).settings()
    plain = Settings()
    changed = [name for name in _KEYS if getattr(loaded, name) != getattr(plain, name)]
    beside = ["plugins_required"] if field == "plugins_distributions" else []
    if changed != [*beside, field]:
        raise SystemExit(f"The key {key} sets {changed}, not {field}: fix _KEYS in docs/pages/settings.py.")
    value = getattr(plain, field)
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
