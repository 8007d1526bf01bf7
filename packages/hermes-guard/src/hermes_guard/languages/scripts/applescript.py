"""Reads AppleScript by its keywords."""

import re

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation, runs
from hermes_guard.languages.tokens import APPLESCRIPT, scan


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what AppleScript would do."""
    _ = home, looped
    found: list[Operation] = []
    tokens = scan(code, APPLESCRIPT, budget)
    names = [token.text.lower() for token in tokens if token.kind == "name"]
    for index, token in enumerate(tokens):
        if token.kind == "name" and token.text.lower() == "script" and index + 1 < len(tokens):
            following = tokens[index + 1]
            found.append(runs(following.text if following.kind == "text" else None, "do script"))
    found += [runs(called, "doShellScript") for called in re.findall(r"doShellScript\(\s*[\"']([^\"']*)", code)]
    if "administrator" in names and "privileges" in names:
        found.append(Operation("permission", "asks for administrator privileges"))
    if "delete" in names or ("empty" in names and "trash" in names):
        found.append(Operation("delete", "deletes through an application"))
    if "keystroke" in names:
        found.append(Operation("spawn", "types into another application"))
    return found
