"""Databases: destructive statements through client programs, and tools that drop, flush or reset."""

import re
from collections.abc import Iterator
from itertools import pairwise

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

FAMILY = Family("sql")

DROP = FAMILY.rule(
    "sql.drop",
    "drops or empties a part of a database: {path}",
    effects=("delete",),
    match=(
        "psql -c 'DROP TABLE users'",
        "psql -qtAc 'drop database x'",
        "mysql -e 'TRUNCATE t'",
        "mysql -uroot -psecret db -e'drop table t'",
        "echo 'DROP TABLE x' | psql",
        "psql <<< 'truncate table a'",
        "sqlite3 a.db 'select 1; drop table t'",
        "sqlite3 a.db <<E\nDROP TABLE t;\nE",
        "psql --command='ALTER TABLE t DROP COLUMN c'",
        "sqlcmd -Q 'drop table t'",
        "bq query 'DROP TABLE d.t'",
        "duckdb a.db -c 'drop table t'",
        "clickhouse-client -q 'drop table t'",
        "cockroach sql -e 'drop table t'",
        "cqlsh -e 'DROP KEYSPACE x'",
        "docker exec db psql -c 'DROP TABLE t'",
        "mysql -e '/*!50000 DROP*/ TABLE t'",
        "psql -c 'DR''OP TABLE x'",
        "psql -c 'dRoP/**/table x'",
        'psql -c "do \\$\\$ begin drop table t; end \\$\\$"',
        "printf 'DROP TABLE x;\\n' | sudo -u postgres psql app",
    ),
    not_match=(
        "psql -c 'select 1'",
        "psql -c \"select 'drop table x'\"",
        "psql -c 'select 1 -- drop table x'",
        "psql -f drop.sql",
        "mysql -e 'show tables'",
        "echo 'DROP TABLE x'",
        "sqlite3 a.db .schema",
        "grep 'DROP TABLE' x.sql",
        "psql -c 'create table drop_log (id int)'",
        "git commit -m 'DROP TABLE x'",
        "psql -c \"insert into t values ('truncate t')\"",
        "psql -c 'ALTER TABLE t ALTER COLUMN c DROP NOT NULL'",
        "psql -c 'select \"drop\" from t'",
    ),
)
ALL_ROWS = FAMILY.rule(
    "sql.all-rows",
    "deletes or changes every row of a table: {path}",
    effects=("delete",),
    match=(
        "psql -c 'DELETE FROM users'",
        "mysql -e 'update t set a=1'",
        "sqlite3 a.db 'delete from t where 1=1'",
        "psql -c 'delete from t where true;'",
        "psql -c 'with x as (select 1) delete from t'",
        "psql -c 'explain analyze delete from t'",
        "psql -c \"UPDATE t SET a = 'where'\"",
        "psql -c 'delete from t where id = 3 or 1=1'",
        "psql -c 'delete from t -- where id=3'",
        "mysql -e 'delete from t limit 10'",
    ),
    not_match=(
        "psql -c 'DELETE FROM users WHERE id=3'",
        "mysql -e \"update t set a=1 where b='x'\"",
        "psql -c 'explain delete from t'",
        "psql -c 'select * from t for update'",
        "psql -c 'begin; delete from t; rollback'",
        'psql -c "DELETE FROM t WHERE id=$ID"',
        "psql -c 'insert into t values (1) on conflict (id) do update set a=1'",
    ),
)
RIGHTS = FAMILY.rule(
    "sql.rights",
    "gives away rights over a database: {path}",
    effects=("privilege",),
    match=(
        "psql -c 'GRANT ALL ON DATABASE x TO y'",
        "psql -c 'create role x superuser'",
        "mysql -e \"ALTER USER 'root'@'%' IDENTIFIED BY 'x'\"",
        "createuser -s x",
        "psql -c 'alter system set x=1'",
    ),
    not_match=(
        "psql -c 'grant select on t to y'",
        "psql -c 'create role x'",
        "createuser x",
        "psql -c 'alter table t add column c int'",
    ),
)
SHELL = FAMILY.rule(
    "sql.shell",
    "lets a database run programs, or read and write files of its server: {path}",
    effects=("execute",),
    match=(
        "psql -c '\\! id'",
        "psql -c \"COPY t FROM PROGRAM 'id'\"",
        "mysql -e \"select 1 into outfile '/tmp/x'\"",
        "sqlcmd -Q \"exec xp_cmdshell 'dir'\"",
        "sqlite3 a.db '.shell id'",
        "mysql -e '\\! id'",
        "sqlite3 -cmd '.system id' a.db",
        "psql -c \"\\copy t to program 'id'\"",
        "mysql -e \"select load_file('/etc/passwd')\"",
        "psql -c \"select pg_read_file('/etc/passwd')\"",
        "mysql -e 'system id'",
    ),
    not_match=(
        "psql -c '\\dt'",
        "psql -c \"\\copy t to 'x.csv' csv\"",
        "sqlite3 a.db .tables",
        "psql -c 'copy t to stdout'",
        "mysql -e 'select 1'",
        "sqlite3 a.db '.mode csv' '.output x.csv' 'select 1'",
    ),
)
STORE = FAMILY.rule(
    "sql.store",
    "empties, drops or stops a data store: {path}",
    effects=("delete",),
    match=(
        "dropdb x",
        "dropuser x",
        "mysqladmin -u root drop x",
        "pg_ctl -D d stop",
        "redis-cli FLUSHALL",
        "redis-cli -h h -p 1 flushdb",
        "redis-cli config set dir /x",
        "redis-cli keys 'x*' | xargs redis-cli del",
        "mongosh --eval 'db.dropDatabase()'",
        "mongo x --eval 'db.c.deleteMany({})'",
        "mongosh --eval 'db.c.drop()'",
        "cypher-shell 'MATCH (n) DETACH DELETE n'",
        "influx -execute 'DROP DATABASE x'",
        "rabbitmqctl delete_queue x",
        "kafka-topics.sh --bootstrap-server h --delete --topic x",
        "echo FLUSHALL | redis-cli",
        "pg_restore --clean -d x f",
        "mongorestore --drop d",
        "echo flush_all | nc localhost 11211",
        "rabbitmqctl -n x reset",
    ),
    not_match=(
        "redis-cli get x",
        "redis-cli ping",
        "redis-cli del x",
        "mongosh --eval 'db.c.find({})'",
        "createdb x",
        "pg_ctl status",
        "mysqladmin status",
        "mongosh --eval 'db.c.deleteMany({a: 1})'",
        "kafka-topics.sh --list",
        "rabbitmqctl list_queues",
        "pg_dump --clean x",
        "pg_restore -d x f",
        "dropdb --help",
        "redis-cli config get dir",
        "pg_restore --list f",
    ),
)
MIGRATE = FAMILY.rule(
    "sql.migrate",
    "throws a database away through the tool that manages it: {path}",
    effects=("delete",),
    match=(
        "rails db:drop",
        "bin/rails db:reset",
        "bundle exec rake db:drop db:create",
        "python manage.py flush --noinput",
        "./manage.py reset_db",
        "npx prisma migrate reset",
        "prisma db push --force-reset",
        "alembic downgrade base",
        "flyway clean",
        "npx knex migrate:rollback --all",
        "php artisan migrate:fresh",
        "php artisan db:wipe",
        "mix ecto.drop",
        "npx sequelize-cli db:drop",
        "poetry run alembic downgrade base",
        "python manage.py migrate app zero",
        "flask db downgrade base",
    ),
    not_match=(
        "rails db:migrate",
        "python manage.py migrate",
        "npx prisma migrate dev",
        "alembic upgrade head",
        "flyway migrate",
        "php artisan migrate",
        "mix ecto.migrate",
        "alembic downgrade -1",
        "python manage.py sqlflush",
        "rails db:seed",
        "RAILS_ENV=test rails db:reset",
        "knex migrate:latest",
        "flask db upgrade",
        "prisma generate",
    ),
)
HTTP = FAMILY.rule(
    "sql.http-delete",
    "asks a server to delete something: {path}",
    effects=("delete",),
    match=(
        "curl -X DELETE https://api.x.com/users/1",
        "curl -XDELETE localhost:9200/_all",
        "curl --request DELETE https://x",
        "wget --method=DELETE https://x",
        "http DELETE https://x/1",
        "curl -sS --request=DELETE https://x",
        "curl -X POST localhost:9200/i/_delete_by_query",
        "curl --unix-socket /var/run/docker.sock -X POST http://l/containers/create",
        "xh delete https://x",
    ),
    not_match=(
        "curl https://x/delete",
        "curl -X POST https://x",
        "curl -d DELETE https://x",
        "wget https://x",
        "http GET https://x",
        "curl -X DELETE http://localhost:3000/api/items/1",
        "curl --unix-socket /var/run/docker.sock http://l/containers/json",
    ),
)

