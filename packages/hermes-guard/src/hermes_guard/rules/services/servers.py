"""Servers and applications that are stopped with a program of their own."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.machine_verbs import Arguments, Check, flag_like, verb
from hermes_guard.rules.services.rules import FAMILY, STOP, stopped
from hermes_guard.rules.words import names
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_PROCESSES = verb(
    "stop delete del kill restart reload stopall restartall gracefulReload flush unstartup quit terminate"
)


@FAMILY.judges("pm2", "forever", "foreman", "overmind", "god", "eye")
def process_managers(command: Command, _: Context) -> Iterator[Finding]:
    """Process managers of applications."""
    given = Arguments(command.args)
    if _PROCESSES.holds(given):
        yield from stopped(command, given.words)


_SIGNALS = Spec("s= k= c= p= g= f= d= D= C= e= E=")
_STOPPING = names("stop quit restart graceful-stop graceful shutdown")


@FAMILY.judges("nginx", "apachectl", "apache2ctl", "httpd", "haproxy", "caddy", "lighttpd", "angie", "openresty")
def web_servers(command: Command, _: Context) -> Iterator[Finding]:
    """Web servers that take signals on their command line."""
    options = parse(command, _SIGNALS)
    orders = [word.raw for word in options.values("s", "k")]
    if command.program in {"apachectl", "apache2ctl", "caddy"}:
        orders.append(options.subcommand())
    if not _STOPPING.isdisjoint(orders):
        yield from stopped(command, [word.raw for word in command.args])


def _said(text: str) -> Check:
    """One of the arguments is one of these, in capitals or not."""
    known = names(text)
    return Check(lambda given: any(text.lower() in known for text in given.texts))


_DATABASES: dict[str, Check] = {
    **dict.fromkeys(("mysqladmin", "mariadb-admin"), _said("shutdown kill")),
    "catalina.sh": _said("stop"),
    "elasticsearch-service": _said("stop"),
    "mongod": _said("--shutdown"),
    "pg_ctl": _said("stop restart kill"),
    "pg_ctlcluster": _said("stop restart"),
    "rabbitmqctl": _said("stop stop_app reset force_reset shutdown"),
    "redis-cli": _said("shutdown"),
    "s6-rc": _said("-d -da"),
    "s6-svc": flag_like(r"-\w*[dkxtrQX]"),
    "svc": flag_like(r"-\w*[dkxtip]"),
    "vault": _said("operator") & _said("seal step-down"),
    "zkServer.sh": _said("stop restart"),
}


@FAMILY.judges(*_DATABASES)
def databases(command: Command, _: Context) -> Iterator[Finding]:
    """Servers that are stopped with a client of their own."""
    given = Arguments(command.args)
    if _DATABASES[command.program or ""].holds(given) and not _said("--help").holds(given):
        yield from stopped(command, given.texts)


_SERVERS: dict[str, Check] = {
    "crsctl": verb("stop disable delete"),
    "gitlab-ctl": verb("stop restart kill graceful-kill hup term cleanse uninstall"),
    "nomad": verb("stop"),
    "passenger": verb("stop"),
    "patronictl": verb("restart reload switchover failover pause remove reinit"),
    "pcs": Check(lambda given: not {"stop", "destroy", "disable"}.isdisjoint(given.words[:2])),
    "postfix": verb("stop abort reload"),
    "pumactl": verb("stop halt restart phased-restart"),
    "rndc": verb("stop halt reload flush"),
    "sidekiqctl": verb("stop quiet"),
    "snap": verb("stop restart disable"),
    "tailscale": verb("down logout"),
    "thin": verb("stop restart"),
    "unbound-control": verb("stop reload"),
    "warp-cli": verb("disconnect delete"),
}


@FAMILY.judges(*_SERVERS)
def servers(command: Command, _: Context) -> Iterator[Finding]:
    """Servers with a controller of their own."""
    given = Arguments(command.args)
    if _SERVERS[command.program or ""].holds(given) and {"--help", "-h", "--version"}.isdisjoint(given.flags):
        yield from stopped(command, given.words)


@FAMILY.judges("nomad")
def nomad(command: Command, _: Context) -> Iterator[Finding]:
    """Jobs and nodes, which are named by two words."""
    given = Arguments(command.args)
    if given.verb in {"job", "system", "node"} and given.words[1:2] in (["stop"], ["gc"], ["drain"], ["purge"]):
        yield STOP.found(command, path=" ".join(given.words)[:100])


@FAMILY.judges(
    "kafka-server-stop",
    "kafka-server-stop.sh",
    "zookeeper-server-stop",
    "zookeeper-server-stop.sh",
    "stop-all.sh",
    "stop-dfs.sh",
    "stop-yarn.sh",
    "shutdown.sh",
    "cupsdisable",
)
def stop_scripts(command: Command, _: Context) -> Iterator[Finding]:
    """Scripts whose name says it all."""
    if not any(word.raw in {"--help", "--version"} for word in command.args):
        yield from stopped(command, [])
