"""Judges the administration tools of database servers and message brokers."""

from collections.abc import Iterator
from typing import NamedTuple

from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.rules import FAMILY, RIGHTS, STORE
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_DROPPERS = names("dropdb dropuser pg_dropcluster pg_resetwal pg_resetxlog memcflush memcrm")
_CREATEUSER = Spec(
    "s S r R d D P e i l L c= h= p= U= g= superuser createrole replication interactive host= port= username="
)
_PG_RESTORE = Spec(
    "c C d= dbname= clean create if-exists f= file= F= j= l list h= p= U= n= t= a s x O v e 1 host= port= "
    "username= jobs= format= table= schema= L= use-list="
)
_ONLY_SHOWS = names("--help -? --version -V --dryRun --dry-run")


@FAMILY.judges(*sorted(_DROPPERS), "createuser", "pg_restore", "mongorestore", "mongoimport", "mongod")
def droppers(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs that do one thing."""
    program = command.program or ""
    texts = [word.raw for word in command.args]
    if not _ONLY_SHOWS.isdisjoint(texts):
        return
    if program in _DROPPERS:
        if program != "pg_resetwal" or "-n" not in texts:
            path = " ".join(text for text in texts if not text.startswith("-"))[:80]
            yield STORE.found(command, path=path or program)
    elif program == "createuser":
        if parse(command, _CREATEUSER).has("s", "superuser", "r", "createrole"):
            yield RIGHTS.found(command, path=" ".join(texts)[:80])
    elif program == "pg_restore":
        options = parse(command, _PG_RESTORE)
        if options.has("c", "clean") and options.has("d", "dbname"):
            yield STORE.found(command, path=str(options.value("d", "dbname") or ""))
    elif "--drop" in texts or (program == "mongod" and "--shutdown" in texts):
        yield STORE.found(command, path=program)


class Tool(NamedTuple):
    """The irreversible operations of a server's tool."""

    verbs: frozenset[str] = frozenset()
    #: The number of leading operands among which a verb may occur.
    reach: int = 1
    #: Prefixes of verbs.
    prefixes: tuple[str, ...] = ()
    #: Sets of options; an operation needs every option of one set.
    options: tuple[tuple[str, ...], ...] = ()
    always: bool = False


_EVERYWHERE = 1000
_TOPICS = Tool(options=(("delete",),))
_GROUPS = Tool(options=(("delete",), ("reset-offsets", "execute")))
_CONFIGS = Tool(options=(("alter", "delete-config"),))
_ADMIN = Tool(names("drop shutdown kill password"), _EVERYWHERE)
_TOOLS: dict[str, Tool] = {
    "mysqladmin": _ADMIN,
    "mariadb-admin": _ADMIN,
    "pg_ctl": Tool(names("stop restart kill promote")),
    "pg_ctlcluster": Tool(names("stop restart promote"), _EVERYWHERE),
    "rabbitmqctl": Tool(
        names("reset force_reset stop stop_app shutdown set_user_tags change_password"),
        prefixes=("delete_", "clear_", "purge_", "forget_", "close_"),
    ),
    "rabbitmqadmin": Tool(names("delete purge close")),
    "nodetool": Tool(names("decommission drain assassinate removenode clearsnapshot stopdaemon truncatehints")),
    "nats": Tool(names("rm purge delete del"), 2),
    "pulsar-admin": Tool(names("delete terminate truncate clear-backlog skip-all"), 2),
    "curator_cli": Tool(names("delete-indices delete_indices"), _EVERYWHERE),
    "kafka-topics": _TOPICS,
    "kafka-topics.sh": _TOPICS,
    "kafka-consumer-groups": _GROUPS,
    "kafka-consumer-groups.sh": _GROUPS,
    "kafka-configs": _CONFIGS,
    "kafka-configs.sh": _CONFIGS,
    "kafka-acls": Tool(options=(("remove",),)),
    "kafka-acls.sh": Tool(options=(("remove",),)),
    "rpk": Tool(names("delete decommission"), 3),
    "patronictl": Tool(names("remove reinit failover switchover restart pause")),
    "barman": Tool(names("delete")),
    "pgbackrest": Tool(names("stanza-delete expire")),
    "couchbase-cli": Tool(names("bucket-delete bucket-flush server-remove reset-admin-password")),
    **dict.fromkeys(
        ("kafka-delete-records", "kafka-delete-records.sh", "kafka-server-stop.sh", "elasticsearch-node"),
        Tool(always=True),
    ),
}
_OPTIONS = Spec(
    "u= user= p? password? h= host= P= port= D= pgdata= n= node= w t= m= mode= o= s l= f force S= V= vhost= "
    "H= U= c= topic= bootstrap-server= zookeeper= group= command-config= delete execute reset-offsets "
    "alter delete-config= remove dry-run help version q Y yes brokers= X= context= server="
)


@FAMILY.judges(*_TOOLS)
def servers(command: Command, _: Context) -> Iterator[Finding]:
    """Judge database servers and message brokers by their own tools."""
    program = command.program or ""
    tool = _TOOLS[program]
    options = parse(command, _OPTIONS)
    if options.helps or options.has("dry-run"):
        return
    words = [word.raw for word in options.operands]
    if (
        tool.always
        or not tool.verbs.isdisjoint(words[: tool.reach])
        or (words and words[0].startswith(tool.prefixes))
        or any(all(options.has(name) for name in together) for together in tool.options)
    ):
        yield STORE.found(command, path=" ".join(words[:3]) or program.removesuffix(".sh"))
