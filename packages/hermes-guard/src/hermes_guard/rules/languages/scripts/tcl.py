"""Reads Tcl and expect, word by word."""

import re

from hermes_guard.budget import Budget
from hermes_guard.rules.languages.deed import Deed, deletes, runs
from hermes_guard.shell.word import HOLE


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Deed]:
    """What Tcl and expect would do."""
    _ = home, looped
    found: list[Deed] = []
    for line in re.split(r"[;\n\[\]{}]", code):
        words = line.split()
        if not words:
            continue
        if not budget.reads(4 + len(words) // 4):
            break
        if words[0] in {"exec", "spawn", "system"}:
            rest = [word for word in words[1:] if word not in {"-noecho", "-ignorestderr", "--"}]
            found.append(runs(re.sub(r"\$\w+", HOLE, " ".join(rest)), words[0]))
        elif words[:2] == ["file", "delete"] and "-force" in words:
            found += deletes(words[-1], "file delete", recursive=True)
        elif words[0] == "open" and len(words) > 1 and words[1].startswith(("|", '"|')):
            found.append(runs(" ".join(words[1:]).strip('"|'), "open"))
        elif words[0] == "eval" and any(word.startswith("$") for word in words[1:]):
            found.append(Deed("eval", "eval of code that nobody knows before it runs"))
    return found
