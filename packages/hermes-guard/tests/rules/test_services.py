"""Services: the spellings an attacker would try, and a day of ordinary commands."""

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
