"""Judges SQL, Cypher and SurrealQL: statements that drop, empty, grant, or run programs on the server."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.sql.rules import ALL_ROWS, DROP, RIGHTS, SHELL, STORE, TOO_LONG
from hermes_guard.rules.sql.statement_parser import LONGEST, Dialect, dialects, statements
from hermes_guard.rules.sql.where_clauses import every_row
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_CYPHER = re.compile(
    r"detach\s+delete\b|\bdrop\s+\w|\bmatch\s*\(\w*\)\s*(?:-\[[^\]]{0,200}\]-\(\w*\)\s*)?delete\b", re.IGNORECASE
)
_CYPHER_CONDITION = re.compile(r"\{|\bwhere\b", re.IGNORECASE)
_REMOVED = names(
    "NAMESPACE NS DATABASE DB TABLE USER ACCESS FIELD INDEX EVENT FUNCTION PARAM ANALYZER BUCKET SCOPE TOKEN"
)


def judge_cypher(text: str, command: Command) -> Iterator[Finding]:
    """Ask about deleting nodes without a condition."""
    if _CYPHER.search(text) and not _CYPHER_CONDITION.search(text):
        yield STORE.found(command, path="detach delete")


def judge_surreal(text: str, command: Command, *, rows: bool = True) -> Iterator[Finding]:
    """Ask about `REMOVE TABLE user`, and with `rows` also about `DELETE user`, where a record would be `user:1`."""
    for words in statements(text):
        if words[0] == "REMOVE" and words[1:2] and words[1] in _REMOVED:
            yield STORE.found(command, path=" ".join(words[:4])[:80])
        elif rows and words[0] == "DELETE" and len(words) > 1 and not {":", "WHERE"} & set(words):
            yield ALL_ROWS.found(command, path=" ".join(words[:4])[:80])


#: The maximum number of client commands on one line.
_MAX_DEPTH = 8
#: The maximum nesting of statements in strings.
_DEEPEST_STRING = 3
#: The maximum number of words in all statements nested in one statement.
_MAX_WORDS = 40_000

_OBJECTS = names(
    "TABLE DATABASE SCHEMA VIEW INDEX SEQUENCE FUNCTION PROCEDURE TRIGGER TYPE USER ROLE TABLESPACE "
    "EXTENSION OWNED KEYSPACE COLUMN CONSTRAINT PARTITION MATERIALIZED LOGIN DOMAIN POLICY RULE "
    "PUBLICATION SUBSCRIPTION SERVER FOREIGN EVENT TEMPORARY TEMP AGGREGATE CAST COLLATION WAREHOUSE STAGE "
    "PIPE STREAM TASK DICTIONARY ROUTINE MEASUREMENT SERIES RETENTION CONTINUOUS SHARD SYNONYM PACKAGE "
    "CLUSTER GRAPH NODE ALL EXTERNAL SNAPSHOT STATISTICS OPERATOR LANGUAGE ACCESS TEXT CONVERSION CONNECTION "
    "QUERY ASSERTION CREDENTIAL PROFILE RESOURCE MODEL SHARE INTEGRATION DYNAMIC SECURITY BUCKET COLLECTION "
    "SCOPE CONNECTOR NAMESPACE CATALOG DATASET APPLICATION NETWORK QUOTA ROW MASKING PROJECTION NODEGROUP GROUP ALIAS"
)
#: Functions that read or write files, or run programs.
_FILES = names(
    "XP_CMDSHELL SP_OACREATE PG_READ_FILE PG_READ_BINARY_FILE PG_LS_DIR LO_IMPORT LO_EXPORT LOAD_FILE "
    "SYS_EXEC SYS_EVAL LOAD_EXTENSION WRITEFILE PG_WRITE_FILE XP_REGWRITE PG_FILE_WRITE UTL_FILE "
    "DBMS_SCHEDULER FTS3_TOKENIZER SP_CONFIGURE"
)
_SERVER = names("PG_TERMINATE_BACKEND PG_RELOAD_CONF PG_SWITCH_WAL PG_DROP_REPLICATION_SLOT")
_VERBS = names("DELETE UPDATE DROP TRUNCATE ALTER GRANT REVOKE")
#: Words that may precede a nested statement.
_BEFORE = names("( ) BEGIN THEN ELSE LOOP ANALYZE VERBOSE")
#: First words of statements that run the code in their strings.
_RUNNING = names("DO PREPARE CALL SET DECLARE IF")
#: Languages in which a function has all permissions of the server.
_UNTRUSTED = names("C PLPYTHONU PLPYTHON3U PLPERLU PLSH PLTCLU")
_POWERS = names("SUPERUSER SYSADMIN CREATEROLE BYPASSRLS")


def judge_sql(text: str, command: Command, *, depth: int = 0) -> Iterator[Finding]:
    """Report every destructive statement in a text."""
    if not text.strip():
        return
    meant = dialects(command.program, text)
    # Reading it in two dialects must not take longer than reading the longest text once.
    longest = LONGEST // len(meant)
    if len(text) > longest:
        yield TOO_LONG.found(command)
    for dialect in meant:
        found = list(statements(text[:longest], dialect))
        undone = _undone(found)
        for words in found:
            yield from _statement(words, command, dialect, undone=undone, depth=depth)


def _undone(found: list[list[str]]) -> bool:
    """Return True when everything is rolled back."""
    firsts = [words[0] for words in found]
    return (
        firsts[:1] in (["BEGIN"], ["START"])
        and firsts[-1] == "ROLLBACK"
        and "COMMIT" not in firsts
        and "END" not in firsts
    )


def _statement(
    words: list[str], command: Command, dialect: Dialect, *, undone: bool = False, depth: int = 0
) -> Iterator[Finding]:
    first = words[0]
    if first.startswith(("\\", ".")) and len(first) > 1 and len(words) == 1:
        yield from _client_command(first, command, depth)
        return
    if first in {"EXPLAIN", "DESCRIBE", "DESC"} and "ANALYZE" not in words[:6]:
        return
    text = " ".join(words[:8])[:100].replace(HOLE, "?")
    if first == "USE" and len(words) > 2:
        words = words[2:]
    known = set(words)
    if _leaves(words, known, command):
        yield SHELL.found(command, path=text)
    if _stops(words, known):
        yield DROP.found(command, path=text)
    if depth < _DEEPEST_STRING and _runs_strings(words[0], known):
        for nested in _in_strings(words, dialect):
            yield from _statement(nested, command, dialect, depth=depth + 1)
    if known & _VERBS:
        yield from _verbs(words, text, command, undone=undone)
    if words[0] == "CREATE":
        yield from _create(words, known, text, command)
    elif words[0] == "SET" and known & {"GLOBAL", "PASSWORD"}:
        yield RIGHTS.found(command, path=text)


def _leaves(words: list[str], known: set[str], command: Command) -> bool:
    """Return True when a statement reads or writes files on the server, or runs programs."""
    first = words[0]
    if (
        known & _FILES
        or (first == "COPY" and "PROGRAM" in known)
        or ("INTO" in known and known & {"OUTFILE", "DUMPFILE"})
        or (first == "LOAD" and "INFILE" in known)
    ):
        return True
    return len(words) > 1 and (
        (first == "SYSTEM" and command.program in {"mysql", "mariadb", "mycli"})
        or (first == "HOST" and command.program == "sqlplus")
    )


def _stops(words: list[str], known: set[str]) -> bool:
    """Return True when a statement ends sessions, servers or logs."""
    return (
        bool(known & _SERVER)
        or words[0] in {"SHUTDOWN", "KILL", "PURGE"}
        or words[:2] in (["RESET", "MASTER"], ["RESET", "SLAVE"], ["DETACH", "DATABASE"])
        or (words[0] == "PRAGMA" and "WRITABLE_SCHEMA" in known)
    )


def _runs_strings(first: str, known: set[str]) -> bool:
    """Return True when code in a string or body runs now, rather than being stored in a function."""
    return first != "CREATE" and (first in _RUNNING or bool(known & {"EXEC", "EXECUTE"}))


def _in_strings(words: list[str], dialect: Dialect) -> Iterator[list[str]]:
    for word in words:
        if word[:1] not in {"'", "$"} or len(word) <= 2:
            continue
        if word[0] == "$":
            yield from statements(re.sub(r"^[$]\w*[$]|[$]\w*[$]$", "", word), dialect)
        else:
            yield from statements(word.strip("'").replace("''", "'"), dialect)


def _verbs(words: list[str], text: str, command: Command, *, undone: bool) -> Iterator[Finding]:
    """Yield the statement itself, and the statements nested in it."""
    left = _MAX_WORDS
    for place, word in enumerate(words):
        if word not in _VERBS:
            continue
        before = words[place - 1] if place else ""
        after_do = before == "DO" and words[0] == "DO"
        if before and before not in _BEFORE and not before.endswith(HOLE) and not after_do:
            continue
        left -= len(words) - place
        if left < 0 and place:
            yield DROP.found(command, path=text)
            return
        yield from _verb(words[place:], text, command, undone=undone)


def _create(words: list[str], known: set[str], text: str, command: Command) -> Iterator[Finding]:
    if words[1:2] in (["USER"], ["ROLE"], ["LOGIN"]) and known & _POWERS:
        yield RIGHTS.found(command, path=text)
    elif "LANGUAGE" in known and known & _UNTRUSTED:
        yield SHELL.found(command, path=text)


def _verb(words: list[str], text: str, command: Command, *, undone: bool) -> Iterator[Finding]:
    verb = words[0]
    second = words[1] if len(words) > 1 else ""
    drops = verb == "DROP" and (second in _OBJECTS or second == "IF" or second.startswith(HOLE))
    if drops or (verb == "TRUNCATE" and second not in {"", "("}):
        yield DROP.found(command, path=text)
    elif verb == "ALTER":
        yield from _alter(words, text, command)
    elif (verb == "DELETE" and "FROM" in words[1:6]) or (verb == "UPDATE" and "SET" in words[2:8] and _assigns(words)):
        if not undone and every_row(words):
            yield ALL_ROWS.found(command, path=text)
    elif (verb == "REVOKE" and second == "ALL") or (verb == "GRANT" and _grants(words)):
        yield RIGHTS.found(command, path=text)


def _assigns(words: list[str]) -> bool:
    """Return True where a value is assigned; `update on the set of tables` is not a statement."""
    return "=" in words or any(HOLE in word for word in words)


def _grants(words: list[str]) -> bool:
    """Return True for granting everything, a role with all permissions, or the right to grant."""
    return (
        words[1:2] == ["ALL"]
        or bool(set(words) & {"SUPERUSER", "SUPER", "ACCOUNTADMIN"})
        or "DBA" in words[1:3]
        or words[-3:] in (["WITH", "GRANT", "OPTION"], ["WITH", "ADMIN", "OPTION"])
    )


def _deletes_rows(words: list[str]) -> bool:
    """Return True for ClickHouse's `ALTER TABLE t DELETE WHERE 1`; `ON DELETE CASCADE` deletes nothing now."""
    place = words.index("DELETE")
    return words[place - 1] != "ON" and "WHERE" in words[place:] and every_row(words)


