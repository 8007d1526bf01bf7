"""Services: stopped, restarted, or kept from starting."""

import re
from collections.abc import Iterator, Sequence

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

FAMILY = Family("services")

STOP = FAMILY.rule(
    "service.stop",
    "stops, restarts or disables a service: {path}",
    effects=("service",),
    match=(
        "systemctl stop nginx",
        "sudo systemctl --user restart app",
        "systemctl -q --now disable ssh",
        "systemctl mask x",
        "service mysql restart",
        "rc-service nginx stop",
        "launchctl unload ~/Library/LaunchAgents/x.plist",
        "launchctl bootout system/x",
        "supervisorctl stop all",
        "sv down app",
        "pm2 delete all",
        "nginx -s stop",
        "apachectl graceful-stop",
        "/etc/init.d/ssh stop",
        "brew services restart postgresql",
        "systemctl isolate multi-user.target",
        "systemctl kill x",
        "systemctl daemon-reexec",
        "initctl stop x",
        "svcadm disable x",
        "rc-update del nginx",
        "update-rc.d nginx remove",
        "chkconfig nginx off",
        "pg_ctl stop -m fast",
        "redis-cli shutdown",
        "mysqladmin -u root shutdown",
        "s6-svc -d /run/x",
        "monit stop all",
        "invoke-rc.d x stop",
        "systemctl reload-or-restart nginx",
        "rabbitmqctl stop",
        "net stop spooler",
        "sc.exe delete svc",
        "busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StopUnit ss "
        "x.service replace",
        "ansible web -m service -a 'name=nginx state=restarted'",
        "mongosh --eval 'db.shutdownServer()'",
        "salt '*' service.stop nginx",
    ),
    not_match=(
        "systemctl status nginx",
        "systemctl list-units",
        "systemctl start nginx",
        "systemctl show x",
        "systemctl is-active x",
        "service nginx status",
        "service --status-all",
        "launchctl list",
        "supervisorctl status",
        "pm2 list",
        "pm2 logs",
        "nginx -t",
        "apachectl configtest",
        "brew services list",
        "systemctl --help",
        "systemctl cat stop",
        "systemctl daemon-reload",
        "sv status x",
        "journalctl -u stop",
        "redis-cli ping",
        "mysqladmin status",
        "pg_ctl status",
        "systemctl enable x",
        "man systemctl",
        "ansible all -m ping",
        "mongosh --eval 'db.stats()'",
        "ansible all -m service -a 'name=x state=started'",
    ),
)
MACHINE = FAMILY.rule(
    "service.machine",
    "stops, resets or deletes a virtual machine: {path}",
    effects=("service", "delete"),
    match=(
        "virsh destroy vm1",
        "virsh undefine vm1 --remove-all-storage",
        "VBoxManage controlvm x poweroff",
        "VBoxManage unregistervm x --delete",
        "vagrant destroy -f",
        "vagrant halt",
        "multipass delete x",
        "limactl delete x",
        "qm stop 100",
        "wsl --shutdown",
        "machinectl terminate x",
        "virsh snapshot-revert x y",
        "multipass purge",
        "wsl --unregister Ubuntu",
    ),
    not_match=(
        "virsh list --all",
        "VBoxManage list vms",
        "vagrant status",
        "vagrant up",
        "multipass list",
        "limactl list",
        "qm list",
        "wsl --list",
        "machinectl list",
        "virsh dominfo x",
    ),
)
LEVEL = FAMILY.rule(
    "service.runlevel",
    "changes the runlevel of the machine: {path}",
    effects=("service",),
    match=("init 3", "telinit 1", "init s", "telinit q"),
    not_match=("init", "telinit --help"),
)
_SYSTEMCTL = Spec(
    "H= host= M= machine= t= type= p= property= s= signal= n= lines= o= output= job-mode= root= f force i q quiet now "
    "no-wall user system no-block no-pager "
    "no-ask-password when= message= help version dry-run check-inhibitors= kill-whom= what= state= a all l full r "
    "recursive legend? runtime global image= plain show-types"
)
_SYSTEMCTL_VERBS = frozenset(
    [
        "stop",
        "restart",
        "try-restart",
        "reload-or-restart",
        "reload-or-try-restart",
        "try-reload-or-restart",
        "force-reload",
        "condrestart",
        "condstop",
        "disable",
        "mask",
        "kill",
        "isolate",
        "daemon-reexec",
        "reenable",
        "preset",
        "preset-all",
        "revert",
        "set-default",
        "rescue",
        "emergency",
        "default",
        "switch-root",
        "clean",
        "freeze",
        "cancel",
        "set-property",
        "bind",
        "exit",
        "suspend",
        "hibernate",
        "hybrid-sleep",
        "suspend-then-hibernate",
        "sleep",
    ]
)
_STOPPING = frozenset(
    [
        "stop",
        "restart",
        "force-restart",
        "try-restart",
        "condrestart",
        "force-stop",
        "force-reload",
        "full-restart",
        "reload-or-restart",
        "disable",
        "down",
        "kill",
        "zap",
        "graceful-stop",
        "graceful",
        "shutdown",
        "pause",
        "terminate",
    ]
)


