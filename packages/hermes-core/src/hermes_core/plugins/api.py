"""The version of what plugins may rely on, and whether a plugin's range of versions holds it."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne

API_VERSION = "1.0"
"""The version of the hooks and of what plugins may import: it changes when a plugin could notice."""

_OPERATORS: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": ge,
    "<=": le,
    "==": eq,
    "!=": ne,
    ">": gt,
    "<": lt,
}


def default_range() -> str:
    """What a plugin is taken to need that says nothing: this version, up to the next that may break it."""
    major = int(API_VERSION.split(".", maxsplit=1)[0])
    return f">={API_VERSION},<{major + 1}"


def within(wanted: str, version: str = API_VERSION) -> bool:
    """Whether a version lies in a range such as `>=1.0,<2`, as pip writes them.

    Raises:
        ValueError: that is not a range.
    """
    have = _numbers(version)
    for part in wanted.split(","):
        clause = part.strip()
        if clause.startswith("~="):  # compatible: at least this, and the same up to the number before the last
            least = _numbers(clause[2:])
            if have < least or have[: len(least) - 1] != least[:-1]:
                return False
            continue
        sign = next((sign for sign in _OPERATORS if clause.startswith(sign)), None)
        if sign is None:
            raise ValueError(f"{wanted!r} is not a range of versions")
        than = _numbers(clause[len(sign) :])
        if not _OPERATORS[sign](_padded(have, than), _padded(than, have)):
            return False
    return True


def unfit(wanted: str | None, shipped: str) -> tuple[str, str] | None:
    """Why a plugin cannot work with this version of the API, and what to do; None when it can.

    Args:
        wanted: The range of versions that it asks for.
        shipped: The distribution or file that it came in.
    """
    if wanted is None:
        return None
    try:
        if within(wanted):
            return None
    except ValueError as error:
        reason = f"it asks for version {wanted!r} of the plugin API: {error}."
        return reason, f'Write the range as in hermes_api = "{default_range()}".'
    reason = f"it needs version {wanted} of the plugin API, and this hermes-core has version {API_VERSION}."
    return reason, f"Install a hermes-core that has it, or another version of {shipped}."


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.strip().split(".")
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        raise ValueError(f"{text.strip()!r} is not a version of the plugin API")
    return tuple(map(int, parts))


def _padded(numbers: tuple[int, ...], beside: tuple[int, ...]) -> tuple[int, ...]:
    return numbers + (0,) * (len(beside) - len(numbers))
