"""Judges database clients, and programs that pass a statement to one."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.options import (
    CLIENTS,
    FILE_OPERAND,
    OPERAND_SQL,
    Client,
)
from hermes_guard.rules.sql.rules import FAMILY, STORE, TOO_LONG
from hermes_guard.rules.sql.script_files import Saved, destructive_script
from hermes_guard.rules.sql.statement_checks import judge_cypher, judge_sql, judge_surreal
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.verdict import Finding

#: Verbs of tools that print statements which empty tables, instead of running them.
_VERBS = names("sqlflush sqlclear sqlreset downgrade")
_WRITERS = names("python python3 node ruby perl php awk gawk mawk sed gsed echo printf xargs jq") | CLIENTS.keys()
#: The beginning of a statement in a string or in a sed replacement.
_STATEMENT = re.compile(
    r"(?:['\"`]|\A|s[/|#][^/|#]{0,80}[/|#])\s{0,8}(?:drop\s{1,8}(?:table|view|database|schema|index|user|sequence|type)"
    r"|truncate\s|delete\s{1,8}from\s)",
    re.IGNORECASE,
)
#: The maximum number of characters read of a program that prints statements.
_LIMIT = 4096


def prints_deletes(command: Command) -> str:
    """Return what the programs before a pipe may print that empties a database, when the exact text is unknown."""
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
                match = _STATEMENT.search(text[:_LIMIT])
                if match:
                    return match.group().strip("'\"` ")
    return ""


_IN_MEMORY = frozenset({"sqlite3", "duckdb", "sqlite-utils", "sqlcipher"})
#: Commands that open a database file from an in-memory session.
_OPENS_FILE = re.compile(r"\battach\b|\.(?:open|restore|save|backup)\b", re.IGNORECASE)


@FAMILY.judges(*sorted(CLIENTS))
def clients(command: Command, context: Context) -> Iterator[Finding]:
    """Judge what a client program runs."""
    program = command.program or ""
    client = CLIENTS[program]
    options = parse(command, client.spec)
    saved = Saved(command, context)
    given = options.values(*client.sql)
    if program in {"influx", "influx3"}:
        given += [after for word, after in pairwise(command.args) if word.raw == "-execute"]
    if options.helps and not given:
        return
    yield from _subcommands(program, options, command)
    files = _files(program, client, options)
    texts = [*map(saved.word, given), *_operands(program, options, saved), *map(saved.file, files)]
    if not options.has(*client.files):
        texts.append(saved.input())
        files += [command.stdin.file] if command.stdin is not None and command.stdin.file is not None else []
    passing_by = program in _IN_MEMORY and options.subcommand() == ":memory:"
    for text in texts:
        own = passing_by and _OPENS_FILE.search(text) is None
        yield from (found for found in _judge_text(text, command) if not (own and "delete" in found.effects))
        for included in saved.included(text) if text else ():
            yield from _judge_text(included, command)
    if saved.exceeded:
        yield TOO_LONG.found(command)
    told = destructive_script(files) or prints_deletes(command)
    if told:
        yield STORE.found(command, path=told)


def _judge_text(text: str, command: Command) -> Iterator[Finding]:
    program = command.program
    if program == "cypher-shell":
        yield from judge_cypher(text, command)
        return
    if program == "surreal":
        yield from judge_surreal(text, command)
    if program == "influx" and re.match(r"\s*drop\b", text, re.IGNORECASE):
        yield STORE.found(command, path=text[:80])
    yield from judge_sql(text, command)


def _files(program: str, client: Client, options: Options) -> list[Word]:
    """Return the files that a client reads."""
    mark = FILE_OPERAND.get(program)
    marked = [word.tail(len(mark)) for word in options.operands if word.raw.startswith(mark)] if mark else []
    return [*options.values(*client.files), *marked]


def _subcommands(program: str, options: Options, command: Command) -> Iterator[Finding]:
    """Judge clients that also manage their server."""
    first, second = options.subcommand(), options.subcommand(1)
    if program in {"influx", "influx3"} and "delete" in {first, second}:
        yield STORE.found(command, path=f"{first} {second}")
    if program == "sqlite-utils" and first in {"drop-table", "drop-view"}:
        yield STORE.found(command, path=first)
    if program == "cockroach" and first in {"node", "quit"} and second in {"decommission", "drain", ""}:
        yield STORE.found(command, path=first)


def _operands(program: str, options: Options, saved: Saved) -> list[str]:
    """Return the operands that are SQL."""
    skip = OPERAND_SQL.get(program)
    if skip is None:
        return []
    texts = [saved.word(word) for word in options.operands[skip:]]
    if program == "db2":
        return [" ".join(texts)]
    if program in {"sqlite3", "duckdb"} and len(options.operands) == 1 and " " in options.operands[0].raw:
        # Without a database file, the first operand is a statement.
        texts.append(options.operands[0].raw)
    return texts


_QUERY_OPTION = re.compile(r"--?(?:query-string|sql|command|query|statement|sql-text|query_text|sqls?|ddl)$")
#: First words after which a program reads statements.
_PASSING = frozenset({"pg:psql", "dbshell", "dbconsole", "db", "shell", "execute", "postgres", "sql"})
_FILE_OPTIONS = frozenset({"--file", "--filename"})


@FAMILY.judges(
    *("bq", "aws", "gcloud", "wrangler", "turso", "heroku", "supabase", "pscale", "databricks", "az", "rails"),
    *("django-admin", "manage.py", "wp", "drush", "dbt", "fly", "neonctl", "yugabyted", "npx", "bin/console"),
    *("console", "flyctl", "railway", "dokku"),
)
def passing(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that pass a statement to a client."""
    saved = Saved(command, context)
    texts = [saved.word(word) for word in command.args]
    plain = [text for text in texts if not text.startswith("-")]
    found = [*_statement_words(command.program or "", texts, plain), *_query_options(texts)]
    if command.program == "bq" or not _PASSING.isdisjoint(plain[:3]):
        found.append(saved.input())
        found += map(saved.file, _file_options(command))
    for text in found:
        if re.search(r"[\s*/]", text):
            yield from judge_sql(text, command)
    if saved.exceeded:
        yield TOO_LONG.found(command)
    told = (
        destructive_script([command.stdin.file]) if command.stdin is not None and command.stdin.file is not None else ""
    )
    if told:
        yield STORE.found(command, path=told)