def _found(command: Command, words: Sequence[str]) -> Iterator[Finding]:
    yield STOP.found(command, path=" ".join([command.program or "", *words])[:100])


def _verbs(command: Command) -> list[str]:
    return [word.raw for word in command.args if not word.raw.startswith("-")]


@FAMILY.judges("systemctl", "systemctl.real")
def systemctl(command: Command, _: Context) -> Iterator[Finding]:
    """The verbs that take a service away."""
    options = parse(command, _SYSTEMCTL)
    if options.helps or options.has("dry-run"):
        return
    verb = options.subcommand()
    if verb in _SYSTEMCTL_VERBS or (
        options.operands and not options.operands[0].certain and not options.operands[0].splits
    ):
        yield from _found(command, [word.text for word in options.operands])


@FAMILY.judges(
    "service",
    "rc-service",
    "invoke-rc.d",
    "initctl",
    "supervisorctl",
    "monit",
    "svcadm",
    "sv",
    "rcctl",
    "eselect",
    "runsvctl",
    "circusctl",
    "systemctl-user",
    "dinitctl",
    "herd",
    "nssm",
)
def by_verb(command: Command, _: Context) -> Iterator[Finding]:
    """Controllers whose verb stands before or behind the service."""
    texts = [word.raw for word in command.args]
    if "--help" in texts or "--version" in texts:
        return
    words = _verbs(command)
    extra = {
        "sv": {"down", "d", "exit", "x", "force-stop", "force-shutdown", "t", "term", "k", "1", "2"},
        "supervisorctl": {"remove", "reload", "update", "signal", "clear"},
        "monit": {"quit", "unmonitor", "reload"},
        "svcadm": {"clear", "mark"},
        "nssm": {"remove"},
    }.get(command.program or "", set[str]())
    place = (
        words[:1]
        if command.program in {"supervisorctl", "monit", "svcadm", "sv", "initctl", "dinitctl", "nssm", "rcctl"}
        else words[1:2]
    )
    if any(word in _STOPPING or word in extra for word in place):
        yield from _found(command, words)


@FAMILY.judges("launchctl")
def launchctl(command: Command, _: Context) -> Iterator[Finding]:
    """The services of macOS."""
    words = _verbs(command)
    if (words[:1] and words[0] in {"unload", "stop", "remove", "bootout", "disable", "kill", "reboot", "config"}) or (
        words[:1] == ["kickstart"] and any("k" in word.raw for word in command.args if word.raw.startswith("-"))
    ):
        yield from _found(command, words)


@FAMILY.judges("pm2", "forever", "foreman", "overmind", "god", "eye")
def process_managers(command: Command, _: Context) -> Iterator[Finding]:
    """Process managers of applications."""
    words = _verbs(command)
    verbs = {
        "stop",
        "delete",
        "del",
        "kill",
        "restart",
        "reload",
        "stopall",
        "restartall",
        "gracefulReload",
        "flush",
        "unstartup",
        "quit",
        "terminate",
    }
    if words[:1] and words[0] in verbs:
        yield from _found(command, words)


@FAMILY.judges("brew")
def brew(command: Command, _: Context) -> Iterator[Finding]:
    """Services that brew runs."""
    words = _verbs(command)
    if words[:1] == ["services"] and words[1:2] and words[1] in {"stop", "restart", "kill", "cleanup"}:
        yield from _found(command, words)


