"""Judges meta commands of database clients, which run programs locally or on the server."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.nested_commands import runs_each
from hermes_guard.rules.tool_escapes.rules import FAMILY, PROGRAM
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_META = re.compile(
    r"^[^\S\n]*\.(?:shell|system)\b(.*)$|^[^\S\n]*\.(?:once|output|import)[^\S\n]+['\"]?\|(.*)$", re.MULTILINE
)
# The first `\copy` of a line is enough, because everything after a later one also follows the first.
_PSQL = re.compile(
    r"\\!(.*)$|\\(?:o|g|w)[^\S\n]*\|(.*)$|^(?:(?!\\copy\b|\\!).)*\\copy\b.*\bprogram[^\S\n]+'(.*?)'", re.MULTILINE
)
_MYSQL = re.compile(r"(?:^|;)[^\S\n]*(?:\\!|system[^\S\n])([^;\n]*)", re.MULTILINE)
_COPY = re.compile(r"\bcopy\b", re.IGNORECASE)
_WITH_PROGRAM = re.compile(r"\b(?:from|to)\s+program\b", re.IGNORECASE)


def _server_program(text: str) -> bool:
    """Return True when a statement copies from or to a program on the server."""
    for statement in text.split(";"):
        copy = _COPY.search(statement)
        if copy and _WITH_PROGRAM.search(statement, copy.end()):
            return True
    return False


#: The meta commands of each client; other clients use MySQL's syntax.
_COMMANDS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("sqlite3", "sqlite", "duckdb", "litecli"), _META),
    **dict.fromkeys(("psql", "pgcli", "cockroach"), _PSQL),
    **dict.fromkeys(("mysql", "mariadb", "mycli", "mongosh", "mongo", "clickhouse-client", "sqlcmd"), _MYSQL),
}
_OPTION = re.compile(r"--(?:command|execute|eval|cmd)=|-[ce](?=\S)")
_FLAG = re.compile(r"-\w\Z")
_XP = re.compile(r"\bxp_cmdshell\b", re.IGNORECASE)


@FAMILY.judges(*_COMMANDS)
def databases(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the meta commands of database clients."""
    program = command.program or ""
    given = [word.raw for word in command.args if not _FLAG.match(word.raw)]
    texts = [text[found.end() :] if (found := _OPTION.match(text)) else text for text in given]
    if command.stdin is not None and command.stdin.text:
        texts.append(command.stdin.text)
    for text in texts:
        if len(text) > 2:
            matches = _COMMANDS[program].finditer(text)
            codes = (next((part for part in found.groups() if part), "") for found in matches)
            yield from runs_each(codes, command, context)
        if (program in {"psql", "pgcli"} and _server_program(text)) or (program == "sqlcmd" and _XP.search(text)):
            yield PROGRAM.found(command, path=text[:80])
