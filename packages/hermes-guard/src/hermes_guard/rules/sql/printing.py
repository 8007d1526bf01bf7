"""Programs that print statements for a client behind their pipe."""

from hermes_guard import lazy_re as re
from hermes_guard.argv.names import names
from hermes_guard.rules.sql.client_table import CLIENTS
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE

#: Verbs of tools that print statements which empty tables, instead of running them.
_VERBS = names("sqlflush sqlclear sqlreset downgrade")
_WRITERS = names("python python3 node ruby perl php awk gawk mawk sed gsed echo printf xargs jq") | CLIENTS.keys()
#: The beginning of a statement in a string, or in what sed puts in the place of something else.
_STATEMENT = re.compile(
    r"(?:['\"`]|\A|s[/|#][^/|#]{0,80}[/|#])\s{0,8}(?:drop\s{1,8}(?:table|view|database|schema|index|user|sequence|type)"
    r"|truncate\s|delete\s{1,8}from\s)",
    re.IGNORECASE,
)
#: How much of the code of a writer is looked at.
_MOST = 4096


def prints_deletes(command: Command) -> str:
    """What the programs before a pipe would print that empties a database; nobody knows it to the letter."""
    stdin = command.stdin
    if stdin is None or not stdin.commands or (stdin.text and HOLE not in stdin.text):
        return ""
    for writer in stdin.commands[:8]:
        words = [word.raw for word in writer.args[:16]]
        told = next((word for word in words[:4] if word in _VERBS), "")
        if told:
            return told
        if writer.program in _WRITERS:
            code = writer.stdin.text if writer.stdin is not None and writer.stdin.text else ""
            for text in (*words, code):
                match = _STATEMENT.search(text[:_MOST])
                if match:
                    return match.group().strip("'\"` ")
    return ""
