"""Judges NoSQL stores: Redis, MongoDB, memcached."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.rules import FAMILY, STORE, TOO_LONG
from hermes_guard.rules.sql.script_files import Saved, destructive_script
from hermes_guard.rules.sql.statement_parser import LONGEST
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_REDIS = Spec(
    "h= p= s= a= u= n= r= i= d= D= c x X raw no-raw csv json user= pass= askpass tls sni= cacert= cert= key= "
    "eval= ldb scan pattern= bigkeys stat latency pipe cluster no-auth-warning verbose help version e 2 3 t= "
    "show-pushes=",
    posix=True,
)
_REDIS_VERBS = names("FLUSHALL FLUSHDB SHUTDOWN DEBUG SLAVEOF REPLICAOF MIGRATE FAILOVER SWAPDB RESTORE")
_REDIS_PAIRS = names(
    "CONFIG SET|CONFIG REWRITE|MODULE LOAD|MODULE LOADEX|MODULE UNLOAD|CLUSTER RESET|CLUSTER "
    "FLUSHSLOTS|CLUSTER FORGET|CLUSTER FAILOVER|ACL DELUSER|ACL SETUSER|CLIENT KILL|SCRIPT FLUSH|FUNCTION "
    "FLUSH|FUNCTION DELETE|XGROUP DESTROY|FT.DROPINDEX DD",
    "|",
)
#: Calls in a Redis script that delete all data, or escape from the script.
_REDIS_SCRIPT = re.compile(r"flush|'del'|\"del\"|unlink|os\.|io\.|loadstring|package\.|config", re.IGNORECASE)


@FAMILY.judges("redis-cli", "valkey-cli", "keydb-cli", "iredis", "dragonfly-cli")
def redis(command: Command, context: Context) -> Iterator[Finding]:
    """Judge one command in the arguments, or many on the input."""
    options = parse(command, _REDIS)
    if options.helps:
        return
    if options.has("cluster") and options.subcommand() in {"del-node", "reshard", "fix", "call"}:
        yield STORE.found(command, path=options.subcommand())
    if options.operands:
        line = [word.raw for word in options.operands]
        unnamed = command.wrapped_by("xargs", "parallel") or any(word.commands for word in options.operands)
        if _empties(line) or (unnamed and line[0].upper() in {"DEL", "UNLINK"}):
            yield STORE.found(command, path=" ".join(line)[:80])
        return
    saved = Saved(command, context)
    text = saved.input()
    if len(text) > LONGEST or saved.exceeded:
        yield TOO_LONG.found(command)
    for each in text[:LONGEST].splitlines():
        line = each.split()
        if line and _empties(line):
            yield STORE.found(command, path=" ".join(line)[:80])
            return


def _empties(line: Sequence[str]) -> bool:
    """Return True for a Redis command that deletes more than a few keys, or changes its server."""
    verb = line[0].upper()
    if verb in {"DEL", "UNLINK"}:
        return len(line) > 4
    if verb == "EVAL":
        return _REDIS_SCRIPT.search(" ".join(line[1:])) is not None
    return verb in _REDIS_VERBS or (len(line) > 1 and f"{verb} {line[1].upper()}" in _REDIS_PAIRS)


_MONGO = re.compile(
    r"\.\s*(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsers|dropRole|shutdownServer|dropCollection"
    r"|dropAllRoles)\s*\(|\[\s*['\"](?:drop|dropDatabase)['\"]\s*\]"
    r"|\.\s*(?:deleteMany|remove|updateMany|update)\s*\(\s*(?:\{\s*\}\s*)?[,)]"
    r"|['\"]?\b(?:dropDatabase|shutdown|dropUser|dropAllUsersFromDatabase|dropIndexes|drop)['\"]?\s*:\s*(?:1"
    r"|true|['\"])",
)
_MONGO_OPTIONS = Spec(
    "eval= u= p= username= password= host= port= authenticationDatabase= quiet norc nodb shell f= file= tls "
    "ssl help version json?"
)


@FAMILY.judges("mongosh", "mongo")
def mongo(command: Command, context: Context) -> Iterator[Finding]:
    """Judge JavaScript for MongoDB."""
    options = parse(command, _MONGO_OPTIONS)
    saved = Saved(command, context)
    files = [*options.values("f", "file"), *options.operands]
    for text in (*map(saved.word, options.values("eval")), *map(saved.file, files), saved.input()):
        match = _MONGO.search(text)
        if match:
            yield STORE.found(command, path=match.group()[:60])
    if saved.exceeded:
        yield TOO_LONG.found(command)
    if destructive_script(files):
        yield STORE.found(command, path=destructive_script(files))


_FLUSHES = re.compile(
    r"^[^\S\n]*(?:flush_all|FLUSHALL|FLUSHDB|flushall|flushdb|SHUTDOWN)\b|\r\n(?:FLUSHALL|FLUSHDB)\b", re.MULTILINE
)


@FAMILY.judges("nc", "ncat", "netcat", "telnet", "socat")
def memcached(command: Command, _: Context) -> Iterator[Finding]:
    """Judge a command line that flushes a cache."""
    text = (command.stdin.text or "") if command.stdin is not None else ""
    if _FLUSHES.search(text):
        yield STORE.found(command, path=text.strip()[:60])