# Reading SQL

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<comment>--[^\n]*|#(?![>-])[^\n]*|/\*(?!!).*?(?:\*/|\Z))"
    r"|(?P<string>[eEnNxXbB]?'(?:[^'\\]|''|\\.)*(?:'|\Z))"
    r"|(?P<quoted>\"(?:[^\"\\]|\"\"|\\.)*(?:\"|\Z)|`[^`]*(?:`|\Z)|\[[^\]\n]{0,200}\])"
    r"|(?P<dollar>\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))"
    r"|(?P<hint>/\*!\d*|\*/)"
    r"|(?P<meta>(?:(?<=\n)|\A)\s{0,8}\.[a-z]\w*[^\n]*|\\[!a-zA-Z?][^\n]*)"
    r"|(?P<word>[\w@\ue000]+)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
_MAX = 20_000
#: How many commands of a client may follow each other on a line.
_DEEPEST = 8
#: How many words the statements inside of one statement may have together.
_MOST_WORDS = 40_000


def statements(text: str) -> Iterator[list[str]]:
    """The statements of a text as upper-case words. Strings keep quotes, names become `"x"`, comments are gone."""
    found: list[str] = []
    for match in _TOKEN.finditer(text[:_MAX]):
        kind = match.lastgroup if match.lastgroup != "tag" else "dollar"
        piece = match.group()
        if kind in {"space", "comment", "hint"}:
            continue
        if kind == "mark" and piece == ";":
            if found:
                yield found
            found = []
        elif kind == "meta":
            if found and piece.lstrip().startswith("."):
                found.append(piece)
                continue
            if found:
                yield found
            yield [piece.strip()]
            found = []
        elif kind == "word":
            upper = piece.upper()
            if upper == "GO" and found:
                yield found
                found = []
                continue
            found.append(upper)
        elif kind == "quoted":
            found.append('"x"' if piece[0] != "[" else "[]")
        else:
            found.append(piece)
    if found:
        yield found


def _set(text: str, by: str | None = None) -> frozenset[str]:
    return frozenset(text.split(by))


_OBJECTS = _set(
    "TABLE DATABASE SCHEMA VIEW INDEX SEQUENCE FUNCTION PROCEDURE TRIGGER TYPE USER ROLE TABLESPACE "
    "EXTENSION OWNED KEYSPACE COLUMN CONSTRAINT PARTITION MATERIALIZED LOGIN DOMAIN POLICY RULE "
    "PUBLICATION SUBSCRIPTION SERVER FOREIGN EVENT TEMPORARY TEMP AGGREGATE CAST COLLATION WAREHOUSE STAGE "
    "PIPE STREAM TASK DICTIONARY ROUTINE MEASUREMENT SERIES RETENTION CONTINUOUS SHARD SYNONYM PACKAGE "
    "CLUSTER GRAPH NODE ALL EXTERNAL SNAPSHOT STATISTICS OPERATOR LANGUAGE ACCESS TEXT CONVERSION CONNECTION "
    "QUERY ASSERTION CREDENTIAL PROFILE RESOURCE MODEL SHARE INTEGRATION DYNAMIC SECURITY"
)
_FILES = _set(
    "XP_CMDSHELL SP_OACREATE PG_READ_FILE PG_READ_BINARY_FILE PG_LS_DIR LO_IMPORT LO_EXPORT LOAD_FILE "
    "SYS_EXEC SYS_EVAL LOAD_EXTENSION WRITEFILE PG_WRITE_FILE XP_REGWRITE PG_FILE_WRITE UTL_FILE "
    "DBMS_SCHEDULER FTS3_TOKENIZER SP_CONFIGURE"
)
_SERVER = _set("PG_TERMINATE_BACKEND PG_RELOAD_CONF PG_SWITCH_WAL PG_DROP_REPLICATION_SLOT")
_VERBS = frozenset({"DELETE", "UPDATE", "DROP", "TRUNCATE", "ALTER", "GRANT", "REVOKE"})
#: What may stand before a statement inside of another.
_BEFORE = frozenset({"(", ")", "BEGIN", "THEN", "ELSE", "LOOP", "ANALYZE", "VERBOSE"})


