"""Reads the scripts of a `package.json`: which of them a package manager runs."""

import json
from collections.abc import Iterator, Sequence

_INSTALLS = frozenset({"install", "i", "ci", "add"})
_RUNS = frozenset({"run", "run-script", "rum"})
_OWN = {"t": "test", "tst": "test"}
_HOOKS = ("preinstall", "install", "postinstall", "prepare")


def commands(text: str, program: str, words: Sequence[str]) -> Iterator[str]:
    """The shell code that runs when a package manager is given these words."""
    try:
        known = json.loads(text)
    except (ValueError, RecursionError):
        return
    scripts = known.get("scripts") if isinstance(known, dict) else None
    if not isinstance(scripts, dict):
        return
    operands = [word for word in words if not word.startswith("-")]
    verb = operands[0] if operands else "install" if program == "yarn" else ""
    if verb in _INSTALLS:
        wanted: tuple[str, ...] = _HOOKS
    else:
        name = operands[1] if verb in _RUNS and len(operands) > 1 else _OWN.get(verb, verb)
        wanted = (f"pre{name}", name, f"post{name}")
        if verb not in _RUNS and program == "npm" and name not in {"test", "start", "stop", "restart"}:
            return
    for name in wanted:
        code = scripts.get(name)
        if isinstance(code, str) and code.strip():
            yield code