@FAMILY.judges("nginx", "apachectl", "apache2ctl", "httpd", "haproxy", "caddy", "lighttpd", "angie", "openresty")
def web_servers(command: Command, _: Context) -> Iterator[Finding]:
    """Web servers that take signals on their command line."""
    texts = [word.raw for word in command.args]
    for number, text in enumerate(texts):
        value = text[2:] if text[:2] in {"-s", "-k"} else ""
        if text in {"-s", "-k"} and number + 1 < len(texts):
            value = texts[number + 1]
        if value in {"stop", "quit", "restart", "graceful-stop", "graceful", "shutdown"}:
            yield from _found(command, texts)
            return
    if (
        command.program in {"apachectl", "apache2ctl", "caddy"}
        and texts[:1]
        and texts[0] in {"stop", "restart", "graceful-stop", "graceful"}
    ):
        yield from _found(command, texts)


@FAMILY.judges("rc-update", "update-rc.d", "chkconfig", "insserv", "sysv-rc-conf")
def run_levels(command: Command, _: Context) -> Iterator[Finding]:
    """Services taken out of the start of the machine."""
    words = _verbs(command)
    texts = [word.raw for word in command.args]
    if set(words) & {"del", "delete", "remove", "off", "disable"} or (
        set(texts) & {"--del", "-r"} and command.program != "rc-update"
    ):
        yield from _found(command, texts)


@FAMILY.judges(
    "pg_ctl",
    "pg_ctlcluster",
    "redis-cli",
    "mysqladmin",
    "mariadb-admin",
    "rabbitmqctl",
    "mongod",
    "s6-svc",
    "svc",
    "vault",
    "s6-rc",
    "zkServer.sh",
    "catalina.sh",
    "elasticsearch-service",
    "etcdctl",
)
def databases(command: Command, _: Context) -> Iterator[Finding]:
    """Servers that are stopped with a client of their own."""
    texts = [word.raw for word in command.args]
    words = {text.lower() for text in texts}
    program = command.program or ""
    stops = {
        "pg_ctl": words & {"stop", "restart", "kill"},
        "pg_ctlcluster": words & {"stop", "restart"},
        "redis-cli": words & {"shutdown"},
        "mysqladmin": words & {"shutdown", "kill"},
        "mariadb-admin": words & {"shutdown", "kill"},
        "rabbitmqctl": words & {"stop", "stop_app", "reset", "force_reset", "shutdown"},
        "mongod": words & {"--shutdown"},
        "svc": {text for text in texts if re.match(r"-\w*[dkxtip]", text)},
        "vault": words & {"seal", "step-down"} if "operator" in words else set[str](),
        "s6-svc": {text for text in texts if re.match(r"-\w*[dkxtrQX]", text)},
        "s6-rc": words & {"-d", "-da"},
        "zkServer.sh": words & {"stop", "restart"},
        "catalina.sh": words & {"stop"},
        "elasticsearch-service": words & {"stop"},
    }
    if stops.get(program) and "--help" not in words:
        yield from _found(command, texts)


@FAMILY.judges("*")
def scripts(command: Command, _: Context) -> Iterator[Finding]:
    """Start scripts that are called by their path."""
    if not command.argv:
        return
    name = command.argv[0].raw
    if name.startswith(("/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/")) and any(
        word.raw in _STOPPING for word in command.args[:1]
    ):
        yield from _found(command, [word.raw for word in command.args])


@FAMILY.judges("net", "net.exe", "sc", "sc.exe", "wmic", "taskkill", "taskkill.exe")
def windows(command: Command, _: Context) -> Iterator[Finding]:
    """Services and tasks of Windows."""
    words = [word.raw.lower() for word in command.args]
    program = (command.program or "").removesuffix(".exe")
    if (
        (program == "net" and words[:1] == ["stop"])
        or (program == "sc" and words[:1] and words[0] in {"stop", "delete", "config"})
        or (program == "taskkill" and words)
        or (program == "wmic" and {"delete", "terminate", "stopservice"} & set(words))
    ):
        yield from _found(command, words)


