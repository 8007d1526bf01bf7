"""The version of the plugin API, and groups of hooks."""

from __future__ import annotations

from operator import eq, ge, gt, le, lt, ne

API_VERSION = "1.0"
"""The version of the hooks and the public modules. It changes with everything that a plugin could notice."""

REGISTRATION_HOOKS = ("hermes_tools", "hermes_toolsets", "hermes_settings", "hermes_commands", "hermes_providers")
"""The hooks that a manifest replaces. A plugin with other hooks must be imported when it is loaded."""

LAZY_HOOKS = (*REGISTRATION_HOOKS, "hermes_health_checks", "hermes_demo_steps")
"""The hooks that require no import at load: a manifest replaces them, or they are not called during a tool call."""

POLICY_HOOKS = ("hermes_pre_tool_call", "hermes_assess_call", "hermes_request_approval")
"""The hooks that can deny a call: without a plugin that has one, calls would run that it denies."""

_OPERATORS = {">=": ge, "<=": le, "==": eq, "!=": ne, ">": gt, "<": lt}


def default_range() -> str:
    """Return the range of a plugin that specifies none: from this version up to the next major version."""
    major = int(API_VERSION.split(".", maxsplit=1)[0])
    return f">={API_VERSION},<{major + 1}"


def within(wanted: str, version: str = API_VERSION) -> bool:
    """Return True if a version lies in a range such as `>=1.0,<2`. Raises `ValueError` for an invalid range."""
    have = _numbers(version)
    for part in wanted.split(","):
        clause = part.strip()
        if clause.startswith("~="):  # compatible release: at least this, with the same prefix
            least = _numbers(clause[2:])
            if have < least or have[: len(least) - 1] != least[:-1]:
                return False
            continue
        sign = next((sign for sign in _OPERATORS if clause.startswith(sign)), None)
        if sign is None:
            raise ValueError(f"{wanted!r} is not a range of versions")
        than = _numbers(clause[len(sign) :])
        width = max(len(have), len(than))
        if not _OPERATORS[sign](*(each + (0,) * (width - len(each)) for each in (have, than))):
            return False
    return True


def find_misfit(wanted: str | None, shipped: str) -> tuple[str, str] | None:
    """Explain why a plugin that requires a range of versions cannot work, and what to do about it."""
    if wanted is None:
        return None
    try:
        if within(wanted):
            return None
    except ValueError as error:
        reason = f"it requires version {wanted!r} of the plugin API: {error}."
        return reason, f'Write the range as in hermes_api = "{default_range()}".'
    reason = f"it requires version {wanted} of the plugin API, but this hermes-core has version {API_VERSION}."
    return reason, f"Install a compatible hermes-core, or another version of {shipped}."


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.strip().split(".")
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise ValueError(f"{text.strip()!r} is not a version of the plugin API")
    return tuple(map(int, parts))
