"""Reads JavaScript for Automation, as `osascript -l JavaScript` does."""

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.scripts.verbs import Verbs
from hermes_guard.languages.tokens import JXA
from hermes_guard.name_sets import names

VERBS = Verbs(
    JXA,
    shell=names("doShellScript doScript system popen"),
    trees=names("removeItemAtPathError removeItemAtURLError trashItemAtURLResultingItemURLError"),
    evals=names("eval Function"),
    writes={"writeToFileAtomicallyEncodingError": 0, "writeToFileAtomically": 0},
)


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what JavaScript for Automation would do."""
    script = Script(code, VERBS, home, looped=looped, budget=budget)
    found = script.read()
    if "administratorPrivileges" in script.names:
        found.append(Operation("permission", "asks for administrator privileges"))
    if "keystroke" in script.names or "keyCode" in script.names:
        found.append(Operation("spawn", "types into another application"))
    if "NSTask" in script.names or "execve" in script.names:
        texts = [token.text for token in script.tokens if token.kind == "text" and token.text != "Cocoa"]
        found.append(Operation("spawn", f"NSTask of {' '.join(texts)[:80]}"))
    return found