_MACHINES: dict[str, frozenset[str]] = {
    "virsh": frozenset(
        [
            "destroy",
            "shutdown",
            "reboot",
            "reset",
            "undefine",
            "suspend",
            "managedsave",
            "save",
            "snapshot-delete",
            "snapshot-revert",
            "vol-delete",
            "vol-wipe",
            "pool-destroy",
            "pool-delete",
            "pool-undefine",
            "net-destroy",
            "net-undefine",
            "detach-disk",
            "detach-device",
            "blkdeviotune",
            "restore",
            "migrate",
        ]
    ),
    "VBoxManage": frozenset(["unregistervm", "closemedium"]),
    "vagrant": frozenset(["destroy", "halt", "suspend", "reload"]),
    "multipass": frozenset(["delete", "purge", "stop", "restart", "suspend", "restore"]),
    "limactl": frozenset(["delete", "rm", "stop", "factory-reset", "prune"]),
    "colima": frozenset(["delete", "stop", "restart", "prune"]),
    "qm": frozenset(["stop", "destroy", "shutdown", "reset", "reboot", "suspend", "rollback", "delsnapshot"]),
    "pct": frozenset(["stop", "destroy", "shutdown", "reboot", "suspend", "rollback", "delsnapshot"]),
    "machinectl": frozenset(["terminate", "kill", "poweroff", "reboot", "remove", "disable", "stop"]),
    "prlctl": frozenset(
        ["stop", "delete", "reset", "restart", "suspend", "snapshot-delete", "snapshot-switch", "unregister"]
    ),
    "xe": frozenset(["vm-shutdown", "vm-destroy", "vm-reboot", "vm-uninstall", "vdi-destroy"]),
    "snap": frozenset(["stop", "restart", "disable"]),
    "nomad": frozenset(["stop"]),
    "rndc": frozenset(["stop", "halt", "reload", "flush"]),
    "unbound-control": frozenset(["stop", "reload"]),
    "postfix": frozenset(["stop", "abort", "reload"]),
    "lxd": frozenset(["shutdown"]),
    "vmrun": frozenset(["stop", "reset", "suspend", "deleteVM", "revertToSnapshot", "deleteSnapshot"]),
    "xl": frozenset(["destroy", "shutdown", "reboot"]),
    "utmctl": frozenset(["stop", "delete", "suspend"]),
    "tart": frozenset(["stop", "delete", "prune"]),
    "lxc": frozenset({"stop", "restart", "delete", "pause", "rm", "restore"}),
    "incus": frozenset({"stop", "restart", "delete", "pause", "rm"}),
    "orb": frozenset({"stop", "restart", "delete", "reset"}),
    "patronictl": frozenset({"restart", "reload", "switchover", "failover", "pause", "remove", "reinit"}),
    "gitlab-ctl": frozenset({"stop", "restart", "kill", "graceful-kill", "hup", "term", "cleanse", "uninstall"}),
    "pcs": frozenset({"stop", "destroy", "disable"}),
    "crsctl": frozenset({"stop", "disable", "delete"}),
    "tailscale": frozenset({"down", "logout"}),
    "warp-cli": frozenset({"disconnect", "delete"}),
    "lxc-stop": frozenset(),
    "lxc-destroy": frozenset(),
    "minikube": frozenset({"stop", "pause"}),
    "pumactl": frozenset(["stop", "halt", "restart", "phased-restart"]),
    "thin": frozenset(["stop", "restart"]),
    "sidekiqctl": frozenset(["stop", "quiet"]),
    "passenger": frozenset(["stop"]),
    "cupsdisable": frozenset(),
}


#: Those that are no machines.
_SERVERS = frozenset(
    {
        "snap",
        "rndc",
        "postfix",
        "unbound-control",
        "gitlab-ctl",
        "tailscale",
        "patronictl",
        "warp-cli",
        "pumactl",
        "thin",
    }
)


