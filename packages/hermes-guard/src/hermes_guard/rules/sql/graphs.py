"""Query languages that are no SQL: Cypher and SurrealQL."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv.names import names
from hermes_guard.rules.sql.statements import statements
from hermes_guard.rules.sql.table import ALL_ROWS, STORE
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_CYPHER = re.compile(
    r"detach\s+delete\b|\bdrop\s+\w|\bmatch\s*\(\w*\)\s*(?:-\[[^\]]{0,200}\]-\(\w*\)\s*)?delete\b", re.IGNORECASE
)
_CYPHER_CONDITION = re.compile(r"\{|\bwhere\b", re.IGNORECASE)
_REMOVED = names(
    "NAMESPACE NS DATABASE DB TABLE USER ACCESS FIELD INDEX EVENT FUNCTION PARAM ANALYZER BUCKET SCOPE TOKEN"
)


def judge_cypher(text: str, command: Command) -> Iterator[Finding]:
    """Nodes that are deleted without a condition."""
    if _CYPHER.search(text) and not _CYPHER_CONDITION.search(text):
        yield STORE.found(command, path="detach delete")


def judge_surreal(text: str, command: Command, *, rows: bool = True) -> Iterator[Finding]:
    """`REMOVE TABLE user`, and with `rows` also `DELETE user` where a record would be `user:1`."""
    for words in statements(text):
        if words[0] == "REMOVE" and words[1:2] and words[1] in _REMOVED:
            yield STORE.found(command, path=" ".join(words[:4])[:80])
        elif rows and words[0] == "DELETE" and len(words) > 1 and not {":", "WHERE"} & set(words):
            yield ALL_ROWS.found(command, path=" ".join(words[:4])[:80])
