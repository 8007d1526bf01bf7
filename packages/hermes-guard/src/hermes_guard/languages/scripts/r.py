"""Reads R."""

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.function_names import Functions
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.tokens import R
from hermes_guard.name_sets import names

VERBS = Functions(
    R,
    shell=names("system shell"),
    spawn=names("system2"),
    trees=names("unlink dir_delete"),
    files=names("remove"),
    evals=names("eval"),
    writes={"writeLines": 1, "sink": 0},
    fetches=names("url download"),
    statements=names("dbExecute dbSendQuery dbGetQuery dbSendStatement sqlQuery dbSendUpdate"),
    empties=names("dbRemoveTable flushall"),
)


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what R code would do."""
    script = Script(code, VERBS, home, looped=looped, budget=budget)
    found = script.read()
    for index, token in enumerate(script.tokens):
        if token.text in {"source", "source_url", "eval"} and token.kind == "name":
            args = script.args(index)
            first = next((part.text for part in args[0] if part.kind == "text"), "") if args else ""
            if "://" in first:
                found.append(Operation("remote", "sources code from elsewhere"))
        if token.text in {"remove", "file.remove"} and "file" in token.text + script.tokens[max(0, index - 2)].text:
            args = script.args(index)
            if not args or any(part.kind != "text" for arg in args for part in arg):
                found.append(Operation("delete", "file.remove of several files"))
    return found
