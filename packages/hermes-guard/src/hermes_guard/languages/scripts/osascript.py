"""Reads AppleScript and JavaScript for Automation, as `osascript` does."""

import re

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation, runs
from hermes_guard.languages.scripts.function_names import Functions
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.tokens import APPLESCRIPT, JXA, scan
from hermes_guard.name_sets import names

_JXA = Functions(
    JXA,
    shell=names("doShellScript doScript system popen"),
    trees=names("removeItemAtPathError removeItemAtURLError trashItemAtURLResultingItemURLError"),
    evals=names("eval Function"),
    writes={"writeToFileAtomicallyEncodingError": 0, "writeToFileAtomically": 0},
)


def read_applescript(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what AppleScript would do."""
    _ = home, looped
    found: list[Operation] = []
    tokens = scan(code, APPLESCRIPT, budget)
    words = [token.text.lower() for token in tokens if token.kind == "name"]
    for index, token in enumerate(tokens):
        if token.kind == "name" and token.text.lower() == "script" and index + 1 < len(tokens):
            following = tokens[index + 1]
            found.append(runs(following.text if following.kind == "text" else None, "do script"))
    found += [runs(called, "doShellScript") for called in re.findall(r"doShellScript\(\s*[\"']([^\"']*)", code)]
    if "administrator" in words and "privileges" in words:
        found.append(Operation("permission", "asks for administrator privileges"))
    if "delete" in words or ("empty" in words and "trash" in words):
        found.append(Operation("delete", "deletes through an application"))
    if "keystroke" in words:
        found.append(Operation("spawn", "types into another application"))
    return found


def read_jxa(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what JavaScript for Automation would do."""
    script = Script(code, _JXA, home, looped=looped, budget=budget)
    found = script.read()
    if "administratorPrivileges" in script.names:
        found.append(Operation("permission", "asks for administrator privileges"))
    if "keystroke" in script.names or "keyCode" in script.names:
        found.append(Operation("spawn", "types into another application"))
    if "NSTask" in script.names or "execve" in script.names:
        texts = [token.text for token in script.tokens if token.kind == "text" and token.text != "Cocoa"]
        found.append(Operation("spawn", f"NSTask of {' '.join(texts)[:80]}"))
    return found
