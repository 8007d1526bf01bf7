"""Which variables of this process a script on this machine gets: what commands get, and nothing that sounds secret."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from hermes_tools_terminal.environments.variables import for_commands

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|DSN|WEBHOOK", re.IGNORECASE)


def for_scripts(passed: Iterable[str] = (), *, alone: bool = False) -> dict[str, str]:
    """The variables of a script.

    Args:
        passed: Names that the user lets through.
        alone: Whether the user's own modules are out of reach.
    """
    declared = frozenset(passed)
    found = for_commands(declared)
    for name in [name for name in found if name not in declared]:
        if _SECRET.search(name) or (name.startswith("PYTHON") and (alone or name != "PYTHONPATH")):
            del found[name]
    for name in ("TMPDIR", "TMP", "TEMP"):
        if name in found and not (os.path.isabs(found[name]) and os.path.isdir(found[name])):
            del found[name]
    return found
