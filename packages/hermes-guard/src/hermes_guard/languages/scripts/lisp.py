"""Reads Emacs Lisp, call by call."""

import re

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation, deletes, runs, starts
from hermes_guard.languages.tokens import LISP, scan

_SHELL = frozenset({"shell-command", "async-shell-command", "shell-command-to-string", "start-process-shell-command"})


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what Emacs Lisp would do."""
    _ = home, looped
    found: list[Operation] = []
    for match in re.finditer(r"\(([a-z][a-z-]*)([^()]*)", code):
        if not budget.reads(4):
            break
        name, rest = match.groups()
        texts = [token.text for token in scan(rest, LISP, budget) if token.kind == "text"]
        if name in _SHELL:
            found.append(runs(texts[0] if texts else None, name))
        elif name in {"call-process", "start-process", "make-process"}:
            found.append(starts(texts[1:] if name == "start-process" else list(texts), name))
        elif name == "delete-directory":
            found += deletes(texts[0] if texts else None, name, recursive=True)
        elif name == "delete-file":
            found += deletes(texts[0] if texts else None, name, many=not texts)
        elif name in {"url-retrieve-synchronously", "eval-buffer"}:
            found.append(Operation("eval", f"{name}: code that is unknown until it runs"))
    return found