def _file_options(command: Command) -> Iterator[Word]:
    for word, after in pairwise(command.args):
        if word.raw in _FILE_OPTIONS:
            yield after
    for word in command.args:
        name, equals, _ = word.raw.partition("=")
        if equals and name in _FILE_OPTIONS:
            yield word.tail(len(name) + 1)


def _statement_words(program: str, texts: list[str], plain: list[str]) -> list[str]:
    """Return the words that are a statement because of their position."""
    if program == "bq" and "query" in plain[:3]:
        return [text for text in plain if " " in text]
    if (
        (program == "turso" and plain[:2] == ["db", "shell"])
        or (program == "wp" and plain[:2] == ["db", "query"])
        or (program == "drush" and plain[:1] in (["sql:query"], ["sqlq"], ["sql-query"]))
        or plain[:1] in (["dbal:run-sql"], ["doctrine:query:sql"])
    ):
        return plain[1:]
    if program == "heroku" and "pg:psql" in plain:
        return [after for text, after in pairwise(texts) if text in {"-c", "--command"}]
    return []


def _query_options(texts: list[str]) -> Iterator[str]:
    """Yield the values of options that contain a statement."""
    for number, text in enumerate(texts):
        name, equals, value = text.partition("=")
        if not _QUERY_OPTION.match(name):
            continue
        if equals:
            yield value
        elif number + 1 < len(texts) and " " in texts[number + 1]:
            yield texts[number + 1]
