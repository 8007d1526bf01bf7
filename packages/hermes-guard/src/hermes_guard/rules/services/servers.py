"""Judges servers and applications with their own control programs."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.common.argument_checks import (
    Arguments,
    Check,
    any_word,
    flag,
    flag_like,
    flag_starts,
    mentions,
    second,
    verb,
)
from hermes_guard.rules.family import Context
from hermes_guard.rules.services.findings import report_stop
from hermes_guard.rules.services.rules import FAMILY, STOP
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_PROCESSES = verb(
    "stop delete del kill restart reload stopall restartall gracefulReload flush unstartup quit terminate"
)


@FAMILY.judges("pm2", "pm2-runtime", "forever", "foreman", "overmind", "hivemind", "god", "eye", "bluepill")
def process_managers(command: Command, _: Context) -> Iterator[Finding]:
    """Judge process managers of applications."""
    given = Arguments(command.args)
    if _PROCESSES.holds(given) or (given.verb == "scale" and given.words[-1:] == ["0"]):
        yield from report_stop(command, given.words)


_SIGNALS = Spec("s= k= c= p= g= f= d= D= C= e= E=")
_STOPPING = names("stop quit restart graceful-stop graceful shutdown")


@FAMILY.judges("nginx", "apachectl", "apache2ctl", "httpd", "haproxy", "caddy", "lighttpd", "angie", "openresty")
def web_servers(command: Command, _: Context) -> Iterator[Finding]:
    """Judge web servers that take signals on their command line."""
    options = parse(command, _SIGNALS)
    orders = [word.raw for word in options.values("s", "k")]
    if command.program in {"apachectl", "apache2ctl", "caddy"}:
        orders.append(options.subcommand())
    if not _STOPPING.isdisjoint(orders):
        yield from report_stop(command, [word.raw for word in command.args])


_DATABASES: dict[str, Check] = {
    **dict.fromkeys(("mysqladmin", "mariadb-admin"), mentions("shutdown kill")),
    **dict.fromkeys(("neo4j", "solr", "emqx", "riak", "dovecot", "omd", "icinga2", "clickhouse"), verb("stop restart")),
    **dict.fromkeys(("ejabberdctl", "prosodyctl", "nsd-control", "knotc", "pdns_control"), verb("stop restart quit")),
    **dict.fromkeys(("mysql.server", "mysqld_multi", "hadoop-daemon.sh", "pulsar-daemon"), verb("stop restart")),
    **dict.fromkeys(("lsnrctl", "srvctl"), verb("stop disable remove reload")),
    **dict.fromkeys(("hdfs", "yarn", "mapred"), flag("--daemon") & any_word("stop")),
    "asadmin": Check(lambda given: given.verb.startswith(("stop-", "restart-", "delete-"))),
    "asterisk": Check(lambda given: any(text.startswith(("core stop", "core restart")) for text in given.texts)),
    "catalina.sh": mentions("stop"),
    "cockroach": verb("quit") | (verb("node") & second("drain decommission")),
    "doveadm": verb("stop kick"),
    "gitlab-runner": verb("stop restart unregister uninstall"),
    "jboss-cli.sh": Check(lambda given: any("shutdown" in text for text in given.texts)),
    "mc": verb("admin") & second("service") & any_word("stop restart freeze"),
    "nats-server": flag_starts("--signal -sl -signal") & ~any_word("reload reopen"),
    "smbcontrol": any_word("shutdown close-share"),
    "squid": flag("-kshutdown -kkill") | (flag("-k") & any_word("shutdown kill restart interrupt")),
    "varnishadm": any_word("stop"),
    "elasticsearch-service": mentions("stop"),
    "mongod": mentions("--shutdown"),
    "pg_ctl": mentions("stop restart kill"),
    "pg_ctlcluster": mentions("stop restart"),
    "rabbitmqctl": mentions("stop stop_app reset force_reset shutdown"),
    "redis-cli": mentions("shutdown"),
    "s6-rc": mentions("-d -da"),
    "s6-svc": flag_like(r"-\w*[dkxtrQX]"),
    "svc": flag_like(r"-\w*[dkxtip]"),
    "vault": mentions("operator") & mentions("seal step-down"),
    "zkServer.sh": mentions("stop restart"),
}


@FAMILY.judges(*_DATABASES)
def databases(command: Command, _: Context) -> Iterator[Finding]:
    """Judge servers that are stopped by their client."""
    given = Arguments(command.args)
    if _DATABASES[command.program or ""].holds(given) and not mentions("--help").holds(given):
        yield from report_stop(command, given.texts)


_SERVERS: dict[str, Check] = {
    "flatpak": verb("kill"),
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
    """Judge servers with their own controller."""
    given = Arguments(command.args)
    if _SERVERS[command.program or ""].holds(given) and {"--help", "-h", "--version"}.isdisjoint(given.flags):
        yield from report_stop(command, given.words)


@FAMILY.judges("nomad")
def nomad(command: Command, _: Context) -> Iterator[Finding]:
    """Judge jobs and nodes, which are named by two words."""
    given = Arguments(command.args)
    if given.verb in {"job", "system", "node"} and given.words[1:2] in (["stop"], ["gc"], ["drain"], ["purge"]):
        yield STOP.found(command, path=" ".join(given.words)[:100])


@FAMILY.judges(
    "db2stop",
    "dbshut",
    "k3s-killall.sh",
    "k3s-uninstall.sh",
    "k3s-agent-uninstall.sh",
    "rke2-killall.sh",
    "rke2-uninstall.sh",
    "stopServer.sh",
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
    """Ask about scripts whose name says that they stop a server."""
    if not any(word.raw in {"--help", "--version"} for word in command.args):
        yield from report_stop(command, [])
