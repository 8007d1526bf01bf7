"""Verbs of scripts that send a statement to a database, or empty what it keeps."""

from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.rules.languages.deed import Deed
from hermes_guard.rules.languages.scripts.named import Named
from hermes_guard.rules.languages.statements import DESTRUCTIVE
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.rules.languages.scripts.script import Script


def statement(script: "Script", named: Named) -> None:
    """Statements among the arguments of a call."""
    if script.in_memory or not script.budget.reads(4):
        return
    for arg in script.args(named.at):
        text = script.constant(arg)
        if text and DESTRUCTIVE.match(text):
            script.found.append(Deed("sql", f"{named.name} of a statement", text))


def empty(script: "Script", named: Named) -> None:
    """A method that empties what a database keeps, or part of it when it is given a condition."""
    if named.before not in {".", "->", "::", "&", ":"} and script.text(named.at - 1) not in {".", "->", "::"}:
        return
    given = [token for arg in script.args(named.at) for token in arg if token.text not in {"{", "}"}]
    if _HALF.match(named.name) and any(token.kind in {"name", "text", "number"} for token in given):
        return
    what = next((token.text for token in given if token.kind == "text"), "").replace(HOLE, "…")
    script.found.append(Deed("delete", f"{named.name} {what}".strip()))


#: With a condition they delete only some.
_HALF = re.compile(r"delete|destroy|remove|del\Z|truncate|drop\Z")
