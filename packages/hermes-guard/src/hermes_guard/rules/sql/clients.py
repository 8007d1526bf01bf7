"""Client programs of databases, and programs that pass a statement on to one."""

import re
from collections.abc import Iterator
from itertools import pairwise

from hermes_guard.argv import Options, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.client_table import CLIENTS, OPERAND_SQL
from hermes_guard.rules.sql.judging import judge_sql
from hermes_guard.rules.sql.table import FAMILY, STORE
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_CYPHER = re.compile(
    r"detach\s+delete\b|\bdrop\s+\w|\bmatch\s*\(\w*\)\s*(?:-\[[^\]]{0,200}\]-\(\w*\)\s*)?delete\b", re.IGNORECASE
)
_CYPHER_CONDITION = re.compile(r"\{|\bwhere\b", re.IGNORECASE)


@FAMILY.judges(*sorted(CLIENTS))
def clients(command: Command, _: Context) -> Iterator[Finding]:
    """What a client program is told to run."""
    program = command.program or ""
    client = CLIENTS[program]
    options = parse(command, client.spec)
    texts = [word.raw for word in options.values(*client.sql)]
    if program in {"influx", "influx3"}:
        texts += [after.raw for word, after in pairwise(command.args) if word.raw == "-execute"]
    if options.helps and not texts:
        return
    yield from _subcommands(program, options, command)
    texts += _operands(program, options)
    if command.stdin is not None and command.stdin.text and _reads_input(options):
        texts.append(command.stdin.text)
    for text in texts:
        if program == "cypher-shell":
            if _CYPHER.search(text) and not _CYPHER_CONDITION.search(text):
                yield STORE.found(command, path="detach delete")
            continue
        if program == "influx" and re.match(r"\s*drop\b", text, re.IGNORECASE):
            yield STORE.found(command, path=text[:80])
        yield from judge_sql(text, command)


def _subcommands(program: str, options: Options, command: Command) -> Iterator[Finding]:
    """Clients that also manage their server."""
    first, second = options.subcommand(), options.subcommand(1)
    if program in {"influx", "influx3"} and "delete" in {first, second}:
        yield STORE.found(command, path=f"{first} {second}")
    if program == "cockroach" and first in {"node", "quit"} and second in {"decommission", "drain", ""}:
        yield STORE.found(command, path=first)


def _operands(program: str, options: Options) -> list[str]:
    """The operands that are SQL."""
    skip = OPERAND_SQL.get(program)
    if skip is None:
        return []
    texts = [word.raw for word in options.operands[skip:]]
    if program == "db2":
        return [" ".join(texts)]
    if program in {"sqlite3", "duckdb"} and len(options.operands) == 1 and " " in options.operands[0].raw:
        # Without a file, what stands in its place is a statement.
        texts.append(options.operands[0].raw)
    return texts


def _reads_input(options: Options) -> bool:
    files = options.values("f", "file", "i")
    return not options.has("f", "file", "i", "queries-file") or any(word.raw in {"-", "/dev/stdin"} for word in files)


_QUERY_OPTION = re.compile(r"--?(?:query-string|sql|command|query|statement|sql-text|query_text|sqls?)$")
#: First words after which a program reads statements.
_PASSING = frozenset({"pg:psql", "dbshell", "dbconsole", "db", "shell", "execute", "postgres", "sql"})


@FAMILY.judges(
    *("bq", "aws", "gcloud", "wrangler", "turso", "heroku", "supabase", "pscale", "databricks", "az", "rails"),
    *("django-admin", "manage.py", "wp", "drush", "dbt", "fly", "neonctl", "yugabyted", "npx", "bin/console"),
    *("console", "flyctl"),
)
def passing(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that pass a statement on."""
    texts = [word.raw for word in command.args]
    plain = [text for text in texts if not text.startswith("-")]
    found = [*_statement_words(command.program or "", texts, plain), *_query_options(texts)]
    passes = command.program == "bq" or not _PASSING.isdisjoint(plain[:3])
    if passes and command.stdin is not None and command.stdin.text:
        found.append(command.stdin.text)
    for text in found:
        if re.search(r"[\s*/]", text):
            yield from judge_sql(text, command)


def _statement_words(program: str, texts: list[str], plain: list[str]) -> list[str]:
    """Words that are a statement by their place."""
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
    """The values of options that hold a statement."""
    for number, text in enumerate(texts):
        name, equals, value = text.partition("=")
        if not _QUERY_OPTION.match(name):
            continue
        if equals:
            yield value
        elif number + 1 < len(texts) and " " in texts[number + 1]:
            yield texts[number + 1]
