"""Judges consoles with their own language: arangosh, HBase, ZooKeeper, LDAP."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.sql.rules import FAMILY, STORE, TOO_LONG
from hermes_guard.rules.sql.script_files import Saved
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_ARANGO = re.compile(
    r"\._?drop(?:Database|View|Graph|Index)?\s*\(|\._?truncate\s*\(|\.remove(?:ByExample)?\s*\(\s*\{\s*\}"
    r"|\bfor\s+(\w+)\s+in\s+\w+\s+remove\s+\1\b",
    re.IGNORECASE,
)
_ARANGO_OPTIONS = Spec(
    "javascript.execute-string= javascript.execute= server.endpoint= server.database= server.username= "
    "server.password= quiet? help version"
)
_HBASE = re.compile(
    r"(?:^|[;\n])[^\S\n]{0,8}(?:drop|drop_all|drop_namespace|disable_all|truncate|truncate_preserve|deleteall"
    r"|delete_all_snapshot|delete_table_snapshots|delete_snapshot|decommission_regionservers)\b"
)
_KEEPER = names("rmr deleteall deleter")


@FAMILY.judges("arangosh")
def arango(command: Command, context: Context) -> Iterator[Finding]:
    """Judge JavaScript for ArangoDB."""
    options = parse(command, _ARANGO_OPTIONS)
    yield from _texts(
        _ARANGO, options.values("javascript.execute-string"), options.values("javascript.execute"), command, context
    )


@FAMILY.judges("hbase")
def hbase(command: Command, context: Context) -> Iterator[Finding]:
    """Judge the input or the script file of the HBase shell."""
    options = parse(command, Spec("n noninteractive d debug help"))
    if options.subcommand() == "shell" and not options.helps:
        yield from _texts(_HBASE, [], options.operands[1:], command, context)


def _texts(
    pattern: re.Pattern[str], codes: Sequence[Word], files: Sequence[Word], command: Command, context: Context
) -> Iterator[Finding]:
    """Yield the commands for a console: in arguments, in files or on its input."""
    saved = Saved(command, context)
    for text in (*map(saved.word, codes), *map(saved.file, files), saved.input()):
        match = pattern.search(text)
        if match:
            yield STORE.found(command, path=match.group().strip()[:60])
    if saved.exceeded:
        yield TOO_LONG.found(command)


_ZOO = Spec(
    "server= servers= timeout= waitforconnection r force help version c= command= auth_usr= auth_pwd=", single=True
)


@FAMILY.judges("zkCli.sh", "zkCli", "zkcli", "zookeeper-shell", "zookeeper-shell.sh", "zookeepercli")
def zookeeper(command: Command, context: Context) -> Iterator[Finding]:
    """Judge deleting everything below a ZooKeeper node."""
    options = parse(command, _ZOO)
    if options.helps:
        return
    words = [word.raw for word in (*options.values("c", "command"), *options.operands[:3])]
    lines = [line.split() for line in Saved(command, context).input()[:2000].splitlines()]
    hit = next((word for word in (*words, *(line[0] for line in lines if line)) if word in _KEEPER), "")
    if hit:
        yield STORE.found(command, path=hit)


_LDAP = Spec("r x n v c W h= H= p= D= w= f= b= y= Y= ZZ Z M e= help")


@FAMILY.judges("ldapdelete")
def ldap(command: Command, _: Context) -> Iterator[Finding]:
    """Judge deleting directory entries."""
    if not parse(command, _LDAP).has("n", "help"):
        yield STORE.found(command, path="ldapdelete")