def judge_sql(text: str, command: Command, *, depth: int = 0) -> Iterator[Finding]:
    """Every destructive statement of a text."""
    if not text.strip():
        return
    found = list(statements(text))
    undone = _undone(found)
    for words in found:
        yield from _statement(words, command, undone=undone, depth=depth)


def _undone(found: list[list[str]]) -> bool:
    """True when everything between a begin and a rollback is taken back."""
    firsts = [words[0] for words in found]
    return (
        firsts[:1] in (["BEGIN"], ["START"])
        and firsts[-1] == "ROLLBACK"
        and "COMMIT" not in firsts
        and "END" not in firsts
    )


def _statement(words: list[str], command: Command, *, undone: bool = False, depth: int = 0) -> Iterator[Finding]:
    first = words[0]
    text = " ".join(words[:8])[:100].replace(HOLE, "?")
    if first.startswith(("\\", ".")) and len(first) > 1 and len(words) == 1:
        yield from _client_command(first, command, depth)
        return
    if first in {"EXPLAIN", "DESCRIBE", "DESC"} and "ANALYZE" not in words[:6]:
        return
    if first == "USE" and len(words) > 2:
        words = words[2:]
        first = words[0]
    known = set(words)
    if (
        known & _FILES
        or ("PROGRAM" in known and first == "COPY")
        or ("INTO" in known and known & {"OUTFILE", "DUMPFILE"})
        or (first == "LOAD" and "INFILE" in known)
    ):
        yield SHELL.found(command, path=text)
    if (first == "SYSTEM" and len(words) > 1 and command.program in {"mysql", "mariadb", "mycli"}) or (
        first == "HOST" and command.program == "sqlplus" and len(words) > 1
    ):
        yield SHELL.found(command, path=text)
    if (
        known & _SERVER
        or (first in {"SHUTDOWN", "KILL", "PURGE"})
        or words[:2] in (["RESET", "MASTER"], ["RESET", "SLAVE"], ["DETACH", "DATABASE"])
        or ("WRITABLE_SCHEMA" in known and first == "PRAGMA")
    ):
        yield DROP.found(command, path=text)
    if (
        (first in {"DO", "PREPARE", "CALL", "SET", "DECLARE", "IF"} or known & {"EXEC", "EXECUTE"})
        and first != "CREATE"
        and depth < 3
    ):
        # Code inside of a string or body: it runs now, except in a function that is only made.
        for word in words:
            if word[:1] in {"'", "$"} and len(word) > 2:
                inner = (
                    re.sub(r"^[$]\w*[$]|[$]\w*[$]$", "", word) if word[0] == "$" else word.strip("'").replace("''", "'")
                )
                for nested in statements(inner):
                    yield from _statement(nested, command, depth=depth + 1)
    left = _MOST_WORDS
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        starts = not before or before in _BEFORE or before.endswith(HOLE) or (before == "DO" and first == "DO")
        if word not in _VERBS or not starts:
            continue
        left -= len(words) - place
        if left < 0 and place:
            yield DROP.found(command, path=text)
            break
        yield from _verb(words[place:], text, command, undone=undone)
    if (
        first == "CREATE"
        and words[1:2] in (["USER"], ["ROLE"], ["LOGIN"])
        and known & {"SUPERUSER", "SYSADMIN", "CREATEROLE", "BYPASSRLS"}
    ):
        yield RIGHTS.found(command, path=text)
    elif (
        first == "CREATE"
        and "LANGUAGE" in known
        and known & {"C", "PLPYTHONU", "PLPYTHON3U", "PLPERLU", "PLSH", "PLTCLU"}
    ):
        yield SHELL.found(command, path=text)
    elif first == "SET" and known & {"GLOBAL", "PASSWORD"}:
        yield RIGHTS.found(command, path=text)


def _verb(words: list[str], text: str, command: Command, *, undone: bool) -> Iterator[Finding]:
    verb = words[0]
    second = words[1] if len(words) > 1 else ""
    drops = verb == "DROP" and (second in _OBJECTS or second == "IF" or second.startswith(HOLE))
    if drops or (verb == "TRUNCATE" and second not in {"", "("}):
        yield DROP.found(command, path=text)
    elif verb == "ALTER":
        yield from _alter(words, text, command)
    elif (verb == "DELETE" and "FROM" in words[1:6]) or (verb == "UPDATE" and "SET" in words[2:8]):
        if not undone and _every_row(words):
            yield ALL_ROWS.found(command, path=text)
    elif (verb == "REVOKE" and second == "ALL") or (verb == "GRANT" and _grants(words)):
        yield RIGHTS.found(command, path=text)


def _grants(words: list[str]) -> bool:
    """True for everything, for a role that may do everything, and for rights to hand on."""
    return (
        words[1:2] == ["ALL"]
        or bool(set(words) & {"SUPERUSER", "SUPER", "ACCOUNTADMIN"})
        or "DBA" in words[1:3]
        or words[-3:] in (["WITH", "GRANT", "OPTION"], ["WITH", "ADMIN", "OPTION"])
    )


def _alter(words: list[str], text: str, command: Command) -> Iterator[Finding]:
    known = set(words)
    for place, word in enumerate(words):
        if word == "DROP" and words[place + 1 : place + 2] not in (["NOT"], ["DEFAULT"], ["IDENTITY"], ["EXPRESSION"]):
            yield DROP.found(command, path=text)
            return
    if (
        "TRUNCATE" in known
        or "DISCARD" in known
        or ("DELETE" in known and command.program in {"clickhouse-client", "clickhouse"} and _every_row(words))
    ):
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


