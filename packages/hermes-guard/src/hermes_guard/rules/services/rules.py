"""The rules about services."""

from collections.abc import Iterator, Sequence

from hermes_guard.rules.family import Family
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


def stopped(command: Command, said: Sequence[str]) -> Iterator[Finding]:
    """A finding about a service that a command stops, with what it was told."""
    yield STOP.found(command, path=" ".join([command.program or "", *said])[:100])
