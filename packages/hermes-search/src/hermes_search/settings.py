"""The settings of tool search: invalid values produce a warning and fall back to the default."""

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

MOST_MATCHES = 50
"""More than that is a list, not an answer."""

_ENORMOUS = 10**12
"""More than anything that is counted here."""

_MODES: dict[str, Mode] = {"auto": "auto", "on": "on", "off": "off"}
_YES, _NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSearchConfig:
    """The section `tools.tool_search`, with every value in its bounds.

    Attributes:
        enabled: `auto` hides tools when their definitions are long, `on` always, `off` never.
        threshold_pct: From how many percent of the context window on they are too long for `auto`.
        search_default_limit: How many tools a search finds when the model does not say.
        max_search_limit: How many it finds at most.
        usage_prior: Whether tools that were called often come a little earlier.
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
        tell = warn or _log_warning
        if raw is None:
            return cls()
        if not isinstance(raw, Mapping):
            return cls(enabled=_mode_of_all(raw, tell))
        _tell_of_unknown("tools.tool_search", raw, KEYS, tell)
        most = min(MOST_MATCHES, max(1, _whole(raw, "max_search_limit", cls().max_search_limit, tell)))
        usual = _whole(raw, "search_default_limit", cls().search_default_limit, tell)
        percent = _number(raw, "threshold_pct", cls().threshold_pct, tell)
        return cls(
            enabled=_mode(raw.get("enabled"), tell),
            threshold_pct=min(100.0, max(0.0, percent)),
            search_default_limit=min(most, max(1, usual)),
            max_search_limit=most,
            usage_prior=_truth(raw, "usage_prior", tell),
        )

    @classmethod
    def of_section(cls, section: Mapping[Any, Any], warn: Warn | None = None) -> ToolSearchConfig:
        """Read the section `tools`. Never raises.

        Args:
            section: The section.
            warn: Called for each invalid value; by default a warning is logged.
        """
        _tell_of_unknown("tools", section, ("tool_search",), warn or _log_warning)
        return cls.from_raw(section.get("tool_search"), warn)

    def limit(self, wanted: object = None) -> int:
        """How many tools a search finds for a model that asked for so many, or said nothing that is a number."""
        number = _as_number(wanted)
        if math.isnan(number):
            return self.search_default_limit
        return int(min(self.max_search_limit, max(1, number)))


KEYS = ("enabled", "threshold_pct", "search_default_limit", "max_search_limit", "usage_prior")


def _log_warning(text: str) -> None:
    logging.getLogger("hermes").warning("%s", text)


def _mode_of_all(raw: object, tell: Warn) -> Mode:
    """The short form. True has always meant auto here, and so do its other spellings."""
    word = _word(raw)
    if word in _YES:
        return "auto"
    if word in _NO:
        return "off"
    return _known_mode("tools.tool_search", word, raw, tell)


def _mode(raw: object, tell: Warn) -> Mode:
    """The key `enabled`. YAML reads a bare on or off as true or false, so those mean what was written."""
    word = _word(raw)
    if raw is None:
        return "auto"
    if word in _YES:
        return "on"
    if word in _NO:
        return "off"
    return _known_mode("tools.tool_search.enabled", word, raw, tell)


def _known_mode(key: str, word: str, raw: object, tell: Warn) -> Mode:
    mode = _MODES.get(word)
    if mode is None:
        tell(f"{key} is {_shown(raw)}, not auto, on or off; auto is taken.")
        return "auto"
    return mode


def _word(raw: object) -> str:
    if isinstance(raw, int):
        return {0: "no", 1: "yes"}.get(raw, "")
    return raw.strip().lower() if isinstance(raw, str) else ""


def _whole(raw: Mapping[Any, Any], key: str, default: int, tell: Warn) -> int:
    number = _number(raw, key, default, tell)
    return int(min(max(number, -_ENORMOUS), _ENORMOUS))  # infinity has no whole number


def _number(raw: Mapping[Any, Any], key: str, default: float, tell: Warn) -> float:
    value = raw.get(key)
    if value is None:
        return default
    found = _as_number(value)
    if math.isnan(found):
        tell(f"tools.tool_search.{key} is {_shown(value)}, not a number; {default:g} is taken.")
        return default
    return found


def _as_number(value: object) -> float:
    """A number, or the text of one; NaN for everything else."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return float(value.strip().removesuffix("%"))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return float(min(max(value, -_ENORMOUS), _ENORMOUS))  # a whole number may have more digits than a float
    return math.nan


def _truth(raw: Mapping[Any, Any], key: str, tell: Warn) -> bool:
    value = raw.get(key)
    word = _word(value)
    if value is not None and word not in _YES | _NO:
        tell(f"tools.tool_search.{key} is {_shown(value)}, not true or false; false is taken.")
    return word in _YES


def _tell_of_unknown(section: str, raw: Mapping[Any, Any], keys: tuple[str, ...], tell: Warn) -> None:
    for key in raw:
        if key not in keys:
            near = _nearest(key, keys) if isinstance(key, str) else []
            meant = did_you_mean(near) or f" {'The keys are' if keys[1:] else 'Its key is'} {', '.join(keys)}."
            tell(f"{section} has no key {_shown(key)}.{meant}")


def _nearest(word: str, known: tuple[str, ...]) -> list[str]:
    import difflib  # only mistakes need it

    return difflib.get_close_matches(word.lower(), known, n=1)


def _shown(value: object) -> str:
    """A value for a message, however long it is."""
    try:
        text = repr(value)
    except Exception:  # a value that cannot even be shown, from an application
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


SECTION: dict[str, Any] = {
    "type": "object",
    "description": "How models are shown their tools.",
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
                    "description": "From how many percent of the context window on auto hides them.",
                },
                "search_default_limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_MATCHES,
                    "default": 5,
                    "description": "How many tools a search finds when the model does not say.",
                },
                "max_search_limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST_MATCHES,
                    "default": 20,
                    "description": "How many tools a search finds at most.",
                },
                "usage_prior": {
                    "type": "boolean",
                    "default": False,
                    "description": "Whether tools that the audit log knows well come a little earlier.",
                },
            },
        }
    },
}
"""The section `tools` of `config.yaml`, as a JSON schema."""