def _every_row(words: list[str]) -> bool:
    """True without a condition, or with one that every row meets."""
    depth = 0
    condition: list[str] | None = None
    for word in words:
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
            if depth < 0:
                break
        if condition is not None:
            condition.append(word)
        elif word == "WHERE" and depth == 0:
            condition = []
    if condition is None:
        return True
    for end in ("RETURNING", "LIMIT", "ORDER"):
        if end in condition:
            condition = condition[: condition.index(end)]
    condition = [word for word in condition if word not in {"(", ")"}]
    parts: list[list[str]] = [[]]
    for word in condition:
        if word == "OR":
            parts.append([])
        else:
            parts[-1].append(word)
    return any(_always(part) for part in parts)


def _always(part: list[str]) -> bool:
    text = " ".join(part)
    if text in {"TRUE", "NOT FALSE", "NOT 0", "1"} or (len(part) == 1 and part[0].isdigit() and part[0] != "0"):
        return True
    if len(part) == 3 and part[1] in {"=", "LIKE", "IS"} and part[0] == part[2]:
        return HOLE not in part[0]
    if len(part) == 4 and part[1:] == ["IS", "NOT", "NULL"]:
        return True
    if len(part) == 3 and part[1] in {"LIKE", "ILIKE"} and part[2] in {"'%'", "'%%'"}:
        return True
    if re.match(r"(?:\d+ (?:< >|! =|<|>) \d+|'[^']*' (?:< >|! =) '[^']*')$", text):
        return True
    return len(part) in {3, 4} and part[-1] == "0" and part[1] == ">" and part[0].endswith("ID")


_CLIENT_SHELL = re.compile(
    r"\\!|\\(?:o|g|gx|w|watch|out)\s*\||\\copy\b.*\bprogram\b|\.(?:shell|system|sh|sys)\b|\.(?:output|once"
    r"|import|read|open|excel)\s+['\"]?\||\\set\s+\S+\s+`|\.load\b|\\P\s+\S|\\pager\s|\\setenv\s",
    re.IGNORECASE,
)


def _client_command(text: str, command: Command, depth: int) -> Iterator[Finding]:
    if _CLIENT_SHELL.match(text) or depth > _DEEPEST:
        yield SHELL.found(command, path=text[:100])
    elif text.startswith("\\") and re.match(r"\\(?:c|connect|q|timing|x)\b", text):
        rest = text.partition("\\")[2].partition("\\")[2]
        if rest:
            yield from judge_sql("\\" + rest, command, depth=depth + 1)


# Clients

_PSQL = (
    "c= command= d= dbname= f= file= h= host= p= port= U= username= v= set= variable= o= output= L= "
    "log-file= F= field-separator= R= record-separator= P= pset= T= table-attr= a b e E n s S A H t x z 0 1 "
    "l q w W X V list help? version csv"
)
_MYSQL = (
    "e= execute= init-command= u= user= p? password? h= host= P= port= D= database= S= socket= A B N s v t r "
    "n f w E H X i L q c C V G o W b safe-updates batch silent skip-column-names table force raw vertical "
    "xml html verbose "
    "defaults-file= defaults-extra-file= defaults-group-suffix= ssl-mode= ssl-ca= ssl-cert= ssl-key= "
    "protocol= default-character-set= login-path= delimiter= tee= pager? connect-timeout= "
    "max-allowed-packet= prompt= help? version"
)
_CLIENTS: dict[str, tuple[Spec, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("psql", "pgcli", "gsql", "vsql", "ysqlsh", "edb-psql", "gpsql", "redshift"), (Spec(_PSQL), ("c", "command"))
    ),
    **dict.fromkeys(
        ("mysql", "mariadb", "mycli", "mysqlsh", "memsql", "tidb", "obclient", "mysql-client"),
        (Spec(_MYSQL), ("e", "execute", "init-command")),
    ),
    **dict.fromkeys(
        ("sqlite3", "sqlite", "litecli", "sqlcipher", "libsql"),
        (
            Spec(
                "cmd= separator= nullvalue= newline= init= vfs= mmap= maxsize= pagecache= lookaside= heap= header "
                "noheader csv json line list column table html markdown box quote tabs ascii batch interactive "
                "readonly bail echo stats version help safe e= execute= deserialize",
                single=True,
            ),
            ("cmd", "e", "execute"),
        ),
    ),
    **dict.fromkeys(
        ("sqlcmd", "osql", "isql", "go-sqlcmd", "mssql-cli"),
        (
            Spec(
                "Q= q= i= o= S= U= P= d= E C b h= s= w= W t= l= N e I k r V= v= x query= input-file= server= "
                "database-name= help"
            ),
            ("Q", "q", "query"),
        ),
    ),
    **dict.fromkeys(
        ("duckdb",),
        (
            Spec(
                "c= s= cmd= init= f= separator= nullvalue= csv json line list column readonly unsigned header batch "
                "markdown ui no-stdin help version",
                single=True,
            ),
            ("c", "s", "cmd"),
        ),
    ),
    **dict.fromkeys(
        ("clickhouse-client", "clickhouse-local", "clickhouse", "chdb"),
        (
            Spec(
                "q= query= h= host= port= u= user= password= d= database= queries-file= n multiquery m multiline f= "
                "format= t time s secure S= structure= N= table= F= file= help version"
            ),
            ("q", "query"),
        ),
    ),
    **dict.fromkeys(
        ("cockroach", "tsql", "usql", "dolt", "questdb", "crash"),
        (
            Spec(
                "e= execute= c= command= q= query= f= file= url= host= h= p= port= u= user= d= database= insecure "
                "certs-dir= format= o= r= result-format= help version"
            ),
            ("e", "execute", "c", "command", "q", "query"),
        ),
    ),
    **dict.fromkeys(
        ("snowsql", "snow"),
        (
            Spec(
                "q= query= f= filename= a= accountname= u= username= d= dbname= s= schemaname= r= rolename= w= "
                "warehouse= c= connection= o= D= variable= help version"
            ),
            ("q", "query"),
        ),
    ),
    **dict.fromkeys(
        ("trino", "presto", "presto-cli"),
        (
            Spec(
                "execute= server= catalog= schema= user= f= file= output-format= source= password session= help version"
            ),
            ("execute",),
        ),
    ),
    **dict.fromkeys(
        ("hive", "beeline", "spark-sql", "impala-shell"),
        (
            Spec("e= f= u= n= p= d= q= i= query= database= hiveconf= hivevar= conf= master= k B o= help version"),
            ("e", "q", "query"),
        ),
    ),
    **dict.fromkeys(
        ("sqlplus", "sqlcl", "sql", "tbsql", "db2", "bteq", "nzsql", "dbaccess", "fbsql", "isql-fb"),
        (Spec("S L s c= command= h= d= t v x help version"), ("c", "command")),
    ),
    **dict.fromkeys(
        (
            "cqlsh",
            "influx",
            "influx3",
            "ksql",
            "ksqldb-cli",
            "surreal",
            "tarantoolctl",
            "arangosh",
            "mclient",
            "taos",
            "cypher-shell",
        ),
        (
            Spec(
                "e= execute= u= username= p= password= k= keyspace= f= file= database= host= port= d= a= address= "
                "format= s= server= conn= ns= db= ssl endpoint= help version",
                single=False,
            ),
            ("e", "execute", "s"),
        ),
    ),
}
#: Clients whose operands after the first are SQL.
_OPERAND_SQL = {
    "sqlite3": 1,
    "sqlite": 1,
    "litecli": 1,
    "sqlcipher": 1,
    "libsql": 1,
    "duckdb": 1,
    "db2": 0,
    "cypher-shell": 0,
    "influx3": 1,
    "clickhouse": 99,
}


