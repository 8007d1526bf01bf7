"""Parses modes as chmod does, numeric and symbolic."""

from hermes_guard import lazy_re as re

_OCTAL = re.compile(r"[=+]?0*([0-7]{1,5})\Z")
_CLAUSE = re.compile(r"([ugoa]*)((?:[-+=][rwxXstugo]*)+)\Z")
_ACTION = re.compile(r"([-+=])([rwxXstugo]*)")


def _number(mode: str) -> int | None:
    octal = _OCTAL.match(mode)
    return int(octal.group(1), 8) if octal is not None else None


def _clauses(mode: str) -> dict[str, None]:
    # Each clause once: repeating it thousands of times changes nothing.
    return dict.fromkeys(mode.split(","))


def loosens(mode: str) -> tuple[bool, bool]:
    """Return whether a mode lets everyone write, and whether it sets setuid or setgid."""
    number = _number(mode)
    if number is not None:
        return bool(number & 0o002), bool(number & 0o6000)
    world = setid = False
    for clause in _clauses(mode):
        found = _CLAUSE.match(clause)
        if found is None:
            continue
        who = found.group(1)
        for sign, rights in _ACTION.findall(found.group(2)):
            if sign == "-":
                continue
            if "s" in rights and who != "o":
                setid = True
            if ("o" in who or "a" in who) and ("w" in rights or (rights in {"u", "g"} and "o" in who)):
                world = True
    return world, setid


def exposes(mode: str) -> bool:
    """Return whether a mode lets others read."""
    number = _number(mode)
    if number is not None:
        return bool(number & 0o044)
    return any("r" in rights and sign != "-" for sign, rights in _ACTION.findall(mode)) and any(
        who in mode.split("=", maxsplit=1)[0].split("+", maxsplit=1)[0] for who in "goa"
    )


def closes(mode: str) -> bool:
    """Return whether a mode removes every permission from the owner."""
    number = _number(mode)
    return number is not None and not number & 0o700


def is_mode(text: str) -> bool:
    """Return True for a text that can only be a mode."""
    return _number(text) is not None or (
        any(sign in text for sign in "+-=") and all(_CLAUSE.match(clause) for clause in _clauses(text) if clause)
    )
