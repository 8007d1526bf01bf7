"""Services: dangerous commands in many spellings, and ordinary commands."""

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.services import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "systemctl --user stop pipewire",
    "sudo systemctl stop docker.socket docker",
    "launchctl kickstart -k gui/501/x",
    "supervisorctl restart web:*",
    "herd stop nginx",
    "circusctl stop web",
    "sidekiqctl stop x.pid",
    "nginx -c x.conf -s stop",
    "mongo --eval 'db.adminCommand({shutdown: 1})'",
)
ORDINARY = (
    "systemctl status nginx",
    "systemctl --user list-timers",
    "systemctl cat ssh",
    "sudo systemctl start docker",
    "systemctl is-enabled x",
    "service nginx status",
    "launchctl list | grep x",
    "pm2 status",
    "nginx -t",
    "supervisorctl status",
    "virsh list",
    "vagrant up",
    "vagrant ssh -c 'ls'",
    "ansible all -m ping",
    "ansible-playbook site.yml --check",
    "nginx -s reload",
    "vim-cmd vmsvc/power.getstate 1",
    "nomad job status",
)


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert "service.stop" in GUARD.judge(command, home="/home/dev").rules


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)


FURTHER = (
    "tailscale logout",
    "systemctl suspend",
    "service nginx onestop",
    "/etc/rc.d/nginx onestop",
    "/usr/local/etc/rc.d/postgresql stop",
    "rc.d/nginx onestop",
    "service nginx onerestart",
    "service nginx faststop",
    "/etc/init.d/apache2 restart",
    "launchctl bootout gui/501 ~/Library/LaunchAgents/x.plist",
    "launchctl remove com.x.y",
    "launchctl kill SIGTERM system/com.x",
    "brew services stop --all",
    "brew services restart mysql@8.0",
    "supervisorctl shutdown",
    "supervisorctl -c x.conf stop all",
    "pm2 kill",
    "pm2 stop 0",
    "pm2 restart ecosystem.config.js",
    "systemctl mask --now firewalld",
    "systemctl set-property user.slice MemoryMax=1G",
    "snap stop lxd",
    "snap restart nextcloud",
    "snap disable firefox",
    "flatpak kill org.mozilla.firefox",
    "runit-sv stop x; sv stop nginx",
    "rcctl stop httpd",
    "rcctl disable httpd",
    "svcs; svcadm restart ssh",
    "synoservice --stop nginx",
    "synoservicectl --restart nginx",
    "/etc/init.d/mysql force-stop",
    "start-stop-daemon --stop --pidfile /run/x.pid",
    "start-stop-daemon -K -n nginx",
    "apachectl stop",
    "httpd -k graceful-stop",
    "uwsgi --stop /tmp/x.pid",
    "gunicorn-ctl stop",
    "unitctl stop",
    "caddy stop",
    "traefik-ctl stop; haproxy -sf 123",
    "vault operator seal",
    "kafka-server-stop.sh",
    "elasticsearch-service stop",
    "rabbitmqctl stop_app",
    "redis-cli -h h shutdown nosave",
    "mysqladmin shutdown",
    "pg_ctl -D data stop -m immediate",
    "pg_ctlcluster 15 main stop",
    "dropbear-stop; systemctl try-restart ssh",
    "s6-rc -d change nginx",
    "dinitctl stop x",
    "Stop-Service nginx; sc stop nginx",
    "net stop mssqlserver",
    "schtasks /end /tn x; sc config x start= disabled",
    "wmic shadowcopy delete",
    "warp-cli disconnect",
    "rc-service sshd restart",
    "/etc/init.d/networking restart",
    "/etc/rc.d/rc.httpd stop",
    "sv restart nginx",
    "sv exit nginx",
    "supervisorctl restart all",
    "forever stopall",
    "brew services stop redis",
    "nginx -s stop",
    "apachectl graceful-stop",
    "apache2ctl restart",
    "pg_ctl restart -D data",
    "mysqladmin -uroot shutdown",
    "redis-cli -p 6379 SHUTDOWN",
    "mongod --shutdown",
    "rabbitmqctl reset",
    "kafka-server-stop",
    "zkServer.sh stop",
    "catalina.sh stop",
    "gitlab-ctl stop",
    "monit unmonitor all",
    "initctl restart x",
    "svcadm disable network/ssh",
    "update-rc.d apache2 disable",
    "chkconfig httpd off",
    "rc-update delete sshd default",
    "ssh host sudo systemctl restart nginx",
    "sc.exe stop spooler",
    "net stop w32time",
    "dbus-send --system --dest=org.freedesktop.systemd1 --print-reply /org/freedesktop/systemd1 "
    "org.freedesktop.systemd1.Manager.StopUnit string:nginx.service string:replace",
    "busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 "
    "org.freedesktop.systemd1.Manager RestartUnit ss nginx.service replace",
    "hdfs --daemon stop namenode",
    "nats-server --signal stop",
)


@pytest.mark.parametrize("command", FURTHER)
def test_every_controller_is_asked_about(command: str) -> None:
    assert OWN & set(GUARD.judge(command, home="/home/dev").rules)