@FAMILY.judges(*sorted(_CLIENTS))
def clients(command: Command, _: Context) -> Iterator[Finding]:
    """What a client program is told to run."""
    program = command.program or ""
    spec, names = _CLIENTS[program]
    options = parse(command, spec)
    texts = [word.raw for word in options.values(*names)]
    if program in {"influx", "influx3"}:
        texts += [after.raw for word, after in pairwise(command.args) if word.raw == "-execute"]
        if options.subcommand() == "delete" or options.subcommand(1) == "delete":
            yield STORE.found(command, path=f"{options.subcommand()} {options.subcommand(1)}")
    if (options.has("help") or options.has("version")) and not texts:
        return
    if (
        program == "cockroach"
        and options.subcommand() in {"node", "quit"}
        and options.subcommand(1) in {"decommission", "drain", ""}
    ):
        yield STORE.found(command, path=options.subcommand())
    skip = _OPERAND_SQL.get(program)
    if skip is not None:
        operands = [word.raw for word in options.operands[skip:]]
        texts += [" ".join(operands)] if program == "db2" else operands
        if program in {"sqlite3", "duckdb"} and len(options.operands) == 1 and " " in options.operands[0].raw:
            texts.append(options.operands[0].raw)
    reads = not options.has("f", "file", "i", "queries-file") or any(
        word.raw in {"-", "/dev/stdin"} for word in options.values("f", "file", "i")
    )
    if command.stdin is not None and command.stdin.text and reads:
        texts.append(command.stdin.text)
    if program == "cypher-shell":
        if any(
            re.search(
                r"detach\s+delete\b|\bdrop\s+\w|\bmatch\s*\(\w*\)\s*(?:-\[[^\]]{0,200}\]-\(\w*\)\s*)?delete\b",
                text,
                re.IGNORECASE,
            )
            and not re.search(r"\{|\bwhere\b", text, re.IGNORECASE)
            for text in texts
        ):
            yield STORE.found(command, path="detach delete")
        return
    for text in texts:
        if program == "influx" and re.match(r"\s*drop\b", text, re.IGNORECASE):
            yield STORE.found(command, path=text[:80])
        yield from judge_sql(text, command)


_QUERY_OPTIONS = re.compile(r"--?(?:query-string|sql|command|query|statement|sql-text|query_text|sqls?)$")