@FAMILY.judges(*_MACHINES, "vboxmanage")
def machines(command: Command, _: Context) -> Iterator[Finding]:
    """Virtual machines and the servers with a controller of their own."""
    words = _verbs(command)
    program = "VBoxManage" if command.program == "vboxmanage" else command.program or ""
    if any(word.raw in {"--help", "-h", "--version"} for word in command.args):
        return
    if program in {"lxc-stop", "lxc-destroy"} or (program == "pcs" and set(words[:2]) & _MACHINES[program]):
        yield MACHINE.found(command, path=" ".join([program, *words])[:100])
    elif words and words[0] in _MACHINES[program]:
        yield (STOP if program in _SERVERS else MACHINE).found(command, path=" ".join([program, *words])[:100])
    elif (
        program == "VBoxManage"
        and set(words) & {"poweroff", "reset", "pause", "savestate", "acpipowerbutton"}
        and words[0] == "controlvm"
    ) or (
        program == "VBoxManage" and words[:1] == ["snapshot"] and set(words) & {"delete", "restore", "restorecurrent"}
    ):
        yield MACHINE.found(command, path=" ".join(words)[:100])
    elif (
        program == "nomad"
        and words[:1] in (["job"], ["system"], ["node"])
        and words[1:2]
        and words[1] in {"stop", "gc", "drain", "purge"}
    ):
        yield STOP.found(command, path=" ".join(words)[:100])


@FAMILY.judges(
    "busctl",
    "dbus-send",
    "gdbus",
    "qdbus",
    "uwsgi",
    "celery",
    "mongosh",
    "mongo",
    "vim-cmd",
    "ansible",
    "salt",
    "salt-ssh",
)
def by_message(command: Command, context: Context) -> Iterator[Finding]:
    """Services that are told to stop by a message, a control word or another machine."""
    texts = [word.raw for word in command.args]
    program = command.program or ""
    text = " ".join(texts)
    if program in {"ansible", "salt", "salt-ssh"}:
        yield from _fleet(command, texts, context)
        return
    hit = {
        "uwsgi": "--stop" in texts or "--reload" in texts,
        "celery": "shutdown" in texts or ("multi" in texts and bool({"stop", "restart", "stopwait"} & set(texts))),
        "mongosh": "shutdownServer" in text or re.search(r"shutdown\s*:", text) is not None,
        "mongo": "shutdownServer" in text,
        "vim-cmd": "power." in text or "destroy" in text,
    }.get(
        program,
        re.search(
            r"\b(?:Stop|Restart|Kill|TryRestart|ReloadOrRestart)Unit\b|\bDisableUnitFiles\b|\bMaskUnitFiles\b", text
        )
        is not None,
    )
    if hit:
        yield from _found(command, texts)


def _fleet(command: Command, texts: list[str], context: Context) -> Iterator[Finding]:
    if command.program == "ansible":
        options = parse(
            command,
            Spec(
                "m= module-name= a= args= i= inventory= u= user= b become K k e= extra-vars= l= limit= f= forks= C "
                "check D v o t= private-key= list-hosts"
            ),
        )
        if options.has("C", "check", "list-hosts"):
            return
        module = options.value("m", "module-name")
        name = module.raw.rsplit(".", 1)[-1] if module is not None else "command"
        argument = options.value("a", "args")
        given = argument.text if argument is not None else ""
        if name in {"shell", "command", "raw", "script"}:
            yield from context.judge_code(given, command)
        elif name == "reboot" or re.search(r"state=(?:stopped|restarted|absent)|enabled=(?:no|false)", given):
            yield from _found(command, texts)
        return
    for number, text in enumerate(texts):
        if text in {"cmd.run", "cmd.run_all", "cmd.shell"} and number + 1 < len(texts):
            yield from context.judge_code(texts[number + 1], command)
        elif re.match(
            r"(?:service\.(?:stop|restart|disable|mask)|system\.(?:reboot|shutdown|halt|poweroff)|pkg\.(?:remove|"
            r"purge)|file\.(?:remove|rmdir))\Z",
            text,
        ):
            yield from _found(command, texts)


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
        yield from _found(command, [])


@FAMILY.judges("wsl", "wsl.exe")
def wsl(command: Command, _: Context) -> Iterator[Finding]:
    """Linux on Windows."""
    texts = {word.raw for word in command.args}
    if texts & {"--shutdown", "--unregister", "--terminate", "-t"}:
        yield MACHINE.found(command, path=" ".join(command.texts)[:100])


@FAMILY.judges("init", "telinit")
def runlevel(command: Command, _: Context) -> Iterator[Finding]:
    """Every level but 0 and 6, which nobody may ask for."""
    words = _verbs(command)
    if words and re.match(r"[1-5sSqQuUaAbBcC]\Z", words[0]):
        yield LEVEL.found(command, path=words[0])