def _alter(words: list[str], text: str, command: Command) -> Iterator[Finding]:
    known = set(words)
    for place, word in enumerate(words):
        if word == "DROP" and words[place + 1 : place + 2] not in (["NOT"], ["DEFAULT"], ["IDENTITY"], ["EXPRESSION"]):
            yield DROP.found(command, path=text)
            return
    if "TRUNCATE" in known or "DISCARD" in known or ("DELETE" in known and _deletes_rows(words)):
        yield DROP.found(command, path=text)
    elif (
        words[1:2] == ["SYSTEM"]
        or (
            words[1:2] in (["USER"], ["ROLE"], ["LOGIN"])
            and known & {"SUPERUSER", "PASSWORD", "IDENTIFIED", "SYSADMIN", "CREATEROLE"}
        )
        or {"DISABLE", "TRIGGER"} <= known
        or {"DISABLE", "ROW", "SECURITY"} <= known
    ):
        yield RIGHTS.found(command, path=text)


_CLIENT_SHELL = re.compile(
    r"\\!|\\(?:o|g|gx|w|watch|out)\s*\||\\copy\b.*\bprogram\b|\.(?:shell|system|sh|sys)\b|\.(?:output|once"
    r"|import|read|open|excel)\s+['\"]?\||\\set\s+\S+\s+`|\.load\b|\\P\s+\S|\\pager\s|\\setenv\s",
    re.IGNORECASE,
)
#: Commands whose arguments end where the next command begins.
_ENDS_AT_NEXT = re.compile(r"\\(?!copy|q?echo|warn|prompt|p?set|e[fv]?\b)[a-zA-Z?]")


def _client_command(text: str, command: Command, depth: int) -> Iterator[Finding]:
    """Judge a client command and the rest of its line: more commands, or SQL after two backslashes."""
    for _ in range(_MAX_DEPTH - depth):
        if _CLIENT_SHELL.match(text):
            break
        place = text.find("\\", 1) if _ENDS_AT_NEXT.match(text) else -1
        if place < 0:
            return
        text = text[place:]
        if text.startswith("\\\\"):
            yield from judge_sql(text[2:], command, depth=depth + 1)
            return
    yield SHELL.found(command, path=text[:100])
