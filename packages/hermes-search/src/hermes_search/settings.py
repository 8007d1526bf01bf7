"""The settings of tool search. Invalid values produce a warning and fall back to the default."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hermes_core.errors import did_you_mean

Mode = Literal["auto", "on", "off"]
Warn = Callable[[str], None]

MAX_MATCHES = 50
"""The maximum number of matches."""

_ENORMOUS = 10**12
"""Larger than every valid number."""

_MODES: dict[str, Mode] = {"auto": "auto", "on": "on", "off": "off"}
_YES, _NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSearchConfig:
    """The section `tools.tool_search`, with every value within its limits.

    Attributes:
        enabled: `auto` hides tools when their definitions are long, `on` always, `off` never.
        threshold_pct: The percentage of the context window from which `auto` hides them.
        search_default_limit: The default number of matches.
        max_search_limit: The maximum number of matches.
        usage_prior: Whether frequently called tools rank a little higher.
    """

    enabled: Mode = "auto"
    threshold_pct: float = 10.0
    search_default_limit: int = 5
    max_search_limit: int = 20
    usage_prior: bool = False

    @classmethod
    def from_raw(cls, raw: object, warn: Warn | None = None) -> ToolSearchConfig:
        """Read the value of `tools.tool_search`. Never raises.

        Args:
            raw: A section, or one word for all of it: true means auto, false means off; None means the defaults.
            warn: Called for each invalid value; by default a warning is logged.
        """
        warn = warn or _log_warning
        if raw is None:
            return cls()
        if not isinstance(raw, Mapping):
            return cls(enabled=_mode_of_all(raw, warn))
        _warn_of_unknown("tools.tool_search", raw, KEYS, warn)
        most = min(MAX_MATCHES, max(1, _whole(raw, "max_search_limit", cls().max_search_limit, warn)))
        usual = _whole(raw, "search_default_limit", cls().search_default_limit, warn)
        percent = _number(raw, "threshold_pct", cls().threshold_pct, warn)
        return cls(
            enabled=_mode(raw.get("enabled"), warn),
            threshold_pct=min(100.0, max(0.0, percent)),
            search_default_limit=min(most, max(1, usual)),
            max_search_limit=most,
            usage_prior=_truth(raw, "usage_prior", warn),
        )

    @classmethod
    def of_section(cls, section: Mapping[Any, Any], warn: Warn | None = None) -> ToolSearchConfig:
        """Read the section `tools`. Never raises.

        Args:
            section: The section.
            warn: Called for each invalid value; by default a warning is logged.
        """
        _warn_of_unknown("tools", section, ("tool_search",), warn or _log_warning)
        return cls.from_raw(section.get("tool_search"), warn)

    def limit(self, requested: object = None) -> int:
        """Return how many tools a search finds for the limit that a model gave."""
        number = _as_number(requested)
        if math.isnan(number):
            return self.search_default_limit
        return int(min(self.max_search_limit, max(1, number)))


KEYS = ("enabled", "threshold_pct", "search_default_limit", "max_search_limit", "usage_prior")


def _log_warning(text: str) -> None:
    logging.getLogger("hermes").warning("%s", text)


def _mode_of_all(raw: object, warn: Warn) -> Mode:
    """Read the short form, where true means auto."""
    word = _word(raw)
    if word in _YES:
        return "auto"
    if word in _NO:
        return "off"
    return _known_mode("tools.tool_search", word, raw, warn)


def _mode(raw: object, warn: Warn) -> Mode:
    """Read `enabled`. YAML reads an unquoted on or off as true or false, so those mean on and off."""
    word = _word(raw)
    if raw is None:
        return "auto"
    if word in _YES:
        return "on"
    if word in _NO:
        return "off"
    return _known_mode("tools.tool_search.enabled", word, raw, warn)


def _known_mode(key: str, word: str, raw: object, warn: Warn) -> Mode:
    mode = _MODES.get(word)
    if mode is None:
        warn(f"{key} is {_quote(raw)}, not auto, on or off; using auto.")
        return "auto"
    return mode


def _word(raw: object) -> str:
    if isinstance(raw, int):
        return {0: "no", 1: "yes"}.get(raw, "")
    return raw.strip().lower() if isinstance(raw, str) else ""


def _whole(raw: Mapping[Any, Any], key: str, default: int, warn: Warn) -> int:
    number = _number(raw, key, default, warn)
    return int(min(max(number, -_ENORMOUS), _ENORMOUS))  # infinity has no integer


def _number(raw: Mapping[Any, Any], key: str, default: float, warn: Warn) -> float:
    value = raw.get(key)
    if value is None:
        return default
    found = _as_number(value)
    if math.isnan(found):
        warn(f"tools.tool_search.{key} is {_quote(value)}, not a number; using {default:g}.")
        return default
    return found


def _as_number(value: object) -> float:
    """Return a number, or the number in a text; NaN for everything else."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return float(value.strip().removesuffix("%"))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return float(min(max(value, -_ENORMOUS), _ENORMOUS))  # an integer may be larger than any float
    return math.nan


def _truth(raw: Mapping[Any, Any], key: str, warn: Warn) -> bool:
    value = raw.get(key)
    word = _word(value)
    if value is not None and word not in _YES | _NO:
        warn(f"tools.tool_search.{key} is {_quote(value)}, not true or false; using false.")
    return word in _YES


def _warn_of_unknown(section: str, raw: Mapping[Any, Any], keys: tuple[str, ...], warn: Warn) -> None:
    for key in raw:
        if key not in keys:
            near = _nearest(key, keys) if isinstance(key, str) else []
            meant = did_you_mean(near) or f" {'The keys are' if keys[1:] else 'Its key is'} {', '.join(keys)}."
            warn(f"{section} has no key {_quote(key)}.{meant}")


def _nearest(word: str, known: tuple[str, ...]) -> list[str]:
    import difflib  # slow to import, and only needed here

    return difflib.get_close_matches(word.lower(), known, n=1)


def _quote(value: object) -> str:
    """Format a value for a message."""
    try:
        text = repr(value)
    except Exception:  # a foreign class may raise anything
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


SECTION: dict[str, Any] = {
    "type": "object",
    "description": "Which tools models get.",
    "properties": {
        "tool_search": {
            "type": ["object", "boolean", "string"],
            "pattern": "^(auto|on|off|true|false|yes|no)$",
            "description": "Whether tools are hidden behind tool search; true means auto, false means off.",
            "examples": ["auto"],
            "properties": {
                "enabled": {
                    "enum": ["auto", "on", "off", True, False],
                    "default": "auto",
                    "description": "auto hides tools when their definitions are long, on always, off never.",
                },
                "threshold_pct": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 100,
                    "default": 10.0,
                    "description": "The percentage of the context window from which auto hides them.",
                },
                "search_default_limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_MATCHES,
                    "default": 5,
                    "description": "The default number of matches.",
                },
                "max_search_limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_MATCHES,
                    "default": 20,
                    "description": "The maximum number of matches.",
                },
                "usage_prior": {
                    "type": "boolean",
                    "default": False,
                    "description": "Whether frequently called tools of the audit log rank a little higher.",
                },
            },
        }
    },
}
"""The section `tools` of `config.yaml`, as a JSON schema."""