@FAMILY.judges(
    "bq",
    "aws",
    "gcloud",
    "wrangler",
    "turso",
    "heroku",
    "supabase",
    "pscale",
    "databricks",
    "az",
    "rails",
    "django-admin",
    "manage.py",
    "wp",
    "drush",
    "dbt",
    "fly",
    "neonctl",
    "yugabyted",
    "npx",
    "bin/console",
    "console",
    "flyctl",
)
def through(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that pass a statement on."""
    program = command.program or ""
    words = command.args
    texts = [word.raw for word in words]
    plain = [text for text in texts if not text.startswith("-")]
    found: list[str] = []
    if program == "bq" and "query" in plain[:3]:
        found = [text for text in plain if " " in text]
    elif (
        (program == "turso" and plain[:2] == ["db", "shell"])
        or (program == "wp" and plain[:2] == ["db", "query"])
        or (program == "drush" and plain[:1] in (["sql:query"], ["sqlq"], ["sql-query"]))
        or plain[:1] in (["dbal:run-sql"], ["doctrine:query:sql"])
    ):
        found = plain[1:]
    elif program == "heroku" and "pg:psql" in plain:
        found = [after for text, after in pairwise(texts) if text in {"-c", "--command"}]
    for number, text in enumerate(texts):
        name, equals, value = text.partition("=")
        if _QUERY_OPTIONS.match(name):
            if equals:
                found.append(value)
            elif number + 1 < len(texts) and " " in texts[number + 1]:
                found.append(texts[number + 1])
    passes = program == "bq" or bool(
        {"pg:psql", "dbshell", "dbconsole", "db", "shell", "execute", "postgres", "sql"} & set(plain[:3])
    )
    if passes and command.stdin is not None and command.stdin.text:
        found.append(command.stdin.text)
    for text in found:
        if re.search(r"[\s*/]", text):
            yield from judge_sql(text, command)


# Stores and their servers

_DROPPERS = frozenset({"dropdb", "dropuser", "pg_dropcluster", "pg_resetwal", "pg_resetxlog", "memcflush", "memcrm"})


@FAMILY.judges(*_DROPPERS, "createuser", "pg_restore", "mongorestore", "mongoimport", "mongod")
def droppers(command: Command, _: Context) -> Iterator[Finding]:
    """Programs that do one thing."""
    program = command.program or ""
    texts = [word.raw for word in command.args]
    if {"--help", "-?", "--version", "-V", "--dryRun", "--dry-run"} & set(texts):
        return
    if program in _DROPPERS:
        if program != "pg_resetwal" or "-n" not in texts:
            yield STORE.found(
                command, path=" ".join(text for text in texts if not text.startswith("-"))[:80] or program
            )
    elif program == "createuser":
        options = parse(
            command,
            Spec(
                "s S r R d D P e i l L c= h= p= U= g= superuser createrole replication interactive host= port= "
                "username="
            ),
        )
        if options.has("s", "superuser", "r", "createrole"):
            yield RIGHTS.found(command, path=" ".join(texts)[:80])
    elif program == "pg_restore":
        options = parse(
            command,
            Spec(
                "c C d= dbname= clean create if-exists f= file= F= j= l list h= p= U= n= t= a s x O v e 1 host= port= "
                "username= jobs= format= table= schema= L= use-list="
            ),
        )
        if options.has("c", "clean") and options.has("d", "dbname"):
            yield STORE.found(command, path=str(options.value("d", "dbname") or ""))
    elif "--drop" in texts or (program == "mongod" and "--shutdown" in texts):
        yield STORE.found(command, path=program)


@FAMILY.judges(
    "mysqladmin",
    "mariadb-admin",
    "pg_ctl",
    "pg_ctlcluster",
    "rabbitmqctl",
    "rabbitmqadmin",
    "nodetool",
    "nats",
    "pulsar-admin",
    "elasticsearch-node",
    "curator_cli",
    "kafka-topics",
    "kafka-topics.sh",
    "kafka-consumer-groups",
    "kafka-consumer-groups.sh",
    "kafka-delete-records",
    "kafka-delete-records.sh",
    "kafka-configs.sh",
    "kafka-configs",
    "rpk",
    "kafka-server-stop.sh",
    "neo4j-admin",
    "couchbase-cli",
    "arangodb",
    "sqlpackage",
    "qdrant",
    "patronictl",
    "repmgr",
    "pgbackrest",
    "barman",
)
def servers(command: Command, _: Context) -> Iterator[Finding]:
    """Servers and brokers, by their own tools."""
    program = (command.program or "").removesuffix(".sh")
    options = parse(
        command,
        Spec(
            "u= user= p? password? h= host= P= port= D= pgdata= n= node= w t= m= mode= o= s l= f force S= V= vhost= "
            "H= U= c= topic= bootstrap-server= zookeeper= group= command-config= delete execute reset-offsets "
            "dry-run help version q Y yes brokers= X= context= server="
        ),
    )
    if options.helps or options.has("dry-run"):
        return
    words = [word.raw for word in options.operands]
    verb = words[0] if words else ""
    hit = {
        "mysqladmin": bool({"drop", "shutdown", "kill", "password"} & set(words)),
        "pg_ctl": verb in {"stop", "restart", "kill", "promote"},
        "pg_ctlcluster": bool({"stop", "restart", "promote"} & set(words)),
        "rabbitmqctl": verb.startswith(("delete_", "clear_", "purge_", "forget_", "close_"))
        or verb in {"reset", "force_reset", "stop", "stop_app", "shutdown", "set_user_tags", "change_password"},
        "rabbitmqadmin": verb in {"delete", "purge", "close"},
        "nodetool": verb
        in {"decommission", "drain", "assassinate", "removenode", "clearsnapshot", "stopdaemon", "truncatehints"},
        "nats": bool({"rm", "purge", "delete", "del"} & set(words[:2])),
        "pulsar-admin": bool({"delete", "terminate", "truncate", "clear-backlog", "skip-all"} & set(words[:2])),
        "curator_cli": "delete-indices" in words or "delete_indices" in words,
        "kafka-topics": options.has("delete"),
        "kafka-consumer-groups": options.has("delete") or (options.has("reset-offsets") and options.has("execute")),
        "kafka-delete-records": True,
        "kafka-server-stop": True,
        "rpk": bool({"delete", "decommission"} & set(words[:3])),
        "patronictl": verb in {"remove", "reinit", "failover", "switchover", "restart", "pause"},
        "barman": verb == "delete",
        "pgbackrest": verb in {"stanza-delete", "expire"},
        "elasticsearch-node": True,
        "couchbase-cli": verb in {"bucket-delete", "bucket-flush", "server-remove", "reset-admin-password"},
    }
    if hit.get("mysqladmin" if program == "mariadb-admin" else program):
        yield STORE.found(command, path=" ".join(words[:3]) or program)


_REDIS = Spec(
    "h= p= s= a= u= n= r= i= d= D= c x X raw no-raw csv json user= pass= askpass tls sni= cacert= cert= key= "
    "eval= ldb scan pattern= bigkeys stat latency pipe cluster no-auth-warning verbose help version e 2 3 t= "
    "show-pushes=",
    posix=True,
)
_REDIS_VERBS = _set("FLUSHALL FLUSHDB SHUTDOWN DEBUG SLAVEOF REPLICAOF MIGRATE FAILOVER SWAPDB RESTORE")
_REDIS_PAIRS = _set(
    "CONFIG SET|CONFIG REWRITE|MODULE LOAD|MODULE LOADEX|MODULE UNLOAD|CLUSTER RESET|CLUSTER "
    "FLUSHSLOTS|CLUSTER FORGET|CLUSTER FAILOVER|ACL DELUSER|ACL SETUSER|CLIENT KILL|SCRIPT FLUSH|FUNCTION "
    "FLUSH|FUNCTION DELETE|XGROUP DESTROY|FT.DROPINDEX DD",
    "|",
)


@FAMILY.judges("redis-cli", "valkey-cli", "keydb-cli", "iredis", "dragonfly-cli")
def redis(command: Command, _: Context) -> Iterator[Finding]:
    """One command as words, or many as lines of its input."""
    options = parse(command, _REDIS)
    if options.helps:
        return
    lines = [[word.raw for word in options.operands]] if options.operands else []
    if command.stdin is not None and command.stdin.text and not options.operands:
        lines = [line.split() for line in command.stdin.text[:_MAX].splitlines()]
    if options.has("cluster") and options.subcommand() in {"del-node", "reshard", "fix", "call"}:
        yield STORE.found(command, path=options.subcommand())
    for line in lines:
        if not line:
            continue
        verb = line[0].upper()
        pair = f"{verb} {line[1].upper()}" if len(line) > 1 else verb
        many = verb in {"DEL", "UNLINK"} and (
            len(line) > 4 or command.wrapped_by("xargs", "parallel") or any(word.commands for word in options.operands)
        )
        scripted = (
            verb in {"EVAL", "EVALSHA", "FCALL"}
            and len(line) > 1
            and (
                verb != "EVAL"
                or re.search(
                    r"flush|'del'|\"del\"|unlink|os\.|io\.|loadstring|package\.|config",
                    " ".join(line[1:]),
                    re.IGNORECASE,
                )
                is not None
            )
        )
        if verb in _REDIS_VERBS or pair in _REDIS_PAIRS or many or (scripted and verb == "EVAL"):
            yield STORE.found(command, path=" ".join(line)[:80])
            return


_MONGO = re.compile(
    r"\.\s*(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsers|dropRole|shutdownServer|dropCollection"
    r"|dropAllRoles)\s*\(|\[\s*['\"](?:drop|dropDatabase)['\"]\s*\]"
    r"|\.\s*(?:deleteMany|remove|updateMany|update)\s*\(\s*(?:\{\s*\}\s*)?[,)]"
    r"|['\"]?\b(?:dropDatabase|shutdown|dropUser|dropAllUsersFromDatabase|dropIndexes|drop)['\"]?\s*:\s*(?:1"
    r"|true|['\"])",
)


@FAMILY.judges("mongosh", "mongo")
def mongo(command: Command, _: Context) -> Iterator[Finding]:
    """JavaScript for the database."""
    options = parse(
        command,
        Spec(
            "eval= u= p= username= password= host= port= authenticationDatabase= quiet norc nodb shell f= file= tls "
            "ssl help version json?"
        ),
    )
    texts = [word.raw for word in options.values("eval")]
    if command.stdin is not None and command.stdin.text:
        texts.append(command.stdin.text)
    for text in texts:
        match = _MONGO.search(text[:_MAX])
        if match:
            yield STORE.found(command, path=match.group()[:60])


@FAMILY.judges("nc", "ncat", "netcat", "telnet", "socat")
def memcached(command: Command, _: Context) -> Iterator[Finding]:
    """A line that empties a cache, by hand."""
    text = (command.stdin.text or "") if command.stdin is not None else ""
    if text and re.search(
        r"^[^\S\n]*(?:flush_all|FLUSHALL|FLUSHDB|flushall|flushdb|SHUTDOWN)\b|\r\n(?:FLUSHALL|FLUSHDB)\b",
        text[:_MAX],
        re.MULTILINE,
    ):
        yield STORE.found(command, path=text.strip()[:60])


# Tools that manage a database

_RAILS = re.compile(
    r"(?:db:(?:drop|reset|purge|schema:load|structure:load|migrate:reset|truncate_all|setup|seed:replant"
    r"|drop:[\w:]+|reset:[\w:]+|mongoid:(?:drop|purge))|apartment:drop)(?:\[.*)?$"
)
_CODE = re.compile(
    r"\b(?:delete_all|destroy_all|drop_table|drop_database|truncate)\b|\.objects\.all\(\)\.delete\(\)"
    r"|DatabaseCleaner|flush_?db|\.objects\.filter\(\)\.delete\(\)"
)
_TOOLS: dict[str, re.Pattern[str]] = {
    "prisma": re.compile(
        r"migrate reset|db push .*--(?:force-reset|accept-data-loss)|db push --(?:force-reset|accept-data-loss)"
    ),
    "alembic": re.compile(r"(?:.* )?downgrade (?:.* )?base\b"),
    "flask": re.compile(r"(?:.* )?db downgrade (?:.* )?base\b|(?:.* )?(?:drop[_-]db|db drop|reset[_-]db)\b"),
    "flyway": re.compile(r"(?:.* )?(?:clean|undo)\b"),
    "liquibase": re.compile(r"(?:.* )?(?:drop-?all|rollback\S*|dropAll)\b"),
    "knex": re.compile(r"(?:.* )?migrate:rollback (?:.* )?--all|(?:.* )?migrate:rollback --all|(?:.* )?db:drop"),
    "sequelize": re.compile(r"(?:.* )?db:(?:drop|migrate:undo:all|seed:undo:all)"),
    "typeorm": re.compile(r"(?:.* )?schema:drop"),
    "drizzle-kit": re.compile(r"drop\b|push .*--force|push --force"),
    "mikro-orm": re.compile(r"(?:schema|migration|database):(?:drop|fresh)"),
    "goose": re.compile(r"(?:.* )?(?:reset|down-to 0)\b"),
    "migrate": re.compile(r"(?:.* )?(?:drop\b|down(?: -all)?$)"),
    "dbmate": re.compile(r"(?:.* )?drop\b"),
    "sqlx": re.compile(r"database (?:drop|reset)"),
    "diesel": re.compile(r"database (?:drop|reset)"),
    "sea-orm-cli": re.compile(r"migrate (?:fresh|reset|refresh)"),
    "atlas": re.compile(r"schema clean"),
    "mix": re.compile(r"(?:.* )?(?:ecto\.(?:drop|reset)|ecto\.rollback --all)\b"),
    "wp": re.compile(
        r"(?:.* )?(?:db (?:reset|drop|clean)|site (?:empty|delete)|plugin delete|user delete|option delete"
        r"|theme delete)\b"
    ),
    "drush": re.compile(r"(?:.* )?(?:sql[-:]drop|site[-:]install|sql-create|sql:create)\b"),
    "bench": re.compile(r"(?:.* )?drop-site|(?:.* )?reinstall"),
    "meteor": re.compile(r"reset\b"),
    "hasura": re.compile(r"(?:.* )?(?:migrate apply .*--(?:down|version)|metadata clear)"),
    "phinx": re.compile(r"(?:.* )?rollback (?:.* )?-t ?0"),
    "aerich": re.compile(r"(?:.* )?downgrade .*-d"),
    "dotnet-ef": re.compile(r"database drop|database update 0"),
    "dotnet": re.compile(r"ef database (?:drop|update 0)"),
    "artisan": re.compile(
        r"(?:migrate:(?:fresh|refresh|reset)|db:wipe|queue:flush|queue:clear|tenants:migrate-fresh)\b"
    ),
    "console": re.compile(r"doctrine:(?:database:drop|schema:drop|mongodb:schema:drop)\b"),
    "manage.py": re.compile(
        r"(?:flush|reset_db|drop_db|cleardb|delete_all|reset_schema|drop_test_database|migrate .*\bzero)\b"
    ),
    "magento": re.compile(r"setup:uninstall"),
    "odoo": re.compile(r"db drop"),
    "supabase": re.compile(r"db reset"),
    "encore": re.compile(r"db reset"),
    "rails": _RAILS,
    "rake": _RAILS,
}
_TOOLS["sequelize-cli"] = _TOOLS["sequelize"]
_TOOLS["django-admin"] = _TOOLS["manage"] = _TOOLS["manage.py"]
_SCRIPTS = frozenset({"manage.py", "artisan", "console", "magento"})


@FAMILY.judges(*sorted(_TOOLS), "python", "python3", "php", "ruby", "spring")
def tools(command: Command, _: Context) -> Iterator[Finding]:
    """Migration tools and frameworks."""
    program = command.program or ""
    words = list(command.args)
    if program in {"python", "python3", "php", "ruby", "spring"}:
        while words and words[0].raw.startswith("-") and not words[0].raw.startswith(("-c", "-m", "-r", "-e")):
            words.pop(0)
        if not words:
            return
        program = words.pop(0).raw.rsplit("/", 1)[-1]
        if program not in _SCRIPTS | {"rails", "rake"}:
            return
    texts = [word.raw for word in words]
    if {"--help", "-h", "--pretend", "--dry-run", "--dump-sql", "--sql"} & set(texts) or "help" in texts[:1]:
        return
    pattern = _TOOLS.get(program)
    if pattern is None:
        return
    joined = " ".join(text for text in texts if "\n" not in text)[:2000]
    environment = {
        **command.assignments,
        **dict(text.partition("=")[::2] for text in texts if re.match(r"[A-Z_]+=", text)),
    }
    if program in {"rails", "rake"}:
        test = "test" in {environment.get("RAILS_ENV"), environment.get("RACK_ENV")}
        hit = next((text for text in texts if _RAILS.match(text) and text != "db:setup"), "")
        if (hit and not test) or ("db:migrate" in texts and environment.get("VERSION") == "0"):
            yield MIGRATE.found(command, path=hit or "db:migrate VERSION=0")
        if texts[:1] in (["runner"], ["r"]) and _CODE.search(joined):
            yield MIGRATE.found(command, path="runner")
        return
    if environment.get("MIX_ENV") == "test" or ("--env=test" in texts and program == "console"):
        return
    if pattern.match(joined) or (
        program in {"manage.py", "django-admin", "manage"}
        and texts[:1] in (["shell"], ["shell_plus"])
        and _CODE.search(joined)
    ):
        yield MIGRATE.found(command, path=f"{program} {joined}"[:100])


# Requests that delete

_CURL = Spec(
    "X= request= H= header= d= data= data-raw= data-binary= data-urlencode= json= F= form= o= output= u= "
    "user= A= user-agent= b= cookie= c= cookie-jar= e= referer= T= upload-file= x= proxy= m= max-time= w= "
    "write-out= "
    "connect-timeout= retry= cacert= E= cert= key= unix-socket= url= K= config= r= range= C= z= resolve= "
    "interface= limit-rate= D= dump-header= G get I head s S f k L v i g n N O J R q a j l p t= Q= 0 1 2 3 4 "
    "6 # "
    "silent show-error fail insecure location verbose include compressed globoff abstract-unix-socket= "
    "oauth2-bearer= help version method= body-data= body-file= post-data= post-file="
)
_LOCAL = re.compile(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::(\d+))?(?:/|$)")
_STORES = frozenset(
    {
        "9200",
        "9201",
        "8500",
        "2375",
        "2376",
        "2379",
        "5984",
        "8086",
        "15672",
        "8983",
        "6333",
        "7474",
        "8529",
        "8200",
        "6443",
        "9090",
    }
)
_DELETING_CALL = re.compile(
    r"/_delete_by_query|/_shutdown|/update\?.{0,300}delete|/_all\b|/containers/create|/exec/\w+/start"
    r"|/containers/[^/]+/(?:stop|kill|restart|exec)|/(?:volumes|images|containers)/prune"
)


@FAMILY.judges("curl", "wget", "http", "https", "xh", "httpie", "curlie", "xhs", "aria2c")
def requests(command: Command, _: Context) -> Iterator[Finding]:
    """A request with the method DELETE."""
    program = command.program or ""
    options = parse(
        command,
        _CURL
        if program in {"curl", "curlie", "wget"}
        else Spec(
            "a= auth= A= p= session= o= output= timeout= proxy= verify= cert= j json f form b body h headers v "
            "verbose d download F follow check-status ignore-stdin offline help version"
        ),
    )
    if options.has("offline", "version"):
        return
    operands = list(options.operands)
    method = ""
    if program in {"curl", "curlie"}:
        given = options.value("X", "request")
        method = (
            given.raw.upper()
            if given
            else "POST"
            if options.has("d", "data", "data-raw", "data-binary", "json", "data-urlencode", "F", "form")
            else "GET"
        )
    elif program == "wget":
        given = options.value("method")
        method = given.raw.upper() if given else "POST" if options.has("post-data", "post-file") else "GET"
    elif operands and operands[0].raw.upper() in {"DELETE", "POST", "PUT", "PATCH", "GET"}:
        method = operands.pop(0).raw.upper()
    addresses = [*operands, *options.values("url")]
    sockets = [word.raw for word in options.values("unix-socket")]
    for word in addresses:
        local = _LOCAL.match(word.raw)
        store = bool(sockets) or (local is not None and local.group(1) in _STORES)
        if (method == "DELETE" and (local is None or store)) or (
            method in {"POST", "PUT", "DELETE"} and _DELETING_CALL.search(word.raw)
        ):
            yield HTTP.found(command, path=f"{method} {word.text}"[:120])
            return
    if method == "DELETE" and not addresses:
        yield HTTP.found(command, path="DELETE")
